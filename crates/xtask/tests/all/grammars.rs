//! The directories under `grammars/` against the registry, the pinned crates, and their own cases.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its cases has failed")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use minirepro_languages::{all, by_name};
use minirepro_syntax::{Edits, FieldRole, Language, NodeId, Piece, Role, Tree, close, render};
use serde::Deserialize;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn directories() -> BTreeSet<String> {
    std::fs::read_dir(root().join("grammars"))
        .unwrap()
        .map(|entry| entry.unwrap())
        // The forms of binary records have none.
        .filter(|entry| entry.path().join("language.toml").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn registry_directories_and_dependencies_agree() {
    let manifest = read(&root().join("crates/languages/Cargo.toml"));
    let dependencies: BTreeSet<String> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("tree-sitter-")?.split_once(['.', ' ']))
        .map(|(name, _)| name.to_owned())
        // The form in which grammars are handed over.
        .filter(|name| name != "language")
        .collect();
    let source = |name: &String| {
        let manifest = read(&root().join("grammars").join(name).join("language.toml"));
        let manifest: toml::Table = toml::from_str(&manifest).unwrap();
        let grammar = manifest.get("grammar").map_or(name.as_str(), |g| g.as_str().unwrap());
        grammar.split('/').next().unwrap().to_owned()
    };
    let is_own = |name: &&String| ["c", "cpp", "smtlib", "wat"].contains(&name.as_str());
    let foreign = directories().iter().filter(|name| !is_own(name)).map(source).collect();
    assert_eq!(dependencies, foreign);
    let known: BTreeSet<String> = all()
        .iter()
        .filter(|info| !info.suffixes.is_empty())
        .map(|info| info.name.clone())
        .collect();
    // A directory may hold a second manifest, of a language that others read.
    let beside = |name: &String| {
        let file = |directory| root().join("grammars").join(directory).join(format!("{name}.toml"));
        directories().iter().any(|directory| file(directory).exists())
    };
    assert!(known.difference(&directories()).all(beside));
    let named = |name: &String| {
        read(&root().join("crates/languages/src/registry/table.rs"))
            .contains(&format!("\"{name}\""))
    };
    assert!(directories().iter().all(named), "the registry lacks a directory");
}

/// Returns the names of the languages that are part of this program.
pub fn compiled() -> BTreeSet<String> {
    let known: BTreeSet<String> = all().iter().map(|info| info.name.clone()).collect();
    directories().intersection(&known).cloned().collect()
}

/// Returns the texts of all files with this ending below a folder.
fn sources(folder: &Path, ending: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(read(&path));
        }
    }
}

#[test]
fn every_role_is_asked_for_by_code_or_rules_or_an_entry_of_a_manifest() {
    let mut code = Vec::new();
    for name in ["circumstances", "engine", "passes", "program", "syntax"] {
        sources(&root().join("crates").join(name).join("src"), "rs", &mut code);
    }
    let manifests: Vec<String> = directories()
        .iter()
        .map(|name| read(&root().join("grammars").join(name).join("language.toml")))
        .collect();
    let mut rules = Vec::new();
    sources(&root().join("grammars"), "toml", &mut rules);
    rules.retain(|text| text.contains("match = "));
    let is_sign = |c: char| !c.is_alphanumeric() && c != '_';
    let is_asked_for = |variant: &str| {
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_whole = |pair: &[&str]| !pair[0].ends_with("Field") && ends(pair[1]);
        code.iter().any(|text| {
            let parts: Vec<&str> = text.split(variant).collect();
            parts.windows(2).any(is_whole)
        })
    };
    for role in Role::ALL {
        let quoted = format!("\"{}\"", role.name());
        let is_in = |line: &str| line.starts_with("roles = ") && line.contains(&quoted);
        let by_entry = manifests.iter().any(|manifest| manifest.lines().any(is_in));
        let by_rule = rules.iter().any(|rule| rule.split(is_sign).any(|word| word == role.name()));
        let is_alive = by_entry || by_rule || is_asked_for(&format!("Role::{role:?}"));
        assert!(is_alive, "{role:?} is dead");
    }
    for part in FieldRole::ALL {
        assert!(is_asked_for(&format!("FieldRole::{part:?}")), "{part:?} is dead");
    }
}

#[test]
fn suffixes_belong_to_one_language_each_and_manifests_are_complete() {
    // Of what language a header is, its text tells.
    let of_several = ["h"];
    let mut suffixes = BTreeSet::new();
    for name in compiled() {
        let info = all().iter().find(|info| info.name == name).unwrap();
        for suffix in &info.suffixes {
            if !of_several.contains(&suffix.as_str()) {
                assert_eq!(minirepro_languages::guess(&format!("x.{suffix}"), b""), name);
                assert!(suffixes.insert(suffix.clone()), "{suffix} is listed twice");
            }
        }
        let language = by_name(&name).unwrap_or_else(|e| panic!("{e}: {:?}", e));
        assert!(!language.facts.is_empty(), "{name} has no facts");
        let readme = root().join("grammars").join(&name).join("README.md");
        assert!(readme.exists(), "{} is missing", readme.display());
    }
}

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    let error = by_name("pascal").unwrap_err().to_string();
    assert!(error.starts_with("no language `pascal`; there are: c, "), "{error}");
}

#[test]
fn facts_are_those_of_the_pinned_grammars() {
    let out = Command::new(env!("CARGO_BIN_EXE_minirepro-xtask"))
        .args(["facts", "--check"])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn facts_accept_every_node_of_the_constructs() {
    for name in compiled() {
        let language = by_name(&name).unwrap();
        let tree = language.parser.parse(constructs(&name).as_bytes());
        let broken = tree.ids().find(|&id| tree.flags(id).error || tree.flags(id).missing);
        assert!(broken.is_none(), "{name}: {:?}", broken.map(|id| shown(&tree, id)));
        for id in tree.ids().filter(|&id| !tree.is_leaf(id)) {
            let free = |id: NodeId| tree.flags(id).extra || tree.flags(id).error;
            let children = tree.children(id).filter(|&c| !free(c)).map(|c| tree.kind(c));
            let automaton = language.facts.automaton(tree.kind(id));
            assert!(
                automaton.is_some_and(|a| a.accepts(children)),
                "{name}: {} {:?} has children that its facts refuse",
                tree.kind_name(id),
                shown(&tree, id)
            );
        }
    }
}

/// Returns a text of a language that has one of everything.
pub fn constructs(name: &str) -> String {
    let cases = root().join("grammars").join(name).join("cases");
    read(&cases.join(format!("constructs.{}", suffix(name))))
}

fn suffix(name: &str) -> String {
    all().iter().find(|info| info.name == name).unwrap().suffixes[0].clone()
}

fn shown(tree: &Tree, id: NodeId) -> String {
    String::from_utf8_lossy(tree.text_of(id)).into_owned()
}

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    text: String,
    #[serde(default)]
    drop: Vec<String>,
    least: Option<String>,
    gives: Option<String>,
}

#[test]
fn edits_are_feasible_or_not_as_their_cases_say() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    for name in compiled() {
        let file = root().join("grammars").join(&name).join("cases/edits.toml");
        if !file.exists() {
            continue;
        }
        let language = by_name(&name).unwrap();
        let cases: Cases = toml::from_str(&read(&file)).unwrap();
        for case in &cases.case {
            let gives = result(&language, case);
            if gives != case.gives {
                wrong.push(format!("{name}: {case:?}\n  gives {gives:?}"));
            }
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 20);
}

/// Returns the candidate; `None` if the facts refuse it. What they accept must parse without
/// errors.
fn result(language: &Language, case: &Case) -> Option<String> {
    let tree = language.parser.parse(case.text.as_bytes());
    assert_eq!(tree.errors(), 0, "{}", case.text);
    let find = |text: &str| {
        let found = tree.ids().skip(1).find(|&id| tree.text_of(id) == text.as_bytes());
        found.unwrap_or_else(|| panic!("{}: no node reads {text:?}", case.text))
    };
    let mut edits = Edits::drop_all(case.drop.iter().map(|text| find(text)));
    if let Some(text) = &case.least {
        let id = find(text);
        let (least, kind) = language.roles.placeholders[&tree.kind(id)].first().unwrap();
        let change = minirepro_syntax::Change(vec![Piece::Text(least.clone(), *kind)]);
        assert!(edits.add(id, change));
    }
    let feasible = close(&tree, language, edits)?;
    assert!(feasible.certain, "{}: the facts do not cover it", case.text);
    let text = render(&tree, &feasible.edits, language.spacing).text;
    assert_eq!(language.parser.errors(&text), 0, "{}", String::from_utf8_lossy(&text));
    Some(String::from_utf8(text.to_vec()).unwrap().trim_end().to_owned())
}
