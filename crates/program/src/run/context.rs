//! A run under way: its test with the answers that are known, its budget and its observer, whatever
//! is searched for.

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_engine::{
    AnswerSource, Answers, Budget, Consultation, Event, Findings, Goal, Gone, IsolationPlan,
    IsolationSession, Outcome, Plan, ReductionSession, Said, Session, StopReason, Summary, Whom,
};
use minirepro_runner::{
    Alone, AnswerStore, BaselineError, CancelToken, ConsultError, Controls, DriveError, Heard,
    HeardProgram, Listened, Oracle, OracleError, ProgramTest, Proposer, RetryPolicy, RunnerStats,
    TestEnd, Wish, drive, stop_reason, test,
};
use minirepro_syntax::{InterruptionGuard, Language, archive};
use minirepro_workers::{Answer, WorkerPool};

use crate::compilers;
use crate::error::{DoesNotHold, Error};
use crate::observer::RunEvent;
use crate::outcome::Measured;
use crate::request::{Mode, Settings};
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
    /// The answers for both ends.
    pub answers: Answers,
    /// How many tests this process runs at the same time, unless workers do.
    pub jobs: usize,
    /// How often a candidate is tested.
    pub retry: RetryPolicy,
    /// The workers that run the tests, if not this process alone.
    pub pool: Option<WorkerPool>,
    /// When to stop early.
    pub budget: Budget,
    /// Requests to stop.
    pub stops: Stops,
    /// Whether the run is only decided again: no test may be run.
    pub is_replay: bool,
    /// Whether an interrupted run goes on: its results are in the way of nothing.
    pub continues: bool,
    /// Why the run ended early that is decided again.
    pub ended_for: Option<StopReason>,
    /// The answers that are known.
    pub notes: RefCell<AnswerStore>,
    /// Whether compilers of the test may be asked for a syntax tree.
    pub runs_compilers: bool,
    /// Requests of somebody who watches.
    pub controls: Option<Controls>,
    /// Gets the events.
    pub tell: Tell<'a>,
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
    broken: RefCell<Option<DriveError>>,
    /// Whether no event is told.
    is_silent: Cell<bool>,
    /// How many other failures were told.
    finds: Cell<usize>,
    /// Whether workers are neither asked nor believed.
    is_here: Cell<bool>,
    /// How many mended copies were told.
    mended: Cell<usize>,
    /// The text that is reduced, as far as it has come.
    best: RefCell<Arc<[u8]>>,
    /// What went wrong without keeping the run from its end.
    trouble: RefCell<Option<Error>>,
}

/// How a session went.
pub struct Ran<S, F> {
    /// The session.
    pub session: S,
    /// Its figures.
    pub figures: Measured<F>,
}

impl Ran<ReductionSession, Summary> {
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

impl Progress {
    /// Begins. A run that is only decided again to be verified tells no events, and writes nothing.
    pub fn new(is_silent: bool) -> Self {
        Self { is_silent: Cell::new(is_silent), ..Self::default() }
    }
}

impl RunContext<'_> {
    /// Gives an event to the observer.
    pub fn tell(&self, event: &RunEvent<'_>) {
        if !self.progress.is_silent.get() {
            (self.tell)(event);
        }
    }

    /// Returns whether tests may be run.
    pub fn runs_tests(&self) -> bool {
        !self.is_replay
    }

    /// Returns whether results are written that have a place.
    pub fn writes_results(&self) -> bool {
        !self.progress.is_silent.get()
    }

    /// Returns whether the test does not work.
    pub fn is_broken(&self) -> bool {
        self.progress.broken.borrow().is_some()
    }

    /// Returns why the run has to end, if it has to.
    pub fn stopped(&self) -> Option<StopReason> {
        self.progress.stopped.get()
    }

    /// Returns how many tests decided something.
    pub fn tests(&self) -> u64 {
        self.progress.tests.get()
    }

    /// Returns the end of the run: the request of the caller, or of its time.
    pub fn stop(&self) -> &CancelToken {
        &self.stops.any
    }

    /// Takes the reason out why the test does not work.
    pub fn take_broken(&self) -> Option<DriveError> {
        self.progress.broken.take()
    }

    /// Notes what went wrong without keeping the run from its end.
    pub fn note(&self, done: Result<(), Error>) {
        if let Err(error) = done {
            self.progress.trouble.replace(Some(error));
        }
    }

    /// Returns whether something went wrong so.
    pub fn has_trouble(&self) -> bool {
        self.progress.trouble.borrow().is_some()
    }

    /// Gives the answers back, and what went wrong.
    pub fn into_notes(self) -> (AnswerStore, Option<Error>) {
        (self.notes.into_inner(), self.progress.trouble.into_inner())
    }

    /// Begins to verify what a replay has found: tests are run from now on, and none is known.
    pub fn begin_verification(&mut self, jobs: usize, budget: Budget) {
        self.is_replay = false;
        self.jobs = jobs;
        self.budget = budget;
        self.ended_for = None;
        self.notes.replace(AnswerStore::new(None, None));
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

    /// Lends the test to `ask`: repeated as often as is wanted, and with the answers that are
    /// known.
    pub fn ask<R>(&self, ask: impl FnOnce(&dyn Oracle) -> R) -> R {
        let repeat = self.retry.oracle(self.tester.oracle());
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

    /// Tells which workers were lost since this was told.
    fn tell_lost(&self) {
        for (command, why) in self.pool.iter().flat_map(WorkerPool::newly_lost) {
            self.tell(&RunEvent::WorkerLost { command: &command, why: &why });
        }
    }

    /// Tests a candidate once more, whatever is known about it; `None` if there is no answer.
    pub fn confirm(&self, candidate: &[u8]) -> Option<Outcome> {
        if self.stops.any.is_set() {
            return None;
        }
        let oracle = self.retry.oracle(self.tester.oracle());
        match oracle.test(candidate, &self.stops.any) {
            Ok(seen) if seen.ending == TestEnd::Stopped => None,
            Ok(seen) => Some(seen.outcome),
            Err(error) => {
                self.break_off(error.into());
                None
            }
        }
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
        let own = CancelToken::new().ok()?;
        let seen = self.retry.oracle(self.tester.oracle()).test(candidate, &own).ok()?;
        (seen.ending != TestEnd::Stopped).then_some(seen.outcome)
    }

    /// Returns the outcome for one candidate outside of any session, tested here; `None` if the run
    /// has to end.
    pub fn probe(&self, candidate: &[u8]) -> Option<Outcome> {
        if self.stops.any.is_set() {
            self.progress.stopped.set(Some(self.stops.any.why()));
            return None;
        }
        let asked = self.here(|| self.ask(|oracle| test(oracle, candidate, &self.stops.any)));
        match asked {
            Ok(seen) => return Some(seen.outcome),
            Err(BaselineError::Oracle(OracleError::JournalExhausted)) => {
                self.progress.stopped.set(Some(StopReason::JournalExhausted));
            }
            Err(BaselineError::Oracle(error)) => self.break_off(error.into()),
            Err(_) => self.progress.stopped.set(Some(self.stops.any.why())),
        }
        None
    }

    fn break_off(&self, error: DriveError) {
        self.progress.stopped.set(Some(stop_reason(&error)));
        self.progress.broken.replace(Some(error));
    }

    /// Reduces an input to its end. `wrap` makes the test of the whole candidate a test of what is
    /// reduced; `observe` gets all events.
    pub fn reduce<'p>(
        &self,
        plan: ReductionTask<'p>,
        observe: &mut dyn FnMut(&Event),
    ) -> Ran<ReductionSession, Summary> {
        let ReductionTask { name, mut plan, candidate, proposers, wrap } = plan;
        plan.proposers = proposers.len();
        plan.is_informed &= self.tester.can_listen;
        plan.jobs = self.jobs();
        plan.budget = Budget { max_in_vain: plan.budget.max_in_vain, ..self.budget_left() };
        let _guard = self.watch(&plan.language);
        let session = ReductionSession::new(plan.clone());
        let ran = self.run_reduction(name, session, proposers, wrap, observe);
        let has_doubts = self.notes.borrow().has_unconfirmed();
        if !has_doubts || ran.figures.session.certificate.is_none() {
            return ran;
        }
        let task = ReductionTask { name, plan, candidate, proposers, wrap };
        self.here(|| self.certify_again(ran, task, observe))
    }

    /// Certifies a result again without the word of workers that a candidate does not reproduce,
    /// and goes on reducing if one of them does.
    fn certify_again<'p>(
        &self,
        ran: Ran<ReductionSession, Summary>,
        task: ReductionTask<'p>,
        observe: &mut dyn FnMut(&Event),
    ) -> Ran<ReductionSession, Summary> {
        let ReductionTask { name, mut plan, candidate, proposers, wrap } = task;
        plan.jobs = self.jobs();
        let best = ran.session.best();
        let mut known = ran.session.into_answers();
        match candidate {
            CandidateOf::Whole => {
                known.forget(|candidate| self.notes.borrow().is_unconfirmed(candidate))
            }
            // They are known as parts of something else.
            CandidateOf::Part => known = Answers::default(),
        }
        let figures = ran.figures;
        plan.budget = Budget { stop_at_tokens: None, stop_at_bytes: None, ..self.budget_left() };
        let session = ReductionSession::verify(plan.clone(), best, known);
        let checked = self.run_reduction(name, session, proposers, wrap, observe).after(figures);
        if checked.figures.session.stopped != Some(StopReason::StillReducible) {
            return checked;
        }
        plan.input = checked.session.best();
        plan.budget = self.budget_left();
        let session = ReductionSession::new(plan);
        self.run_reduction(name, session, proposers, wrap, observe).after(checked.figures)
    }

    /// Tries every single edit of a result.
    pub fn verify(
        &self,
        name: &str,
        mut plan: Plan,
        result: Arc<[u8]>,
        wrap: Wrap<'_>,
        observe: &mut dyn FnMut(&Event),
    ) -> Ran<ReductionSession, Summary> {
        plan.jobs = self.jobs();
        plan.budget = Budget { stop_at_tokens: None, stop_at_bytes: None, ..self.budget_left() };
        let _guard = self.watch(&plan.language);
        let session = ReductionSession::verify(plan, result, Answers::default());
        self.run_reduction(name, session, &mut [], wrap, observe)
    }

    /// Lets what is computed with the language end when the run has to.
    fn watch(&self, language: &Language) -> InterruptionGuard {
        let reason = self.stops.any.clone();
        language.interruption.watch(move || reason.is_set())
    }

    fn run_reduction(
        &self,
        name: &str,
        mut session: ReductionSession,
        proposers: &mut [Box<dyn Proposer>],
        wrap: Wrap<'_>,
        observe: &mut dyn FnMut(&Event),
    ) -> Ran<ReductionSession, Summary> {
        let reason = self.stops.any.clone();
        session.interrupt_when(move || reason.is_set().then(|| reason.why()));
        let size = session.summary();
        let text = &session.best();
        self.progress.best.replace(Arc::clone(text));
        let (tokens, bytes) = (size.tokens.0, archive::bytes_in(text));
        let begins = RunEvent::ReductionBegins { name, text, tokens, bytes };
        let measured = self.drive(&begins, &mut session, proposers, wrap, observe);
        let mut summary = session.summary();
        summary.stopped = self.reason_of_then(summary.stopped);
        self.count(summary.tests, summary.stopped);
        let Measured { runner, reused, took, .. } = measured;
        Ran { figures: Measured { session: summary, runner, reused, took }, session }
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
        let reason = self.stops.any.clone();
        session.interrupt_when(move || reason.is_set().then(|| reason.why()));
        let begins = RunEvent::IsolationBegins;
        let measured = self.drive(&begins, &mut session, &mut [], WHOLE, observe);
        let mut findings = session.summary();
        findings.stopped = self.reason_of_then(findings.stopped);
        self.count(findings.tests, findings.stopped);
        let Measured { runner, reused, took, .. } = measured;
        Ran { figures: Measured { session: findings, runner, reused, took }, session }
    }

    /// Returns why a session ended: a replay stops after as many tests as the run had, for the
    /// reason for which the run ended.
    fn reason_of_then(&self, stopped: Option<StopReason>) -> Option<StopReason> {
        match (stopped, self.ended_for) {
            (Some(StopReason::TestBudget), Some(then)) => Some(then),
            _ => stopped,
        }
    }

    fn drive(
        &self,
        begins: &RunEvent<'_>,
        session: &mut dyn Session,
        proposers: &mut [Box<dyn Proposer>],
        wrap: Wrap<'_>,
        observe: &mut dyn FnMut(&Event),
    ) -> Measured<()> {
        self.tell(begins);
        let before = self.reused();
        let start = Instant::now();
        let mut driven = (RunnerStats::default(), Ok(()));
        self.ask(|oracle| {
            wrap(oracle, &mut |oracle| {
                let consult =
                    &mut |consultation: &Consultation| self.consult(proposers, consultation);
                let (stop, controls) = (&self.stops.any, self.controls.as_ref());
                let observe = &mut |event: &Event, now| {
                    if let Event::Reduced { text, .. } = event {
                        self.progress.best.replace(Arc::clone(text));
                    }
                    self.tell(&RunEvent::Step { event, now, reused: self.reused() });
                    if let Event::Answered { how: AnswerSource::Tested, .. } = event {
                        self.tell_finds();
                        self.tell_lost();
                    }
                    observe(event);
                };
                driven = drive(session, oracle, self.jobs(), stop, controls, consult, observe);
            });
        });
        let took = start.elapsed();
        self.tell_lost();
        self.tell(&RunEvent::SessionEnds);
        let (runner, result) = driven;
        let reused = self.reused() - before;
        match result {
            Ok(()) | Err(DriveError::Oracle(OracleError::JournalExhausted)) => {}
            Err(error) => self.break_off(error),
        }
        self.measure(runner, reused, took)
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
            let last_words = proposer.last_words();
            let (name, last_words) = (&*proposer.name(), &*last_words);
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
        let is_certain = self.retry == RetryPolicy::Repeat(1) && seen.ending != TestEnd::TimedOut;
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
        if !self.runs_compilers {
            return gone;
        }
        let listened = self.tester.listen(text, Some(Wish::Tree), &self.stops.any);
        let Some(Ok(Listened { seen, granted, .. })) = listened else { return gone };
        match granted {
            _ if seen.ending == TestEnd::Stopped => None,
            Some(HeardProgram { stdout: text, ending: TestEnd::Exited(_), .. }) => {
                Some(Said::Unreferenced(compilers::unreferenced(&text)))
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

    /// Separates tests from answers that were known, which the runner counts as tests.
    fn measure(&self, mut runner: RunnerStats, reused: u64, took: Duration) -> Measured<()> {
        if self.is_replay {
            // The time of the tests of then.
            return Measured { session: (), took: runner.time, runner, reused: 0 };
        }
        runner.tests = runner.tests.saturating_sub(reused);
        Measured { session: (), runner, reused, took }
    }

    fn reused(&self) -> u64 {
        self.notes.borrow().reused()
    }

    fn count(&self, tests: u64, stopped: Option<StopReason>) {
        self.progress.tests.set(self.tests() + tests);
        if self.progress.broken.borrow().is_none() {
            self.progress.stopped.set(stopped);
        }
    }

    /// Searches again between two ends that were found.
    ///
    /// # Errors
    /// If an end is no such end any more, or the search comes closer or finds less.
    pub fn verify_isolation(&self, plan: IsolationPlan, name: &str) -> Result<(), Error> {
        let start = Instant::now();
        let before = self.tests();
        let fail = |why| {
            let tests = self.tests() - before;
            let name = name.to_owned();
            Err(Error::DoesNotHold { name, why, tests, took: start.elapsed() })
        };
        let ends = Sides { passing: Arc::clone(&plan.passing), failing: Arc::clone(&plan.failing) };
        let (failing, passing) =
            (&ends.failing, (plan.goal == Goal::Isolate).then_some(&ends.passing));
        let stopped =
            || fail(DoesNotHold::Stopped(self.stopped().unwrap_or(StopReason::Interrupted)));
        match self.probe(failing) {
            Some(Outcome::Fail) => {}
            Some(_) => return fail(DoesNotHold::FailingPasses),
            None => return stopped(),
        }
        if let Some(passing) = passing {
            match self.probe(passing) {
                Some(Outcome::Fail) => return fail(DoesNotHold::PassingFails),
                Some(_) => {}
                None => return stopped(),
            }
        }
        self.count(1 + u64::from(passing.is_some()), None);
        let mut answers = Answers::default();
        answers.insert(failing, Outcome::Fail);
        let ran = self.isolate(plan, answers, &mut |_| {});
        if let Some(why) = self.stopped() {
            return fail(DoesNotHold::Stopped(why));
        }
        let (passing, failing) = ran.session.ends();
        if passing != ends.passing || failing != ends.failing {
            return fail(DoesNotHold::SearchFindsLess);
        }
        Ok(())
    }
}

/// The two sides of a search.
#[derive(Clone, Debug)]
pub struct Sides {
    /// What passes.
    pub passing: Arc<[u8]>,
    /// What fails.
    pub failing: Arc<[u8]>,
}

/// Makes a test of whole candidates a test of a part, and lends it.
pub type Wrap<'w> = &'w dyn Fn(&dyn Oracle, &mut dyn FnMut(&dyn Oracle));

/// The test of whole candidates as it is.
pub const WHOLE: Wrap<'static> = &|oracle, lend| lend(oracle);

/// What a candidate of a session is to the test of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateOf {
    /// It is tested as it is.
    Whole,
    /// It is tested as a part of something else.
    Part,
}

/// An input to reduce.
pub struct ReductionTask<'p> {
    /// What the input is called.
    pub name: &'p str,
    /// What to do; jobs and budget are those of the run.
    pub plan: Plan,
    /// What this input is to the test of the run.
    pub candidate: CandidateOf,
    /// Who is asked for candidates once no edit helps any more.
    pub proposers: &'p mut [Box<dyn Proposer>],
    /// Makes the test of the run a test of this input.
    pub wrap: Wrap<'p>,
}
