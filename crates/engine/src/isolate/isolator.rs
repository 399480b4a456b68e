//! Decides an isolation: isolates the difference between a candidate that passes and one that
//! fails, or minimises the failing one, level by level.
//!
//! Must not know what the circumstances are, nor how a candidate is tested.

use std::sync::Arc;

use minirepro_circumstances::Circumstances;
use minirepro_search::{Configuration, Dd, Outcome, Search, minimizer};

use crate::isolate::plan::{Goal, IsolationPlan};
use crate::schedule::answer_memory::{Answers, Key};
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Question};
use crate::schedule::scheduler::Scheduler;
use crate::{AnswerSource, Summary};

/// An isolation under way.
#[derive(Clone)]
pub struct Isolator {
    /// The plan, with the ends as they are now.
    plan: IsolationPlan,
    /// The level that comes next.
    next: Option<Arc<dyn Circumstances>>,
    level: Option<OpenLevel>,
}

/// The level that is being searched.
#[derive(Clone)]
struct OpenLevel {
    circumstances: Arc<dyn Circumstances>,
    search: Box<dyn Search>,
    /// The circumstances of the candidate that passes; none when minimising.
    passing: Configuration,
    /// The candidate that waits for its answer.
    pending: Option<Arc<[u8]>>,
    /// Bytes of candidates that the grammar has refused.
    refused: usize,
}

/// The least number of bytes of infeasible candidates after which a level ends: they cost no test,
/// but they are not free.
const MOST_REFUSED: usize = 64 << 20;

impl Isolator {
    /// Opens the next level, or goes past it if it has nothing to ask.
    fn open_level(
        &mut self,
        circumstances: Arc<dyn Circumstances>,
        events: &mut Vec<DeciderEvent>,
    ) {
        let weights = circumstances.weights();
        let passing = Configuration::none(weights.len());
        let search: Box<dyn Search> = match self.plan.goal {
            Goal::Isolate => Box::new(Dd::new(weights.len())),
            Goal::Minimize(algorithm) => minimizer(algorithm, &weights),
        };
        if search.ask().is_none() {
            self.next = circumstances.finer(&passing, &Configuration::all(weights.len()));
            return;
        }
        let name = circumstances.name();
        events.push(DeciderEvent::Level { name, circumstances: weights.len() });
        self.level = Some(OpenLevel { circumstances, search, passing, pending: None, refused: 0 });
    }

    /// Ends the level; the next one splits the circumstances that are left.
    fn close_level(&mut self, minimal: bool, events: &mut Vec<DeciderEvent>) {
        let Some(level) = self.level.take() else { return };
        events.push(DeciderEvent::LevelDone { minimal });
        self.next = level.circumstances.finer(&level.passing, level.search.kept());
    }
}

/// A session that isolates a difference or minimises one end of it. [Poll](crate::Session::poll)
/// it, run the tests that it starts, report their outcomes.
pub type IsolationSession = Scheduler<Isolator>;

impl Scheduler<Isolator> {
    /// Returns a session that knows the answers of earlier ones with the same oracle.
    pub fn new(plan: IsolationPlan, answers: Answers) -> Self {
        let (jobs, budget) = (plan.jobs, plan.budget.clone());
        let next = Some(Arc::clone(&plan.circumstances));
        let isolator = Isolator { plan, next, level: None };
        Self::with(isolator, Summary::default(), jobs, budget, answers)
    }

    /// Returns the two candidates, the passing one first: when isolating, the closest pair so far.
    pub fn ends(&self) -> (Arc<[u8]>, Arc<[u8]>) {
        let IsolationPlan { passing, failing, .. } = &self.decider().plan;
        (Arc::clone(passing), Arc::clone(failing))
    }
}

impl OpenLevel {
    /// Returns the next question, unless more bytes of candidates were refused than a search needs
    /// in which nearly everything is, where the failing end has `bytes` bytes.
    fn ask(&self, bytes: usize) -> Option<Configuration> {
        let most = (4 * bytes * self.passing.universe()).clamp(MOST_REFUSED, 64 * MOST_REFUSED);
        (self.refused < most).then(|| self.search.ask()).flatten()
    }
}

impl Decider for Isolator {
    fn advance(&mut self, events: &mut Vec<DeciderEvent>) -> Advance {
        let Some(level) = &mut self.level else {
            return match self.next.take() {
                Some(circumstances) => {
                    self.open_level(circumstances, events);
                    Advance::Moved
                }
                None => Advance::Done(None),
            };
        };
        let pass = level.circumstances.name();
        if let Some(candidate) = &level.pending {
            let key = Key::of_bytes(candidate);
            return Advance::Asks(Question { pass, candidate: Arc::clone(candidate), key });
        }
        let bytes = self.plan.failing.len().max(1);
        let Some(asked) = level.ask(bytes) else {
            let minimal = level.search.ask().is_none();
            self.close_level(minimal, events);
            return Advance::Moved;
        };
        match level.circumstances.candidate(&asked) {
            Some(candidate) => level.pending = Some(candidate.into()),
            None => {
                level.refused = level.refused.saturating_add(bytes);
                let (outcome, how) = (Outcome::Unresolved, AnswerSource::Infeasible);
                level.search.tell(outcome);
                events.push(DeciderEvent::Untested { pass, outcome, how });
            }
        }
        Advance::Moved
    }

    fn tell(&mut self, outcome: Outcome, events: &mut Vec<DeciderEvent>) {
        let level = self.level.as_mut().expect("questions come from a level");
        let candidate = level.pending.take().expect("a question was asked");
        let asked = level.search.ask();
        level.search.tell(outcome);
        let IsolationPlan { goal, passing, failing, .. } = &mut self.plan;
        match (outcome, goal, asked) {
            (Outcome::Fail, ..) => *failing = candidate,
            (Outcome::Pass, Goal::Isolate, Some(asked)) => {
                (*passing, level.passing) = (candidate, asked);
            }
            _ => return,
        }
        let left = level.search.kept().minus(&level.passing).len();
        let (passing, failing) = (Arc::clone(passing), Arc::clone(failing));
        events.push(DeciderEvent::Narrowed { left, passing, failing });
    }

    /// Returns 0 if a question is ready, else the greatest number: making finer circumstances may
    /// compare whole files, which no guess is worth.
    fn bytes_to_read(&self) -> usize {
        let bytes = self.plan.failing.len().max(1);
        let is_ready = |level: &OpenLevel| level.pending.is_some() || level.ask(bytes).is_some();
        if self.level.as_ref().is_some_and(is_ready) { 0 } else { usize::MAX }
    }
}
