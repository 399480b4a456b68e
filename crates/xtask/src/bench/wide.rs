//! `cargo xtask bench wide`: what wide searches and many workers are worth, on real cases and on a virtual
//! clock. Each test takes as long as any other there, so that only the order of the questions counts.
//!
//! The answers are those of the cases' own test scripts, each of which runs once for each candidate, also for
//! one that is only tested ahead: its answer says how the same edits will fare on other texts.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use minirepro_engine::{AnswerSource, Effort, Outcome, Plan, Scope, Summary, Width};
use minirepro_testkit::{Told, plan, reduce_on_virtual_clock};

use super::answered_case::AnsweredCase;
use super::odds::brier;

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct Wide {
    /// Directories of cases
    #[arg(required = true)]
    cases: Vec<PathBuf>,
    /// Where the answers of test scripts are kept, one file for each case
    #[arg(long)]
    answers: PathBuf,
    /// The widths to measure, in turn
    #[arg(long, default_value = "1,4,16,64", value_delimiter = ',')]
    widths: Vec<Width>,
    /// The numbers of workers to measure
    #[arg(long, default_value = "1,2,4,8,16,32,64", value_delimiter = ',')]
    workers: Vec<usize>,
    /// What a test takes on the virtual clock
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,
    /// Also print every answer: a line for each time that a pass has its turn
    #[arg(long)]
    trace: bool,
    /// How much is spent on leaving local minima
    #[arg(long, default_value_t = Effort::LEAST)]
    effort: Effort,
}

/// The runs of a width on a case.
struct Row {
    tokens: u64,
    tests: u64,
    /// The Brier score of the estimates of their answers.
    brier: f64,
    /// Virtual time with one worker.
    alone: Duration,
    /// For each number of workers.
    runs: Vec<Run>,
}

struct Run {
    time: Duration,
    /// Tests run.
    started: u64,
}

/// Prints a table for each case, and one of the geometric means.
///
/// # Errors
/// If a case cannot be read, a test cannot be run, or the number of workers decides anything.
pub(crate) fn print(wide: &Wide) -> Result<()> {
    fs::create_dir_all(&wide.answers)?;
    let mut all: Vec<Vec<Row>> = Vec::new();
    for directory in &wide.cases {
        let case = AnsweredCase::read(directory, &wide.answers)?;
        println!("\n{} ({} bytes)\n", case.name, case.input.len());
        head(wide);
        let mut rows: Vec<Row> = Vec::new();
        for &width in &wide.widths {
            let row = measure(&case, width, wide)?;
            let first = rows.first().unwrap_or(&row);
            let Row { tokens, tests, brier, .. } = row;
            println!("| {width} | {tokens} | {tests} | {brier:.3} |{}", cells(&row, first));
            rows.push(row);
        }
        all.push(rows);
    }
    println!("\nGeometric means, beside width {}\n", wide.widths[0]);
    head(wide);
    for (number, width) in wide.widths.iter().enumerate() {
        let mean = |value: &dyn Fn(&Row, &Row) -> f64| {
            let logs = all.iter().map(|rows| value(&rows[number], &rows[0]).ln());
            (logs.sum::<f64>() / all.len() as f64).exp()
        };
        let tokens = mean(&|row, first| row.tokens.max(1) as f64 / first.tokens.max(1) as f64);
        let tests = mean(&|row, first| row.tests as f64 / first.tests as f64);
        let of_all = |row: &Row| (row.brier * row.tests as f64, row.tests as f64);
        let all_tests = all.iter().map(|rows| of_all(&rows[number]));
        let (errors, count) = all_tests.fold((0.0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
        print!("| {width} | × {tokens:.3} | × {tests:.3} | {:.3} |", errors / count);
        for worker in 0..wide.workers.len() {
            let faster = mean(&|row, first| row.faster(worker, first));
            let more = mean(&|row, first| row.runs[worker].started as f64 / first.tests as f64);
            print!(" {faster:.1} ({more:.1}) |");
        }
        println!();
    }
    Ok(())
}

fn head(wide: &Wide) {
    let workers: String = wide.workers.iter().map(|workers| format!(" {workers} |")).collect();
    println!("| width | tokens | told | Brier |{workers}");
    println!("|---|---|---|---|{}", "---|".repeat(wide.workers.len()));
}

/// Returns how much faster than one worker at the first width each number of workers is, and how many times
/// its tests were run.
fn cells(row: &Row, first: &Row) -> String {
    let cell = |(worker, run): (usize, &Run)| {
        let more = run.started as f64 / first.tests as f64;
        format!(" {:.1} ({more:.1}) |", row.faster(worker, first))
    };
    row.runs.iter().enumerate().map(cell).collect()
}

impl Row {
    fn faster(&self, worker: usize, first: &Self) -> f64 {
        first.alone.as_secs_f64() / self.runs[worker].time.as_secs_f64()
    }
}

fn measure(case: &AnsweredCase, width: Width, wide: &Wide) -> Result<Row> {
    let time = Duration::from_secs_f64(wide.seconds);
    let reduce = |jobs: usize, oracle: &dyn Fn(&[u8]) -> Outcome| {
        let language = Arc::clone(&case.language);
        let scope = Scope { width, effort: wide.effort, ..Scope::default() };
        let plan = Plan { scope, jobs, ..plan(language, &case.input) };
        reduce_on_virtual_clock(plan, oracle, &|_| time)
    };
    let failed = Cell::new(None);
    let answer = |candidate: &[u8]| {
        case.answer(candidate).unwrap_or_else(|error| {
            failed.set(Some(error));
            Outcome::Pass
        })
    };
    let alone = reduce(1, &answer);
    if let Some(error) = failed.take() {
        return Err(error);
    }
    if wide.trace {
        trace(&alone);
    }
    let mut runs = Vec::new();
    for &jobs in &wide.workers {
        let other = reduce(jobs, &answer);
        if let Some(error) = failed.take() {
            return Err(error);
        }
        ensure!(other.answers == alone.answers, "{}: {jobs} workers decide otherwise", case.name);
        ensure!(other.result == alone.result, "{}: {jobs} workers end otherwise", case.name);
        if wide.trace {
            let saved = other.summary.saved_by_width.as_secs_f64();
            println!("{jobs} workers: {} s, waves would save {saved} s", other.time.as_secs_f64());
            for (pass, stats) in &other.summary.passes {
                println!("  {pass:20} {:6.1} s {:?} tests", stats.time.as_secs_f64(), stats.tested);
            }
        }
        runs.push(Run { time: other.time, started: other.summary.started });
    }
    let Summary { tokens, tests, .. } = alone.summary;
    let brier =
        brier(alone.estimates.iter().map(|estimate| (estimate.probability, estimate.fails)));
    Ok(Row { tokens: tokens.1, tests, brier, alone: alone.time, runs })
}

/// Prints the answers: `*` reproduced, `.` not, `?` unresolved; in lower case letters what needed no test:
/// `i` infeasible, `s` not smaller, `r` remembered.
fn trace(told: &Told) {
    for turn in told.answers.chunk_by(|a, b| a.0 == b.0) {
        let sign = |(_, outcome, source): &(_, Outcome, AnswerSource)| match (source, outcome) {
            (AnswerSource::Infeasible, _) => 'i',
            (AnswerSource::NotSmaller, _) => 's',
            (AnswerSource::Cached, _) => 'r',
            (AnswerSource::Tested, Outcome::Fail) => '*',
            (AnswerSource::Tested, Outcome::Pass) => '.',
            (AnswerSource::Tested, Outcome::Unresolved) => '?',
        };
        println!("{:20} {}", turn[0].0, turn.iter().map(sign).collect::<String>());
    }
}
