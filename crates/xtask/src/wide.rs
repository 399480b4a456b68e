//! The worth of many workers, on real cases and on a virtual clock. Each test takes as long as any
//! other there, so that only the order of the questions counts.
//!
//! The answers are those of the cases' own test scripts. Each runs once for each candidate, also
//! for one that is only tested ahead: its answer says how the same edits will fare on other texts.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use minirepro_engine::{Outcome, Plan};
use minirepro_syntax::Language;
use minirepro_testkit::{Told, plan, reduce_on_virtual_clock};

use crate::cases::Case;

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct Wide {
    /// Directories of cases, at any depth
    #[arg(required = true)]
    cases: Vec<PathBuf>,
    /// The numbers of workers to measure
    #[arg(long, default_value = "4,16,64", value_delimiter = ',')]
    workers: Vec<usize>,
}

/// A case with the answers of its test so far.
struct Answered {
    case: Case,
    file: String,
    language: Arc<Language>,
    input: Vec<u8>,
    known: RefCell<HashMap<Vec<u8>, Outcome>>,
}

/// Prints a line for each case, and one of the geometric means: times faster than one worker, and
/// in brackets the tests that were started over those that were told.
///
/// # Errors
/// If a case cannot be read, a test cannot be run, or the number of workers decides anything.
pub(crate) fn run(wide: &Wide) -> Result<()> {
    let workers: String = wide.workers.iter().map(|workers| format!(" {workers} |")).collect();
    println!("| case | tokens | tests |{workers}");
    println!("|---|---|---|{}", "---|".repeat(wide.workers.len()));
    let mut logs = vec![(0.0, 0.0); wide.workers.len()];
    let cases = Case::below(&wide.cases)?;
    let count = cases.len() as f64;
    for case in cases {
        let case = Answered::read(case)?;
        let alone = case.reduce(1)?;
        let (tokens, tests) = (alone.summary.tokens.1, alone.summary.tests);
        print!("| {} | {tokens} | {tests} |", case.case.name);
        for (jobs, logs) in wide.workers.iter().zip(&mut logs) {
            let other = case.reduce(*jobs)?;
            let is_alike = other.answers == alone.answers && other.result == alone.result;
            ensure!(is_alike, "{}: {jobs} workers decide otherwise", case.case.name);
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
        print!(" {:.2} ({:.1}) |", (faster / count).exp(), (more / count).exp());
    }
    println!();
    Ok(())
}

impl Answered {
    fn read(case: Case) -> Result<Self> {
        let input = fs::read(&case.input).with_context(|| case.input.display().to_string())?;
        let file = case.input.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let language = minirepro_languages::guess(&file, &input);
        let language = Arc::new(minirepro_languages::by_name(&language)?);
        Ok(Self { case, file, language, input, known: RefCell::default() })
    }

    /// Reduces it with this many workers.
    fn reduce(&self, jobs: usize) -> Result<Told> {
        let failed = Cell::new(None);
        let answer = |candidate: &[u8]| {
            self.answer(candidate).unwrap_or_else(|error| {
                failed.set(Some(error));
                Outcome::Pass
            })
        };
        let plan = Plan { jobs, ..plan(Arc::clone(&self.language), &self.input) };
        let told = reduce_on_virtual_clock(plan, &answer, &|_| Duration::from_secs(1));
        failed.take().map_or(Ok(told), Err)
    }

    /// Returns the test's answer, and keeps it.
    fn answer(&self, candidate: &[u8]) -> Result<Outcome> {
        if let Some(&outcome) = self.known.borrow().get(candidate) {
            return Ok(outcome);
        }
        let place = tempfile::tempdir()?;
        fs::write(place.path().join(&self.file), candidate)?;
        let status = Command::new(&self.case.test)
            .current_dir(place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| self.case.test.display().to_string())?;
        let outcome = match status.code() {
            Some(0) => Outcome::Fail,
            Some(124 | 125) => Outcome::Unresolved,
            _ => Outcome::Pass,
        };
        self.known.borrow_mut().insert(candidate.to_owned(), outcome);
        Ok(outcome)
    }
}
