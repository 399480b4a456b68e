//! Grammar facts: from our grammars and the pinned crates to `grammars/*/generated`. This file
//! finds the files; `minirepro_languages::derive` converts them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use minirepro_languages::derive;
use minirepro_parsers::{c, cpp, smtlib, wat};
use serde::Deserialize;

/// The grammars of parsers that are ours.
const OWN: [(&str, &str); 4] =
    [("c", c::GRAMMAR), ("cpp", cpp::GRAMMAR), ("smtlib", smtlib::GRAMMAR), ("wat", wat::GRAMMAR)];

/// The part of a manifest that says where the grammar comes from.
#[derive(Deserialize)]
struct Source {
    name: String,
    /// The name of the crate without `tree-sitter-`, and where in it the file stands.
    grammar: Option<String>,
    /// What of it is taken from what can be derived.
    #[serde(default)]
    derived: DerivedKeys,
}

/// The keys of a manifest that are taken from what can be derived.
#[derive(Deserialize)]
#[serde(untagged)]
enum DerivedKeys {
    /// All of them, or none.
    All(bool),
    /// These: `KEY` or `SECTION.KEY`. The others stand in the manifest.
    Only(Vec<String>),
}

impl Default for DerivedKeys {
    fn default() -> Self {
        Self::All(false)
    }
}

/// Regenerates the facts and what is derived for every directory under `grammars/` that has a
/// crate, or compares them.
pub fn run(check: bool) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = crates(&root)?;
    for entry in std::fs::read_dir(root.join("grammars"))? {
        let directory = entry?.path();
        let Ok(manifest) = std::fs::read_to_string(directory.join("language.toml")) else {
            continue;
        };
        let Source { name, grammar, derived } = toml::from_str(&manifest)?;
        let own = OWN.iter().find(|(language, _)| *language == name);
        let grammar = match own {
            Some((_, grammar)) => (*grammar).to_owned(),
            None => {
                let grammar = grammar.unwrap_or_else(|| format!("{name}/src"));
                let (package, path) = grammar.split_once('/').context("`grammar` is CRATE/PATH")?;
                // The crates of languages that are not compiled are not on this disk.
                let Some(package) = crates.get(package) else { continue };
                let file = package.join(path).join("grammar.json");
                std::fs::read_to_string(&file).with_context(|| file.display().to_string())?
            }
        };
        let result = derive(&grammar).with_context(|| format!("grammar {name}"))?;
        let generated = directory.join("generated");
        write(&generated.join("facts.ebnf"), &result.facts, check)?;
        let manifest = match derived {
            DerivedKeys::All(false) => continue,
            DerivedKeys::All(true) => result.manifest,
            DerivedKeys::Only(keys) => {
                only(&result.manifest, &keys).with_context(|| format!("grammar {name}"))?
            }
        };
        write(&generated.join("derived.toml"), &manifest, check)?;
    }
    Ok(())
}

/// Returns the text of a manifest with nothing but these keys: `KEY` or `SECTION.KEY`.
fn only(text: &str, keys: &[String]) -> anyhow::Result<String> {
    let head = text.lines().next().unwrap_or_default();
    let all: toml::Table = toml::from_str(text)?;
    let mut kept = toml::Table::new();
    for name in keys {
        let unknown = || format!("`{name}` is not derived from this grammar");
        let (section, key) = name.split_once('.').unwrap_or(("", name));
        let (from, to) = if section.is_empty() {
            (&all, &mut kept)
        } else {
            let from = all.get(section).and_then(toml::Value::as_table).with_context(unknown)?;
            let to = kept.entry(section).or_insert_with(|| toml::Table::new().into());
            (from, to.as_table_mut().with_context(unknown)?)
        };
        to.insert(key.to_owned(), from.get(key).with_context(unknown)?.clone());
    }
    Ok(format!("{head}\n{}", toml::to_string(&kept)?))
}

/// Writes a file, or compares it.
fn write(file: &Path, text: &str, check: bool) -> anyhow::Result<()> {
    if check {
        let old = std::fs::read_to_string(file).unwrap_or_default();
        ensure!(old == text, "{} is out of date: run `xtask facts`", file.display());
        return Ok(());
    }
    std::fs::write(file, text).with_context(|| file.display().to_string())
}

/// Returns the grammars that the workspace uses: name of the crate without `tree-sitter-` → its
/// directory.
fn crates(root: &Path) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        manifest_path: PathBuf,
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let versions = output(Command::new("rustc").arg("-vV"))?;
    let host =
        versions.lines().find_map(|l| l.strip_prefix("host: ")).context("rustc has a host")?;
    // Packages of other platforms are not on this disk, and nothing may be downloaded here.
    let metadata: Metadata = serde_json::from_str(&output(
        Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--locked", "--offline"])
            .args(cfg!(feature = "all-languages").then_some("--all-features"))
            .args(["--filter-platform", host])
            .current_dir(root),
    )?)?;
    let found = metadata.packages.into_iter().filter_map(|package| {
        let name = package.name.strip_prefix("tree-sitter-")?.to_owned();
        Some((name, package.manifest_path.parent()?.to_owned()))
    });
    Ok(found.collect())
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let out = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(String::from_utf8(out.stdout)?)
}
