//! Passes as data: the files, and the roles that only passes for one family of languages ask for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use minirepro_languages::{all, by_name, rule_passes};
use minirepro_syntax::Role;

fn grammars() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars")
}

#[test]
fn every_file_of_rules_is_in_the_program() {
    let mut found: BTreeSet<(String, String)> = BTreeSet::new();
    let directories = std::fs::read_dir(grammars()).expect("the directory is there");
    for directory in directories {
        let directory = directory.expect("it can be read").path();
        let name = directory.file_name().expect("it has a name").to_string_lossy().into_owned();
        let (rules, language) = match &*name {
            "rules" => (directory, String::new()),
            _ => (directory.join("rules"), name),
        };
        let Ok(files) = std::fs::read_dir(rules) else { continue };
        for file in files {
            let file = file.expect("it can be read").path();
            let pass = file.file_stem().expect("it has a name").to_string_lossy().into_owned();
            found.insert((language.clone(), pass));
        }
    }
    let mut known = BTreeSet::new();
    for pass in rule_passes() {
        known.extend(pass.languages.iter().map(|&own| (own.to_owned(), pass.name.to_owned())));
    }
    assert_eq!(known, found);
}

/// The roles that are played in one family of languages only, each with the reason why a pass asks
/// for it. A pass for one family is a file of rules, so none may be added; each that goes makes the
/// vocabulary of passes more general.
const OF_ONE_FAMILY: &[(&str, &str, &str)] = &[
    ("c", "deduced", "a function of this type cannot be declared without its body (graph)"),
    ("c", "instantiation", "declares nothing although it reads so (graph)"),
    ("c", "macro", "`expand-macro`, and macros that open brackets (graph)"),
    ("c", "template", "a declaration around another one (graph, `instantiate-template-param`)"),
    ("c", "unread", "macros and conditions that are one leaf mention names (graph)"),
    ("page", "pool", "what hardly needs its neighbours, as one list (`flat`)"),
    ("page", "soup", "only readers of HTML do without a tag that the grammar demands"),
    ("page", "style_rule", "style sheets, which `inline-style` and others move to elements"),
    ("sql", "keyword", "keywords are kinds of their own, which go with the parts that need them"),
];

/// Returns the family of a language; itself if it has no relatives.
fn family(language: &str) -> &str {
    match language {
        "c" | "cpp" | "glsl" | "objc" => "c",
        "html" | "page" | "css" | "xml" => "page",
        "javascript" | "typescript" | "tsx" | "json" => "javascript",
        other => other,
    }
}

/// Returns the manifests of all languages, also of those that are not compiled in.
fn manifests() -> impl Iterator<Item = (String, String)> {
    let directories = std::fs::read_dir(grammars()).expect("the directory is there");
    directories.filter_map(|directory| {
        let directory = directory.expect("it can be read").path();
        let manifest = std::fs::read_to_string(directory.join("language.toml")).ok()?;
        Some((directory.file_name()?.to_str()?.to_owned(), manifest))
    })
}

#[test]
fn no_further_role_is_played_in_one_family_only() {
    let mut played: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    // Forms of files have one role, that of bytes.
    let is_form = |name: &str| name == "bytes" || name.starts_with("records");
    for info in all().iter().filter(|info| !is_form(&info.name)) {
        let language = by_name(&info.name).expect("it is known");
        // Pages hold languages of other families.
        let is_inner = |kind| language.kinds.name(kind).starts_with("javascript_");
        for &role in Role::ALL {
            if language.roles.kinds(role).any(|kind| !is_inner(kind)) {
                played.entry(role.name()).or_default().insert(family(&info.name).to_owned());
            }
        }
    }
    for (language, manifest) in manifests() {
        let says = |role: &&Role| {
            manifest.lines().any(|line| line.starts_with(&format!("{} = ", role.name())))
        };
        for role in Role::ALL.iter().filter(says) {
            played.entry(role.name()).or_default().insert(family(&language).to_owned());
        }
    }
    let mut found: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (role, families) in played.iter().filter(|(_, families)| families.len() == 1) {
        let only = families.iter().next().expect("there is one");
        found.entry(only.clone()).or_default().insert(role);
    }
    let mut expected: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for &(family, role, reason) in OF_ONE_FAMILY {
        assert!(!reason.is_empty(), "{role}");
        expected.entry(family.to_owned()).or_default().insert(role);
    }
    assert_eq!(found, expected);
}
