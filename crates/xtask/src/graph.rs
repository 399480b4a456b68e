//! Shows the graph of source files of each crate as a table, and its circles.

use std::path::Path;

use anyhow::Context as _;
use minirepro_testkit::{Circle, FileGraph};

/// Prints one line of figures for each of `crates`, the members of circles, and the arrows.
///
/// # Errors
/// If a crate is missing or a file of it cannot be read.
pub(crate) fn run(root: Option<&Path>, crates: &[String], arrows: bool) -> anyhow::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = match root {
        Some(root) => root.join("crates"),
        None => here.parent().context("crates/ has no parent")?.to_owned(),
    };
    let names = if crates.is_empty() { all_crates(&folder)? } else { crates.to_owned() };
    println!("| crate | files | arrows | upward | levels | circles of files | of folders |");
    println!("|---|---|---|---|---|---|---|");
    let mut details = String::new();
    for name in names {
        let graph = FileGraph::read(&folder.join(&name).join("src"))?;
        let circles = graph.circles();
        let folder_circles = graph.folder_circles();
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} |",
            graph.files(),
            graph.arrows(),
            graph.upward(),
            graph.levels(),
            sizes(&circles),
            sizes(&folder_circles),
        );
        for circle in &circles {
            details += &format!("{name}, files: {}\n", members(circle));
        }
        for circle in folder_circles.iter().filter(|circle| !circles.contains(circle)) {
            details += &format!("{name}, folders: {}\n", members(circle));
        }
        if arrows {
            for (from, to) in graph.pairs() {
                details += &format!("{name}: {} → {}\n", from.display(), to.display());
            }
        }
    }
    println!("\n{details}");
    Ok(())
}

fn all_crates(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().join("src").is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Says how many members each circle has, as `27 + 3`.
fn sizes(circles: &[Circle]) -> String {
    let sizes: Vec<String> = circles.iter().map(|c| c.members.len().to_string()).collect();
    if sizes.is_empty() { "none".to_owned() } else { sizes.join(" + ") }
}

fn members(circle: &Circle) -> String {
    let names: Vec<String> = circle.members.iter().map(|m| m.display().to_string()).collect();
    names.join(", ")
}
