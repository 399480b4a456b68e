//! One proposal being searched: items, search, and what was accepted so far.
//!
//! Knows how a configuration becomes a candidate; must not know the order of passes or who runs
//! tests.

use std::sync::Arc;

use minirepro_passes::{Gate, Item, Pass, Proposal, Strategy};
use minirepro_search::{
    Algorithm, Configuration, First, Groups, Minimizer, Once, Outcome, minimizer,
};
use minirepro_syntax::{Complaints, Edits, Language, Rendered, Tree, close, rendered};

use crate::walk::Setting;

/// The current best result and its tree.
#[derive(Debug)]
pub(crate) struct Base {
    pub tree: Tree,
    pub tokens: u64,
    pub text: Arc<[u8]>,
    /// Errors that the tree may have: those of the input, or fewer.
    pub errors: u32,
    /// What the readers of the input complained about, where they refuse no text.
    pub complaints: Option<Complaints>,
}

impl Base {
    pub(crate) fn new(language: &Language, text: &[u8]) -> Self {
        let complaints = language.parser.complaints(text);
        Self { complaints, ..Self::parsed(language, text) }
    }

    /// A base without limits of its own.
    pub(crate) fn parsed(language: &Language, text: &[u8]) -> Self {
        let tree = language.parser.parse(text);
        Self {
            tokens: language
                .parser
                .tokens(text)
                .unwrap_or_else(|| tree.tokens(minirepro_syntax::NodeId::ROOT).into()),
            errors: tree.errors(),
            complaints: None,
            text: Arc::clone(tree.text()),
            tree,
        }
    }

    /// What the bases that come next are held to.
    pub(crate) fn limits(&self) -> Limits {
        Limits { errors: self.errors, complaints: self.complaints.clone() }
    }

    /// Whether the candidate comes before this one in the order of acceptance.
    pub(crate) fn is_beaten_by(&self, language: &Language, candidate: &Rendered) -> bool {
        language.is_smaller((candidate.tokens, &candidate.text), (self.tokens, &self.text))
    }

    /// Whether a candidate is no more broken than the input is. Passes that leave the grammar do so
    /// where readers refuse no text and find nothing wrong that was not wrong with the input, or with
    /// what passes that keep to the grammar have made of it.
    fn takes(&self, language: &Language, gate: Gate, candidate: &Rendered) -> bool {
        let text = &candidate.text;
        match &self.complaints {
            Some(most) if gate == Gate::Reparse => {
                language.parser.complaints(text).is_some_and(|found| {
                    found.are_within(most)
                        || language
                            .parser
                            .complaints(&self.text)
                            .is_some_and(|c| found.are_within(&c))
                })
            }
            _ => language.parser.errors_after(&self.tree, candidate) <= self.errors,
        }
    }
}

/// How broken a text may be.
pub(crate) struct Limits {
    errors: u32,
    complaints: Option<Complaints>,
}

impl Limits {
    /// A base within these limits.
    pub(crate) fn apply(self, language: &Language, text: &[u8]) -> Base {
        let base = Base::parsed(language, text);
        // Where a text may be broken, passes that keep to the grammar go on from what there is.
        let errors = match &self.complaints {
            Some(_) => base.errors,
            None => base.errors.min(self.errors),
        };
        Base { errors, complaints: self.complaints, ..base }
    }
}

/// What became of a question before any test.
pub(crate) enum Verdict {
    /// The oracle is to be asked.
    Ask(Arc<Rendered>),
    /// The grammar cannot form it.
    Infeasible,
    /// Not smaller than what we have.
    NotSmaller,
}

/// A proposal under way.
pub(crate) struct PassRun {
    pub pass: &'static Pass,
    pub items: Arc<Vec<Item>>,
    search: Box<dyn Minimizer>,
    accepted: Option<Arc<Rendered>>,
    /// How many more refusals in a row are endured; `None` without end.
    patience: Option<u32>,
    told: usize,
}

impl Clone for PassRun {
    fn clone(&self) -> Self {
        Self {
            pass: self.pass,
            items: Arc::clone(&self.items),
            search: self.search.fork_minimizer(),
            accepted: self.accepted.clone(),
            patience: self.patience,
            told: self.told,
        }
    }
}

impl PassRun {
    pub(crate) fn new(pass: &'static Pass, proposal: Proposal, algorithm: Algorithm) -> Self {
        let patience = (proposal.strategy == Strategy::Gallop).then_some(PATIENCE);
        let weights: Vec<u32> = proposal.items.iter().map(|i| i.weight).collect();
        let search = match (algorithm, proposal.strategy) {
            (_, Strategy::Single) => Box::new(Once::new(weights.len())),
            (Algorithm::Default, strategy) => {
                let needs = proposal.needs.into();
                Groups { needs, ..groups(&weights, strategy) }.search()
            }
            (Algorithm::Galloping, strategy) => groups(&weights, strategy).gallop(),
            (other, _) => minimizer(other, &weights),
        };
        Self { pass, items: Arc::new(proposal.items), search, accepted: None, patience, told: 0 }
    }

    /// What the search asks now; `None` when it is done.
    pub(crate) fn ask(&self) -> Option<Configuration> {
        self.search.ask().filter(|_| self.patience != Some(0))
    }

    pub(crate) fn tell(&mut self, outcome: Outcome, candidate: Option<&Arc<Rendered>>) {
        if outcome == Outcome::Fail {
            self.accepted = candidate.cloned();
            self.patience = self.patience.map(|_| PATIENCE);
        } else if candidate.is_some() {
            self.patience = self.patience.map(|left| left - 1);
        }
        self.told += 1;
        self.search.tell(outcome);
    }

    /// Whether candidates may be larger than the base.
    pub(crate) fn grows(&self) -> bool {
        self.pass.gate == Gate::Grows
    }

    /// How many questions were answered.
    pub(crate) fn told(&self) -> usize {
        self.told
    }

    /// The best candidate that was accepted.
    pub(crate) fn accepted(&self) -> Option<&Arc<Rendered>> {
        self.accepted.as_ref()
    }

    /// The items that the search kept out: each was refused.
    pub(crate) fn refused(&self) -> impl Iterator<Item = &Item> {
        self.search.kept().iter().map(|i| &self.items[i])
    }

    /// The candidate in which every item outside of `kept` is applied.
    pub(crate) fn candidate(
        &self,
        base: &Base,
        setting: &Setting,
        kept: &Configuration,
    ) -> Verdict {
        let language = &setting.language;
        let mut edits = Edits::none();
        for i in (0..self.items.len()).filter(|&i| !kept.contains(i)) {
            if !edits.merge(&self.items[i].edits) {
                return Verdict::Infeasible;
            }
        }
        let mut certain = false;
        if self.pass.gate != Gate::Reparse {
            let Some(closed) = close(&base.tree, language, &edits) else {
                return Verdict::Infeasible;
            };
            (edits, certain) = (closed.edits, closed.certain);
        }
        let mut candidate = rendered(&base.tree, language, &edits);
        if let Some(tokens) = language.parser.tokens_after(&base.tree, &candidate) {
            candidate.tokens = tokens;
        }
        let worth_it = match &self.accepted {
            _ if self.grows() => candidate.tokens <= GROWTH * base.tokens,
            Some(r) => {
                language.is_smaller((candidate.tokens, &candidate.text), (r.tokens, &r.text))
            }
            None => base.is_beaten_by(language, &candidate),
        };
        if !worth_it {
            return Verdict::NotSmaller;
        }
        if !setting.granularity.takes(&base.text, &candidate)
            || !setting.kept.holds(&candidate.text)
        {
            return Verdict::Infeasible;
        }
        let later = certain && is_read_later(&candidate);
        if !later && !self.reads_well(base, setting, &candidate) {
            return Verdict::Infeasible;
        }
        Verdict::Ask(Arc::new(candidate))
    }

    /// Whether a parser makes of the candidate what the edits meant.
    pub(crate) fn reads_well(&self, base: &Base, setting: &Setting, candidate: &Rendered) -> bool {
        let Setting { language, allow_broken, .. } = setting;
        let gate = self.pass.gate;
        let parser = &language.parser;
        (*allow_broken || base.takes(language, gate, candidate))
            && (gate == Gate::Reparse
                || parser.reads_as_edited(&base.text, &candidate.text, &candidate.copied))
    }
}

/// Candidates with more tokens than this many times the base's are not tried.
const GROWTH: u64 = 2;

/// Large candidates whose edits the facts cover are read only when they turn out to fail: most are
/// refused, and of what the facts allow hardly anything reads otherwise.
pub(crate) fn is_read_later(candidate: &Rendered) -> bool {
    candidate.text.len() > CHEAP_TO_READ
}

/// In bytes: such texts are read again within a millisecond or so.
const CHEAP_TO_READ: usize = 64 << 10;

/// After so many tests in a row that win nothing, a list of mostly hopeless items is left to later
/// rounds and to the sweep.
const PATIENCE: u32 = 10;

/// The sweep over everything is the walk's, so the search needs none of its own.
fn groups(weights: &[u32], strategy: Strategy) -> Groups {
    let first = match strategy {
        Strategy::Gallop => First::One,
        Strategy::Halves => First::Halves,
        Strategy::All | Strategy::Single => First::All,
    };
    Groups { first, sweep: false, ..Groups::new(weights) }
}
