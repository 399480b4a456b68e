//! Schedules the questions of a decider: memory of answers, jobs, look-ahead, budget, events.
//!
//! The decider alone decides; the scheduler only finds answers for it. With several jobs, idle
//! workers get the questions that will most probably be asked next. Answers to guesses only fill
//! the memory, so the number of jobs must never change which questions are asked.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use std::vec::Drain;

use minirepro_search::Outcome;
use minirepro_syntax::Rendered;

use crate::schedule::answer_memory::{AnswerMemory, Answers, Key};
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Question};
use crate::schedule::elsewhere::{EditMemory, Elsewhere};
use crate::schedule::lookahead::{Growth, Guess, Lookahead, Root};
use crate::schedule::odds::{Odds, Turn};
use crate::schedule::session::take_jobs;
use crate::{
    AnswerSource, Budget, Consultation, Event, JobId, LevelStats, PassStats, Report, Said, Session,
    Step, StopReason, Summary, Whom,
};

/// Of a text of which less than 1/n has gone, all tests were in vain.
const HARDLY_ANYTHING: u64 = 256;

/// A session that asks the questions of a decider.
pub struct Scheduler<D> {
    pub(crate) decider: D,
    jobs: usize,
    budget: Budget,
    memory: AnswerMemory,
    running: HashMap<JobId, Running>,
    next_job: u64,
    /// The states that may follow from the pending question.
    lookahead: Lookahead<D>,
    /// The question that the decider waits for.
    pending: Option<Question>,
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
    /// Whether the states tell nothing about the guesses of running tests.
    keeps_guesses: bool,
    /// How probable it is that candidates fail.
    odds: Odds,
    /// How edits fared on any text.
    edits: EditMemory,
    /// How the edits of running candidates had fared before their tests.
    elsewhere: HashMap<Key, Elsewhere>,
    /// The answers before the pending question.
    turn: Turn,
    /// The last answer that was not Fail.
    refusal: Outcome,
    summary: Summary,
    events: Vec<Event>,
    over: bool,
    interrupt: Option<Interrupt>,
    skips: Skips,
}

/// When the rest of a pass is left out.
#[derive(Clone, Debug, Default)]
struct Skips {
    /// Now, since somebody asks for it.
    wanted: bool,
    /// After as many tests, since it was done then when this was decided first.
    planned: Vec<u64>,
}

impl Skips {
    /// Takes the wish out that holds after `tests`.
    fn take(&mut self, tests: u64) -> bool {
        if let Some(at) = self.planned.iter().position(|&planned| planned == tests) {
            self.planned.remove(at);
            return true;
        }
        std::mem::take(&mut self.wanted)
    }
}

/// Returns why the session must end now, if it must.
type Interrupt = Box<dyn Fn() -> Option<StopReason> + Send>;

/// A test under way.
#[derive(Clone, Debug)]
struct Running {
    key: Key,
    /// Fingerprints of its edits.
    edits: Arc<[u64]>,
}

/// Number of look-ahead states to build while the only worker is busy: those that follow each
/// answer.
const PRECOMPUTED: usize = 4;

/// Of candidates that are longer than this, in bytes, only the most probable one is made ahead:
/// memory would have to hold them all.
const LONG: usize = 1 << 20;

impl<D: Decider> Scheduler<D> {
    /// Returns a session that has asked nothing yet. `memory` holds the answers that are known.
    pub(crate) fn with(decider: D, jobs: usize, budget: Budget, memory: AnswerMemory) -> Self {
        let size = decider.size().unwrap_or_default();
        Self {
            decider,
            jobs: jobs.max(1),
            budget,
            memory,
            running: HashMap::new(),
            next_job: 0,
            lookahead: Lookahead::default(),
            pending: None,
            consultation: None,
            asked_at: None,
            started_at: None,
            unwanted: Vec::new(),
            ends_tests: false,
            has_news: false,
            keeps_guesses: false,
            odds: Odds::default(),
            edits: EditMemory::default(),
            elsewhere: HashMap::new(),
            turn: Turn::default(),
            refusal: Outcome::Pass,
            summary: Summary {
                tokens: (size.tokens, size.tokens),
                bytes: (size.bytes, size.bytes),
                ..Summary::default()
            },
            events: Vec::new(),
            over: false,
            interrupt: None,
            skips: Skips::default(),
        }
    }

    /// Has `why` asked between two steps of a long [`poll`](Session::poll); a reason ends the
    /// session. For the time inside of a step, the same has to
    /// [interrupt](minirepro_syntax::Interruption) the language.
    pub fn interrupt_when(&mut self, why: impl Fn() -> Option<StopReason> + Send + 'static) {
        self.interrupt = Some(Box::new(why));
    }

    /// Plans to leave out the rest of a pass after each of these numbers of tests, as in the
    /// [`Skipped`](Event::Skipped) events of a session that decided the same.
    pub fn skip_after(&mut self, tests: Vec<u64>) {
        self.skips.planned = tests;
    }

    /// Returns the figures so far.
    pub fn summary(&self) -> Summary {
        self.summary.clone()
    }

    /// Returns the answers that it was told, for the next session with the same oracle.
    pub fn into_answers(self) -> Answers {
        self.memory.into_answers()
    }

    fn interruption(&self) -> Option<StopReason> {
        self.interrupt.as_ref().and_then(|why| why())
    }

    /// Does one thing on the way to the next question.
    fn advance(&mut self) {
        let mut events = Vec::new();
        let advance = self.decider.advance(&mut events);
        if let Some(why) = self.interruption() {
            // An interrupted step may be incomplete; drop it.
            self.stop(why);
            return;
        }
        self.apply(events);
        match advance {
            Advance::Asks(question) => self.pending = Some(question),
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

    fn budget_exhausted(&self, time: Duration) -> Option<StopReason> {
        let exhausted = self.budget.exhausted(self.summary.tests, time);
        exhausted.or_else(|| {
            let size = self.decider.size()?;
            let is_late = self.budget.max_in_vain.is_some_and(|max| self.summary.tests >= max);
            let gone = self.summary.tokens.0.saturating_sub(size.tokens);
            if is_late && gone * HARDLY_ANYTHING < self.summary.tokens.0 {
                return Some(StopReason::InVain);
            }
            self.budget.small_enough(size.tokens, size.bytes)
        })
    }

    /// Leaves out the rest of the pass whose question waits.
    fn skip(&mut self, pass: &'static str) {
        self.pending = None;
        self.asked_at = None;
        self.decider.skip();
        self.lookahead = Lookahead::default();
        // All predictions are void now.
        (self.has_news, self.keeps_guesses) = (true, false);
        self.summary.skipped += 1;
        self.events.push(Event::Skipped { pass, tests: self.summary.tests });
    }

    fn is_running(&self, key: Key) -> bool {
        self.running.values().any(|job| job.key == key)
    }

    fn start(&mut self, question: Question) -> Step {
        let id = JobId(self.next_job);
        self.next_job += 1;
        self.summary.started += 1;
        let Question { key, candidate, edits, .. } = question;
        self.elsewhere.insert(key, self.edits.of(&edits));
        self.running.insert(id, Running { key, edits });
        Step::Start { id, candidate }
    }

    /// Starts the most probable question that has no answer and no test yet, if a worker is idle.
    fn look_ahead(&mut self) -> Step {
        if self.running.len() >= self.jobs {
            return Step::Wait;
        }
        let running: HashSet<Key> = self.running.values().map(|job| job.key).collect();
        let wanted = |key| !running.contains(&key);
        match self.likely(wanted) {
            Some(question) => self.start(question),
            None => Step::Wait,
        }
    }

    /// Forgets the running tests of guesses that turned out to be wrong, so that their workers are
    /// free. Linear in the states that were built.
    fn drop_wrong_guesses(&mut self) {
        let Some(pending) = self.pending.as_ref().filter(|_| !self.running.is_empty()) else {
            return;
        };
        let possible = self.lookahead.possible(pending, &self.memory);
        let possible = possible.into_iter().chain([pending]);
        let possible: HashSet<Key> = possible.map(|question| question.key).collect();
        let wrong = take_jobs(&mut self.running, |job| !possible.contains(&job.key));
        self.unwanted.extend(wrong);
    }

    /// Returns the most probable question.
    fn likely(&mut self, wanted: impl Fn(Key) -> bool) -> Option<Question> {
        while self.interruption().is_none() {
            // Twice as many states as there are jobs: those that are running are among them.
            match self.grow(2 * self.jobs, &wanted)? {
                Growth::Stepped => {}
                Growth::Asks(at) => return self.lookahead.state(at).question.clone(),
            }
        }
        None
    }

    /// Makes more of the future known; see [`Lookahead::grow`].
    fn grow(&mut self, most: usize, wanted: impl Fn(Key) -> bool) -> Option<Growth> {
        let eager = self.jobs > 1;
        let guess = Guess { odds: &self.odds, edits: &self.edits, refusal: self.refusal, eager };
        let question = self.pending.as_ref()?;
        let root = Root { decider: &self.decider, question, turn: self.turn };
        self.lookahead.grow(&root, &self.memory, guess, most, wanted)
    }

    /// Tells the decider the answer to its question.
    fn answer(&mut self, outcome: Outcome, time: Duration) {
        let Some(question) = self.pending.take() else { return };
        self.asked_at = None;
        let new = self.memory.tell(question.key, outcome);
        self.count(question.pass, outcome, new, time);
        let turn = self.turn.of(question.pass);
        let fails = outcome == Outcome::Fail;
        if new {
            let elsewhere = self.elsewhere.remove(&question.key).unwrap_or_default();
            self.odds.learn(turn, question.traits, elsewhere, fails);
        }
        self.turn = turn.told(fails);
        if outcome != Outcome::Fail {
            self.refusal = outcome;
        }
        let how = if new { AnswerSource::Tested } else { AnswerSource::Cached };
        let candidate = Some(Arc::clone(&question.candidate));
        self.events.extend(question.rule.map(Event::ByRule));
        self.events.push(Event::Answered { pass: question.pass, outcome, how, candidate });
        self.has_news = true;
        self.keeps_guesses = self.lookahead.guessed_otherwise(outcome);
        let events = match self.lookahead.take(outcome) {
            Some(state) => {
                self.decider = state.decider;
                self.pending = state.question;
                state.events
            }
            None => {
                let mut events = Vec::new();
                self.decider.tell(outcome, &mut events);
                events
            }
        };
        self.apply(events);
        if new && let Some(tests) = self.decider.tests_left() {
            self.events.push(Event::Expected { tests });
        }
    }

    /// Counts the answer to a question; `new` if a test was needed for it.
    fn count(&mut self, pass: &'static str, outcome: Outcome, new: bool, time: Duration) {
        let stats = self.stats(pass);
        stats.told += 1;
        stats.time += time;
        if !new {
            stats.remembered += 1;
            self.summary.remembered += 1;
            return;
        }
        stats.tested[outcome as usize] += 1;
        self.summary.tests += 1;
        if let Some(level) = self.summary.levels.last_mut() {
            level.tests += 1;
            level.unresolved += u64::from(outcome == Outcome::Unresolved);
        }
    }

    /// Makes figures and events of what the decider did.
    fn apply(&mut self, events: Vec<DeciderEvent>) {
        for event in events {
            match event {
                DeciderEvent::Pass { name, edits } => self.events.push(Event::Pass { name, edits }),
                DeciderEvent::Level { name, circumstances } => {
                    self.events.push(Event::Pass { name, edits: circumstances });
                    let left = circumstances;
                    let level = LevelStats { name, circumstances, left, ..LevelStats::default() };
                    self.summary.levels.push(level);
                }
                DeciderEvent::Untested { pass, how } => self.count_untested(pass, how),
                DeciderEvent::Accepted { pass, candidate } => self.accept(pass, &candidate),
                DeciderEvent::Adopted { pass } => self.events.push(Event::Adopted { pass }),
                DeciderEvent::RolledBack => self.events.push(Event::RolledBack),
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

    /// Counts an answer for which nothing was looked up.
    fn count_untested(&mut self, pass: &'static str, how: AnswerSource) {
        let stats = self.stats(pass);
        stats.told += 1;
        let mut outcome = Outcome::Pass;
        if how == AnswerSource::Infeasible {
            stats.infeasible += 1;
            outcome = Outcome::Unresolved;
            self.summary.infeasible += 1;
            if let Some(level) = self.summary.levels.last_mut() {
                level.infeasible += 1;
            }
        } else {
            stats.not_smaller += 1;
        }
        self.events.push(Event::Answered { pass, outcome, how, candidate: None });
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
        let begin = *self.started_at.get_or_insert(now);
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
                if let Some(why) = self.budget_exhausted(now.saturating_sub(begin)) {
                    self.stop(why);
                    continue;
                }
                return Step::Consult(consultation);
            }
            if self.has_news && self.ends_tests && !self.keeps_guesses && self.pending.is_some() {
                self.has_news = false;
                self.drop_wrong_guesses();
            }
            let Some(question) = &self.pending else {
                self.advance();
                continue;
            };
            let key = question.key;
            let is_asked_first = self.asked_at.is_none();
            let asked = *self.asked_at.get_or_insert(now);
            let known = self.memory.get(key);
            let is_running = self.is_running(key);
            let needs_test = known.is_none() || self.memory.needs_test(key);
            if needs_test && self.skips.take(self.summary.tests) {
                let pass = question.pass;
                self.skip(pass);
                continue;
            }
            // A test that was run ahead counts like one that would have to start now.
            let counts = match known {
                Some(_) => is_asked_first && needs_test,
                None => is_asked_first || !is_running,
            };
            if counts && let Some(why) = self.budget_exhausted(now.saturating_sub(begin)) {
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
            return self.start(question.clone());
        }
    }

    fn report(&mut self, id: JobId, report: Report) {
        if let Some(Running { key, edits, .. }) = self.running.remove(&id) {
            self.edits.learn(&edits, report.outcome == Outcome::Fail);
            self.memory.insert(key, report.outcome);
            self.has_news = true;
        }
    }

    fn hear(&mut self, said: Said) {
        if let Some(asked) = self.consultation.take() {
            self.summary.consulted += u64::from(!matches!(asked.whom, Whom::Proposer(_)));
            self.decider.hear(said);
        }
    }

    fn precompute(&mut self) -> bool {
        if self.over || self.interruption().is_some() {
            return false;
        }
        let is_long = self.pending.as_ref().is_some_and(|asked| asked.candidate.len() > LONG);
        let most = if is_long { 1 } else { PRECOMPUTED };
        matches!(self.grow(most, |_| false), Some(Growth::Stepped))
    }

    /// Returns the tests that were started on a guess which turned out to be wrong.
    fn cancelled_jobs(&mut self) -> Vec<JobId> {
        self.ends_tests = true;
        let mut unwanted = std::mem::take(&mut self.unwanted);
        if self.over {
            unwanted.extend(take_jobs(&mut self.running, |_| true));
        }
        unwanted.sort_unstable();
        unwanted
    }

    fn skip_pass(&mut self) {
        self.skips.wanted = true;
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
