//! Parses files and shows the speed, the number of tokens, and how the facts judge every node.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use minirepro_syntax::{Edits, Language, NodeId, Tree, close, render};

use crate::random::Random;

/// What the files have in common.
#[derive(Debug, Default)]
struct Total {
    errors: u64,
    edits: usize,
    wrong: usize,
}

/// Prints a few lines for each file, and one for all; `edits` random nodes of each file are
/// dropped, one by one.
pub fn run(language: &str, files: &[PathBuf], edits: usize, seed: u64) -> anyhow::Result<()> {
    let language = minirepro_languages::by_name(language)?;
    let mut random = Random(seed);
    let mut total = Total::default();
    for file in files {
        let tree = one(&language, file)?;
        total.errors += u64::from(tree.errors());
        edit(&language, &tree, edits, &mut random, &mut total);
    }
    let Total { errors, edits, wrong } = total;
    println!("{} files, {errors} errors; of {edits} edits {wrong} give more errors", files.len());
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

/// Drops random nodes that are allowed to go, each alone, and shows those without which the text
/// has more errors.
fn edit(language: &Language, tree: &Tree, edits: usize, random: &mut Random, total: &mut Total) {
    let mut left = edits;
    // In a text of a few words hardly anything can go.
    for _ in 0..edits * 20 {
        if left == 0 || tree.len() < 2 {
            break;
        }
        let id = NodeId(1 + random.below(tree.len() - 1) as u32);
        let Some(feasible) = close(tree, language, Edits::drop_all([id])) else { continue };
        left -= 1;
        total.edits += 1;
        let candidate = render(tree, &feasible.edits, language.spacing);
        if language.parser.errors_after(tree, &candidate) > tree.errors() {
            total.wrong += 1;
            let around = tree.parent(id).unwrap_or(id);
            let shown = |id| String::from_utf8_lossy(tree.text_of(id)).chars().take(60).collect();
            let [what, around]: [String; 2] = [id, around].map(shown);
            println!("  without {} {what:?} of {around:?} it has more errors", tree.kind_name(id));
        }
    }
}

/// Returns how many nodes the facts accept, refuse, and say nothing about.
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
