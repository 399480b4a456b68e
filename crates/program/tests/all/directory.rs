//! Reductions of directories in memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use minirepro_program::archive::{Kind, entries, pack};
use minirepro_program::{Outcome, Reduction, Scope};

const FILES: [(&str, &str); 4] = [
    (
        "src/main.c",
        "#include \"lib.h\"\n#include \"more.h\"\nint main(void) { int x = 1; return lib(x, 2); }\n",
    ),
    ("src/lib.h", "int lib(int, int);\n"),
    ("src/more.h", "int more(void);\nint even_more(void);\n"),
    ("docs/b.html", "<ul><li>one</li><li>two</li></ul>\n"),
];

fn project() -> Vec<u8> {
    let files = FILES.map(|(path, text)| (Kind::Plain, path.as_bytes(), text.as_bytes()));
    pack(files).unwrap()
}

/// Files and their texts.
fn shown(archive: &[u8]) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    entries(archive).iter().map(|entry| (text(entry.path), text(entry.text))).collect()
}

/// Demands that included files are there; the failure is a call in one file and an item in another.
fn builds_and_fails(archive: &[u8]) -> Outcome {
    let files = shown(archive);
    let text = |path: &str| files.iter().find(|(name, _)| name == path).map(|(_, text)| &text[..]);
    let main = text("src/main.c").unwrap_or_default();
    let lacks = |name: &str| {
        main.contains(&format!("\"{name}\"")) && text(&format!("src/{name}")).is_none()
    };
    if lacks("lib.h") || lacks("more.h") {
        return Outcome::Unresolved;
    }
    let page = text("docs/b.html").unwrap_or_default();
    if main.contains("lib(") && page.contains("<li>two") { Outcome::Fail } else { Outcome::Pass }
}

#[test]
fn text_that_must_stay_does_so_in_whatever_file() {
    let kept = regex::bytes::Regex::new("even_more").unwrap();
    let scope = Scope { kept: vec![kept], ..Scope::default() };
    let request = Reduction { scope, files: Some(Vec::new()), ..Reduction::new(project()) };
    let outcome = request.run(&builds_and_fails).unwrap();
    let left = shown(&outcome.result.text);
    assert!(left.iter().any(|(_, text)| text.contains("even_more")), "{left:?}");
}

fn text_of(archive: &[u8], path: &str) -> Option<String> {
    shown(archive).into_iter().find(|(name, _)| name == path).map(|(_, text)| text)
}

#[test]
fn a_name_goes_from_all_files_at_once() {
    let input = [
        ("lib.h", "int one(void);\nint two(void);\nint three(int);\n"),
        (
            "lib.c",
            "#include \"lib.h\"\nint one(void) { return 1; }\nint two(void) { return one(); }\nint three(int n) { return n; }\n",
        ),
        (
            "main.c",
            "#include \"lib.h\"\nint main(void) { int n = 0; two(); n = one(); return three(n); }\n",
        ),
        ("page.html", "<p class='ay bee' id=x>t</p>"),
        ("page.css", ".ay { top: 0 }\n.bee { top: 1px }\n#x { left: 0 }\n"),
    ];
    // Stands for a linker and a checker that want each name in all of its files or in none.
    let oracle = |candidate: &[u8]| {
        let places = |name: &str, paths: &[&str]| {
            let holds = |path: &&&str| text_of(candidate, path).is_some_and(|t| t.contains(name));
            paths.iter().filter(holds).count()
        };
        let program = ["lib.h", "lib.c", "main.c"];
        for name in ["one(", "two(", "three("] {
            if !matches!(places(name, &program), 0 | 3) {
                return Outcome::Unresolved;
            }
        }
        let page = ["page.html", "page.css"];
        let styled = |class: &str| {
            let holds =
                |path, word: &str| text_of(candidate, path).is_some_and(|t| t.contains(word));
            holds("page.css", &format!(".{class} ")) && !holds("page.html", class)
        };
        if styled("ay") || styled("bee") {
            return Outcome::Unresolved;
        }
        if places("three(", &program) == 3 && places("x", &page) == 2 {
            Outcome::Fail
        } else {
            Outcome::Pass
        }
    };
    let input = input.map(|(path, text)| (Kind::Plain, path.as_bytes(), text.as_bytes()));
    let files = Some(Vec::new());
    let request = Reduction { files, ..Reduction::new(pack(input).unwrap()) };
    let outcome = request.run(&oracle).unwrap();
    let left = &outcome.result.text;
    let program = ["lib.h", "lib.c", "main.c"].map(|path| text_of(left, path).unwrap());
    assert!(program.iter().all(|text| text.trim().ends_with(';') && !text.contains("one")));
    let page = ["page.html", "page.css"].map(|path| text_of(left, path).unwrap());
    assert!(page.iter().all(|text| !text.contains("ay") && !text.contains("bee")), "{page:?}");
}
