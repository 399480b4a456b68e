//! Which passes find something to propose in which language: a text with one of everything in each
//! language, and a short program. `reach.txt` lists the passes that find nothing, so that a hole is
//! seen in a review. `UPDATE_EXPECT=1` writes it again.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use minirepro_languages::{all, by_name};
use minirepro_passes::{PassContext, of};

/// The file with the table.
const TABLE: &str = "tests/reach.txt";

/// The texts beside each manifest: one of everything, and, for what is tried in short texts only, a
/// program with calls and assignments.
const TEXTS: [&str; 2] = ["constructs", "calls"];

/// Returns the passes that find nothing in the texts, if there is one.
fn idle(name: &str, cases: &Path) -> Option<Vec<&'static str>> {
    let files = std::fs::read_dir(cases).ok()?.map(|entry| entry.unwrap().path());
    let is_text = |path: &PathBuf| {
        path.file_stem().is_some_and(|stem| TEXTS.iter().any(|text| stem == *text))
    };
    let texts: Vec<PathBuf> = files.filter(is_text).collect();
    let names = texts.iter().map(|file| idle_in(name, file)).reduce(|all, more| &all & &more)?;
    Some(names.into_iter().collect())
}

/// Returns the passes that find nothing in a text.
fn idle_in(name: &str, file: &Path) -> BTreeSet<&'static str> {
    let text = std::fs::read(file).unwrap();
    let language = by_name(name).unwrap();
    let text = language.reader.canonical_form(&text).unwrap_or(text);
    let tree = language.parser.parse(&text);
    let none = HashSet::new();
    let finds =
        |context: PassContext<'_>, pass: &minirepro_passes::Pass| pass.propose(&context).is_some();
    let passes = of(&language).into_iter().filter(|pass| {
        !finds(PassContext::new(&tree, &language, pass.gate, &none), pass)
            && !finds(
                PassContext::new(&tree, &language, pass.gate, &none).proposing_again(true),
                pass,
            )
    });
    passes.map(|pass| pass.name).collect()
}

#[test]
fn passes_that_find_nothing_in_a_language_are_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let old = std::fs::read_to_string(root.join(TABLE)).unwrap_or_default();
    let row = |line: &str| line.split_once(": ").map(|(name, rest)| (name.into(), rest.into()));
    let mut table: BTreeMap<String, String> = old.lines().filter_map(row).collect();
    for info in all() {
        let cases = root.join("../../grammars").join(&info.name).join("cases");
        if let Some(idle) = idle(&info.name, &cases) {
            table.insert(info.name.clone(), idle.join(" "));
        }
    }
    let mut new = String::new();
    for (name, passes) in &table {
        writeln!(new, "{name}: {passes}").unwrap();
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(root.join(TABLE), &new).unwrap();
    } else {
        assert_eq!(new, old, "UPDATE_EXPECT=1 writes {TABLE} again");
    }
}
