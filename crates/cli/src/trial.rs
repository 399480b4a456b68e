//! Experiments from the first test to the last figure, whatever their circumstances are. Decides
//! nothing about the search.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_circumstances::Circumstances;
use minirepro_engine::{Answers, Event, Experiment, Goal, Outcome, Trial};
use minirepro_runner::{
    Alone, BaselineError, DriveError, Limits, Notes, Oracle, OracleError, Stop, Tally, drive, test,
};

use crate::args::Common;
use crate::ends::{Ends, first_tests, still_fails};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::figures::{counted, time};
use crate::findings::Shown;
use crate::interrupt;
use crate::keep::Kept;
use crate::plan::{Talk, budget};
use crate::replay::judge;

/// A test that is ready to be asked about candidates of any kind.
pub trait Tester: Oracle {
    /// What a test may use.
    fn limits(&self) -> Limits;
    /// Changes what a test may use.
    fn set_limits(&mut self, limits: Limits);
    /// The commands that do what a test does, for people.
    fn by_hand(&self) -> &str;
}

/// A place to run experiments with one test.
pub struct Bench<'a> {
    test: &'a dyn Tester,
    /// How tests are run.
    pub common: &'a Common,
    stop: &'a Stop,
    /// How many tests there were before the search.
    pub baseline_tests: u64,
    /// What is known about the two ends.
    pub answers: Answers,
    notes: RefCell<Notes>,
    kept: Kept,
    /// Tests that decided something.
    told: Cell<u64>,
    /// Why the last session ended early.
    stopped: RefCell<Option<String>>,
}

/// How a session went.
pub struct Ran<S> {
    /// The session.
    pub session: S,
    /// What the runner counted.
    pub tally: Tally,
    /// The time of the search.
    pub took: Duration,
    /// Whether the test worked to the end.
    pub driven: Result<(), DriveError>,
}

/// A stop that Ctrl-C sets.
///
/// # Errors
/// When the system does not let us catch signals.
pub fn stop() -> Result<Stop, Failure> {
    let system = |error: io::Error| Failure::new(Exit::Usage, error);
    let stop = Stop::new().map_err(system)?;
    interrupt::watch(stop.clone()).map_err(system)?;
    Ok(stop)
}

impl<'a> Bench<'a> {
    /// Tests both ends: `failing` must reproduce, more than once, `passing` must not. Sets the
    /// time limit.
    ///
    /// # Errors
    /// When they don't.
    pub fn new(
        tester: &'a mut dyn Tester,
        common: &'a Common,
        stop: &'a Stop,
        ends: Ends<'_>,
        (passing, failing): (&[u8], &[u8]),
        mut kept: Kept,
    ) -> Result<Self, Failure> {
        let known = kept.past.as_ref().and_then(|past| past.start.clone());
        let start = match known {
            Some(start) => start,
            None => first_tests(tester, common, stop, ends, (passing, failing))?,
        };
        let slowest = Duration::try_from_secs_f64(start.slowest).unwrap_or_default();
        let limit = Duration::try_from_secs_f64(start.time_limit).unwrap_or(Duration::MAX);
        tester.set_limits(Limits { time: limit, ..tester.limits() });
        if Talk::of(common) > Talk::Quiet {
            eprintln!(
                "{}: the test reproduces in {}; time limit {}",
                ends.failing,
                time(slowest),
                time(limit)
            );
        }
        let mut answers = Answers::default();
        answers.insert(failing, Outcome::Fail);
        answers.insert(passing, start.passing.map_or(Outcome::Unresolved, Outcome::from));
        let baseline_tests = start.tests;
        if kept.past.is_none() {
            kept.begin(start, failing)?;
        } else if !kept.is_replay {
            still_fails(tester, common, stop, failing)?;
        }
        let (notes, test) = (RefCell::new(kept.notes()), tester);
        let (told, stopped) = (Cell::default(), RefCell::default());
        Ok(Self { test, common, stop, baseline_tests, answers, notes, kept, told, stopped })
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// Lends the test to `ask`: with the patience that the user wants, and with the answers that are known.
    pub fn ask<R>(&self, ask: impl FnOnce(&dyn Oracle) -> R) -> R {
        let repeat = self.common.patience().oracle(self.test);
        let alone = Alone::new(&*repeat);
        // Outside: that a test took too long among others is no answer.
        let notes = self.notes.borrow();
        ask(&notes.oracle(if self.common.jobs > 1 { &alone } else { &*repeat }))
    }

    /// Whether an interrupted run goes on, or a new one takes the place of another: its results are in the
    /// way of nothing.
    pub fn may_overwrite(&self) -> bool {
        self.kept.was_begun
    }

    /// A session is over that was not [run](Self::run) here.
    pub fn count(&self, tests: u64, stopped: Option<&str>) {
        self.told.set(self.told.get() + tests);
        self.stopped.replace(stopped.map(str::to_owned));
    }

    /// Shows what was found.
    pub fn print(&self, text: &str) {
        if !self.kept.verifies {
            print!("{text}");
        }
    }

    /// After a run that was decided again: whether its results are to be searched again. From then on,
    /// tests are run.
    pub fn verifies(&self) -> bool {
        if self.kept.verifies {
            self.notes.replace(Notes::new(None, None, None));
            self.told.set(0);
            self.stopped.replace(None);
        }
        self.kept.verifies
    }

    /// Whether a search between two ends that were found finds nothing closer, or smaller.
    ///
    /// # Errors
    /// When an end is no such end any more, or there is no answer.
    pub fn holds(&self, trial: Trial) -> Result<bool, Failure> {
        let ends = (Arc::clone(&trial.passing), Arc::clone(&trial.failing));
        let (fails, passes) = match trial.inverted {
            false => (&ends.1, (trial.goal == Goal::Isolate).then_some(&ends.0)),
            true => (&ends.0, Some(&ends.1)),
        };
        let does_reproduce = self.probe(fails)? == Outcome::Fail;
        let does_not = passes.map_or(Ok(true), |end| Ok(self.probe(end)? != Outcome::Fail))?;
        self.count(1 + u64::from(passes.is_some()), None);
        let wrong = match (does_reproduce, does_not) {
            (false, _) => Some("what failed does not fail any more"),
            (_, false) => Some("what passed fails now"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            return Err(Failure::new(Exit::DoesNotHold, wrong));
        }
        let mut answers = Answers::default();
        answers.insert(fails, Outcome::Fail);
        let ran = self.run(trial, answers, &mut |_| {});
        if let Err(error) = &ran.driven {
            return Err(Failure::drive(error, self.test.by_hand()));
        }
        Ok(ran.session.ends() == ends)
    }

    /// The results were searched again, with success or not.
    ///
    /// # Errors
    /// When they do not hold.
    pub fn verdict(&self, holds: bool) -> Result<Exit, Failure> {
        let tests = counted(self.told.get(), "test");
        if let Some(why) = self.stopped.borrow().as_deref() {
            let exit = if self.is_stopped() { Exit::Interrupted } else { Exit::DoesNotHold };
            return Err(Failure::new(exit, format!("not verified: {why} after {tests}")));
        }
        if !holds {
            let message =
                format!("the result is not minimal: the same search finds less ({tests})");
            return Err(Failure::new(Exit::DoesNotHold, message).advise("Search it again.\n"));
        }
        eprintln!("the result holds, and the same search finds nothing less in it ({tests})");
        Ok(Exit::Reduced)
    }

    /// All is over, with this result. Says how to go on if the run ended early.
    ///
    /// # Errors
    /// When the run was decided again, and this is not how it ended.
    pub fn finish(mut self, result: &[u8]) -> Result<(), Failure> {
        let (stopped, tests) = (self.stopped.into_inner(), self.told.get());
        if let Some(past) = self.kept.past.as_ref().filter(|_| self.kept.is_replay) {
            let complete = stopped.as_deref() != Some(&OracleError::Unknown.to_string()[..]);
            return judge(past, result, tests, complete).map(drop);
        }
        self.kept.take_back(self.notes.into_inner());
        self.kept.finish(stopped, tests, result, false);
        Ok(())
    }

    /// What Ctrl-C sets.
    pub fn stop(&self) -> &Stop {
        self.stop
    }

    /// The outcome for one candidate, outside of any experiment.
    ///
    /// # Errors
    /// When the test does not work.
    pub fn probe(&self, candidate: &[u8]) -> Result<Outcome, Failure> {
        let seen = self.ask(|oracle| test(oracle, candidate, self.stop));
        if matches!(seen, Err(BaselineError::Oracle(OracleError::Unknown))) {
            return Err(Failure::new(Exit::Reduced, "replayed up to where the run ended"));
        }
        if matches!(seen, Err(BaselineError::Stopped)) {
            let failure = Failure::new(Exit::Interrupted, "interrupted");
            return Err(failure.advise(self.kept.how_to_go_on()));
        }
        Ok(seen.map_err(|error| Failure::baseline(&error, self.test.by_hand()))?.outcome)
    }

    /// What to look for between two ends, as the user wants tests to be run.
    pub fn trial(
        &self,
        circumstances: impl Circumstances + 'static,
        ends: (Arc<[u8]>, Arc<[u8]>),
        goal: Goal,
    ) -> Trial {
        let Common { jobs, max_tests, max_time, .. } = *self.common;
        let budget = budget(max_tests, max_time, None);
        Trial { jobs, budget, ..Trial::new(Arc::new(circumstances), ends, goal) }
    }

    /// Runs an experiment to its end. `observe` gets all events.
    pub fn run(
        &self,
        trial: Trial,
        answers: Answers,
        observe: &mut dyn FnMut(&Event),
    ) -> Ran<Experiment> {
        let jobs = trial.jobs;
        let mut experiment = Experiment::new(trial, answers);
        let mut shown = Shown::new(Talk::of(self.common));
        let start = Instant::now();
        let (tally, driven) = self.ask(|oracle| {
            drive(&mut experiment, oracle, jobs, self.stop, &mut |event, now| {
                shown.event(event, now);
                observe(event);
            })
        });
        shown.finish();
        let findings = experiment.findings();
        self.count(findings.tests, findings.stopped.as_deref());
        Ran { session: experiment, tally, took: start.elapsed(), driven }
    }

    /// How to exit after the last run, with what is to be said if the test broke.
    pub fn exit(&self, driven: &Result<(), DriveError>) -> Exit {
        if self.kept.is_replay {
            return Exit::Reduced;
        }
        if let Err(error) = driven {
            eprint!("{}", Failure::drive(error, self.test.by_hand()));
            return Exit::BrokenTest;
        }
        if self.is_stopped() { Exit::Interrupted } else { Exit::Reduced }
    }
}
