//! What goes together in several files, against oracles that are functions of the files.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_circumstances::archive::{Kind, entries, pack};
use minirepro_circumstances::{CoupledParts, LanguageOf, files, shared_names};
use minirepro_engine::{Goal, IsolationPlan, Outcome, Search};
use minirepro_testkit::experiment;

fn languages() -> Box<LanguageOf> {
    let known = ["c", "css", "html", "javascript"].map(|name| {
        let language = Arc::new(minirepro_languages::by_name(name).unwrap());
        (name, language)
    });
    Box::new(move |path, text| {
        let name = minirepro_languages::guess(&String::from_utf8_lossy(path), text);
        known.iter().find(|(known, _)| *known == name).map(|(_, language)| Arc::clone(language))
    })
}

fn archive(files: &[(&str, &str)]) -> Arc<[u8]> {
    let files = files.iter().map(|(path, text)| (Kind::Plain, path.as_bytes(), text.as_bytes()));
    pack(files).unwrap().into()
}

fn text_of(archive: &[u8], path: &str) -> Option<String> {
    let found = entries(archive).into_iter().find(|e| e.path == path.as_bytes());
    found.map(|e| String::from_utf8_lossy(e.text).into_owned())
}

/// Minimises with 1 and 3 workers, which must not matter; what is left, and the tests.
fn least(
    coupled: fn(Arc<[u8]>, &LanguageOf) -> CoupledParts,
    input: &[(&str, &str)],
    oracle: &dyn Fn(&[u8]) -> Outcome,
) -> (Vec<u8>, u64) {
    let input = archive(input);
    let run = |jobs| {
        let circumstances = Arc::new(coupled(Arc::clone(&input), &languages()));
        let ends = (Arc::from(&b""[..]), Arc::clone(&input));
        let goal = Goal::Minimize(Search::default());
        experiment(
            IsolationPlan { jobs, ..IsolationPlan::new(circumstances, ends, goal) },
            oracle,
            &|text| Duration::from_millis(10 + text.len() as u64 % 13),
        )
    };
    let told = run(1);
    let other = run(3);
    assert_eq!((&told.failing, &told.answers), (&other.failing, &other.answers));
    (told.failing, told.findings.tests)
}

#[test]
fn a_file_goes_with_what_brings_it_in() {
    let input = [
        ("main.c", "#include \"lib.h\"\n#include <stdio.h>\nint lib;\n"),
        ("lib.h", "int f(void);\n"),
        ("lib.c", "# include \"lib.h\"\nint f(void) { return 1; }\n"),
        ("page.html", "<p><link href='css/a.css'><script src=\"a.js?v=1\"></script>x</p>"),
        ("css/a.css", "p { color: red }\n"),
        ("a.js", "import { x } from './util';\nx();\n"),
        ("util.js", "export let x = 1;\n"),
        ("run.py", "import lib\nfrom util import x\nprint(1)\n"),
    ];
    // Everything that is mentioned must be there.
    let oracle = |candidate: &[u8]| {
        let all = entries(candidate);
        let is_there =
            |name: &str| all.iter().any(|e| String::from_utf8_lossy(e.path).contains(name));
        for entry in &all {
            let text = String::from_utf8_lossy(entry.text);
            for (word, name) in
                [("lib.h", "lib.h"), ("a.css", "a.css"), ("a.js", "a.js"), ("./util", "util.js")]
            {
                if text.contains(word) && !is_there(name) {
                    return Outcome::Unresolved;
                }
            }
        }
        let holds = |path, word| text_of(candidate, path).is_some_and(|text| text.contains(word));
        if holds("main.c", "int lib") && holds("page.html", "x</p>") && holds("run.py", "print") {
            Outcome::Fail
        } else {
            Outcome::Pass
        }
    };
    let (left, tests) = least(files, &input, &oracle);
    let paths: Vec<_> = entries(&left).iter().map(|e| e.path.to_vec()).collect();
    assert_eq!(paths, [&b"main.c"[..], b"page.html", b"run.py"]);
    assert_eq!(text_of(&left, "main.c").unwrap(), "#include <stdio.h>\nint lib;\n");
    assert_eq!(text_of(&left, "page.html").unwrap(), "<p><link href><script src></script>x</p>");
    assert_eq!(text_of(&left, "run.py").unwrap(), "print(1)\n");
    assert!(tests <= 15, "{tests}");
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
    let (left, tests) = least(shared_names, &input, &oracle);
    assert_eq!(text_of(&left, "lib.h").unwrap(), "int three(int);\n");
    let main = text_of(&left, "main.c").unwrap();
    assert!(main.contains("return three();") && !main.contains("one("), "{main}");
    assert_eq!(text_of(&left, "page.css").unwrap(), "#x { left: 0 }\n");
    assert!(tests <= 20, "{tests}");
}
