//! Grammar facts: from the pinned grammar crates to `grammars/*/facts.ebnf`. This file finds the
//! files; [`mod@generate`] converts them.

mod expression;
mod generate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::Deserialize;

use generate::{Grammar, generate};

/// Regenerates the facts of every directory under `grammars/` that has a crate, or compares them.
pub fn run(check: bool) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, source) in crates(&root)? {
        let file = root.join("grammars").join(&name).join("facts.ebnf");
        let facts = from_crate(&source).with_context(|| format!("grammar {name}"))?;
        if check {
            let old = std::fs::read_to_string(&file).unwrap_or_default();
            ensure!(old == facts, "{} is out of date: run `xtask facts`", file.display());
        } else {
            std::fs::write(&file, facts).with_context(|| file.display().to_string())?;
        }
    }
    Ok(())
}

/// Returns the facts of the grammar whose `grammar.json` is the file `source`.
fn from_crate(source: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
    let grammar: Grammar = serde_json::from_str(&text)?;
    generate(&grammar)
}

/// Returns the grammars that the workspace uses: name of the language → its `grammar.json`.
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
            .args(["--filter-platform", host])
            .current_dir(root),
    )?)?;
    Ok(metadata
        .packages
        .into_iter()
        .filter_map(|p| {
            let name = p.name.strip_prefix("tree-sitter-")?.to_owned();
            let file = p.manifest_path.with_file_name("src").join("grammar.json");
            file.exists().then_some((name, file))
        })
        .collect())
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let out = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(String::from_utf8(out.stdout)?)
}
