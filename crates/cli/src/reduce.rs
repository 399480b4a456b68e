//! One reduction from the first test to the last word. Decides nothing about the search.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_engine::{Engine, Event, Outcome};
use minirepro_runner::{
    Alone, DriveError, Ending, Limits, Oracle, Output, Patience, Recalled, Recorded, Reliability,
    Start, Stop, Tally, baseline, drive, reliability,
};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::figures::{counted, time};
use crate::format::formatted;
use crate::keep::{Identity, Kept, Typed, Way};
use crate::live::{UNCHANGED, Waiting};
use crate::oracle::UserTest;
use crate::place::Place;
use crate::plan::{Reduction, Talk};
use crate::progress::Progress;
use crate::stats::{Curve, Run, Stats};
use crate::{facts, interrupt, summary};

/// Runs a reduction, or goes on with one.
///
/// # Errors
/// When there is no result, or it could not be put where it should be.
pub fn run(reduction: &Reduction, typed: &Typed, way: Way<'_>) -> Result<Exit, Failure> {
    let stop = Stop::new().map_err(system)?;
    interrupt::watch(stop.clone()).map_err(system)?;
    let Some(mut test) = UserTest::new(&reduction.subject(), &stop)? else {
        return Ok(Exit::Reduced);
    };
    let identity = Identity {
        input: &reduction.plan.input,
        test: facts::of_test(&reduction.subject(), reduction.patience, &test),
        plan: facts::of_plan(reduction),
        keep: &reduction.keep,
        result: reduction.target.file(),
        talk: reduction.talk,
    };
    let kept = Kept::new(identity, typed, way)?;
    test.goes_on(&kept);
    let start = match kept.past.as_ref().and_then(|past| past.start.clone()) {
        Some(start) => start,
        None => first_tests(reduction, &test, &stop)?,
    };
    let time_limit = Duration::try_from_secs_f64(start.time_limit).unwrap_or(Duration::MAX);
    test.set_limits(Limits { time: time_limit, ..test.limits() });
    if reduction.talk > Talk::Quiet {
        let slowest = time(Duration::try_from_secs_f64(start.slowest).unwrap_or_default());
        let reliable = match start.reliability {
            Some(Reliability { reproduced, runs }) => format!(" ({reproduced} of {runs} tests)"),
            None => String::new(),
        };
        eprintln!(
            "{}: the test reproduces in {slowest}{reliable}; {}; language {}",
            reduction.file.display(),
            limits(&test.limits()),
            reduction.plan.language.name,
        );
        say_what_limits(&test, reduction.talk);
    }
    Session { reduction, test: &test, stop: &stop, start }.run(kept)
}

/// Says what holds memory and processes within their limits, if that is less than one might expect, or
/// if all is to be shown.
fn say_what_limits(test: &UserTest, talk: Talk) {
    let limits = test.limits();
    if test.is_limited_by_groups() {
        if talk == Talk::Verbose {
            eprintln!(
                "memory and processes of each test are limited by a control group (cgroup v2)"
            );
        }
        return;
    }
    if talk == Talk::Verbose && limits.need_groups() {
        eprintln!(
            "memory and processes are limited for each process (rlimit): there is no control group \
             (cgroup v2) with these controllers for us"
        );
    }
    limits.without_effect().into_iter().for_each(|what| eprintln!("{what}"));
}

/// What a test may use, in words.
fn limits(limits: &Limits) -> String {
    let megabytes = |bytes: u64| format!("{} MB", bytes >> 20);
    let all = [
        ("time limit", Some(time(limits.time))),
        ("processor", limits.cpu.map(time)),
        ("memory", limits.memory.map(megabytes)),
        ("files", limits.file.map(megabytes)),
        ("processes", limits.processes.map(|number| number.to_string())),
    ];
    let given = all.into_iter().filter_map(|(name, limit)| Some(format!("{name} {}", limit?)));
    given.collect::<Vec<_>>().join(", ")
}

fn first_tests(reduction: &Reduction, test: &UserTest, stop: &Stop) -> Result<Start, Failure> {
    let told = |error| Failure::baseline(&error, &test.by_hand);
    let input = &reduction.plan.input;
    let _waiting = Waiting::new(reduction.talk, UNCHANGED);
    let first = baseline(&*reduction.patience.oracle(test), input, stop).map_err(told)?;
    let reliability = match reduction.patience {
        Patience::Repeat(1) => None,
        _ => Some(reliability(test, input, stop).map_err(told)?),
    };
    Ok(Start {
        time_limit: reduction.timeout.unwrap_or(first.limit()).as_secs_f64(),
        slowest: first.slowest.as_secs_f64(),
        tests: first.tests,
        reliability,
        passing: None,
    })
}

/// A flag that is set by the user's, or when the time is up, and then ends the session.
///
/// # Errors
/// When the system has no file descriptor left.
pub fn within(reduction: &Reduction, stop: &Stop, engine: &mut Engine) -> Result<Stop, Failure> {
    // The user's own flag tells later whether it was one of them.
    let stop = stop.below().map_err(system)?;
    if let Some(time) = reduction.plan.budget.max_time {
        stop.set_after(time, "the time is up (--max-time)").map_err(system)?;
    }
    let reason = stop.clone();
    engine.interrupt_when(move || reason.is_set().then(|| reason.why()));
    Ok(stop)
}

/// The system does not let us work.
pub fn system(error: io::Error) -> Failure {
    Failure::new(Exit::Usage, error)
}

struct Session<'a> {
    reduction: &'a Reduction,
    test: &'a UserTest,
    stop: &'a Stop,
    start: Start,
}

impl Session<'_> {
    fn run(&self, mut kept: Kept) -> Result<Exit, Failure> {
        let reduction = self.reduction;
        let mut engine = Engine::new(reduction.plan.clone());
        let (tokens, bytes) = (engine.summary().tokens.0, engine.summary().bytes.0);
        let mut progress = Progress::new(reduction.talk, tokens, bytes);
        let mut curve = Curve::default();
        let repeat = reduction.patience.oracle(self.test);
        let alone = Alone::new(&*repeat);
        let oracle: &dyn Oracle = if reduction.plan.jobs > 1 { &alone } else { &*repeat };
        let mut best = Arc::clone(&reduction.plan.input);
        let begun = Instant::now();
        let goes_on = kept.past.is_some();
        if !goes_on {
            // Whether there is a place for the result shows before the search.
            Place::new(reduction, &best)?;
            kept.begin(self.start.clone(), &best)?;
        }
        let stop = within(reduction, self.stop, &mut engine)?;
        let (past, journal, cache) = kept.parts();
        let mut recorded = Recorded::new(&mut engine, past, journal, cache);
        recorded.recall(&mut |event| {
            progress.recall(event, Duration::ZERO);
            curve.event(event);
            if let Event::Reduced { text, .. } = event {
                best = Arc::clone(text);
            }
        });
        if goes_on {
            self.check(oracle, &best)?;
        }
        let place = Place::new(reduction, &best)?;
        let mut observe = |event: &Event, now| {
            progress.event(event, now);
            curve.event(event);
            if let Event::Reduced { text, .. } = event {
                place.offer(text);
            }
        };
        let (tally, driven) =
            drive(&mut recorded, oracle, reduction.plan.jobs, &stop, &mut observe);
        let recalled = recorded.recalled();
        let took = begun.elapsed();
        progress.finish();
        self.show(&engine, &tally, recalled, took);
        // The result first: whatever fails later, it is safe.
        let result = match &driven {
            Ok(_) if !stop.is_set() => self.formatted(oracle, engine.best()),
            _ => engine.best(),
        };
        place.offer(&result);
        let written = place.finish(&result, reduction);
        let (summary, budget) = (engine.summary(), &reduction.plan.budget);
        let wanted = budget.stop_at_tokens.is_some_and(|least| summary.tokens.1 <= least)
            || budget.stop_at_bytes.is_some_and(|least| summary.bytes.1 <= least);
        kept.finish(summary.stopped, summary.tests, &engine.best(), wanted);
        self.write_stats(&engine, &curve, tally, took)?;
        let again = || if stop.is_set() { Ok(()) } else { self.check_result(oracle, &result) };
        self.exit(driven, written, again)
    }

    /// How the run ends; `again` tests the result once more.
    fn exit(
        &self,
        driven: Result<(), DriveError>,
        written: Result<(), Failure>,
        again: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Exit, Failure> {
        if let Err(error) = driven {
            eprint!("{}", Failure::drive(&error, &self.test.by_hand));
            return written.map(|()| Exit::BrokenTest);
        }
        written?;
        again()?;
        Ok(if self.stop.is_set() { Exit::Interrupted } else { Exit::Reduced })
    }

    /// The best result of the interrupted run must still reproduce, or its answers are worth nothing.
    fn check(&self, oracle: &dyn Oracle, best: &[u8]) -> Result<(), Failure> {
        let by_hand = &self.test.by_hand;
        let seen = oracle.test(best, self.stop).map_err(|e| Failure::oracle(&e, by_hand))?;
        if seen.ending == Ending::Stopped {
            return Err(Failure::new(Exit::Interrupted, "interrupted before the search began"));
        }
        if seen.outcome == Outcome::Fail {
            return Ok(());
        }
        let message = "cannot go on: the best result so far does not reproduce any more";
        Err(Failure::new(Exit::NotReproduced, message).advise(
            "The test is flaky, or a tool that it uses has changed. --restart begins anew.\n",
        ))
    }

    /// The result as the user wants it to look, as long as it still reproduces.
    fn formatted(&self, oracle: &dyn Oracle, best: Arc<[u8]>) -> Arc<[u8]> {
        let Reduction { plan, format, talk, .. } = self.reduction;
        // What is wrong with the test itself shows as soon as the result is checked.
        let reproduces = |text: &[u8]| {
            plan.scope.keeps(&plan.input, text)
                && oracle.test(text, self.stop).is_ok_and(|seen| seen.outcome == Outcome::Fail)
        };
        let (text, note) = formatted(&plan.language, *format, best, reproduces);
        if let (Some(note), true) = (note, *talk > Talk::Quiet) {
            eprintln!("{note}");
        }
        text
    }

    /// A flaky test may not have shown it before.
    fn check_result(&self, oracle: &dyn Oracle, best: &[u8]) -> Result<(), Failure> {
        let again = oracle.test(best, self.stop);
        let again = again.map_err(|error| Failure::oracle(&error, &self.test.by_hand))?;
        if again.outcome == Outcome::Fail || again.ending == Ending::Stopped {
            return Ok(());
        }
        let message =
            "the result did not reproduce when it was tested once more: the test is flaky";
        Err(Failure::new(Exit::NotReproduced, message).advise(
            "Test each candidate until it reproduces, up to N times, with --repeat N, or keep the \
             failure frequent with --min-rate RATE.\n",
        ))
    }

    fn show(&self, engine: &Engine, tally: &Tally, recalled: Recalled, took: Duration) {
        if self.reduction.talk > Talk::Quiet {
            let name = self.reduction.file.display().to_string();
            let figures = engine.summary();
            eprint!("{}", summary::text(&name, &figures, tally, recalled, took));
            match self.test.guard_runs() {
                0 => {}
                runs => eprintln!("  {} of guards", counted(runs, "run")),
            }
            if let (Talk::Verbose, Some(certificate)) = (self.reduction.talk, &figures.certificate)
            {
                eprint!("{}", summary::edit_kinds(certificate));
            }
            if let Some(reliability) = &self.start.reliability {
                eprintln!("  {}", summary::confidence(self.reduction.patience, reliability));
            }
            eprint!("{}", summary::finds(&self.test.finds()));
        }
    }

    fn write_stats(
        &self,
        engine: &Engine,
        curve: &Curve,
        tally: Tally,
        took: Duration,
    ) -> Result<(), Failure> {
        let Some(path) = &self.reduction.stats else { return Ok(()) };
        let plan = &self.reduction.plan;
        let run = Run {
            file: &self.reduction.file.to_string_lossy(),
            language: &plan.language.name,
            algorithm: plan.algorithm.name(),
            jobs: plan.jobs,
            baseline_tests: self.start.tests,
            guard_runs: self.test.guard_runs(),
            limit: self.test.limits().time,
            limited_by: match self.test.limits().need_groups() {
                true if self.test.is_limited_by_groups() => Some("cgroup"),
                true => Some("rlimit"),
                false => None,
            },
            tally,
            took,
        };
        let json = Stats::new(&run, &engine.summary(), curve).json();
        let output = Output::new(path, Path::new("/dev/null/no/permissions"));
        output.write(json.as_bytes()).map_err(|error| Failure::new(Exit::NotWritten, error))
    }
}
