//! Parses files and says what came out: speed, memory, tokens, and how the facts judge every node.
//!
//! `cargo run --release -p minirepro-languages --example parse -- LANGUAGE FILE...`

use std::collections::BTreeMap;
use std::time::Instant;

use minirepro_syntax::{Language, Tree};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which language?")?;
    let language = minirepro_languages::by_name(&name)?;
    for file in arguments {
        let text = std::fs::read(&file)?;
        let start = Instant::now();
        let tree = language.parser.parse(&text);
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let errors = language.parser.errors(&text);
        let gate = start.elapsed().as_secs_f64();
        println!(
            "{file}: {} bytes, {:.3} s ({:.1} MB/s), errors only {gate:.3} s, {} nodes, {} tokens, {}/{errors} errors",
            text.len(),
            seconds,
            text.len() as f64 / seconds / 1e6,
            tree.len(),
            tree.tokens(minirepro_syntax::NodeId::ROOT),
            tree.errors(),
        );
        judge(&language, &tree);
    }
    Ok(())
}

/// How many nodes the facts accept, refuse, and say nothing about.
fn judge(language: &Language, tree: &Tree) {
    let (mut accepted, mut unknown) = (0, 0);
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
