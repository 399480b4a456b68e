//! Checks certificates independently: whether a single deletion that the certificate rules out
//! still reproduces the failure.
//!
//! Must not use our trees to find the deletions, or an error in them would hide itself.

mod deletions;
mod samples;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, ensure};
use minirepro_engine::{Certificate, Outcome};
use minirepro_syntax::{Language, NodeId};
use minirepro_testkit::{plan, reduce};

use self::deletions::{Deletion, deletions};
use self::samples::{Sample, Samples};
use crate::random::Random;

/// Deletions of one kind that still reproduce.
#[derive(Debug, Default)]
struct Contradictions {
    deletions: u64,
    results: u64,
    examples: Vec<String>,
}

/// Reduces `files` mutated files of the corpus and prints every contradiction by kind.
///
/// # Errors
/// If the corpus cannot be read, or a certificate is contradicted.
pub(crate) fn run(files: u64, seed: u64, examples: usize) -> Result<()> {
    let mut samples = Samples::of_corpus(Random(seed))?;
    let mut found: BTreeMap<String, Contradictions> = BTreeMap::new();
    let mut certified = 0;
    let mut wrong = 0;
    let mut tried = 0;
    let mut tests = 0;
    let mut inside = 0;
    for number in 1..=files {
        let sample = samples.next_sample();
        let told = reduce(plan(Arc::clone(&sample.language), &sample.text), &*sample.oracle);
        tests += told.summary.tests;
        let Some(certificate) = &told.summary.certificate else { continue };
        certified += 1;
        let claim = Claim { sample: &sample, certificate, result: &told.result };
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        for deletion in deletions(&told.result, sample.language.spacing.keep_words_apart) {
            tried += 1;
            if !claim.is_contradicted_by(&deletion) {
                continue;
            }
            if deletion.is_inside {
                inside += 1;
                continue;
            }
            let is_broken = sample.language.parser.errors(&told.result) > 0;
            let broken = if is_broken { ", in a text with syntax errors" } else { "" };
            let kind = format!("{}: {}{broken}", sample.language.name, deletion.kind);
            let contradictions = found.entry(kind.clone()).or_default();
            contradictions.deletions += 1;
            let count = seen.entry(kind).or_default();
            *count += 1;
            if *count == 1 {
                contradictions.results += 1;
                if contradictions.examples.len() < examples {
                    contradictions.examples.push(example(number, &sample, &told.result, &deletion));
                }
            }
        }
        wrong += u64::from(!seen.is_empty());
    }
    println!(
        "{certified} certified results of {files} files (seed {seed}, {tests} tests): {tried} single \
         deletions tried, {wrong} certificates contradicted"
    );
    println!(
        "{inside} single characters inside of words, quoted texts and comments could go: no certificate \
         speaks of them"
    );
    for (kind, contradictions) in &found {
        let Contradictions { deletions, results, examples } = contradictions;
        println!("\n## {kind}: {deletions} deletions in {results} results still reproduce\n");
        for example in examples {
            println!("{example}");
        }
    }
    ensure!(found.is_empty(), "{} kinds of contradictions", found.len());
    Ok(())
}

/// A result that is said to be minimal.
struct Claim<'a> {
    sample: &'a Sample,
    certificate: &'a Certificate,
    result: &'a [u8],
}

impl Claim<'_> {
    /// Returns whether the deletion still reproduces although a run would have accepted its text.
    fn is_contradicted_by(&self, deletion: &Deletion) -> bool {
        // A certificate without any kind of edit says nothing.
        !self.certificate.edit_kinds.is_empty()
            && std::iter::once(&deletion.text)
                .chain(&deletion.layouts)
                .all(|text| (self.sample.oracle)(text) == Outcome::Fail && self.is_acceptable(text))
    }

    /// Returns whether a run accepts the text as a smaller one: no more broken, and not of more
    /// tokens.
    fn is_acceptable(&self, text: &[u8]) -> bool {
        let parser = &self.sample.language.parser;
        let is_more_broken = match parser.parse_errors(self.result) {
            Some(allowed) => parser.parse_errors(text).is_none_or(|c| !c.subset_of(&allowed)),
            None => parser.errors(text) > parser.errors(self.result),
        };
        !is_more_broken && tokens(&self.sample.language, text) <= self.tokens()
    }

    fn tokens(&self) -> u64 {
        tokens(&self.sample.language, self.result)
    }
}

fn tokens(language: &Language, text: &[u8]) -> u64 {
    language.parser.parse(text).tokens(NodeId::ROOT).into()
}

fn example(number: u64, sample: &Sample, result: &[u8], deletion: &Deletion) -> String {
    format!(
        "- file {number} ({}), {}\n  result   `{}`\n  still is `{}`",
        sample.name,
        sample.failure,
        result.escape_ascii(),
        deletion.text.escape_ascii()
    )
}
