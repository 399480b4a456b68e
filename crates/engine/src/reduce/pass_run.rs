//! One proposal of a pass being searched: its items, the search, and the best candidate so far.
//!
//! Must not know the order of passes or who runs tests.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;

use minirepro_passes::{Counts, Gate, Item, Order, PROPOSE, Pass, Plan, Proposal};
use minirepro_search::{
    Algorithm, Closures, Configuration, Groups, Once, Outcome, Search, minimizer,
};
use minirepro_syntax::{Edits, Rendered, Tree, close, render, rendered};

use crate::reduce::config::ReducerConfig;
use crate::reduce::current::{Current, with_size};
use crate::reduce::demand::DemandSearch;
use crate::reduce::pace::Demand;
use crate::reduce::sizes::{GROWTH, MOST_ADDITIONS};
use crate::{AnswerSource, Whom};

/// A candidate that only the oracle can judge; else why it is refused without a test.
pub(crate) type Candidate = Result<Arc<Rendered>, AnswerSource>;

/// A proposal under way.
#[derive(Clone)]
pub(crate) struct PassRun {
    config: Arc<ReducerConfig>,
    /// The text that the edits are made of.
    current: Arc<Current>,
    pub pass: Pass,
    pub items: Arc<Vec<Item>>,
    counts: Arc<Counts>,
    search: Box<dyn Search>,
    /// The only candidate, if somebody else has made it.
    ready: Option<Arc<Rendered>>,
    /// The candidate that waits for its answer.
    pub pending: Option<Arc<Rendered>>,
    /// The tree of the last candidate that failed.
    pub read: Option<Arc<Tree>>,
    /// The smallest candidate that failed.
    accepted: Option<Accepted>,
    /// The candidate of what the search keeps, once that is less than everything.
    base: Option<Arc<Rendered>>,
    /// The candidates that failed since the base last changed.
    failing: Vec<Accepted>,
    /// Consecutive refusals left before giving up, and after a success; `None` means never.
    patience: Option<[u32; 2]>,
    /// The number of tokens that the tests must remove, if any.
    pub demand: Option<Demand>,
    /// The items that were asked about, where that matters.
    asked: BTreeSet<usize>,
    told: usize,
}

/// Searches as a proposal plans, by the algorithm where that is not the default.
pub(crate) fn search_of(proposal: &Proposal, algorithm: Algorithm) -> Box<dyn Search> {
    let weights: Vec<u32> = proposal.items.iter().map(|item| item.weight).collect();
    let Proposal { plan, needs, together, .. } = proposal;
    match (plan.order, algorithm) {
        (Order::Each, _) => Box::new(Once::new(weights.len())),
        (Order::Closures, Algorithm::Default) => {
            let degrees = needs.each_ref().map(Vec::as_slice);
            Box::new(Closures::new(&weights, degrees, together, MOST_ADDITIONS))
        }
        // The reducer's sweep covers everything.
        (Order::Groups(first), Algorithm::Default) => {
            Groups { weights, first, sweep: false, needs: needs[0].clone().into() }.search()
        }
        (_, algorithm) => minimizer(algorithm, &weights),
    }
}

/// A candidate that failed.
#[derive(Clone)]
struct Accepted {
    /// The items that are not applied.
    kept: Configuration,
    candidate: Arc<Rendered>,
}

impl PassRun {
    /// Begins to search a proposal.
    pub(crate) fn new(
        config: &Arc<ReducerConfig>,
        current: &Arc<Current>,
        pass: Pass,
        proposal: Proposal,
        search: Box<dyn Search>,
    ) -> Self {
        Self {
            config: Arc::clone(config),
            current: Arc::clone(current),
            pass,
            patience: (proposal.plan.patience)(proposal.items.len()),
            items: Arc::new(proposal.items),
            counts: Arc::new(proposal.counts),
            search,
            ready: None,
            pending: None,
            read: None,
            accepted: None,
            base: None,
            failing: Vec::new(),
            demand: None,
            asked: BTreeSet::new(),
            told: 0,
        }
    }

    /// Begins to try one candidate that a proposer has made, as it is.
    pub(crate) fn of_proposal(
        config: &Arc<ReducerConfig>,
        current: &Arc<Current>,
        candidate: &[u8],
    ) -> Self {
        let tree = config.language.parser.parse(candidate);
        let mut ready = render(&tree, &Edits::none(), config.language.spacing);
        ready.text = candidate.into();
        ready.copied.clear();
        let nothing = Proposal::of(Vec::new(), Plan::EACH);
        let run = Self::new(config, current, PROPOSE, nothing, Box::new(Once::new(1)));
        Self { ready: Some(Arc::new(ready)), ..run }
    }

    /// Returns the items that the search keeps in its next question; `None` when it is done.
    pub(crate) fn ask(&self) -> Option<Configuration> {
        let is_over = self.patience.is_some_and(|[left, _]| left == 0) || self.has_given_up();
        self.search.ask().filter(|_| !is_over)
    }

    /// Returns the search that depends on an informant, if it is one.
    pub(crate) fn demands(&mut self) -> Option<&mut DemandSearch> {
        (&mut *self.search as &mut dyn Any).downcast_mut()
    }

    fn demanded(&self) -> Option<&DemandSearch> {
        (&*self.search as &dyn Any).downcast_ref()
    }

    /// Returns whether it began with what a compiler says of the text.
    pub(crate) fn is_survey(&self) -> bool {
        self.demanded().is_some_and(|search| search.is_survey)
    }

    /// Returns who is asked in the next step, unless it is the oracle, and about which candidate;
    /// `None` if that cannot be formed.
    pub(crate) fn listens(&self, kept: &Configuration) -> Option<(Whom, Arc<Rendered>)> {
        let (whom, is_about_whole_text) = self.demanded()?.listens_to()?;
        if is_about_whole_text {
            let spacing = self.config.language.spacing;
            let whole = render(&self.current.tree, &Edits::none(), spacing);
            return Some((whom, Arc::new(whole)));
        }
        Some((whom, self.candidate(kept).ok()?))
    }

    /// Returns whether the last questions won too little to go on, although some did. What was not
    /// asked about is not refused.
    pub(crate) fn has_given_up(&self) -> bool {
        self.demand.as_ref().is_some_and(Demand::is_missed)
    }

    /// Returns whether a candidate that fails is the best of this run: of those that failed on one
    /// base, only some are smaller than the others.
    pub(crate) fn is_best(&self, candidate: &Rendered) -> bool {
        let language = &self.config.language;
        let is_beaten =
            |best: &Arc<Rendered>| !language.is_smaller(with_size(candidate), with_size(best));
        self.is_pump() || !self.accepted().is_some_and(is_beaten)
    }

    /// Tells the search the answer to its question, with the candidate if there was one.
    pub(crate) fn tell(&mut self, outcome: Outcome, candidate: Option<&Arc<Rendered>>) {
        let fails = outcome == Outcome::Fail;
        if let Some([left, later]) = &mut self.patience {
            *left = if fails { *later } else { *left - u32::from(candidate.is_some()) };
        }
        if let Some(candidate) = candidate.filter(|_| fails || self.demand.is_some())
            && let Some(kept) = self.search.ask()
        {
            if self.demand.is_some() {
                self.asked.extend(self.search.kept().minus(&kept).iter());
            }
            if fails {
                let new = Accepted { kept, candidate: Arc::clone(candidate) };
                if self.is_best(candidate) {
                    self.accepted = Some(new.clone());
                }
                self.failing.push(new);
            }
        }
        self.told += 1;
        self.search.tell(outcome);
        let kept = self.search.kept();
        if let Some(at) = self.failing.iter().position(|failing| failing.kept == *kept) {
            self.base = Some(self.failing.swap_remove(at).candidate);
            self.failing.clear();
        }
        let left = self.base.as_ref().map(|base| base.tokens);
        if let Some(demand) = self.demand.as_mut().filter(|_| candidate.is_some()) {
            demand.count(left);
        }
    }

    /// Returns whether candidates may be larger than the current text.
    pub(crate) fn is_pump(&self) -> bool {
        self.pass.gate == Gate::Pump || self.ready.is_some()
    }

    /// Returns the items that were asked about one after the other.
    pub(crate) fn told(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().take(self.told)
    }

    /// Returns the best candidate that was accepted.
    pub(crate) fn accepted(&self) -> Option<&Arc<Rendered>> {
        self.accepted.as_ref().map(|accepted| &accepted.candidate)
    }

    /// Returns the items that are not applied in the best candidate.
    fn kept(&self) -> &Configuration {
        self.accepted.as_ref().map_or(self.search.kept(), |accepted| &accepted.kept)
    }

    /// Returns the items whose edits the search did not get accepted. What a survey keeps was not
    /// asked about.
    pub(crate) fn refused(&self) -> impl Iterator<Item = &Item> {
        let (is_survey, has_given_up) = (self.is_survey(), self.has_given_up());
        let was_asked = move |item| !has_given_up || self.asked.contains(&item);
        // What a proposer has made has no item.
        let kept = self.kept().iter().filter(move |&item| !is_survey && was_asked(item));
        kept.filter_map(|item| self.items.get(item))
    }

    /// Makes the candidate in which every item outside of `kept` is applied.
    pub(crate) fn candidate(&self, kept: &Configuration) -> Candidate {
        if let Some(ready) = &self.ready {
            return self.judged(Arc::clone(ready), true);
        }
        let (candidate, certain) = self.made(kept).ok_or(AnswerSource::Infeasible)?;
        let is_read_now = !(certain && self.config.reads_later(&candidate));
        self.judged(Arc::new(candidate), is_read_now)
    }

    /// Returns the candidate, and whether the grammar facts alone say that its text is fine; `None`
    /// if it cannot be formed, or if nobody waits for it any more.
    fn made(&self, kept: &Configuration) -> Option<(Rendered, bool)> {
        let (current, language) = (&self.current, &self.config.language);
        let interruption = &language.interruption;
        let applied = interruption.until(0..self.items.len());
        let applied = applied.filter(|&i| !kept.contains(i)).map(|i| &self.items[i].edits);
        let mut edits = self.counts.followed(&current.tree, Edits::merged(applied)?)?;
        let mut certain = false;
        if self.pass.gate != Gate::Reparse {
            let closed = close(&current.tree, language, edits)?;
            (edits, certain) = (closed.edits, closed.certain);
        }
        let candidate = (!interruption.is_set()).then(|| rendered(&current.tree, language, &edits));
        Some((candidate.filter(|_| !interruption.is_set())?, certain))
    }

    /// Judges a candidate without a test.
    fn judged(&self, candidate: Arc<Rendered>, is_read_now: bool) -> Candidate {
        if !self.is_worth_it(&candidate) {
            return Err(AnswerSource::NotSmaller);
        }
        let is_feasible = self.config.preserved.holds(&candidate.text)
            && (!is_read_now || self.reads_well(&candidate, None));
        is_feasible.then_some(candidate).ok_or(AnswerSource::Infeasible)
    }

    /// Returns whether a candidate is smaller than the one it was made from; if this is a pump, not
    /// too large.
    pub(crate) fn is_worth_it(&self, candidate: &Rendered) -> bool {
        let (current, language) = (&self.current, &self.config.language);
        match &self.base {
            _ if self.is_pump() => candidate.tokens <= GROWTH * current.tokens,
            Some(base) => language.is_smaller(with_size(candidate), with_size(base)),
            None => current.is_beaten_by(language, candidate),
        }
    }

    /// Returns whether a parser reads the candidate as its edits meant it; `tree` if it is read
    /// already.
    pub(crate) fn reads_well(&self, candidate: &Rendered, tree: Option<&Tree>) -> bool {
        self.current.reads_well(&self.config.language, &self.pass, candidate, tree)
    }
}
