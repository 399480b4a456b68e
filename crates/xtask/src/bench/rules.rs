//! `bench rules`: what each pass and each rule cost and won, over the runs of many journals.
//!
//! Each run is decided again from its journal, without any test. What a way through larger texts
//! costs and wins counts for the pass, and the rule, that made the first of them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use minirepro_engine::{AnswerSource, Event, Plan, ReductionSession, Scope};
use minirepro_runner::PreviousRun;
use minirepro_testkit::plan;

use crate::estimate::decide_again;

/// What a pass or a rule cost and won.
#[derive(Clone, Copy, Debug, Default)]
struct Balance {
    /// Runs in which it was tested.
    runs: u64,
    tests: u64,
    tokens: u64,
    /// Tests on the ways that it began through larger texts.
    tests_in_trials: u64,
    /// Tokens that were won on them.
    tokens_by_trials: u64,
}

/// By pass, and by pass and rule.
type Balances = BTreeMap<String, Balance>;

/// Returns the table of all passes and rules, those that won most first.
///
/// # Errors
/// If there is no journal of a reduction, or one cannot be decided again.
pub(super) fn table(directories: &[PathBuf]) -> Result<String> {
    let mut journals = Vec::new();
    for directory in directories {
        find(directory, &mut journals)?;
    }
    ensure!(!journals.is_empty(), "no journal; runs keep theirs with --history or --journal");
    journals.sort();
    let mut all = Balances::new();
    for journal in &journals {
        let of_one = balances(journal).with_context(|| journal.display().to_string())?;
        for (name, one) in of_one {
            let sum = all.entry(name).or_default();
            sum.runs += 1;
            sum.tests += one.tests;
            sum.tokens += one.tokens;
            sum.tests_in_trials += one.tests_in_trials;
            sum.tokens_by_trials += one.tokens_by_trials;
        }
    }
    let mut rows: Vec<_> = all.into_iter().collect();
    rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.tokens + sum.tokens_by_trials));
    let mut text = format!("{} runs\n\n", journals.len());
    text +=
        "| pass, rule | runs | tests | tokens won | tests through larger texts | tokens won so |\n";
    text += "|---|---|---|---|---|---|\n";
    for (name, sum) in rows {
        let Balance { runs, tests, tokens, tests_in_trials, tokens_by_trials } = sum;
        writeln!(
            text,
            "| {name} | {runs} | {tests} | {tokens} | {tests_in_trials} | {tokens_by_trials} |"
        )?;
    }
    Ok(text)
}

/// Collects the directories below that hold a journal.
fn find(directory: &Path, journals: &mut Vec<PathBuf>) -> Result<()> {
    if directory.join("journal").is_file() && directory.join("input").is_file() {
        journals.push(directory.to_owned());
        return Ok(());
    }
    let entries = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            find(&entry.path(), journals)?;
        }
    }
    Ok(())
}

/// Decides a run again.
fn balances(journal: &Path) -> Result<Balances> {
    let past = PreviousRun::read(journal)?;
    let facts = &past.header.plan;
    let language = facts.get("the language").context("no reduction of a file")?;
    let language = Arc::new(minirepro_languages::by_name(language)?);
    let thorough = facts.get("the thoroughness").is_some_and(|word| word == "true");
    let scope = Scope { thorough, ..Scope::default() };
    let input = PreviousRun::input(journal)?;
    let mut session = ReductionSession::new(Plan { scope, ..plan(language, &input) });
    let mut ledger = Ledger { left: session.summary().tokens.0, ..Ledger::default() };
    decide_again(&mut session, &past, &mut |event| ledger.add(event));
    Ok(ledger.balances)
}

/// Adds up one run.
#[derive(Default)]
struct Ledger {
    balances: Balances,
    /// The rule of the next answer.
    rule: Option<String>,
    /// Who has answered last.
    last: String,
    /// The pass that made each text under trial, innermost last.
    trials: Vec<String>,
    left: u64,
}

impl Ledger {
    fn add(&mut self, event: &Event) {
        match event {
            Event::ByRule(rule) => self.rule = Some(format!("{}: `{}`", rule.origin, rule.form)),
            Event::Answered { pass, how, .. } => {
                self.last = match self.rule.take() {
                    Some(rule) => format!("{pass}, {}", rule.replace('|', "\\|")),
                    None => (*pass).to_owned(),
                };
                if *how == AnswerSource::Tested {
                    match self.trials.first() {
                        Some(first) => self.balance(&first.clone()).tests_in_trials += 1,
                        None => self.balance(&self.last.clone()).tests += 1,
                    }
                }
            }
            Event::Adopted { .. } => self.trials.push(self.last.clone()),
            Event::RolledBack => {
                self.trials.pop();
            }
            Event::Reduced { tokens, .. } => {
                let won = self.left.saturating_sub(*tokens);
                self.left = *tokens;
                match self.trials.first() {
                    Some(first) => self.balance(&first.clone()).tokens_by_trials += won,
                    None => self.balance(&self.last.clone()).tokens += won,
                }
                self.trials.clear();
            }
            _ => {}
        }
    }

    fn balance(&mut self, name: &str) -> &mut Balance {
        self.balances.entry(name.to_owned()).or_default()
    }
}
