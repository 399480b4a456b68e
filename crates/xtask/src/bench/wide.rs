//! `cargo xtask bench wide`: what many workers are worth, on real cases and on a virtual clock.
//! Each test takes as long as any other there, so that only the order of the questions counts.
//!
//! The answers are those of the cases' own test scripts. Each runs once for each candidate, also
//! for one that is only tested ahead: its answer says how the same edits will fare on other texts.

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
use minirepro_engine::{AnswerSource, Event, Outcome, Plan, ReductionSession, Session, Step};
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
    /// The numbers of workers to measure
    #[arg(long, default_value = "4,16,64", value_delimiter = ',')]
    workers: Vec<usize>,
    /// Also print every answer: a line for each time that a pass has its turn
    #[arg(long)]
    trace: bool,
    /// Print instead how many of the estimates of the time left were out of a factor of three
    #[arg(long)]
    estimates: bool,
    /// Let tests take between half and one and a half as long, by the hash of the candidate
    #[arg(long)]
    vary: bool,
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

/// What each test takes on the virtual clock.
const UNIT: Duration = Duration::from_secs(1);

/// Prints a line for each case, and one of the geometric means.
///
/// # Errors
/// If a case cannot be read, a test cannot be run, or the number of workers decides anything.
pub(crate) fn print(wide: &Wide) -> Result<()> {
    fs::create_dir_all(&wide.answers)?;
    if wide.estimates {
        return estimates(wide);
    }
    let workers: String = wide.workers.iter().map(|workers| format!(" {workers} |")).collect();
    println!("| case | tokens | tests |{workers}");
    println!("|---|---|---|{}", "---|".repeat(wide.workers.len()));
    let mut logs = vec![(0.0, 0.0); wide.workers.len()];
    for directory in &wide.cases {
        let case = Case::read(directory, &wide.answers)?;
        let alone = case.reduce(1, wide.vary)?;
        let (tokens, tests) = (alone.summary.tokens.1, alone.summary.tests);
        print!("| {} | {tokens} | {tests} |", case.name);
        if wide.trace {
            trace(&alone);
        }
        for (jobs, logs) in wide.workers.iter().zip(&mut logs) {
            let other = case.reduce(*jobs, wide.vary)?;
            ensure!(
                other.answers == alone.answers,
                "{}: {jobs} workers decide otherwise",
                case.name
            );
            ensure!(other.result == alone.result, "{}: {jobs} workers end otherwise", case.name);
            let faster = alone.time.as_secs_f64() / other.time.as_secs_f64();
            let more = other.summary.started as f64 / tests as f64;
            print!(" {faster:.2} ({more:.1}) |");
            std::io::stdout().flush()?;
            *logs = (logs.0 + faster.ln(), logs.1 + more.ln());
        }
        println!();
    }
    print!("| mean | | |");
    for (faster, more) in logs {
        let mean = |sum: f64| (sum / wide.cases.len() as f64).exp();
        print!(" {:.2} ({:.1}) |", mean(faster), mean(more));
    }
    println!();
    Ok(())
}

/// Prints for each case how many estimates there were from the tenth test on, with five or more
/// tests to come, and how many were out of a factor of three.
fn estimates(wide: &Wide) -> Result<()> {
    println!("| case | estimates | too low | too high |");
    println!("|---|---|---|---|");
    let mut shares = 0.0;
    for directory in &wide.cases {
        let case = Case::read(directory, &wide.answers)?;
        let expected = case.expected()?;
        let last = expected.len() as u64;
        let moments = (1..).zip(&expected).filter(|(tests, _)| *tests >= 10 && tests + 5 <= last);
        let ratios: Vec<f64> =
            moments.map(|(tests, left)| *left as f64 / (last - tests) as f64).collect();
        let count = |is_out: &dyn Fn(f64) -> bool| ratios.iter().filter(|it| is_out(**it)).count();
        let (low, high) = (count(&|ratio| ratio < 1.0 / 3.0), count(&|ratio| ratio > 3.0));
        println!("| {} | {} | {low} | {high} |", case.name, ratios.len());
        shares += (low + high) as f64 / ratios.len().max(1) as f64;
    }
    println!("| mean of the shares | | {:.1} % | |", 100.0 * shares / wide.cases.len() as f64);
    Ok(())
}

/// Prints the answers: `*` reproduced, `.` not, `?` unresolved; as letters what needed no test: `i`
/// infeasible, `s` not smaller, `r` remembered.
fn trace(told: &Told) {
    println!();
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

impl Case {
    /// Reads a case, and its answers from the file of its name in `answers`.
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
            language: Arc::new(minirepro_languages::by_name(&language)?),
            test: directory.join("test.sh"),
            name: case,
            file,
            input,
            known: RefCell::new(known),
            answers: RefCell::new(answers),
        })
    }

    /// Reduces it with this many workers.
    fn reduce(&self, jobs: usize, vary: bool) -> Result<Told> {
        let failed = Cell::new(None);
        let answer = |candidate: &[u8]| {
            self.answer(candidate).unwrap_or_else(|error| {
                failed.set(Some(error));
                Outcome::Pass
            })
        };
        let plan = Plan { jobs, ..plan(Arc::clone(&self.language), &self.input) };
        let told = reduce_on_virtual_clock(plan, &answer, &|candidate| {
            let first = Digest::of(candidate)
                .as_str()
                .bytes()
                .take(3)
                .fold(0, |sum, byte| sum * 7 + u32::from(byte));
            if vary { UNIT / 2 + UNIT * (first % 101) / 100 } else { UNIT }
        });
        failed.take().map_or(Ok(told), Err)
    }

    /// Returns how many tests were expected to come after each test.
    fn expected(&self) -> Result<Vec<u64>> {
        let mut session = ReductionSession::new(plan(Arc::clone(&self.language), &self.input));
        let mut expected = Vec::new();
        loop {
            let step = session.poll(Duration::ZERO);
            expected.extend(session.take_events().filter_map(|event| match event {
                Event::Expected { tests } => Some(tests),
                _ => None,
            }));
            match step {
                Step::Start { id, candidate } => {
                    session.report(id, self.answer(&candidate)?.into())
                }
                Step::Wait | Step::Consult(_) => unreachable!("every test is reported at once"),
                Step::Done => return Ok(expected),
            }
        }
    }

    /// Returns the test's answer, and keeps it.
    fn answer(&self, candidate: &[u8]) -> Result<Outcome> {
        let digest = Digest::of(candidate).as_str().to_owned();
        if let Some(&outcome) = self.known.borrow().get(&digest) {
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
        writeln!(self.answers.borrow_mut(), "{digest} {word}")?;
        self.known.borrow_mut().insert(digest, outcome);
        Ok(outcome)
    }
}
