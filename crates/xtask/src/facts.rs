//! Grammar facts: from the pinned grammar crates to `grammars/*/facts.ebnf` and
//! `grammars/*/derived.toml`. This file finds the files; `minirepro_languages::derive` converts
//! them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use minirepro_grammar::Grammar;
use minirepro_languages::{DerivedKeys, QUERY_FILES, QueryFile, derive};
use serde::Deserialize;

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
        let grammar = grammar.unwrap_or_else(|| format!("{name}/src"));
        let (package, path) = grammar.split_once('/').context("`grammar` is CRATE/PATH")?;
        // The crates of languages that are not compiled are not on this disk.
        let Some(package) = crates.get(package) else { continue };
        let extended = package.join(path).join("base.ebnf").is_file();
        // What an extension adds is known with the parser only: roles are those of what it extends.
        let extension = path;
        let (source, path) = match extended {
            true => (pinned(&crates, &package.join(path))?, "src"),
            false => (package, path),
        };
        let read = |name: &str| {
            let file = source.join(path).join(name);
            std::fs::read_to_string(&file).with_context(|| file.display().to_string())
        };
        let places = [source.join("queries"), source.join(path).join("../queries")];
        let query = |name: &&str| {
            let file = places.iter().map(|place| place.join(name)).find(|file| file.is_file())?;
            let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string());
            Some(text.map(|text| QueryFile { name: (*name).to_owned(), text }))
        };
        let queries = QUERY_FILES.iter().filter_map(query).collect::<anyhow::Result<Vec<_>>>()?;
        let node_types = read("node-types.json")?;
        let grammar = match extended {
            true => extended_grammar(source, &package.join(extension), check)?,
            false => read("grammar.json")?,
        };
        let result =
            derive(&grammar, &node_types, &queries).with_context(|| format!("grammar {name}"))?;
        write(&directory.join("facts.ebnf"), &result.facts, check)?;
        let manifest = result.manifest_of(&derived).with_context(|| format!("grammar {name}"))?;
        if let Some(manifest) = manifest {
            write(&directory.join("derived.toml"), &manifest, check)?;
        }
    }
    Ok(())
}

/// Returns the `grammar.json` of a grammar that extends a pinned one, which is the first of its
/// files: that is written, or compared.
fn extended_grammar(pinned: &Path, directory: &Path, check: bool) -> anyhow::Result<String> {
    let read =
        |file: PathBuf| std::fs::read_to_string(&file).with_context(|| file.display().to_string());
    let mut grammar = Grammar::from_json(&read(pinned.join("src/grammar.json"))?)?;
    write(&directory.join("base.ebnf"), &grammar.write(), check)?;
    grammar.extend(&read(directory.join("extension.ebnf"))?)?;
    Ok(grammar.to_json())
}

/// Returns the directory of the crate that is extended by what is in a directory of that name, or
/// in the sources of a crate of that name.
fn pinned<'a>(
    crates: &'a BTreeMap<String, PathBuf>,
    directory: &Path,
) -> anyhow::Result<&'a PathBuf> {
    let outer = directory.ends_with("src").then(|| directory.parent()).flatten();
    let name = outer.unwrap_or(directory).file_name().context("it stands in its crate")?;
    let pinned = format!("{PINNED}{}", name.display());
    crates.get(&pinned).with_context(|| format!("{pinned} is not used"))
}

/// The names of pinned crates begin so.
const PINNED: &str = "tree-sitter-";

/// Writes a file, or compares it.
fn write(file: &Path, text: &str, check: bool) -> anyhow::Result<()> {
    if check {
        let old = std::fs::read_to_string(file).unwrap_or_default();
        ensure!(old == text, "{} is out of date: run `xtask facts`", file.display());
        return Ok(());
    }
    std::fs::write(file, text).with_context(|| file.display().to_string())
}

/// Returns the grammars that the workspace uses: name of the crate, and without its prefix where we
/// have none of that name → its directory.
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
    let mut found = BTreeMap::new();
    for prefix in [PINNED, "minirepro-"] {
        for package in &metadata.packages {
            let directory = package.manifest_path.parent().context("a file has a directory")?;
            if let Some(name) = package.name.strip_prefix(prefix) {
                found.insert(name.to_owned(), directory.to_owned());
                found.insert(package.name.clone(), directory.to_owned());
            }
        }
    }
    Ok(found)
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let out = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(String::from_utf8(out.stdout)?)
}
