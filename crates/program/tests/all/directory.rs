//! Reductions of directories in memory.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::cell::RefCell;

use minirepro_program::archive::{Kind, entries, pack};
use minirepro_program::{DirectoryReduction, Outcome, RunEvent, Scope};

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
fn files_go_with_the_lines_that_include_them_and_the_rest_by_its_language() {
    let members = RefCell::new(Vec::new());
    let outcome = DirectoryReduction::new(project())
        .observer(|event: &RunEvent<'_>| {
            if let RunEvent::MemberReduced { path, .. } = event {
                members.borrow_mut().push((*path).to_owned());
            }
        })
        .run(builds_and_fails)
        .unwrap();
    let result = &outcome.results[0];
    let expected = [("docs/b.html", "<li>two"), ("src/main.c", "lib();")];
    let left: Vec<(String, String)> = shown(&result.archive);
    let left: Vec<(&str, &str)> =
        left.iter().map(|(path, text)| (&path[..], text.trim_end())).collect();
    let mut sorted = left.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert!(result.is_minimal && outcome.stopped.is_none());
    assert_eq!((result.figures.files, result.figures.stopped), ((4, 2), None));
    assert!(members.borrow().iter().any(|path| path == "src/main.c"));
}

#[test]
fn text_that_must_stay_does_so_in_every_file() {
    let kept = regex::bytes::Regex::new("even_more").unwrap();
    let scope = Scope { kept: vec![kept], ..Scope::default() };
    let outcome = DirectoryReduction::new(project()).scope(scope).run(builds_and_fails).unwrap();
    let left = shown(&outcome.results[0].archive);
    assert!(left.iter().any(|(path, text)| path == "src/more.h" && text.contains("even_more")));
}
