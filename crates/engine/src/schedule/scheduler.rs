//! Schedules the questions of a decider: memory of answers, jobs, look-ahead, budget, events.
//!
//! The decider alone decides; the scheduler only finds answers for it. With several jobs, idle
//! workers get the questions that will most probably be asked next. Answers to guesses only fill
//! the memory, so the number of jobs must never change which questions are asked.

use std::collections::{HashMap, HashSet};
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;
use std::vec::Drain;

use minirepro_search::Outcome;
use minirepro_syntax::Rendered;

use crate::schedule::answer_memory::{AnswerMemory, Answers, Key};
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Question};
use crate::schedule::estimate::tests_left;
use crate::schedule::lookahead::{Growth, Guess, Lookahead};
use crate::schedule::odds::Odds;
use crate::{
    AnswerSource, Budget, Consultation, Event, JobId, LevelStats, PassStats, Said, Session, Step,
    StopReason, Summary, Whom,
};

/// A session that asks the questions of a decider.
pub struct Scheduler<D> {
    /// The decider, and the states that may follow.
    tree: Lookahead<D>,
    jobs: usize,
    budget: Budget,
    memory: AnswerMemory,
    /// The texts under test.
    running: HashMap<JobId, Key>,
    next_job: u64,
    /// The question to a proposer that the decider waits for.
    consultation: Option<Arc<Consultation>>,
    /// When it was asked first.
    asked_at: Option<Duration>,
    started_at: Option<Duration>,
    /// The tests of guesses that turned out to be wrong.
    unwanted: Vec<JobId>,
    /// Whether the caller ends tests. One that does not has no worker free before a test is over.
    ends_tests: bool,
    /// Whether guesses may have turned out to be wrong.
    has_news: bool,
    /// How probable it is that candidates fail.
    odds: Odds,
    /// The last answer that was not Fail.
    refusal: Outcome,
    summary: Summary,
    events: Vec<Event>,
    over: bool,
    interrupt: Option<Interrupt>,
}

/// Returns why the session must end now, if it must.
type Interrupt = Box<dyn Fn() -> Option<StopReason> + Send>;

/// Number of look-ahead states to build while the only worker is busy: those that follow each
/// answer.
const PRECOMPUTED: usize = 4;

/// Of candidates that are longer than this, in bytes, only the most probable one is made ahead:
/// memory would have to hold them all.
const LONG: usize = 1 << 20;

impl<D: Decider> Scheduler<D> {
    /// Returns a session that has asked nothing yet, with the figures before it and the answers
    /// that are known.
    pub(crate) fn with(
        decider: D,
        summary: Summary,
        jobs: usize,
        budget: Budget,
        answers: Answers,
    ) -> Self {
        Self {
            tree: Lookahead::new(decider),
            jobs: jobs.max(1),
            budget,
            memory: AnswerMemory::new(answers),
            running: HashMap::new(),
            next_job: 0,
            consultation: None,
            asked_at: None,
            started_at: None,
            unwanted: Vec::new(),
            ends_tests: false,
            has_news: false,
            odds: Odds::default(),
            refusal: Outcome::Pass,
            summary,
            events: Vec::new(),
            over: false,
            interrupt: None,
        }
    }

    /// Has `why` asked between two steps of a long [`poll`](Session::poll); a reason ends the
    /// session. For the time inside of a step, the same has to
    /// [interrupt](minirepro_syntax::Interruption) the language.
    pub fn interrupt_when(&mut self, why: impl Fn() -> Option<StopReason> + Send + 'static) {
        self.interrupt = Some(Box::new(why));
    }

    /// Returns the figures so far.
    pub fn summary(&self) -> Summary {
        self.summary.clone()
    }

    /// Returns the answers that it was told, for the next session with the same oracle.
    pub fn into_answers(self) -> Answers {
        self.memory.into_answers()
    }

    pub(crate) fn decider(&self) -> &D {
        &self.tree.now.decider
    }

    fn interruption(&self) -> Option<StopReason> {
        self.interrupt.as_ref().and_then(|why| why())
    }

    /// Does one thing on the way to the next question.
    fn advance(&mut self) {
        let now = &mut self.tree.now;
        let advance = now.decider.advance(&mut now.events);
        if let Some(why) = self.interruption() {
            // An interrupted step may be incomplete; drop it.
            self.stop(why);
            return;
        }
        self.apply();
        match advance {
            Advance::Asks(question) => self.tree.now.question = Some(question),
            Advance::Consults(consultation) => self.consultation = Some(consultation),
            Advance::Moved => {}
            Advance::Done(certificate) => {
                self.summary.certificate = certificate;
                self.finish();
            }
        }
    }

    fn finish(&mut self) {
        self.over = true;
        self.events.push(Event::Done);
    }

    fn budget_exhausted(&self, now: Duration) -> Option<StopReason> {
        self.budget.reached(&self.summary, now.saturating_sub(self.started_at.unwrap_or(now)))
    }

    fn is_running(&self, key: Key) -> bool {
        self.running.values().any(|running| running.text == key.text)
    }

    fn start(&mut self, question: Question) -> Step {
        let id = JobId(self.next_job);
        self.next_job += 1;
        self.summary.started += 1;
        self.running.insert(id, question.key);
        Step::Start { id, candidate: question.candidate }
    }

    /// Starts the most probable question that has no answer and no test yet, if a worker is idle.
    fn look_ahead(&mut self) -> Step {
        if self.running.len() >= self.jobs {
            return Step::Wait;
        }
        let running: HashSet<u128> = self.running.values().map(|key| key.text).collect();
        while self.interruption().is_none() {
            // Twice as many states as there are jobs: those that are running are among them.
            match self.grow(2 * self.jobs, |text| !running.contains(&text)) {
                Some(Growth::Stepped) => {}
                Some(Growth::Asks(question)) => return self.start(question),
                None => break,
            }
        }
        Step::Wait
    }

    /// Forgets the running tests of guesses that turned out to be wrong, so that their workers are
    /// free. Linear in the states that were built.
    fn drop_wrong_guesses(&mut self) {
        let possible: HashSet<u128> = self.tree.possible(&self.memory).collect();
        let wrong = self.take_jobs(|text| !possible.contains(&text));
        self.unwanted.extend(wrong);
    }

    /// Takes these out of the running tests.
    fn take_jobs(&mut self, wanted: impl Fn(u128) -> bool) -> Vec<JobId> {
        self.running.extract_if(|_, key| wanted(key.text)).map(|(id, _)| id).collect()
    }

    /// Makes more of the future known; see [`Lookahead::grow`].
    fn grow(&mut self, most: usize, wanted: impl Fn(u128) -> bool) -> Option<Growth> {
        let Self { memory, odds, refusal, jobs, .. } = self;
        let guess = Guess { memory, odds, refusal: *refusal, eager: *jobs > 1 };
        self.tree.grow(guess, most, wanted)
    }

    /// Tells the decider the answer to its question.
    fn answer(&mut self, outcome: Outcome, time: Duration) {
        let Some(Question { pass, key, .. }) = self.tree.now.question else { return };
        self.asked_at = None;
        let new = self.memory.tell(key, outcome);
        let how = if new { AnswerSource::Tested } else { AnswerSource::Cached };
        self.count(pass, outcome, how, time);
        if new {
            self.odds.learn(self.tree.now.last, pass, outcome == Outcome::Fail);
        }
        if outcome != Outcome::Fail {
            self.refusal = outcome;
        }
        // States after another refusal tell nothing about the guesses of running tests.
        self.has_news = !self.tree.tell(outcome);
        self.apply();
        if new && let Some(sweeps) = self.decider().sweeps() {
            let Summary { tokens, tests, remembered, .. } = self.summary;
            let tests = tests_left(tokens, tests + remembered, sweeps);
            self.events.push(Event::Expected { tests });
        }
    }

    /// Counts the answer to a question.
    fn count(&mut self, pass: &'static str, outcome: Outcome, how: AnswerSource, time: Duration) {
        let stats = self.stats(pass);
        stats.told += 1;
        stats.time += time;
        match how {
            AnswerSource::Tested => stats.tested[outcome as usize] += 1,
            AnswerSource::Cached => stats.remembered += 1,
            AnswerSource::Infeasible => stats.infeasible += 1,
            AnswerSource::NotSmaller => stats.not_smaller += 1,
        }
        let one_if = |source| u64::from(how == source);
        let tested = one_if(AnswerSource::Tested);
        let infeasible = one_if(AnswerSource::Infeasible);
        self.summary.tests += tested;
        self.summary.infeasible += infeasible;
        self.summary.remembered += one_if(AnswerSource::Cached);
        if let Some(level) = self.summary.levels.last_mut() {
            level.tests += tested;
            level.infeasible += infeasible;
            level.unresolved += tested * u64::from(outcome == Outcome::Unresolved);
        }
        self.events.push(Event::Answered { pass, outcome, how });
    }

    /// Makes figures and events of what the decider did.
    fn apply(&mut self) {
        for event in take(&mut self.tree.now.events) {
            match event {
                DeciderEvent::Other(event) => self.events.push(event),
                DeciderEvent::Level { name, circumstances } => {
                    self.events.push(Event::Pass { name, edits: circumstances });
                    let left = circumstances;
                    let level = LevelStats { name, circumstances, left, ..LevelStats::default() };
                    self.summary.levels.push(level);
                }
                DeciderEvent::Untested { pass, outcome, how } => {
                    self.count(pass, outcome, how, Duration::ZERO);
                }
                DeciderEvent::Accepted { pass, candidate } => self.accept(pass, &candidate),
                DeciderEvent::Narrowed { left, passing, failing } => {
                    if let Some(level) = self.summary.levels.last_mut() {
                        level.left = left;
                    }
                    self.events.push(Event::Narrowed { left, passing, failing });
                }
                DeciderEvent::LevelDone { minimal } => {
                    if let Some(level) = self.summary.levels.last_mut() {
                        level.minimal = minimal;
                    }
                }
                DeciderEvent::Stop(why) => self.stop(why),
            }
        }
    }

    fn accept(&mut self, pass: &'static str, candidate: &Rendered) {
        let bytes = candidate.text.len() as u64;
        let tokens_won = self.summary.tokens.1.saturating_sub(candidate.tokens);
        let bytes_won = self.summary.bytes.1.cast_signed() - bytes.cast_signed();
        let stats = self.stats(pass);
        stats.tokens_won += tokens_won;
        stats.bytes_won += bytes_won;
        self.summary.tokens.1 = candidate.tokens;
        self.summary.bytes.1 = bytes;
        self.events.push(Event::Reduced {
            tokens: candidate.tokens,
            text: Arc::clone(&candidate.text),
            tests: self.summary.tests,
        });
    }

    fn stats(&mut self, pass: &'static str) -> &mut PassStats {
        let passes = &mut self.summary.passes;
        let at = passes.iter().position(|(name, _)| *name == pass).unwrap_or_else(|| {
            passes.push((pass, PassStats::default()));
            passes.len() - 1
        });
        &mut passes[at].1
    }
}

impl<D: Decider> Session for Scheduler<D> {
    fn poll(&mut self, now: Duration) -> Step {
        self.started_at.get_or_insert(now);
        loop {
            if self.over {
                return Step::Done;
            }
            if let Some(why) = self.interruption() {
                self.stop(why);
                continue;
            }
            if let Some(consultation) = &self.consultation {
                let consultation = Arc::clone(consultation);
                if let Some(why) = self.budget_exhausted(now) {
                    self.stop(why);
                    continue;
                }
                return Step::Consult(consultation);
            }
            let Some(question) = self.tree.now.question.clone() else {
                self.advance();
                continue;
            };
            if self.ends_tests && take(&mut self.has_news) {
                self.drop_wrong_guesses();
            }
            let key = question.key;
            let is_asked_first = self.asked_at.is_none();
            let asked = *self.asked_at.get_or_insert(now);
            let known = self.memory.get(key);
            let is_running = self.is_running(key);
            let needs_test = known.is_none() || self.memory.needs_test(key);
            // A test that was run ahead counts like one that would have to start now.
            let counts = match known {
                Some(_) => is_asked_first && needs_test,
                None => is_asked_first || !is_running,
            };
            if counts && let Some(why) = self.budget_exhausted(now) {
                self.stop(why);
                continue;
            }
            if let Some(outcome) = known {
                self.answer(outcome, now.saturating_sub(asked));
                continue;
            }
            if is_running {
                return self.look_ahead();
            }
            if self.running.len() >= self.jobs {
                return Step::Wait;
            }
            return self.start(question);
        }
    }

    fn report(&mut self, id: JobId, outcome: Outcome) {
        if let Some(key) = self.running.remove(&id) {
            self.memory.insert(key, outcome);
            self.has_news = true;
        }
    }

    fn hear(&mut self, said: Said) {
        if let Some(asked) = self.consultation.take() {
            self.summary.consulted += u64::from(!matches!(asked.whom, Whom::Proposer(_)));
            self.tree.now.decider.hear(said);
        }
    }

    fn precompute(&mut self) -> bool {
        if self.over || self.interruption().is_some() {
            return false;
        }
        let asked = self.tree.now.question.as_ref();
        let is_long = asked.is_some_and(|asked| asked.candidate.len() > LONG);
        let most = if is_long { 1 } else { PRECOMPUTED };
        matches!(self.grow(most, |_| false), Some(Growth::Stepped))
    }

    /// Returns the tests that were started on a guess which turned out to be wrong.
    fn cancelled_jobs(&mut self) -> Vec<JobId> {
        self.ends_tests = true;
        let mut unwanted = take(&mut self.unwanted);
        if self.over {
            unwanted.extend(self.take_jobs(|_| true));
        }
        unwanted.sort_unstable();
        unwanted
    }

    fn stop(&mut self, why: StopReason) {
        if !self.over {
            self.summary.stopped = Some(why);
            self.finish();
        }
    }

    fn take_events(&mut self) -> Drain<'_, Event> {
        self.events.drain(..)
    }
}

#[cfg(test)]
mod tests;
