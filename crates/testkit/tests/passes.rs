//! Every pass by examples: `passes/<pass>.txt` says what a single edit gives, and what it never may.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};

use minirepro_passes::known;
use minirepro_testkit::{Example, check};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes")
}

fn check_all(pass: &str) {
    let path = examples().join(format!("{pass}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for example in Example::read_all(&text) {
        check(pass, &minirepro_languages::by_name(&example.language).unwrap(), &example);
    }
}

macro_rules! passes {
    ($($name:ident)*) => {
        const CHECKED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check_all(stringify!($name)); })*
    };
}

passes! {
    qualifiers pool chains top hollow lists layers names couplings encoded nesting structure canonical typedefs records parameters levels
    inline joins soup tokens inside merges rewrites windows
    globals formals scalars unfold expand constants substitutes macros members returns hdd hddr perses
}

#[test]
fn every_pass_has_examples_and_no_example_is_left_over() {
    let mut names: Vec<&str> = known().map(|pass| pass.name).collect();
    names.sort_unstable();
    let mut checked = CHECKED.to_vec();
    checked.sort_unstable();
    assert_eq!(checked, names);
    let mut files: Vec<String> = std::fs::read_dir(examples())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    files.sort_unstable();
    assert_eq!(files, names);
}
