//! `cargo xtask bench odds`: fits the weights by which the engine estimates how probable it is that a candidate
//! fails, over the answers of real cases.
//!
//! Logistic regression by gradient descent: the few thousand answers with six signs each need no library. A case
//! is judged by weights that were fitted to the others, and learns on as a run does.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use minirepro_engine::{Estimate, Outcome, Plan};
use minirepro_testkit::{plan, reduce_on_virtual_clock};

use super::answered_case::AnsweredCase;

/// What to fit to.
#[derive(Debug, Args)]
pub(crate) struct Odds {
    /// Directories of cases
    #[arg(required = true)]
    cases: Vec<PathBuf>,
    /// Where the answers of test scripts are kept, one file for each case
    #[arg(long)]
    answers: PathBuf,
    /// The workers whose look-ahead gives the answers on other texts
    #[arg(long, default_value_t = 16)]
    workers: usize,
}

/// Prints the Brier scores before and after, and the weights.
///
/// # Errors
/// If a case cannot be read, or a test cannot be run.
pub(crate) fn print(odds: &Odds) -> Result<()> {
    fs::create_dir_all(&odds.answers)?;
    let mut all = Vec::new();
    for directory in &odds.cases {
        let case = AnsweredCase::read(directory, &odds.answers)?;
        let estimates = estimates(&case, odds.workers)?;
        let now = brier(estimates.iter().map(|estimate| (estimate.probability, estimate.fails)));
        println!("{}: {} tests, Brier score {now:.3}", case.name, estimates.len());
        all.push(estimates);
    }
    let now = all.iter().flatten().map(|estimate| (estimate.probability, estimate.fails));
    println!("all: {:.3}", brier(now));
    let mut signs = Signs::default();
    let runs: Vec<Vec<Answer>> = all.iter().map(|run| signs.answers(run)).collect();
    let mut left_out = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let others = runs.iter().enumerate().filter(|(other, _)| *other != number);
        let others: Vec<&Answer> = others.flat_map(|(_, run)| run).collect();
        left_out.extend(judged(fit(&others, signs.names.len()), run));
    }
    println!("with weights of the others: {:.3}\n", brier(left_out.into_iter()));
    let weights = fit(&runs.iter().flatten().collect::<Vec<_>>(), signs.names.len());
    let mut table: Vec<(&String, f64)> = signs.names.iter().zip(weights).collect();
    table.sort_by_key(|(sign, _)| *sign);
    for (sign, weight) in table {
        println!("{sign:30} {weight:5.1}");
    }
    Ok(())
}

/// An answer to a test, with the numbers of the signs that it had before.
struct Answer {
    signs: Vec<usize>,
    fails: bool,
}

/// The signs by number.
struct Signs {
    names: Vec<String>,
}

impl Default for Signs {
    fn default() -> Self {
        Self { names: vec!["PRIOR".to_owned()] }
    }
}

impl Signs {
    /// Returns answers whose signs have numbers; each has the first.
    fn answers(&mut self, estimates: &[Estimate]) -> Vec<Answer> {
        let answer = |Estimate { signs, fails, .. }: &Estimate| {
            let mut numbers = vec![PRIOR];
            numbers.extend(signs.iter().map(|sign| self.number(sign)));
            Answer { signs: numbers, fails: *fails }
        };
        estimates.iter().map(answer).collect()
    }

    fn number(&mut self, sign: &str) -> usize {
        self.names.iter().position(|name| name == sign).unwrap_or_else(|| {
            self.names.push(sign.to_owned());
            self.names.len() - 1
        })
    }
}

/// Returns the mean squared error of estimates of what is true or not.
pub(crate) fn brier(estimates: impl Iterator<Item = (f64, bool)>) -> f64 {
    let (errors, number) = estimates.fold((0.0, 0.0), |(errors, number), (probability, fails)| {
        (errors + (truth(fails) - probability).powi(2), number + 1.0)
    });
    errors / f64::max(number, 1.0)
}

/// Returns what the engine expected of every test of a case.
fn estimates(case: &AnsweredCase, jobs: usize) -> Result<Vec<Estimate>> {
    let failed = Cell::new(None);
    let answer = |candidate: &[u8]| {
        case.answer(candidate).unwrap_or_else(|error| {
            failed.set(Some(error));
            Outcome::Pass
        })
    };
    let plan = Plan { jobs, ..plan(Arc::clone(&case.language), &case.input) };
    let told = reduce_on_virtual_clock(plan, &answer, &|_| Duration::from_millis(500));
    failed.take().map_or(Ok(told.estimates), Err)
}

/// The number of the sign that each answer has: how probable a failure is anyway.
const PRIOR: usize = 0;

/// How much the sum of the squared weights counts.
const RIDGE: f64 = 1.0;

/// Enough for weights that change by less than 0.01.
const STEPS: usize = 2_000;

/// How much of an error each of its signs takes in a run; see the engine.
const RATE: f64 = 0.06;

/// Returns what each of so many signs adds to the logarithm of the odds, so that the logistic loss is least.
fn fit(answers: &[&Answer], signs: usize) -> Vec<f64> {
    let mut weights = vec![0.0; signs];
    let mut moved = vec![0.0; signs];
    for _ in 0..STEPS {
        let mut slopes: Vec<f64> = weights.iter().map(|weight| -RIDGE * weight).collect();
        slopes[PRIOR] = 0.0;
        for answer in answers {
            let error = truth(answer.fails) - probability(&weights, &answer.signs);
            answer.signs.iter().for_each(|&sign| slopes[sign] += error);
        }
        // Each weight goes slower the more it has moved (AdaGrad; Duchi, Hazan and Singer 2011).
        for ((weight, slope), moved) in weights.iter_mut().zip(slopes).zip(&mut moved) {
            *moved += slope * slope;
            *weight += slope / f64::sqrt(*moved).max(f64::MIN_POSITIVE);
        }
    }
    weights
}

/// Returns the estimates of a run that begins with these weights, and what was true.
fn judged(mut weights: Vec<f64>, run: &[Answer]) -> Vec<(f64, bool)> {
    let mut judged = Vec::new();
    for Answer { signs, fails } in run {
        let probability = probability(&weights, signs);
        judged.push((probability, *fails));
        let learnt = signs.iter().filter(|&&sign| sign != PRIOR);
        learnt.for_each(|&sign| weights[sign] += RATE * (truth(*fails) - probability));
    }
    judged
}

fn probability(weights: &[f64], signs: &[usize]) -> f64 {
    let log_odds: f64 = signs.iter().map(|&sign| weights[sign]).sum();
    1.0 / (1.0 + (-log_odds).exp())
}

fn truth(fails: bool) -> f64 {
    f64::from(u8::from(fails))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_say_what_makes_a_failure_probable() {
        let estimate =
            |sign: &str, fails| Estimate { signs: vec![sign.to_owned()], probability: 0.5, fails };
        let run: Vec<Estimate> =
            (0..40)
                .map(|i| {
                    if i % 2 == 0 {
                        estimate("good", i % 8 > 0)
                    } else {
                        estimate("bad", i % 9 == 0)
                    }
                })
                .collect();
        let mut signs = Signs::default();
        let answers = signs.answers(&run);
        assert_eq!(signs.names, ["PRIOR", "good", "bad"]);
        let weights = fit(&answers.iter().collect::<Vec<_>>(), 3);
        assert!(weights[1] > 0.5 && weights[2] < -0.5, "{weights:?}");
        let before = brier(run.iter().map(|estimate| (estimate.probability, estimate.fails)));
        let after = brier(judged(weights, &answers).into_iter());
        assert!(after < 0.2 && (before - 0.25).abs() < 1e-9, "{before} {after}");
    }
}
