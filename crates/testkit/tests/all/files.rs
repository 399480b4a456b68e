//! Asserts that no files and no folders of a crate use each other in a circle.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};

use minirepro_testkit::{Circle, FileGraph};

/// Circles that are allowed: a file, or a folder with all circles below it, as seen from `crates/`,
/// and the reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Returns every circle of every crate, with paths as seen from `crates/`.
fn circles() -> Vec<Circle> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let sources = entry.unwrap().path().join("src");
        if !sources.is_dir() {
            continue;
        }
        let prefix = sources.strip_prefix(crates).unwrap();
        let graph = FileGraph::read(&sources).unwrap();
        for circle in graph.circles().into_iter().chain(graph.folder_circles()) {
            let members = circle.members.iter().map(|member| prefix.join(member)).collect();
            found.push(Circle { members });
        }
    }
    found
}

fn is_excused_by(circle: &Circle, exception: &str) -> bool {
    circle.members.iter().all(|member| member.starts_with(exception))
}

#[test]
fn no_files_and_no_folders_use_each_other_in_a_circle() {
    let mut unexcused = circles();
    unexcused.retain(|circle| !EXCEPTIONS.iter().any(|(name, _)| is_excused_by(circle, name)));
    assert!(unexcused.is_empty(), "{}", listed(&unexcused));
}

#[test]
fn every_exception_is_needed() {
    let circles = circles();
    for (name, reason) in EXCEPTIONS {
        assert!(!reason.is_empty(), "{name} has no reason");
        let is_needed = circles.iter().any(|circle| is_excused_by(circle, name));
        assert!(is_needed, "{name} is in no circle any more: remove it from EXCEPTIONS");
    }
}

/// Shows circles, one a line.
fn listed(circles: &[Circle]) -> String {
    let line = |circle: &Circle| {
        let members: Vec<String> = circle.members.iter().map(|m| m.display().to_string()).collect();
        format!("circle: {}\n", members.join(" → "))
    };
    circles.iter().map(line).collect()
}

/// Writes the files of a small crate and reads its graph.
fn graph_of(files: &[(&str, &str)]) -> FileGraph {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "graph-{}-{}",
        std::process::id(),
        files[0].1.len()
    ));
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let graph = FileGraph::read(&folder).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    graph
}

/// Returns the arrows as `a.rs → b.rs`.
fn arrows_of(graph: &FileGraph) -> Vec<String> {
    let shown = |(from, to): (&Path, &Path)| format!("{} → {}", from.display(), to.display());
    let mut arrows: Vec<String> = graph.pairs().map(shown).collect();
    arrows.sort();
    arrows
}

#[test]
fn a_name_counts_for_the_file_that_defines_it_through_re_exports() {
    let graph = graph_of(&[
        ("lib.rs", "mod a; mod b; pub use b::inner::Name as Other;"),
        ("a.rs", "use crate::Other; fn f(_: Other) { crate::b::g(); }"),
        ("b/mod.rs", "pub(crate) mod inner; pub(crate) use inner::g;"),
        ("b/inner.rs", "pub struct Name; pub(crate) fn g() {}"),
    ]);
    assert_eq!(arrows_of(&graph), ["a.rs → b/inner.rs"]);
    assert!(graph.circles().is_empty());
}

#[test]
fn paths_inside_of_functions_and_macros_count() {
    let graph = graph_of(&[
        ("lib.rs", "mod a; mod b; mod c; /* functions and macros */"),
        ("a.rs", "pub fn f() { super::b::g(); }"),
        ("b.rs", "pub fn g() { assert!(if true { crate::c::h() } else { false }); }"),
        ("c.rs", "pub fn h() -> bool { use crate::a; a::f(); true }"),
    ]);
    assert_eq!(arrows_of(&graph), ["a.rs → b.rs", "b.rs → c.rs", "c.rs → a.rs"]);
    let members = ["a.rs", "b.rs", "c.rs"].map(PathBuf::from).to_vec();
    assert_eq!(graph.circles(), [Circle { members }]);
}

#[test]
fn folders_whose_files_use_each_other_are_a_circle() {
    let graph = graph_of(&[
        ("lib.rs", "mod a; mod b; /* two folders */"),
        ("a/mod.rs", "pub mod low; mod high;"),
        ("a/low.rs", "pub fn low() {}"),
        ("a/high.rs", "use crate::b::*; fn high() { middle(); }"),
        ("b.rs", "pub fn middle() { crate::a::low::low(); }"),
    ]);
    assert!(graph.circles().is_empty());
    assert_eq!(graph.folder_circles(), [Circle { members: vec!["a".into(), "b".into()] }]);
    assert_eq!(graph.upward(), 1);
}

#[test]
fn code_for_tests_draws_no_arrow() {
    let graph = graph_of(&[
        ("lib.rs", "mod a; mod b; /* tests draw no arrow */"),
        ("a.rs", "use crate::b::g; pub fn f() { g() }"),
        ("b.rs", "pub fn g() {} #[cfg(test)] mod tests { use crate::a::f; }"),
    ]);
    assert_eq!(arrows_of(&graph), ["a.rs → b.rs"]);
}
