//! Changes between two versions of several files as circumstances, against oracles that are
//! functions of the files.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_circumstances::archive::{Kind, entries, pack};
use minirepro_circumstances::{Changes, LanguageOf};
use minirepro_engine::{Goal, IsolationPlan, Outcome};
use minirepro_testkit::{Experimented, experiment};

type Files<'a> = &'a [(&'a str, &'a str)];

fn archive(files: Files<'_>) -> Arc<[u8]> {
    let files = files.iter().map(|(path, text)| (Kind::Plain, path.as_bytes(), text.as_bytes()));
    pack(files).unwrap().into()
}

fn c_files() -> Arc<LanguageOf> {
    let c = Arc::new(minirepro_languages::by_name("c").unwrap());
    Arc::new(move |path, _| path.ends_with(b".c").then(|| Arc::clone(&c)))
}

fn text_of(candidate: &[u8], path: &str) -> String {
    let found = entries(candidate).into_iter().find(|e| e.path == path.as_bytes());
    found.map_or(String::new(), |e| String::from_utf8_lossy(e.text).into_owned())
}

/// Isolates with 1, 2 and 8 workers, which must not matter.
fn isolate((old, new): (Files<'_>, Files<'_>), oracle: &dyn Fn(&[u8]) -> Outcome) -> Experimented {
    let run = |jobs| {
        let ends = (archive(old), archive(new));
        let changes = Changes::new(Arc::clone(&ends.0), Arc::clone(&ends.1), c_files());
        let trial =
            IsolationPlan { jobs, ..IsolationPlan::new(Arc::new(changes), ends, Goal::Isolate) };
        experiment(trial, oracle, &|text| Duration::from_millis(10 + text.len() as u64 % 13))
    };
    let told = run(1);
    for jobs in [2, 8] {
        let other = run(jobs);
        assert_eq!((&other.failing, &other.answers), (&told.failing, &told.answers), "{jobs} jobs");
    }
    told
}

const OLD: Files<'_> = &[
    ("a.c", "int one(void) { return 1; }\nint two(void) { return one() + one(); }\n"),
    ("b.txt", "1\n2\n3\n4\n5\n6\n"),
    ("gone.txt", "gone\n"),
];
const NEW: Files<'_> = &[
    ("a.c", "int uno(void) { return 1; }\nint two(void) { int n = uno();\n return n + n; }\n"),
    ("b.txt", "1\nzwei\n3\n4\nfive\n6\n"),
    ("new.txt", "new\n"),
];

#[test]
fn from_files_to_hunks() {
    let oracle = |candidate: &[u8]| {
        if text_of(candidate, "b.txt").contains("five") { Outcome::Fail } else { Outcome::Pass }
    };
    let told = isolate((OLD, NEW), &oracle);
    let [pass, fail] = [&told.passing, &told.failing].map(|text| text_of(text, "b.txt"));
    assert_eq!(pass.replace("\n5\n", "\nfive\n"), fail);
    let names: Vec<_> = told.findings.levels.iter().map(|level| level.name).collect();
    assert_eq!(names, ["files", "hunks"]);
    // The other files are those of one version or the other, as a whole.
    for path in ["a.c", "gone.txt", "new.txt"] {
        let same = text_of(&told.passing, path) == text_of(&told.failing, path);
        assert!(same, "{path}");
    }
}

#[test]
fn a_change_that_needs_another_one_is_never_tried_without_it() {
    let oracle = |candidate: &[u8]| {
        let text = text_of(candidate, "a.c");
        for name in ["one", "uno"] {
            let declared = text.contains(&format!("int {name}(void)"));
            assert!(declared || !text.contains(&format!("{name}()")), "not declared: {text}");
        }
        if text.contains("n + n") { Outcome::Fail } else { Outcome::Pass }
    };
    let told = isolate((OLD, NEW), &oracle);
    assert!(text_of(&told.failing, "a.c").contains("uno"));
    assert!(!text_of(&told.passing, "a.c").contains("n + n"));
}

#[test]
fn a_change_brings_along_what_it_needs() {
    // Ten changes, each a function in a header, its definition and a call in other files.
    let header = |new: bool| -> String {
        let line = |n: usize| {
            if new { format!("int new{n}(void);\n") } else { format!("int old{n}(void);\n") }
        };
        (0..10).map(line).collect()
    };
    let program = |new: bool| -> String {
        let name = if new { "new" } else { "old" };
        (0..10).map(|n| format!("int use{n}(void) {{ return {name}{n}(); }}\n\n")).collect()
    };
    let [a, b, c, d] = [header(false), program(false), header(true), program(true)];
    let old = [("lib.c", a.as_str()), ("main.c", b.as_str())];
    let new = [("lib.c", c.as_str()), ("main.c", d.as_str())];
    let oracle = |candidate: &[u8]| {
        let (lib, main) = (text_of(candidate, "lib.c"), text_of(candidate, "main.c"));
        for n in 0..10 {
            for name in ["old", "new"] {
                let declared = lib.contains(&format!("{name}{n}(void);"));
                assert!(declared || !main.contains(&format!("{name}{n}()")), "{lib}{main}");
            }
        }
        if main.contains("new7()") { Outcome::Fail } else { Outcome::Pass }
    };
    let told = isolate((&old, &new), &oracle);
    let [pass, fail] = [&told.passing, &told.failing].map(|text| text_of(text, "main.c"));
    assert_eq!(pass.replace("old7", "new7"), fail);
    assert!(told.findings.infeasible < 5 && told.findings.tests < 12, "{:?}", told.findings);
}
