//! Parses files and shows the speed, the number of tokens, and how the facts judge every node.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use minirepro_syntax::{Edits, Language, NodeId, Tree, render};

/// Prints a few lines for each file, and one for all.
pub fn run(language: &str, files: &[PathBuf]) -> anyhow::Result<()> {
    let language = minirepro_languages::by_name(language)?;
    let mut errors = 0;
    for file in files {
        errors += u64::from(one(&language, file)?.errors());
    }
    println!("{} files, {errors} errors", files.len());
    Ok(())
}

fn one(language: &Language, file: &Path) -> anyhow::Result<Tree> {
    let text = std::fs::read(file).with_context(|| file.display().to_string())?;
    let start = Instant::now();
    let tree = language.parser.parse(&text);
    let whole = start.elapsed();
    let errors = language.parser.errors(&text);
    let gate = start.elapsed() - whole;
    println!(
        "{}: {} bytes, {} nodes, {} tokens, {}/{errors} errors, parsed in {:.3} s, errors counted in {:.3} s",
        file.display(),
        text.len(),
        tree.len(),
        tree.tokens(NodeId::ROOT),
        tree.errors(),
        whole.as_secs_f64(),
        gate.as_secs_f64(),
    );
    for id in tree.ids().filter(|&id| tree.flags(id).error || tree.flags(id).missing).take(10) {
        let line = tree.text()[..tree.span(id).start].iter().filter(|&&b| b == b'\n').count() + 1;
        let text: String = String::from_utf8_lossy(tree.text_of(id)).chars().take(60).collect();
        println!("  line {line}: {} {text:?}", tree.kind_name(id));
    }
    judge(language, &tree);
    let rendered = render(&tree, &Edits::none(), language.spacing);
    anyhow::ensure!(*rendered.text == *text, "{} is rendered otherwise", file.display());
    Ok(tree)
}

/// Prints how many nodes the facts accept, refuse, and say nothing about.
fn judge(language: &Language, tree: &Tree) {
    let mut accepted = 0;
    let mut unknown = 0;
    let mut refused: BTreeMap<String, (u32, String)> = BTreeMap::new();
    for id in tree.ids().filter(|&id| !tree.is_leaf(id)) {
        let children = || {
            tree.children(id).filter(|&c| {
                let flags = tree.flags(c);
                !flags.extra && !flags.error
            })
        };
        match language.facts.automaton(tree.kind(id)) {
            None => unknown += 1,
            Some(a) if a.accepts(children().map(|c| tree.kind(c))) => accepted += 1,
            Some(_) => {
                let row: Vec<&str> = children().map(|c| tree.kind_name(c)).collect();
                let entry = refused.entry(tree.kind_name(id).to_owned()).or_default();
                *entry = (entry.0 + 1, row.join(" "));
            }
        }
    }
    println!("  facts: {accepted} accepted, {unknown} unknown, refused: {refused:?}");
}
