//! Decides an isolation: isolates the difference between a candidate that passes and one that
//! fails, or minimises the failing one, level by level.
//!
//! Must not know what the circumstances are, nor how a candidate is tested.

use std::sync::Arc;

use minirepro_circumstances::Circumstances;
use minirepro_search::{Configuration, Dd, Outcome, Search, minimizer};

use crate::AnswerSource;
use crate::isolate::plan::{Goal, IsolationPlan};
use crate::schedule::answer_memory::{AnswerMemory, Answers, Key};
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Question, Traits};
use crate::schedule::scheduler::Scheduler;

/// An isolation under way.
#[derive(Clone)]
pub struct Isolator {
    goal: Goal,
    inverted: bool,
    /// The candidates at both ends.
    passing: Arc<[u8]>,
    failing: Arc<[u8]>,
    /// The level that comes next.
    next: Option<Arc<dyn Circumstances>>,
    level: Option<OpenLevel>,
    /// The members of the failing end, as of the last level that ended.
    members: Arc<[usize]>,
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
    fn new(plan: &IsolationPlan) -> Self {
        Self {
            goal: plan.goal,
            inverted: plan.inverted,
            passing: Arc::clone(&plan.passing),
            failing: Arc::clone(&plan.failing),
            next: Some(Arc::clone(&plan.circumstances)),
            level: None,
            members: Arc::default(),
        }
    }

    fn ends(&self) -> (Arc<[u8]>, Arc<[u8]>) {
        (Arc::clone(&self.passing), Arc::clone(&self.failing))
    }

    fn members(&self) -> Arc<[usize]> {
        match &self.level {
            Some(level) => level.circumstances.members(level.search.kept()).into(),
            None => Arc::clone(&self.members),
        }
    }

    /// Opens the next level, or goes past it if it has nothing to ask.
    fn open_level(
        &mut self,
        circumstances: Arc<dyn Circumstances>,
        events: &mut Vec<DeciderEvent>,
    ) {
        let weights = circumstances.weights();
        let passing = Configuration::none(weights.len());
        let search: Box<dyn Search> = match self.goal {
            Goal::Isolate => Box::new(Dd::new(weights.len())),
            Goal::Minimize(algorithm) => minimizer(algorithm, &weights),
        };
        if search.ask().is_none() {
            let all = Configuration::all(weights.len());
            self.members = circumstances.members(&all).into();
            self.next = circumstances.finer(&passing, &all);
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
        let failing = level.search.kept();
        self.members = level.circumstances.members(failing).into();
        self.next = level.circumstances.finer(&level.passing, failing);
    }
}

/// A session that isolates a difference or minimises one end of it. [Poll](crate::Session::poll)
/// it, run the tests that it starts, report their outcomes.
pub type IsolationSession = Scheduler<Isolator>;

impl Scheduler<Isolator> {
    /// Returns a session that knows the answers of earlier ones with the same oracle.
    pub fn new(plan: IsolationPlan, answers: Answers) -> Self {
        let isolator = Isolator::new(&plan);
        Self::with(isolator, plan.jobs, plan.budget, AnswerMemory::new(answers))
    }

    /// Returns the two candidates, the passing one first: when isolating, the closest pair so far.
    pub fn ends(&self) -> (Arc<[u8]>, Arc<[u8]>) {
        self.decider.ends()
    }

    /// Returns the numbers of the single things that the failing end is made of; see
    /// [`Circumstances::members`].
    pub fn members(&self) -> Arc<[usize]> {
        self.decider.members()
    }
}

impl OpenLevel {
    /// Returns how many bytes of refused candidates are too many, where the failing end has `bytes`
    /// bytes: more than a search needs in which nearly everything is refused.
    fn most_refused(&self, bytes: usize) -> usize {
        (4 * bytes * self.passing.universe()).clamp(MOST_REFUSED, 64 * MOST_REFUSED)
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
            let key = Key::of_bytes(candidate, self.inverted);
            return Advance::Asks(Question {
                pass,
                candidate: Arc::clone(candidate),
                key,
                rule: None,
                edits: Arc::default(),
                traits: Traits::default(),
            });
        }
        let bytes = self.failing.len().max(1);
        let gives_up = level.refused >= level.most_refused(bytes);
        let Some(asked) = level.search.ask().filter(|_| !gives_up) else {
            self.close_level(!gives_up, events);
            return Advance::Moved;
        };
        match level.circumstances.candidate(&asked) {
            Some(candidate) => level.pending = Some(candidate.into()),
            None => {
                level.refused = level.refused.saturating_add(bytes);
                level.search.tell(Outcome::Unresolved);
                let how = AnswerSource::Infeasible;
                events.push(DeciderEvent::Untested { pass, how });
            }
        }
        Advance::Moved
    }

    fn tell(&mut self, outcome: Outcome, events: &mut Vec<DeciderEvent>) {
        let level = self.level.as_mut().expect("questions come from a level");
        let candidate = level.pending.take().expect("a question was asked");
        let asked = level.search.ask();
        level.search.tell(outcome);
        match (outcome, self.goal, asked) {
            (Outcome::Fail, ..) => self.failing = candidate,
            (Outcome::Pass, Goal::Isolate, Some(asked)) => {
                (self.passing, level.passing) = (candidate, asked);
            }
            _ => return,
        }
        let left = level.search.kept().minus(&level.passing).len();
        let (passing, failing) = self.ends();
        events.push(DeciderEvent::Narrowed { left, passing, failing });
    }

    /// The level ends as one that is not minimal.
    fn skip(&mut self) {
        if let Some(level) = &mut self.level {
            level.pending = None;
            level.refused = usize::MAX;
        }
    }

    /// Returns 0 if a question is ready, else the greatest number: making finer circumstances may
    /// compare whole files, which no guess is worth.
    fn bytes_to_read(&self) -> usize {
        let bytes = self.failing.len().max(1);
        let has_question = self.level.as_ref().is_some_and(|level| {
            let asks = || level.refused < level.most_refused(bytes) && level.search.ask().is_some();
            level.pending.is_some() || asks()
        });
        if has_question { 0 } else { usize::MAX }
    }
}
