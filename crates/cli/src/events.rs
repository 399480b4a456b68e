//! `minirepro events`: which records of a log a failure needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use minirepro_circumstances::{Log, Reading, Records};
use minirepro_engine::{Answers, Event, Experiment, Findings, Goal, Outcome, Search};
use minirepro_runner::{DriveError, Output, Tally, Writer};
use regex::bytes::Regex;
use serde::Serialize;

use crate::args::{Common, Failure as Conditions};
use crate::causes::{Cause, Which, settle};
use crate::diff::{Color, unified};
use crate::ends::Ends;
use crate::exit::Exit;
use crate::facts;
use crate::failure::Failure;
use crate::figures::{count, counted};
use crate::findings::{Figures, text, write_stats};
use crate::isolate::beside;
use crate::keep::{Keep, Typed, Way};
use crate::oracle::UserTest;
use crate::plan::{Subject, Talk, default_target, first_limits, read, test};
use crate::trial::{Bench, Ran, stop};

/// Which records of a log (recorded events, commands, requests) a failure needs.
///
/// Records are lines, whole and in their order. What belongs together (a key that is pressed and
/// released) is first tried as one, then each for itself. TEST replays the log that is left.
#[derive(Clone, Debug, Args)]
#[command(override_usage = "minirepro events [OPTIONS] TEST LOG\n       \
                            minirepro events [OPTIONS] LOG -- PROGRAM [ARGUMENTS]...")]
pub struct Events {
    /// The program that says whether a candidate shows the failure (exit code 0)
    #[arg(required = true)]
    pub test: Option<PathBuf>,
    /// The log; it is never changed
    #[arg(required_unless_present = "program")]
    pub log: Option<PathBuf>,
    /// Instead of TEST: what fails on LOG, with its arguments
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<std::ffi::OsString>,
    /// Where the result goes [default: LOG with `.min` before its suffix]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Only records that match can go, like '^(Key|Button)' (also several times)
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub only: Vec<Regex>,
    /// Records that match stay (also several times)
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub keep: Vec<Regex>,
    /// A line that matches begins a record [default: every line does]
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub record: Option<Regex>,
    /// What begins something and what ends it, like 'down (\w+)' 'up (\w+)'; what the brackets
    /// match must be equal (also several times) [default: known words like press and release]
    #[arg(long, value_names = ["BEGIN", "END"], num_args = 2, value_parser = regex)]
    pub pair: Vec<Regex>,
    /// Isolate the difference between a log that fails and one that does not; OUT is the one that
    /// fails
    #[arg(long, conflicts_with = "all")]
    pub isolate: bool,
    /// Then look for other records that make it fail without those found: each in a numbered result of
    /// its own, or only the `smallest`
    #[arg(long, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "each", hide_possible_values = true)]
    pub all: Option<Which>,
    /// What is kept on disk.
    #[command(flatten)]
    pub kept: Keep,
    /// How tests are run.
    #[command(flatten)]
    pub common: Common,
    /// What counts as the failure of PROGRAM.
    #[command(flatten, next_help_heading = "Options with PROGRAM")]
    pub failure: Conditions,
}

fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| error.to_string())
}

/// Finds as the user says.
///
/// # Errors
/// When there is no result, or it could not be put where it should be.
pub fn run(args: Events, typed: &Typed, way: Way<'_>) -> Result<Exit, Failure> {
    let (kept, common) = (Keep::default(), args.common.deciding());
    let deciding = Events { kept, output: None, common, ..args.clone() };
    let (test, file) = test(args.test, args.log, args.program, args.failure)?;
    let input: Arc<[u8]> = read(&file)?.into();
    let pairs = args.pair.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
    let reading =
        Reading { start: args.record, only: args.only, keep: args.keep, pairs: pairs.collect() };
    let log = Arc::new(Log::new(Arc::clone(&input), &reading));
    let (records, changeable) = log.counts();
    if changeable == 0 {
        let message =
            format!("{}: none of {} can go", file.display(), counted(records as u64, "record"));
        return Err(Failure::new(Exit::Usage, message).advise("See --only and --keep.\n"));
    }
    let base = args.output.unwrap_or_else(|| default_target(&file));
    let common = args.common;
    let talk = Talk::of(&common);
    let stop = stop()?;
    let subject = Subject {
        test: &test,
        file: &file,
        input: &input,
        limits: first_limits(&common),
        finds: base.with_extension("finds"),
        talk,
    };
    let Some(mut tester) = UserTest::on(way, &subject, &stop)? else { return Ok(Exit::Reduced) };
    let name = file.display().to_string();
    let passing = "the log without what can go";
    let ends = Ends { failing: &name, passing, lenient: !args.isolate };
    let least = log.with(&[]);
    let plan = facts::of_options(&deciding, None);
    let kept = tester.kept(&subject, &common, plan, (&args.kept, &base), (typed, way))?;
    let bench = Bench::new(&mut tester, &common, &stop, ends, (&least, &input), kept)?;
    if talk > Talk::Quiet {
        let [records, pairs] =
            [(records, "record"), (log.pairs(), "pair")].map(|(n, word)| counted(n as u64, word));
        eprintln!(
            "  {records}, {} of them can go; {pairs} belong together",
            count(changeable as u64)
        );
    }
    let goal = if args.isolate { Goal::Isolate } else { Goal::Minimize(Search::default()) };
    let hunt = Hunt { log: &log, bench: &bench, base: &base, like: &file, goal };
    let (runs, results, driven) = hunt.run(args.all)?;
    let stats = Stats::new(&bench, &runs);
    write_stats(common.stats.as_deref(), &stats)?;
    if bench.verifies() {
        return hunt.verify(&runs);
    }
    let exit = bench.exit(&driven);
    bench.finish(&results)?;
    Ok(exit)
}

/// One result after the other.
struct Hunt<'a> {
    log: &'a Arc<Log>,
    bench: &'a Bench<'a>,
    base: &'a Path,
    like: &'a Path,
    goal: Goal,
}

struct Run {
    /// The records that could go and were needed.
    kept: Vec<usize>,
    findings: Findings,
    tally: Tally,
    took: Duration,
}

/// The searches, all results behind each other, and whether the test worked to the end.
type Hunted = (Vec<Run>, Vec<u8>, Result<(), DriveError>);

impl Hunt<'_> {
    fn run(&self, all: Option<Which>) -> Result<Hunted, Failure> {
        let mut without: Vec<usize> = Vec::new();
        let mut answers = self.bench.answers.clone();
        let (mut runs, mut results) = (Vec::new(), Vec::new());
        let mut found = Vec::new();
        loop {
            let path = numbered(self.base, runs.len());
            let Ran { session, tally, took, driven } = self.one(&path, &without, answers)?;
            let findings = session.findings().clone();
            let kept = session.members().to_vec();
            self.show(&findings, &tally, took, &path, kept.len());
            if self.goal == Goal::Isolate {
                self.show_difference(&path, session.ends())?;
            }
            let ended = findings.stopped.is_some() || driven.is_err() || kept.is_empty();
            runs.push(Run { kept: kept.clone(), findings, tally, took });
            results.extend_from_slice(&session.ends().1);
            let (text, size) = (session.ends().1.to_vec(), kept.len() as u64);
            found.push(Cause { places: vec![path], text, size, unit: "record" });
            answers = session.into_answers();
            without.extend(kept);
            let Some(which) = all else { return Ok((runs, results, driven)) };
            if ended || !self.fails_without(&without)? {
                settle(&found, which, &|line| self.tell(&line))?;
                return Ok((runs, results, driven));
            }
        }
    }

    /// The least without some records.
    fn one(
        &self,
        path: &Path,
        without: &[usize],
        answers: Answers,
    ) -> Result<Ran<Experiment>, Failure> {
        let records = Records::new(Arc::clone(self.log), without);
        let output = Output::new(path, self.like);
        output.clean();
        let start: Arc<[u8]> = self.log.with(&records.all()).into();
        output.write(&start).map_err(|error| {
            let advice = "Name a file in a directory that you can write to with -o.\n";
            Failure::new(Exit::NotWritten, error).advise(advice)
        })?;
        let trial = self.bench.trial(records, (self.log.with(&[]).into(), start), self.goal);
        let writer = Writer::new(output);
        let ran = self.bench.run(trial, answers, &mut |event| {
            if let Event::Narrowed { failing, .. } = event {
                writer.offer(Arc::clone(failing));
            }
        });
        writer.finish().map_err(|error| Failure::new(Exit::NotWritten, error))?;
        Ok(ran)
    }

    /// Searches again what was found.
    fn verify(&self, runs: &[Run]) -> Result<Exit, Failure> {
        if self.goal == Goal::Isolate {
            let message = "verify is for records that a failure needs, not for differences";
            return Err(Failure::new(Exit::Usage, message));
        }
        let mut holds = true;
        for Run { kept, .. } in runs {
            let all = Records::new(Arc::clone(self.log), &[]).all();
            let others: Vec<usize> = all.into_iter().filter(|at| !kept.contains(at)).collect();
            let records = Records::new(Arc::clone(self.log), &others);
            let ends = (self.log.with(&[]).into(), self.log.with(&records.all()).into());
            holds = holds && self.bench.holds(self.bench.trial(records, ends, self.goal))?;
        }
        self.bench.verdict(holds)
    }

    fn fails_without(&self, without: &[usize]) -> Result<bool, Failure> {
        let rest = Records::new(Arc::clone(self.log), without).all();
        let outcome = self.bench.probe(&self.log.with(&rest))?;
        if outcome != Outcome::Fail {
            let found = counted(without.len() as u64, "record");
            self.tell(&format!("  without the {found} found, the failure is not there"));
        }
        Ok(outcome == Outcome::Fail)
    }

    fn tell(&self, line: &str) {
        if Talk::of(self.bench.common) > Talk::Quiet {
            eprintln!("{line}");
        }
    }

    fn show(&self, findings: &Findings, tally: &Tally, took: Duration, path: &Path, kept: usize) {
        if Talk::of(self.bench.common) > Talk::Quiet {
            eprint!("{}", text(findings, tally, took));
            let kept = counted(kept as u64, "record");
            eprintln!("  result: {} ({kept} that could go)", path.display());
        }
    }

    fn show_difference(
        &self,
        path: &Path,
        (passing, failing): (Arc<[u8]>, Arc<[u8]>),
    ) -> Result<(), Failure> {
        let other = beside(path, "pass");
        let written = Output::new(&other, self.like).write(&passing);
        written.map_err(|error| Failure::new(Exit::NotWritten, error))?;
        let names = [&other, path].map(|path| path.display().to_string());
        let difference = unified([&names[0], &names[1]], &passing, &failing, Color::Auto.is_on());
        self.bench.print(&difference);
        Ok(())
    }
}

/// `a.min.log`, `a.min.2.log` and so on.
fn numbered(base: &Path, found: usize) -> PathBuf {
    if found == 0 { base.to_owned() } else { beside(base, &(found + 1).to_string()) }
}

/// `--stats`, version 1.
#[derive(Debug, Serialize)]
struct Stats {
    version: u32,
    minirepro: &'static str,
    baseline_tests: u64,
    searches: Vec<Figures>,
}

impl Stats {
    fn new(bench: &Bench<'_>, runs: &[Run]) -> Self {
        let figures = |run: &Run| Figures::new(&run.findings, &run.tally, run.took);
        Self {
            version: 1,
            minirepro: env!("CARGO_PKG_VERSION"),
            baseline_tests: bench.baseline_tests,
            searches: runs.iter().map(figures).collect(),
        }
    }
}
