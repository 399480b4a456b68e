//! A run under way: its test with the answers that are known, its budget and its observer, whatever
//! is searched for.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;
use std::time::Instant;

use minirepro_engine::{
    AnswerSource, Answers, Budget, Consultation, Event, Findings, Gone, IsolationPlan,
    IsolationSession, Outcome, Plan, ReductionSession, Said, Session, StopReason, Summary, Whom,
};
use minirepro_runner::{
    Alone, AnswerStore, BaselineError, CancelToken, ConsultError, DriveError, Heard, HeardProgram,
    Listened, Oracle, OracleError, ProgramTest, Proposer, RetryPolicy, TestEnd, Wish, drive,
    stop_reason, test,
};
use minirepro_syntax::{Language, archive};
use minirepro_workers::{Answer, WorkerPool};

use crate::compilers;
use crate::error::Error;
use crate::observer::RunEvent;
use crate::outcome::{BaselineFacts, Measured};
use crate::reduce::coded::{CodedTest, is_coded};
use crate::request::{Mode, Settings};
use crate::run::store::RunStore;
use crate::tester::subject::Tester;

/// A request of the caller, or the end of the time allowed.
#[derive(Clone, Debug)]
pub struct Stops {
    /// Set by the caller.
    pub by_caller: CancelToken,
    /// Set by the caller, or when the time is up.
    pub any: CancelToken,
    /// When the time is up.
    pub deadline: Option<Instant>,
}

impl Stops {
    /// The time allowed begins now.
    ///
    /// # Errors
    /// If the system has no file descriptor left, or no thread.
    pub fn new(settings: &Settings<'_>) -> io::Result<Self> {
        let by_caller = settings.stop.clone().map_or_else(CancelToken::new, Ok)?;
        // The caller's own token tells later whether it was the caller's request.
        let any = by_caller.below()?;
        let is_replay = matches!(settings.journaling.mode, Mode::Replay(_));
        let max_time = settings.budget.max_time.filter(|_| !is_replay);
        let deadline = max_time.and_then(|time| Instant::now().checked_add(time));
        if let (Some(time), Some(_)) = (max_time, deadline) {
            any.set_after(time, StopReason::TimeBudget)?;
        }
        Ok(Self { by_caller, any, deadline })
    }
}

/// Tells an event to whoever watches.
pub type Tell<'a> = &'a dyn Fn(&RunEvent<'_>);

/// The test of a run, the answers that are known, and everything that decides when the run ends.
pub struct RunContext<'a> {
    /// The test.
    pub tester: Tester<'a>,
    /// What the caller has set.
    pub settings: &'a Settings<'a>,
    /// What the tests before the search have shown.
    pub baseline: BaselineFacts,
    /// The answers for both ends.
    pub answers: Answers,
    /// How many tests this process runs at the same time, unless workers do.
    pub jobs: usize,
    /// The workers that run the tests, if not this process alone.
    pub pool: Option<WorkerPool>,
    /// When to stop early.
    pub budget: Budget,
    /// Requests to stop.
    pub stops: Stops,
    /// What stays on disk.
    pub store: RunStore,
    /// Why the run ended early that is decided again.
    pub ended_for: Option<StopReason>,
    /// The answers that are known.
    pub notes: RefCell<AnswerStore>,
    /// Gets the events.
    pub tell: Tell<'a>,
    /// Whether no event is told and no result is written: a run is only decided again to be
    /// verified.
    pub is_silent: bool,
    /// How far the run has come.
    pub progress: Progress,
}

/// How far a run has come.
#[derive(Debug, Default)]
pub struct Progress {
    /// Tests that decided something.
    tests: Cell<u64>,
    /// Why the last session ended early.
    stopped: Cell<Option<StopReason>>,
    /// Why the test does not work.
    pub broken: RefCell<Option<DriveError>>,
    /// How many other failures were told.
    finds: Cell<usize>,
    /// Whether workers are neither asked nor believed.
    is_here: Cell<bool>,
    /// How many mended copies were told.
    mended: Cell<usize>,
    /// The text that is reduced, as far as it has come.
    best: RefCell<Arc<[u8]>>,
    /// What went wrong without keeping the run from its end.
    pub trouble: RefCell<Option<Error>>,
}

/// How a session went.
pub struct Ran<S, F> {
    /// The session.
    pub session: S,
    /// Its figures.
    pub figures: Measured<F>,
}

/// A reduction that is over.
pub type Reduction = Ran<ReductionSession, Summary>;

impl Reduction {
    /// Adds its figures to those of a session whose result it went on from.
    #[must_use]
    pub fn after(self, mut figures: Measured<Summary>) -> Self {
        figures.session.go_on(&self.figures.session);
        figures.runner.add(&self.figures.runner);
        figures.reused += self.figures.reused;
        figures.took += self.figures.took;
        Self { figures, ..self }
    }
}

impl RunContext<'_> {
    /// Gives an event to the observer.
    pub fn tell(&self, event: &RunEvent<'_>) {
        if !self.is_silent {
            (self.tell)(event);
        }
    }

    /// Returns why the run has to end, if it has to.
    pub fn stopped(&self) -> Option<StopReason> {
        self.progress.stopped.get()
    }

    /// Returns how many tests decided something.
    pub fn tests(&self) -> u64 {
        self.progress.tests.get()
    }

    /// Notes what went wrong without keeping the run from its end.
    pub fn note(&self, done: Result<(), Error>) {
        if let Err(error) = done {
            self.progress.trouble.replace(Some(error));
        }
    }

    /// Begins to verify what a replay has found: tests are run from now on, and none is known.
    pub fn begin_verification(&mut self, name: String) {
        self.baseline.name = name;
        self.store.is_replay = false;
        self.jobs = self.settings.jobs.max(1);
        self.budget = self.settings.budget.clone();
        self.ended_for = None;
        self.notes.replace(AnswerStore::new(None, None));
        self.is_silent = false;
        self.progress = Progress::default();
    }

    /// Returns what is left of the budget.
    fn budget_left(&self) -> Budget {
        let left = |max: u64| max.saturating_sub(self.tests());
        Budget {
            max_tests: self.budget.max_tests.map(left),
            max_time: self.stops.deadline.map(|end| end.saturating_duration_since(Instant::now())),
            ..self.budget.clone()
        }
    }

    /// Returns the workers that are asked now.
    fn workers(&self) -> Option<&WorkerPool> {
        self.pool.as_ref().filter(|_| !self.progress.is_here.get())
    }

    /// Returns how many tests run at the same time now.
    fn jobs(&self) -> usize {
        self.workers().map_or(self.jobs, WorkerPool::jobs)
    }

    /// Runs `run` without asking workers, nor believing what only they have said.
    fn here<T>(&self, run: impl FnOnce() -> T) -> T {
        let set = |is_here| {
            self.progress.is_here.set(is_here);
            self.notes.borrow().believe_workers(!is_here);
        };
        set(true);
        let done = run();
        set(false);
        done
    }

    /// Returns the test, repeated as often as is wanted.
    fn oracle(&self) -> Box<dyn Oracle + '_> {
        self.settings.retry.oracle(self.tester.oracle())
    }

    /// Lends the test to `ask`: repeated as often as is wanted, and with the answers that are
    /// known.
    fn ask<R>(&self, ask: impl FnOnce(&dyn Oracle) -> R) -> R {
        let repeat = self.oracle();
        let alone = Alone::new(&*repeat);
        let notes = self.notes.borrow();
        if let Some(pool) = self.workers() {
            // They test again alone what takes too long.
            let test = self.tester.program();
            let heard = |candidate: &[u8], answer: &Answer| {
                if let Some(test) = test {
                    test.keep(candidate, answer.end, answer.failure.as_ref());
                }
            };
            return ask(&notes.oracle_of_workers(&*pool.oracle(&alone, &heard)));
        }
        let oracle: &dyn Oracle = if self.jobs > 1 { &alone } else { &*repeat };
        // Outside of the retry: a timeout under load must not be noted as an answer.
        ask(&notes.oracle(oracle))
    }

    /// Tests a candidate, whatever is known about it; `None` if there is no answer.
    fn test_anew(
        &self,
        candidate: &[u8],
        stop: &CancelToken,
    ) -> Result<Option<Outcome>, OracleError> {
        let seen = self.oracle().test(candidate, stop)?;
        Ok((seen.ending != TestEnd::Stopped).then_some(seen.outcome))
    }

    /// Tests a candidate once more, whatever is known about it; `None` if there is no answer.
    pub fn confirm(&self, candidate: &[u8]) -> Option<Outcome> {
        let stop = &self.stops.any;
        if stop.is_set() {
            return None;
        }
        let tested = self.test_anew(candidate, stop);
        tested.unwrap_or_else(|error| {
            self.break_off(error.into());
            None
        })
    }

    /// Tests a candidate once more though the run may have ended early, unless somebody wants the
    /// end at once; `None` if there is no answer.
    pub fn confirm_at_end(&self, candidate: &[u8]) -> Option<Outcome> {
        let stop = &self.stops.by_caller;
        let is_at_once = stop.is_set() && stop.why() == StopReason::Interrupted;
        if is_at_once || self.stopped() == Some(StopReason::Interrupted) {
            return None;
        }
        if !self.stops.any.is_set() {
            return self.confirm(candidate);
        }
        // What is set already would end the test.
        self.test_anew(candidate, &CancelToken::new().ok()?).ok()?
    }

    /// Returns the outcome for one candidate outside of any session, tested here; `None` if the run
    /// has to end.
    pub fn probe(&self, candidate: &[u8]) -> Option<Outcome> {
        let stop = &self.stops.any;
        let asked = match stop.is_set() {
            true => Err(BaselineError::Stopped),
            false => self.here(|| self.ask(|oracle| test(oracle, candidate, stop))),
        };
        let stopped = match asked {
            Ok(seen) => return Some(seen.outcome),
            Err(BaselineError::Oracle(OracleError::JournalExhausted)) => {
                StopReason::JournalExhausted
            }
            Err(BaselineError::Oracle(error)) => {
                self.break_off(error.into());
                return None;
            }
            Err(_) => stop.why(),
        };
        self.progress.stopped.set(Some(stopped));
        None
    }

    fn break_off(&self, error: DriveError) {
        self.progress.stopped.set(Some(stop_reason(&error)));
        self.progress.broken.replace(Some(error));
    }

    /// Reduces an input to its end; jobs and budget are those of the run. `observe` gets all
    /// events.
    pub fn reduce(
        &self,
        plan: &Plan,
        proposers: &mut [Box<dyn Proposer>],
        observe: &mut dyn FnMut(&Event),
    ) -> Reduction {
        let ran = self.run_reduction(plan, None, proposers, observe);
        let has_doubts = self.notes.borrow().has_unconfirmed();
        if !has_doubts || ran.figures.session.certificate.is_none() {
            return ran;
        }
        self.here(|| self.certify_again(ran, plan, proposers, observe))
    }

    /// Certifies a result again without the word of workers that a candidate does not reproduce,
    /// and goes on reducing if one of them does.
    fn certify_again(
        &self,
        ran: Reduction,
        plan: &Plan,
        proposers: &mut [Box<dyn Proposer>],
        observe: &mut dyn FnMut(&Event),
    ) -> Reduction {
        let best = ran.session.best();
        let mut known = ran.session.into_answers();
        match is_coded(&plan.language, &plan.input) {
            // They are known as parts of something else.
            true => known = Answers::default(),
            false => known.forget(|candidate| self.notes.borrow().is_unconfirmed(candidate)),
        }
        let figures = ran.figures;
        let checked = self.run_reduction(plan, Some((best, known)), proposers, observe);
        let checked = checked.after(figures);
        if checked.figures.session.stopped != Some(StopReason::StillReducible) {
            return checked;
        }
        let mut plan = Plan { input: checked.session.best(), ..plan.clone() };
        plan.budget.max_in_vain = None;
        self.run_reduction(&plan, None, proposers, observe).after(checked.figures)
    }

    /// Tries every single edit of a result.
    pub fn verify(
        &self,
        plan: &Plan,
        result: &Arc<[u8]>,
        observe: &mut dyn FnMut(&Event),
    ) -> Reduction {
        let found = Some((Arc::clone(result), Answers::default()));
        self.run_reduction(plan, found, &mut [], observe)
    }

    /// Reduces the input of a plan, or tries every single edit of what was found.
    fn run_reduction(
        &self,
        plan: &Plan,
        found: Option<(Arc<[u8]>, Answers)>,
        proposers: &mut [Box<dyn Proposer>],
        observe: &mut dyn FnMut(&Event),
    ) -> Reduction {
        let language = &*plan.language;
        // What is computed with the language ends when the run has to.
        let stop = self.stops.any.clone();
        let _guard = language.interruption.watch(move || stop.is_set());
        let mut plan = Plan {
            jobs: self.jobs(),
            proposers: proposers.len(),
            is_informed: plan.is_informed && self.tester.can_listen,
            budget: Budget { max_in_vain: plan.budget.max_in_vain, ..self.budget_left() },
            ..plan.clone()
        };
        let mut session = match found {
            None => ReductionSession::new(plan),
            Some((best, known)) => {
                let Budget { max_tests, max_time, .. } = plan.budget;
                plan.budget = Budget { max_tests, max_time, ..Budget::default() };
                ReductionSession::verify(plan, best, known)
            }
        };
        let stop = self.stops.any.clone();
        session.interrupt_when(move || stop.is_set().then(|| stop.why()));
        let text = &session.best();
        self.progress.best.replace(Arc::clone(text));
        let (tokens, bytes) = (session.summary().tokens.0, archive::bytes_in(text));
        let begins = RunEvent::ReductionBegins { name: &self.baseline.name, text, tokens, bytes };
        let measured = self.drive(&begins, &mut session, Some(language), proposers, observe);
        let mut figures = measured.of(session.summary());
        self.count(figures.session.tests, &mut figures.session.stopped);
        Ran { session, figures }
    }

    /// Isolates or minimizes circumstances to the end. `observe` gets all events. All that is
    /// refused decides what is found, so if workers have said it, the ends are searched again here.
    pub fn isolate(
        &self,
        plan: IsolationPlan,
        answers: Answers,
        observe: &mut dyn FnMut(&Event),
    ) -> Ran<IsolationSession, Findings> {
        let ran = self.isolate_once(plan.clone(), answers.clone(), observe);
        if self.stopped().is_some() || !self.notes.borrow().has_unconfirmed() {
            return ran;
        }
        self.here(|| {
            let (passing, failing) = ran.session.ends();
            let ends = IsolationPlan { passing, failing, ..plan.clone() };
            let again = self.isolate_once(ends, answers.clone(), observe);
            if again.session.ends() == ran.session.ends() {
                return ran;
            }
            self.isolate_once(plan, answers, observe)
        })
    }

    fn isolate_once(
        &self,
        mut plan: IsolationPlan,
        answers: Answers,
        observe: &mut dyn FnMut(&Event),
    ) -> Ran<IsolationSession, Findings> {
        plan.jobs = self.jobs();
        plan.budget = self.budget_left();
        let mut session = IsolationSession::new(plan, answers);
        let stop = self.stops.any.clone();
        session.interrupt_when(move || stop.is_set().then(|| stop.why()));
        let begins = RunEvent::IsolationBegins;
        let measured = self.drive(&begins, &mut session, None, &mut [], observe);
        let mut figures = measured.of(session.summary());
        self.count(figures.session.tests, &mut figures.session.stopped);
        Ran { session, figures }
    }

    /// Drives a session to its end; the test is asked about the files that hold candidates of a
    /// language.
    fn drive(
        &self,
        begins: &RunEvent<'_>,
        session: &mut dyn Session,
        language: Option<&Language>,
        proposers: &mut [Box<dyn Proposer>],
        observe: &mut dyn FnMut(&Event),
    ) -> Measured<()> {
        self.tell(begins);
        let before = self.notes.borrow().reused();
        let start = Instant::now();
        let (mut runner, result) = self.ask(|whole| {
            let coded = language.map(|language| CodedTest { whole, language });
            let oracle = coded.as_ref().map_or(whole, |coded| coded);
            let consult = &mut |consultation: &Consultation| self.consult(proposers, consultation);
            let observe = &mut |event: &Event, now| {
                if let Event::Reduced { text, .. } = event {
                    self.progress.best.replace(Arc::clone(text));
                }
                let reused = self.notes.borrow().reused();
                self.tell(&RunEvent::Step { event, now, reused });
                if let Event::Answered { how: AnswerSource::Tested, .. } = event {
                    self.tell_finds();
                    self.tell_lost();
                }
                observe(event);
            };
            let (stop, controls) = (&self.stops.any, self.settings.controls.as_ref());
            drive(session, oracle, self.jobs(), stop, controls, consult, observe)
        });
        let took = start.elapsed();
        self.tell_lost();
        self.tell(&RunEvent::SessionEnds);
        let reused = self.notes.borrow().reused() - before;
        match result {
            Ok(()) | Err(DriveError::Oracle(OracleError::JournalExhausted)) => {}
            Err(error) => self.break_off(error),
        }
        if self.store.is_replay {
            // The time of the tests of then.
            return Measured { session: (), took: runner.time, runner, reused: 0 };
        }
        // The runner counts answers that were known as tests.
        runner.tests = runner.tests.saturating_sub(reused);
        Measured { session: (), runner, reused, took }
    }

    /// Returns what a proposer says. If it cannot be asked again, the observer is told.
    fn consult(
        &self,
        proposers: &mut [Box<dyn Proposer>],
        consultation: &Consultation,
    ) -> Result<Said, ConsultError> {
        let notes = self.notes.borrow();
        let Heard { said, is_new } = notes.consult(|| match consultation.whom {
            Whom::Proposer(number) => match proposers.get_mut(number) {
                Some(proposer) => proposer.consult(consultation, &self.stops.any),
                None => Some(Said::Gone(Gone::NotStarted)),
            },
            Whom::Informant => self.overhear(&consultation.text),
            Whom::Analyser => self.survey(&consultation.text),
        })?;
        if let (Said::Gone(why), true) = (&said, is_new)
            && let Whom::Proposer(number) = consultation.whom
            && let Some(proposer) = proposers.get_mut(number)
        {
            let (name, last_words) = (&*proposer.name(), &*proposer.last_words());
            self.tell(&RunEvent::ProposerGone { name, why: *why, last_words });
        }
        Ok(said)
    }

    /// Returns what the programs of the test say about a candidate; `None` if the run has to end.
    /// The answer of the test is noted.
    fn overhear(&self, candidate: &[u8]) -> Option<Said> {
        let gone = Some(Said::Gone(Gone::NotStarted));
        let Some(Ok(listened)) = self.tester.listen(candidate, None, &self.stops.any) else {
            return gone;
        };
        let Listened { seen, messages, has_heard, .. } = listened;
        if seen.ending == TestEnd::Stopped {
            return None;
        }
        let is_whole = **self.progress.best.borrow() == *candidate;
        let is_certain =
            self.settings.retry == RetryPolicy::Repeat(1) && seen.ending != TestEnd::TimedOut;
        if is_certain && !is_whole {
            self.notes.borrow().note(candidate, &seen);
        }
        Some(match seen.outcome {
            // Nothing is missing.
            Outcome::Fail if !is_whole => Said::Messages(Vec::new()),
            _ if !has_heard && is_whole => return gone,
            _ => Said::Messages(messages),
        })
    }

    /// Returns what nothing in a text refers to, by a compiler of the test; `None` if the run has
    /// to end.
    fn survey(&self, text: &[u8]) -> Option<Said> {
        let gone = Some(Said::Gone(Gone::NotStarted));
        if self.settings.no_compiler_runs {
            return gone;
        }
        let listened = self.tester.listen(text, Some(Wish::Tree), &self.stops.any);
        let Some(Ok(Listened { seen, granted, .. })) = listened else { return gone };
        match granted {
            _ if seen.ending == TestEnd::Stopped => None,
            Some(HeardProgram { stdout: dump, ending: TestEnd::Exited(_), .. }) => {
                Some(Said::Unreferenced(compilers::unreferenced(&dump, text)))
            }
            _ => gone,
        }
    }

    /// Tells if a program of a script says something else of the result than of the input.
    pub fn compare_messages(&self, input: &[u8], result: &[u8]) {
        if self.tester.script().is_none() || self.stopped().is_some() || input == result {
            return;
        }
        let failure = |text: &[u8]| {
            let listened = self.tester.listen(text, None, &self.stops.any)?.ok()?;
            Some(listened.failure(text))
        };
        let Some(Some(before)) = failure(input) else { return };
        let Some(now) = failure(result) else { return };
        if !now.as_ref().is_some_and(|now| before.is_alike(now)) {
            self.tell(&RunEvent::OtherMessage { input: &before, result: now.as_ref() });
        }
    }

    /// Tells which other failures were met, if there is another one.
    fn tell_finds(&self) {
        let finds = self.tester.finds();
        if self.progress.finds.replace(finds.len()) < finds.len() {
            self.tell(&RunEvent::OtherCrashes { found: &finds });
        }
        let originals = self.tester.program().map(ProgramTest::mended).unwrap_or_default();
        if self.progress.mended.replace(originals.len()) < originals.len() {
            self.tell(&RunEvent::CopiesMended { originals: &originals });
        }
    }

    /// Tells which workers were lost since this was told.
    fn tell_lost(&self) {
        for (command, why) in self.pool.iter().flat_map(WorkerPool::newly_lost) {
            self.tell(&RunEvent::WorkerLost { command: &command, why: &why });
        }
    }

    /// Counts the tests of a session that is over. A replay stops after as many tests as the run
    /// had, for the reason for which the run ended.
    pub fn count(&self, tests: u64, stopped: &mut Option<StopReason>) {
        if *stopped == Some(StopReason::TestBudget) {
            *stopped = self.ended_for.or(*stopped);
        }
        self.progress.tests.set(self.tests() + tests);
        if self.progress.broken.borrow().is_none() {
            self.progress.stopped.set(*stopped);
        }
    }
}
