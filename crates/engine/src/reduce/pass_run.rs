//! One proposal of a pass being searched: its items, the search, and the best candidate so far.
//!
//! Must not know the order of passes or who runs tests.

use std::collections::{BTreeSet, HashSet};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use minirepro_passes::{Gate, Item, Lesson, Order, PROPOSE, Pass, Plan, Proposal, RuleName};
use minirepro_search::{
    Algorithm, Closures, Configuration, Groups, Once, Outcome, Search, minimizer,
};
use minirepro_syntax::{Edits, Language, Rendered, Tree, close, render, rendered};

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
    pub pass: Pass,
    pub items: Arc<Vec<Item>>,
    /// Those of the items, as a [context](minirepro_passes::PassContext::fingerprint) gives them.
    pub fingerprints: Arc<Vec<u64>>,
    search: ItemSearch,
    /// The only candidate, if somebody else has made it.
    ready: Option<Arc<Rendered>>,
    /// The smallest candidate that failed.
    accepted: Option<Accepted>,
    /// The candidate of what the search keeps, once that is less than everything.
    base: Option<Arc<Rendered>>,
    /// The candidates that failed since the base last changed.
    failing: Vec<Accepted>,
    /// The sorts of definitions that go with their last use, whatever the edits are. Where only a
    /// parser can judge the edits, and where each is tried by itself, nothing goes along.
    pub lessons: Arc<BTreeSet<Lesson>>,
    /// Consecutive refusals left before giving up, and after a success; `None` means never.
    patience: Option<[u32; 2]>,
    /// The number of tokens that the tests must remove, if any.
    pub demand: Option<Demand>,
    /// The edits that were asked about, where that matters.
    asked: BTreeSet<u64>,
    told: usize,
}

/// The search of a proposal.
#[derive(Clone)]
pub(crate) enum ItemSearch {
    /// It learns nothing but outcomes.
    Blind(Box<dyn Search>),
    /// It also hears the messages of an informant.
    Demanded(Box<DemandSearch>),
}

impl ItemSearch {
    /// Searches as a proposal plans, by the algorithm where that is not the default.
    pub(crate) fn of(proposal: &Proposal, algorithm: Algorithm) -> Self {
        let weights: Vec<u32> = proposal.items.iter().map(|item| item.weight).collect();
        let Proposal { plan, needs, together, .. } = proposal;
        Self::Blind(match (plan.order, algorithm) {
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
        })
    }
}

impl Deref for ItemSearch {
    type Target = dyn Search;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Blind(search) => &**search,
            Self::Demanded(search) => &**search,
        }
    }
}

impl DerefMut for ItemSearch {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Blind(search) => &mut **search,
            Self::Demanded(search) => &mut **search,
        }
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
    pub(crate) fn new(pass: Pass, proposal: Proposal, search: ItemSearch) -> Self {
        Self {
            pass,
            patience: (proposal.plan.patience)(proposal.items.len()),
            items: Arc::new(proposal.items),
            fingerprints: Arc::default(),
            search,
            ready: None,
            accepted: None,
            base: None,
            failing: Vec::new(),
            lessons: Arc::default(),
            demand: None,
            asked: BTreeSet::new(),
            told: 0,
        }
    }

    /// Begins to try one candidate that a proposer has made, as it is.
    pub(crate) fn of_proposal(language: &Language, candidate: &[u8]) -> Self {
        let tree = language.parser.parse(candidate);
        let mut ready = render(&tree, &Edits::none(), language.spacing);
        ready.text = candidate.into();
        ready.copied.clear();
        let nothing = Proposal::of(Vec::new(), Plan::EACH);
        let search = ItemSearch::Blind(Box::new(Once::new(1)));
        Self { ready: Some(Arc::new(ready)), ..Self::new(PROPOSE, nothing, search) }
    }

    /// Returns the items that the search keeps in its next question; `None` when it is done.
    pub(crate) fn ask(&self) -> Option<Configuration> {
        let is_over = self.patience.is_some_and(|[left, _]| left == 0) || self.has_given_up();
        self.search.ask().filter(|_| !is_over)
    }

    /// Returns the search that depends on an informant, if it is one.
    pub(crate) fn demands(&mut self) -> Option<&mut DemandSearch> {
        match &mut self.search {
            ItemSearch::Demanded(search) => Some(search),
            ItemSearch::Blind(_) => None,
        }
    }

    /// Returns whether it began with what a compiler says of the text.
    pub(crate) fn is_survey(&self) -> bool {
        matches!(&self.search, ItemSearch::Demanded(search) if search.is_survey)
    }

    /// Returns who is asked in the next step, unless it is the oracle, and about which candidate;
    /// `None` if that cannot be formed.
    pub(crate) fn listens(
        &self,
        current: &Current,
        config: &ReducerConfig,
        kept: &Configuration,
    ) -> Option<(Whom, Arc<Rendered>)> {
        let ItemSearch::Demanded(search) = &self.search else { return None };
        let (whom, is_about_whole_text) = search.listens_to()?;
        if is_about_whole_text {
            let whole = render(&current.tree, &Edits::none(), config.language.spacing);
            return Some((whom, Arc::new(whole)));
        }
        Some((whom, self.candidate(current, config, kept).ok()?))
    }

    /// Returns whether the last questions won too little to go on, although some did. What was not
    /// asked about is not refused.
    pub(crate) fn has_given_up(&self) -> bool {
        self.demand.as_ref().is_some_and(Demand::is_missed)
    }

    /// Returns the rule that gives the candidate of the next question, if it is one alone.
    pub(crate) fn rule(&self) -> Option<Arc<RuleName>> {
        self.items.first()?.rule.as_ref()?;
        let kept = self.ask()?;
        let mut applied = (0..self.items.len()).filter(|&i| !kept.contains(i));
        let only = applied.next().filter(|_| applied.next().is_none())?;
        self.items[only].rule.clone()
    }

    /// Returns whether a candidate that fails is the best of this run: of those that failed on one
    /// base, only some are smaller than the others.
    pub(crate) fn is_best(&self, language: &Language, candidate: &Rendered) -> bool {
        let is_beaten =
            |best: &Arc<Rendered>| !language.is_smaller(with_size(candidate), with_size(best));
        self.is_pump() || !self.accepted().is_some_and(is_beaten)
    }

    /// Tells the search the answer to its question, with the candidate if there was one.
    pub(crate) fn tell(
        &mut self,
        language: &Language,
        outcome: Outcome,
        candidate: Option<&Arc<Rendered>>,
    ) {
        let fails = outcome == Outcome::Fail;
        if let Some([left, later]) = &mut self.patience {
            *left = if fails { *later } else { *left - u32::from(candidate.is_some()) };
        }
        if let Some(candidate) = candidate.filter(|_| fails)
            && let Some(kept) = self.search.ask()
        {
            let new = Accepted { kept, candidate: Arc::clone(candidate) };
            if self.is_best(language, candidate) {
                self.accepted = Some(new.clone());
            }
            self.failing.push(new);
        }
        if self.demand.is_some() && candidate.is_some() {
            self.asked.extend(self.undecided().iter());
        }
        self.told += 1;
        self.search.tell(outcome);
        let kept = self.search.kept();
        if let Some(at) = self.failing.iter().position(|failing| failing.kept == *kept) {
            self.base = Some(self.failing.swap_remove(at).candidate);
            self.failing.clear();
        }
        let left = self.base_tokens();
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

    /// Returns the fingerprints of the edits that the candidate of the next question applies beside
    /// those that are known to go.
    pub(crate) fn undecided(&self) -> Arc<[u64]> {
        let Some(asked) = self.search.ask() else { return Arc::default() };
        let undecided = self.search.kept().minus(&asked);
        // What a proposer has made has no fingerprint.
        undecided.iter().filter_map(|item| self.fingerprints.get(item).copied()).collect()
    }

    /// Returns the tokens of the text without these edits, if others are known to go.
    pub(crate) fn base_tokens(&self) -> Option<u64> {
        self.base.as_ref().map(|base| base.tokens)
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
        let was_asked = move |item: usize| {
            !has_given_up || self.fingerprints.get(item).is_some_and(|key| self.asked.contains(key))
        };
        // What a proposer has made has no item.
        let kept = self.kept().iter().filter(move |&item| !is_survey && was_asked(item));
        kept.filter_map(|item| self.items.get(item))
    }

    /// Returns the items whose edits were accepted.
    pub(crate) fn applied(&self) -> impl Iterator<Item = &Item> {
        let kept = self.kept();
        self.items.iter().enumerate().filter(move |(i, _)| !kept.contains(*i)).map(|(_, item)| item)
    }

    /// Makes the candidate in which every item outside of `kept` is applied.
    pub(crate) fn candidate(
        &self,
        current: &Current,
        config: &ReducerConfig,
        kept: &Configuration,
    ) -> Candidate {
        if let Some(ready) = &self.ready {
            return self.judged(current, config, Arc::clone(ready), true);
        }
        let made = self.made(current, config, kept);
        let (candidate, certain) = made.ok_or(AnswerSource::Infeasible)?;
        let is_read_now = !(certain && config.reads_later(&candidate));
        self.judged(current, config, Arc::new(candidate), is_read_now)
    }

    /// Returns the candidate, and whether the grammar facts alone say that its text is fine; `None`
    /// if it cannot be formed, or if nobody waits for it any more.
    fn made(
        &self,
        current: &Current,
        config: &ReducerConfig,
        kept: &Configuration,
    ) -> Option<(Rendered, bool)> {
        let language = &config.language;
        let interruption = &language.interruption;
        let applied = interruption.until(0..self.items.len());
        let applied = applied.filter(|&i| !kept.contains(i)).map(|i| &self.items[i].edits);
        let mut edits = Edits::merged(applied)?;
        let mut certain = false;
        if self.pass.gate != Gate::Reparse {
            if !self.lessons.is_empty() {
                let (none, goes) = (HashSet::new(), |lesson| self.lessons.contains(&lesson));
                edits = current.context(language, Gate::Facts, &none).with_orphans(&edits, goes);
            }
            let closed = close(&current.tree, language, edits)?;
            (edits, certain) = (closed.edits, closed.certain);
        }
        let candidate = (!interruption.is_set()).then(|| rendered(&current.tree, language, &edits));
        Some((candidate.filter(|_| !interruption.is_set())?, certain))
    }

    /// Judges a candidate without a test.
    fn judged(
        &self,
        current: &Current,
        config: &ReducerConfig,
        candidate: Arc<Rendered>,
        is_read_now: bool,
    ) -> Candidate {
        if !self.is_worth_it(current, config, &candidate) {
            return Err(AnswerSource::NotSmaller);
        }
        let is_feasible = config.granularity.allows(&current.text, &candidate)
            && config.preserved.holds(&candidate.text)
            && (!is_read_now || self.reads_well(current, config, &candidate, None));
        is_feasible.then_some(candidate).ok_or(AnswerSource::Infeasible)
    }

    /// Returns whether a candidate is smaller than the one it was made from; if this is a pump, not
    /// too large.
    pub(crate) fn is_worth_it(
        &self,
        current: &Current,
        config: &ReducerConfig,
        candidate: &Rendered,
    ) -> bool {
        match &self.base {
            _ if self.is_pump() => candidate.tokens <= GROWTH * current.tokens,
            Some(base) => config.language.is_smaller(with_size(candidate), with_size(base)),
            None => current.is_beaten_by(&config.language, candidate),
        }
    }

    /// Returns whether a parser reads the candidate as its edits meant it; `tree` if it is read.
    pub(crate) fn reads_well(
        &self,
        current: &Current,
        config: &ReducerConfig,
        candidate: &Rendered,
        tree: Option<&Tree>,
    ) -> bool {
        let gate = self.pass.gate;
        let reader = &config.language.reader;
        (config.allow_broken || current.allows(&config.language, gate, candidate, tree))
            && (gate == Gate::Reparse
                || reader.edit_is_faithful(&current.text, &candidate.text, &candidate.copied))
    }
}
