//! `cargo xtask bench cost`: how long minirepro itself takes on a large text of each language.
//! Tests cost time, too, but nobody should wait for anything else.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use minirepro_languages::by_name;
use minirepro_passes::{PassContext, of};
use minirepro_syntax::{Edits, Language, NodeId, close, droppable_children, rendered};

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct Cost {
    /// The size of each text, in bytes: the constructs of a language again and again
    #[arg(long, default_value_t = 600_000)]
    bytes: usize,
    /// Only these languages
    languages: Vec<String>,
}

/// The figures of one language.
struct Figures {
    bytes: usize,
    parse: Duration,
    /// To make a candidate without the last part, and to judge it.
    candidate: Duration,
    /// Of all passes together, their first proposals.
    proposals: Duration,
    slowest: (&'static str, Duration),
}

/// Prints a table, a line for each language that has constructs and is compiled.
///
/// # Errors
/// If the grammars cannot be listed or read.
pub(crate) fn print(cost: &Cost) -> Result<()> {
    let mut names: Vec<String> = std::fs::read_dir("grammars")
        .context("grammars")?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| cost.languages.is_empty() || cost.languages.contains(name))
        .collect();
    names.sort_unstable();
    println!("| language | bytes | parse | candidate | proposals | slowest pass |");
    println!("|---|---|---|---|---|---|");
    for name in names {
        let (Ok(language), Some(constructs)) = (by_name(&name), constructs(&name)?) else {
            continue;
        };
        let Figures { bytes, parse, candidate, proposals, slowest: (pass, time) } =
            measure(&language, &constructs.repeat(cost.bytes.div_ceil(constructs.len())));
        println!(
            "| {name} | {bytes} | {} | {} | {} | {pass} {} |",
            seconds(parse),
            seconds(candidate),
            seconds(proposals),
            seconds(time),
        );
    }
    Ok(())
}

/// Returns one of everything that a language has.
fn constructs(name: &str) -> Result<Option<Vec<u8>>> {
    let cases = Path::new("grammars").join(name).join("cases");
    let Ok(entries) = std::fs::read_dir(cases) else { return Ok(None) };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let path = paths.into_iter().find(|path| path.file_stem().is_some_and(|s| s == "constructs"));
    let text = path.map(std::fs::read).transpose()?;
    Ok(text.filter(|text| !text.is_empty()))
}

fn measure(language: &Language, text: &[u8]) -> Figures {
    let start = Instant::now();
    let tree = language.parser.parse(text);
    let parse = start.elapsed();
    let start = Instant::now();
    let last = droppable_children(&tree, language, NodeId::ROOT).pop();
    let closed = last.and_then(|last| close(&tree, language, Edits::drop(last)));
    if let Some(closed) = closed {
        let candidate = rendered(&tree, language, &closed.edits);
        language.parser.errors_after(&tree, &candidate);
    }
    let candidate = start.elapsed();
    let refused = HashSet::new();
    let mut proposals = Duration::ZERO;
    let mut slowest = ("", Duration::ZERO);
    let facts = Arc::default();
    for pass in of(language) {
        let start = Instant::now();
        let context = PassContext::new(&tree, language, pass.gate, &refused).sharing(&facts);
        let proposal = pass.propose(&context);
        let items = proposal.iter().flat_map(|proposal| &proposal.items);
        context.fingerprints(items);
        let took = start.elapsed();
        proposals += took;
        if took > slowest.1 {
            slowest = (pass.name, took);
        }
    }
    Figures { bytes: text.len(), parse, candidate, proposals, slowest }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
