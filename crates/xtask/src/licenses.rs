//! Writes `crates/cli/licenses.txt`: which libraries and grammars the program contains, and their
//! licences as their packages give them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde::Deserialize;

/// The package whose program is described.
const PROGRAM: &str = "minirepro-cli";
/// Packages whose grammar stands in a crate of ours, as text that is extended.
const EXTENDED: &[&str] = &["tree-sitter-c", "tree-sitter-cpp"];
/// The system whose dependencies are listed.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    repository: Option<String>,
    manifest_path: PathBuf,
    source: Option<String>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

impl Package {
    /// Returns whether it only runs while something is compiled.
    fn is_of_compiler(&self) -> bool {
        self.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "proc-macro"))
    }
}

/// Writes the list, or with `check` only compares it.
///
/// # Errors
/// If it cannot be written, or is out of date.
pub fn run(check: bool) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("crates/cli/licenses.txt");
    let text = list(&root)?;
    if !check {
        return Ok(fs::write(&path, text)?);
    }
    if fs::read_to_string(&path)? != text {
        bail!("{} is out of date: run `cargo xtask licenses`", path.display());
    }
    Ok(())
}

fn list(root: &Path) -> anyhow::Result<String> {
    let metadata = metadata(root)?;
    let contained = contained(&metadata)?;
    let mut text = format!(
        "minirepro may be used under the MIT licence or the Apache licence 2.0, as you like.\n\
         Its program contains {} libraries and grammars of others:\n\n",
        contained.len()
    );
    for package in contained.values() {
        let license = package.license.as_deref().unwrap_or("see below");
        let place = package.repository.as_deref().unwrap_or("crates.io");
        text += &format!("{} {}  {license}  {place}\n", package.name, package.version);
    }
    text += "\nTheir licences, each text once. Where a library offers several, the MIT licence is used \
             if it is among them.\n";
    let mut users: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for package in contained.values() {
        let texts = texts(package)?;
        if texts.is_empty() {
            let note = "(Its package holds no text: its licence is named above.)".to_owned();
            users.entry(note).or_default().push(&package.name);
        }
        for text in texts {
            users.entry(text).or_default().push(&package.name);
        }
    }
    let mut by_users: Vec<_> = users.into_iter().collect();
    by_users.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
    for (license, users) in by_users {
        text += &format!("\n---- {}\n\n{}\n", users.join(", "), license.trim_end());
    }
    Ok(text)
}

fn metadata(root: &Path) -> anyhow::Result<Metadata> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let words = ["metadata", "--format-version", "1", "--locked", "--filter-platform", PLATFORM];
    let output = Command::new(cargo).args(words).current_dir(root).output()?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the packages of others that become parts of the program, by name and version.
fn contained(metadata: &Metadata) -> anyhow::Result<BTreeMap<(&str, &str), &Package>> {
    let packages: BTreeMap<&str, &Package> =
        metadata.packages.iter().map(|package| (&*package.id, package)).collect();
    let nodes: BTreeMap<&str, &Node> =
        metadata.resolve.nodes.iter().map(|node| (&*node.id, node)).collect();
    let program = metadata.packages.iter().find(|package| package.name == PROGRAM);
    let mut open = vec![&*program.context("there is no program")?.id];
    let extended = metadata.packages.iter().filter(|package| EXTENDED.contains(&&*package.name));
    open.extend(extended.map(|package| &*package.id));
    let mut seen = BTreeSet::new();
    let mut found = BTreeMap::new();
    while let Some(id) = open.pop() {
        let package = packages[id];
        if !seen.insert(id) || package.is_of_compiler() {
            continue;
        }
        if package.source.is_some() {
            found.insert((&*package.name, &*package.version), package);
        }
        let is_linked =
            |dependency: &&Dependency| dependency.dep_kinds.iter().any(|kind| kind.kind.is_none());
        open.extend(nodes[id].deps.iter().filter(is_linked).map(|dependency| &*dependency.pkg));
    }
    Ok(found)
}

/// Returns the texts of the licence under which a package is used.
fn texts(package: &Package) -> anyhow::Result<Vec<String>> {
    let directory = package.manifest_path.parent().context("a manifest is in a directory")?;
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
        let is_text = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];
        if path.is_file() && is_text.iter().any(|start| name.starts_with(start)) {
            files.push(path);
        }
    }
    files.sort();
    let is_mit = |path: &&PathBuf| path.to_string_lossy().to_ascii_uppercase().ends_with("MIT");
    let mit: Vec<PathBuf> = files.iter().filter(is_mit).cloned().collect();
    let chosen = if mit.is_empty() { files } else { mit };
    chosen
        .iter()
        .map(|path| {
            let text = fs::read(path)?;
            let text = String::from_utf8_lossy(&text);
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            Ok(lines.join("\n").trim_matches('\n').to_owned())
        })
        .collect()
}
