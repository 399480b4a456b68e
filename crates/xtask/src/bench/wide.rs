//! `cargo xtask bench wide`: what wide searches and many workers are worth, on real cases and on a virtual
//! clock. Each test takes as long as any other there, so that only the order of the questions counts.
//!
//! The answers are those of the cases' own test scripts, each of which runs once for each candidate that is
//! told. Candidates that are only tested ahead are not run at all: their answers decide nothing.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use minirepro_engine::{AnswerSource, Outcome, Plan, Scope, Summary, Width};
use minirepro_runner::Digest;
use minirepro_testkit::{Told, plan, reduce_on_virtual_clock};

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
        let case = Case::read(directory, &wide.answers)?;
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

fn measure(case: &Case, width: Width, wide: &Wide) -> Result<Row> {
    let time = Duration::from_secs_f64(wide.seconds);
    let reduce = |jobs: usize, oracle: &dyn Fn(&[u8]) -> Outcome| {
        let language = Arc::clone(&case.language);
        let scope = Scope { width, ..Scope::default() };
        let plan = Plan { scope, jobs, ..plan(language, &case.input) };
        reduce_on_virtual_clock(plan, oracle, &|_| time)
    };
    let failed = Cell::new(None);
    let alone = reduce(1, &|candidate| {
        case.answer(candidate).unwrap_or_else(|error| {
            failed.set(Some(error));
            Outcome::Pass
        })
    });
    if let Some(error) = failed.take() {
        return Err(error);
    }
    if wide.trace {
        trace(&alone);
    }
    let mut runs = Vec::new();
    for &jobs in &wide.workers {
        let other = reduce(jobs, &|candidate| case.known(candidate).unwrap_or(Outcome::Pass));
        ensure!(other.answers == alone.answers, "{}: {jobs} workers decide otherwise", case.name);
        ensure!(other.result == alone.result, "{}: {jobs} workers end otherwise", case.name);
        if wide.trace {
            println!("{jobs} workers: {} s", other.time.as_secs_f64());
            for (pass, stats) in &other.summary.passes {
                println!("  {pass:20} {:6.1} s {:?} tests", stats.time.as_secs_f64(), stats.tested);
            }
        }
        runs.push(Run { time: other.time, started: other.summary.started });
    }
    let Summary { tokens, tests, squared_error, .. } = alone.summary;
    let brier = squared_error / tests.max(1) as f64;
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

/// A case with the answers of its test so far.
struct Case {
    name: String,
    language: Arc<minirepro_syntax::Language>,
    file: String,
    input: Vec<u8>,
    test: PathBuf,
    known: RefCell<HashMap<String, Outcome>>,
    answers: RefCell<File>,
}

impl Case {
    fn read(directory: &Path, answers: &Path) -> Result<Self> {
        let directory =
            directory.canonicalize().with_context(|| directory.display().to_string())?;
        let input = fs::read_dir(&directory)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.file_stem().is_some_and(|stem| stem == "input"));
        let Some(path) = input else { bail!("{} has no input.*", directory.display()) };
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let input = fs::read(&path)?;
        let file = name(&path);
        let language = minirepro_languages::guess(&file, &input);
        let case = name(&directory);
        let answers = answers.join(&case);
        let mut known = HashMap::new();
        for line in fs::read_to_string(&answers).unwrap_or_default().lines() {
            let (candidate, outcome) = line.split_once(' ').context("a line without an answer")?;
            let outcome = match outcome {
                "reproduced" => Outcome::Fail,
                "unresolved" => Outcome::Unresolved,
                _ => Outcome::Pass,
            };
            known.insert(candidate.to_owned(), outcome);
        }
        let answers = OpenOptions::new().create(true).append(true).open(&answers)?;
        Ok(Self {
            language: Arc::new(minirepro_languages::by_name(language)?),
            test: directory.join("test.sh"),
            name: case,
            file,
            input,
            known: RefCell::new(known),
            answers: RefCell::new(answers),
        })
    }

    fn known(&self, candidate: &[u8]) -> Option<Outcome> {
        self.known.borrow().get(Digest::of(candidate).as_str()).copied()
    }

    /// Returns the test's answer, and keeps it.
    fn answer(&self, candidate: &[u8]) -> Result<Outcome> {
        if let Some(outcome) = self.known(candidate) {
            return Ok(outcome);
        }
        let place = tempfile::tempdir()?;
        fs::write(place.path().join(&self.file), candidate)?;
        let status = Command::new(&self.test)
            .current_dir(place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| self.test.display().to_string())?;
        let (outcome, word) = match status.code() {
            Some(0) => (Outcome::Fail, "reproduced"),
            Some(124 | 125) => (Outcome::Unresolved, "unresolved"),
            _ => (Outcome::Pass, "not-reproduced"),
        };
        let digest = Digest::of(candidate).as_str().to_owned();
        writeln!(self.answers.borrow_mut(), "{digest} {word}")?;
        self.known.borrow_mut().insert(digest, outcome);
        Ok(outcome)
    }
}
