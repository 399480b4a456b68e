//! Schedules the questions of a walk: memory of answers, jobs, look-ahead, budget, events.
//!
//! The walk alone decides; this file only finds answers for it. With several jobs, idle workers get
//! the questions that the walk will most probably ask next (DESIGN.md §4, «Parallel»); what turns
//! out not to be needed is reported as stale.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use minirepro_search::Outcome;
use minirepro_syntax::Rendered;

use crate::estimate::tests_left;
use crate::event::{Answered, Event, PassStats, Summary};
use crate::futures::{Futures, Guess, Most, Root};
use crate::kept::Kept;
use crate::memory::{Key, Memory};
use crate::plan::Plan;
use crate::session::take_jobs;
use crate::walk::{Advance, Note, Question, Setting, Walk};
use crate::{JobId, Report, Session, Step};

/// A session under way. Poll it, run what it starts, report what that has shown.
pub struct Engine {
    plan: Plan,
    walk: Walk,
    memory: Memory,
    running: HashMap<JobId, Running>,
    next_job: u64,
    /// What the walk may come to from the question that it waits for.
    futures: Futures,
    /// How many candidates the walk has accepted.
    accepted: u64,
    events: Vec<Event>,
    best: Arc<[u8]>,
    summary: Summary,
    /// The question that the walk waits for.
    pending: Option<(Question, Key)>,
    /// When it was asked first.
    asked_at: Option<Duration>,
    started_at: Option<Duration>,
    /// How often the walk's questions fail, recently: 0 … 1.
    success: f64,
    /// The last answer that was not Fail.
    refusal: Outcome,
    over: bool,
    /// The first candidate that is accepted ends the session.
    verifies: bool,
    interrupt: Option<Interrupt>,
}

/// Says why the session must end now, if it must.
type Interrupt = Box<dyn Fn() -> Option<&'static str> + Send>;

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl Engine {
    /// A session that will reduce the plan's input, which is known to fail.
    pub fn new(plan: Plan) -> Self {
        let setting = setting(&plan, false);
        let (walk, best) = (Walk::new(setting, Arc::clone(&plan.input)), plan.input.clone());
        Self::with(plan, walk, best, false)
    }

    /// A session that only tries every single edit of `result`, to which an earlier session has
    /// reduced the plan's input. It ends with a certificate, or stops at the first edit that fails.
    pub fn verify(plan: Plan, result: Arc<[u8]>) -> Self {
        let walk = Walk::verify(setting(&plan, true), Arc::clone(&plan.input), Arc::clone(&result));
        Self::with(plan, walk, result, true)
    }

    fn with(plan: Plan, walk: Walk, best: Arc<[u8]>, verifies: bool) -> Self {
        let (tokens, bytes) = (walk.base_tokens(), best.len() as u64);
        Self {
            walk,
            memory: Memory::default(),
            running: HashMap::new(),
            next_job: 0,
            futures: Futures::default(),
            accepted: 0,
            events: Vec::new(),
            best,
            summary: Summary {
                tokens: (tokens, tokens),
                bytes: (bytes, bytes),
                ..Summary::default()
            },
            pending: None,
            asked_at: None,
            started_at: None,
            success: 0.5,
            refusal: Outcome::Pass,
            over: false,
            verifies,
            interrupt: None,
            plan,
        }
    }

    /// Between two steps of a long [`poll`](Self::poll), `why` is asked; a reason ends the session.
    pub fn interrupt_when(&mut self, why: impl Fn() -> Option<&'static str> + Send + 'static) {
        self.interrupt = Some(Box::new(why));
    }

    /// The best result so far.
    pub fn best(&self) -> Arc<[u8]> {
        Arc::clone(&self.best)
    }

    /// The figures so far.
    pub fn summary(&self) -> Summary {
        self.summary.clone()
    }

    /// Does one thing on the way to the next question.
    fn advance(&mut self) {
        let mut notes = Vec::new();
        let advance = self.walk.advance(&mut notes);
        self.take_notes(notes);
        match advance {
            Advance::Asks(question) => {
                let key = Key::of(&question);
                self.pending = Some((question, key));
            }
            Advance::Moved => {}
            Advance::Done => {
                self.summary.certificate = self.walk.certificate().cloned();
                self.finish();
            }
        }
    }

    fn finish(&mut self) {
        self.over = true;
        self.events.push(Event::Done);
    }

    fn budget_is_spent(&self, time: Duration) -> Option<&'static str> {
        let Summary { tests, tokens, bytes, .. } = &self.summary;
        let budget = &self.plan.budget;
        budget.is_spent(*tests, time).or_else(|| budget.is_small_enough(tokens.1, bytes.1))
    }

    fn is_running(&self, key: Key) -> bool {
        self.running.values().any(|job| job.key == key)
    }

    fn start_pending(&mut self) -> Step {
        let Some((question, key)) = &self.pending else { return Step::Wait };
        let (key, candidate) = (*key, Arc::clone(&question.candidate));
        self.start(key, &candidate, self.accepted)
    }

    fn start(&mut self, key: Key, candidate: &Rendered, accepted: u64) -> Step {
        let id = JobId(self.next_job);
        self.next_job += 1;
        self.summary.started += 1;
        self.running.insert(id, Running { key, accepted });
        Step::Start { id, candidate: Arc::clone(&candidate.text) }
    }

    /// Starts the most probable question that has no answer and no test yet, if a worker is idle.
    fn look_ahead(&mut self) -> Step {
        if self.running.len() >= self.plan.jobs.max(1) {
            return Step::Wait;
        }
        let running: HashSet<Key> = self.running.values().map(|job| job.key).collect();
        // Twice as many states as there are jobs: those that are running are among them.
        loop {
            match self.grow(2 * self.plan.jobs, |key| !running.contains(&key)) {
                Some(Most::Made) => {}
                None => return Step::Wait,
                Some(Most::Asks(at)) => {
                    let state = self.futures.state(at);
                    let accepted = state.accepted;
                    let Some((question, key)) = &state.question else { return Step::Wait };
                    let (key, candidate) = (*key, Arc::clone(&question.candidate));
                    return self.start(key, &candidate, accepted);
                }
            }
        }
    }

    /// Makes more of the futures known; see [`Futures::grow`].
    fn grow(&mut self, most: usize, wanted: impl Fn(Key) -> bool) -> Option<Most> {
        let (_, key) = self.pending.as_ref()?;
        let root = Root { walk: &self.walk, key: *key, accepted: self.accepted };
        self.futures.grow(&root, &self.memory, self.guess(), most, wanted)
    }

    fn guess(&self) -> Guess {
        Guess { success: self.success, refusal: self.refusal, eager: self.plan.jobs > 1 }
    }

    /// Tells the walk the answer to its question.
    fn answer(&mut self, outcome: Outcome, time: Duration) {
        let Some((question, key)) = self.pending.take() else { return };
        let new = self.memory.tell(key, outcome);
        let how = if new { Answered::Tested } else { Answered::Remembered };
        self.asked_at = None;
        let stats = self.stats(question.pass);
        stats.told += 1;
        stats.time += time;
        stats.tested[outcome as usize] += u64::from(new);
        stats.remembered += u64::from(!new);
        self.summary.tests += u64::from(new);
        self.summary.remembered += u64::from(!new);
        self.success = 0.9 * self.success + if outcome == Outcome::Fail { 0.1 } else { 0.0 };
        if outcome != Outcome::Fail {
            self.refusal = outcome;
        }
        self.events.push(Event::Told { pass: question.pass, outcome, how });
        let notes = match self.futures.take(outcome) {
            Some(state) => {
                (self.walk, self.pending) = (state.walk, state.question);
                state.notes
            }
            None => {
                let mut notes = Vec::new();
                self.walk.tell(outcome, &mut notes);
                notes
            }
        };
        self.take_notes(notes);
        if how == Answered::Tested {
            let tests = tests_left(self.walk.stage(), self.summary.tokens.1);
            self.events.push(Event::Expected { tests });
        }
    }

    fn take_notes(&mut self, notes: Vec<Note>) {
        for note in notes {
            match note {
                Note::Pass { name, edits } => self.events.push(Event::Pass { name, edits }),
                Note::Infeasible { pass } => {
                    self.unasked(pass, Outcome::Unresolved, Answered::Infeasible);
                }
                Note::NotSmaller { pass } => {
                    self.unasked(pass, Outcome::Pass, Answered::NotSmaller);
                }
                Note::Accepted { pass, candidate } => self.accept(pass, &candidate),
                Note::Adopted => self.accepted += 1,
            }
        }
    }

    fn unasked(&mut self, pass: &'static str, outcome: Outcome, how: Answered) {
        let stats = self.stats(pass);
        stats.told += 1;
        if how == Answered::Infeasible {
            stats.infeasible += 1;
            self.summary.infeasible += 1;
        } else {
            stats.not_smaller += 1;
        }
        self.events.push(Event::Told { pass, outcome, how });
    }

    fn accept(&mut self, pass: &'static str, candidate: &Rendered) {
        self.accepted += 1;
        let bytes = candidate.text.len() as u64;
        let won = self.summary.tokens.1.saturating_sub(candidate.tokens);
        let bytes_won = self.summary.bytes.1.cast_signed() - bytes.cast_signed();
        let stats = self.stats(pass);
        stats.tokens_won += won;
        stats.bytes_won += bytes_won;
        self.summary.tokens.1 = candidate.tokens;
        self.summary.bytes.1 = bytes;
        self.best = Arc::clone(&candidate.text);
        self.events.push(Event::Reduced {
            tokens: candidate.tokens,
            text: Arc::clone(&self.best),
            tests: self.summary.tests,
        });
        if self.verifies {
            self.stop("a single further edit reproduces");
        }
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

impl Session for Engine {
    fn poll(&mut self, now: Duration) -> Step {
        let begin = *self.started_at.get_or_insert(now);
        loop {
            if self.over {
                return Step::Done;
            }
            if let Some(why) = self.interrupt.as_ref().and_then(|why| why()) {
                self.stop(why);
                continue;
            }
            let Some((_, key)) = self.pending else {
                self.advance();
                continue;
            };
            let asked = *self.asked_at.get_or_insert(now);
            if let Some(outcome) = self.memory.get(key) {
                self.answer(outcome, now.saturating_sub(asked));
                continue;
            }
            if self.is_running(key) {
                return self.look_ahead();
            }
            if let Some(why) = self.budget_is_spent(now.saturating_sub(begin)) {
                self.stop(why);
                continue;
            }
            if self.running.len() >= self.plan.jobs.max(1) {
                return Step::Wait;
            }
            return self.start_pending();
        }
    }

    fn report(&mut self, id: JobId, report: Report) {
        if let Some(Running { key, .. }) = self.running.remove(&id) {
            self.memory.insert(key, report.outcome);
        }
    }

    fn prepare(&mut self) -> bool {
        !self.over && self.interrupt.as_ref().is_none_or(|why| why().is_none()) && {
            matches!(self.grow(PREPARED, |_| false), Some(Most::Made))
        }
    }

    fn expected(&mut self) -> Vec<Arc<[u8]>> {
        let Some((_, key)) = &self.pending else { return Vec::new() };
        let next = self.futures.next(*key, &self.memory, self.guess());
        next.into_iter().map(|question| Arc::clone(&question.candidate.text)).collect()
    }

    /// These are the ones that were started on the guess that a candidate would be refused which was
    /// accepted.
    fn take_stale(&mut self) -> Vec<JobId> {
        let pending = self.pending.as_ref().map(|(_, key)| *key);
        take_jobs(&mut self.running, |job| {
            self.over || job.accepted < self.accepted && Some(job.key) != pending
        })
    }

    fn stop(&mut self, why: &str) {
        if !self.over {
            self.summary.stopped = Some(why.to_owned());
            self.finish();
        }
    }

    fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

/// So many states are made while the only worker is busy: what comes behind each answer.
const PREPARED: usize = 4;

fn setting(plan: &Plan, verifies: bool) -> Arc<Setting> {
    Arc::new(Setting {
        language: Arc::clone(&plan.language),
        algorithm: plan.algorithm.search(),
        allow_broken: plan.scope.allow_broken && verifies,
        broken_at_end: plan.scope.allow_broken && !verifies,
        granularity: plan.scope.granularity,
        kept: Kept::new(&plan.scope.kept, &plan.input),
        passes: plan.algorithm.passes(&plan.scope),
        growing: plan.algorithm.growing(&plan.scope),
    })
}

/// A test under way.
#[derive(Clone, Copy, Debug)]
struct Running {
    key: Key,
    /// How many candidates were accepted, or were guessed to be, when it was started.
    accepted: u64,
}
