//! `minirepro verify`: is a result 1-minimal?

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use minirepro_engine::{Algorithm, Engine, Event, Outcome};
use minirepro_runner::{Alone, Limits, Past, Stop, baseline, drive};

use crate::args::{Common, Failure as Wanted, Format, Reduce};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::figures::{counted, time};
use crate::interrupt;
use crate::keep::{Keep, unusable};
use crate::live::{UNCHANGED, Waiting};
use crate::oracle::UserTest;
use crate::plan::{Reduction, Talk};
use crate::progress::Progress;
use crate::reduce::{system, within};
use crate::replay::search_again;
use crate::resume::{return_to, typed};
use crate::scope::Scope;
use crate::summary::certified;

/// Tries again every single edit of a result: is it 1-minimal?
///
/// Give either the directory of a journal, or a test (or program) and a file as for a reduction. The
/// test is run on the file and on every candidate that differs from it by one edit.
#[derive(Debug, Args)]
#[command(override_usage = "minirepro verify [OPTIONS] DIR\n       \
                            minirepro verify [OPTIONS] TEST FILE\n       \
                            minirepro verify [OPTIONS] FILE -- PROGRAM [ARGUMENTS]...")]
pub struct Verify {
    /// The directory of a journal, or TEST, or FILE
    #[arg(value_name = "DIR")]
    pub first: PathBuf,
    /// Behind TEST: what should be minimal
    pub file: Option<PathBuf>,
    /// What fails on FILE, with its arguments
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// The language of FILE, if its name does not tell; see `minirepro languages`
    #[arg(long, value_name = "NAME")]
    pub lang: Option<String>,
    /// Which edits are tried.
    #[command(flatten)]
    pub scope: Scope,
    /// How tests are run.
    #[command(flatten)]
    pub common: Common,
    /// What counts as the failure of PROGRAM.
    #[command(flatten, next_help_heading = "Options with PROGRAM")]
    pub failure: Wanted,
}

/// Says whether a result is minimal.
///
/// # Errors
/// When it is not, does not reproduce, or cannot be tested.
pub fn verify(args: Verify) -> Result<Exit, Failure> {
    if args.file.is_some() || !args.program.is_empty() || !args.first.is_dir() {
        let reduction = Reduction::new(args.into())?;
        let result = Arc::clone(&reduction.plan.input);
        let name = reduction.file.display().to_string();
        return Verification { reduction, result, name, past: None }.run();
    }
    let past = Past::read(&args.first).map_err(unusable)?;
    let cli = typed(&past)?;
    if !cli.is_of_a_file(&past) {
        return search_again(&args.first, None, &past, cli, true);
    }
    let (mut reduction, engine, ..) = crate::replay::again(&args.first, &past)?;
    return_to(&past)?;
    reduction.plan.jobs = args.common.jobs.max(cli.reduce.common.jobs);
    reduction.plan.budget = crate::plan::budget(args.common.max_tests, args.common.max_time, None);
    reduction.talk = Talk::of(&args.common);
    let name = format!("the result of {}", args.first.display());
    Verification { reduction, result: engine.best(), name, past: Some(past) }.run()
}

impl From<Verify> for Reduce {
    fn from(args: Verify) -> Self {
        let Verify { first, file, program, lang, scope, common, failure } = args;
        Self {
            test: Some(first),
            file,
            program,
            // Nothing is written.
            output: Some("-".into()),
            preprocess: None,
            records: None,
            lang,
            algorithm: Algorithm::default(),
            scope,
            format: Format::Keep,
            all: None,
            stop_at: None,
            keep: Keep::default(),
            common,
            failure,
        }
    }
}

struct Verification {
    /// How to test; its input is what the result was made of.
    reduction: Reduction,
    result: Arc<[u8]>,
    /// What the result is called.
    name: String,
    /// The run that made it, if it is known.
    past: Option<Past>,
}

impl Verification {
    fn run(self) -> Result<Exit, Failure> {
        let Self { reduction, result, name, past } = &self;
        let stop = Stop::new().map_err(system)?;
        interrupt::watch(stop.clone()).map_err(system)?;
        let Some(mut test) = UserTest::new(&reduction.subject(), &stop)? else {
            return Ok(Exit::Reduced);
        };
        let changed = past.as_ref().is_some_and(|past| {
            past.header.test
                != crate::facts::of_test(&reduction.subject(), reduction.patience, &test)
        });
        if changed && reduction.talk > Talk::Quiet {
            eprintln!("the test is not what it was when the run began");
        }
        let waiting = Waiting::new(reduction.talk, UNCHANGED);
        let first = baseline(&*reduction.patience.oracle(&test), result, &stop)
            .map_err(|error| Failure::baseline(&error, &test.by_hand))?;
        drop(waiting);
        let limit = reduction.timeout.unwrap_or(first.limit());
        test.set_limits(Limits { time: limit, ..test.limits() });
        let mut engine = Engine::verify(reduction.plan.clone(), Arc::clone(result));
        let size = engine.summary();
        let mut progress = Progress::new(reduction.talk, size.tokens.0, size.bytes.0);
        let mut pass = "";
        let mut observe = |event: &Event, now| {
            progress.event(event, now);
            if let Event::Told { pass: name, outcome: Outcome::Fail, .. } = event {
                pass = name;
            }
        };
        let within = within(reduction, &stop, &mut engine)?;
        let repeat = reduction.patience.oracle(&test);
        let alone = Alone::new(&*repeat);
        let begun = Instant::now();
        let (_, driven) = drive(&mut engine, &alone, reduction.plan.jobs, &within, &mut observe);
        progress.finish();
        driven.map_err(|error| Failure::drive(&error, &test.by_hand))?;
        let summary = engine.summary();
        let tests = format!("{} in {}", counted(summary.tests, "test"), time(begun.elapsed()));
        if let Some(certificate) = &summary.certificate {
            let size = counted(summary.bytes.1, "byte");
            eprintln!("{name} ({size}): {}\n  {tests}", certified(certificate));
            return Ok(Exit::Reduced);
        }
        if pass.is_empty() {
            let why = summary.stopped.unwrap_or_default();
            let message = format!("{name} is not verified: {why} after {tests}");
            let exit = if stop.is_set() { Exit::Interrupted } else { Exit::DoesNotHold };
            return Err(Failure::new(exit, message));
        }
        let (before, after) = (size.tokens.0, summary.tokens.1);
        let message = format!(
            "{name} is not 1-minimal: an edit of «{pass}» still reproduces with {after} of its \
             {before} tokens, {} of its {} bytes ({tests})",
            summary.bytes.1, size.bytes.0
        );
        Err(Failure::new(Exit::DoesNotHold, message).advise("Reduce it again.\n"))
    }
}
