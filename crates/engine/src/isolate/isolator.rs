//! Decides an isolation: isolates the difference between a candidate that passes and one that
//! fails, or minimises the failing one, level by level.
//!
//! Must not know what the circumstances are, nor how a candidate is tested.

use std::sync::Arc;

use minirepro_circumstances::Circumstances;
use minirepro_search::{Configuration, Outcome};

use crate::isolate::plan::IsolationPlan;
use crate::isolate::search::{Goal, LevelSearch};
use crate::schedule::answer_memory::Key;
use crate::schedule::decider::{Advance, Decider, DeciderEvent, Question, Traits};

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
    search: LevelSearch,
    /// How many circumstances there are.
    size: usize,
    /// The candidate that waits for its answer.
    pending: Option<Arc<[u8]>>,
    /// Bytes of candidates that the grammar has refused.
    refused: usize,
}

/// The least number of bytes of infeasible candidates after which a level ends: they cost no test,
/// but they are not free.
const MOST_REFUSED: usize = 64 << 20;

impl Isolator {
    /// Returns an isolator that has asked nothing yet.
    pub(crate) fn new(plan: &IsolationPlan) -> Self {
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

    /// Returns the candidates at both ends: the passing one, then the failing one.
    pub(crate) fn ends(&self) -> (Arc<[u8]>, Arc<[u8]>) {
        (Arc::clone(&self.passing), Arc::clone(&self.failing))
    }

    /// Returns the numbers of the single things that the failing end is made of.
    pub(crate) fn members(&self) -> Arc<[usize]> {
        match &self.level {
            Some(level) => level.circumstances.members(&level.search.ends().failing).into(),
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
        let size = weights.len();
        let search = LevelSearch::new(self.goal, &weights);
        if search.ask().is_none() {
            self.members = circumstances.members(&Configuration::all(size)).into();
            self.next = circumstances.finer(&Configuration::none(size), &Configuration::all(size));
            return;
        }
        events.push(DeciderEvent::Level { name: circumstances.name(), circumstances: size });
        self.level = Some(OpenLevel { circumstances, search, size, pending: None, refused: 0 });
    }

    /// Ends the level; the next one splits the circumstances that are left.
    fn close_level(&mut self, minimal: bool, events: &mut Vec<DeciderEvent>) {
        let Some(level) = self.level.take() else { return };
        events.push(DeciderEvent::LevelDone { minimal });
        let ends = level.search.ends();
        self.members = level.circumstances.members(&ends.failing).into();
        self.next = level.circumstances.finer(&ends.passing, &ends.failing);
    }
}

impl OpenLevel {
    /// Returns how many bytes of refused candidates are too many, where the failing end has `bytes`
    /// bytes: more than a search needs in which nearly everything is refused.
    fn most_refused(&self, bytes: usize) -> usize {
        (4 * bytes * self.size).clamp(MOST_REFUSED, 64 * MOST_REFUSED)
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
                events.push(DeciderEvent::Infeasible { pass });
            }
        }
        Advance::Moved
    }

    fn tell(&mut self, outcome: Outcome, events: &mut Vec<DeciderEvent>) {
        let level = self.level.as_mut().expect("questions come from a level");
        let candidate = level.pending.take().expect("a question was asked");
        level.search.tell(outcome);
        match (outcome, self.goal) {
            (Outcome::Fail, _) => self.failing = candidate,
            (Outcome::Pass, Goal::Isolate) => self.passing = candidate,
            _ => return,
        }
        let left = level.search.left();
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
