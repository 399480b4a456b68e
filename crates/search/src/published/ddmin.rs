//! ddmin of Zeller & Hildebrandt 2002, and its weighted form.

use std::sync::Arc;

use crate::machine::Machine;
use crate::published::parts::Parts;
use crate::{Configuration, Outcome};

/// The minimizing delta-debugging algorithm (Zeller & Hildebrandt 2002, Fig. 5): parts alone
/// ("reduce to subset"), then everything but one part ("reduce to complement"), then more parts.
///
/// The result is 1-minimal for any oracle, provided that the empty configuration does not fail,
/// which is never asked. At most n² + 3n different questions for n circumstances, at most
/// 2·⌈log₂ n⌉ if one circumstance alone is responsible. Some questions come more than once: see
/// [`Cached`](crate::Cached).
#[derive(Clone)]
pub struct Ddmin {
    kept: Configuration,
    parts: Parts,
    /// By these weights parts are halved; without weights, parts have equal sizes.
    weights: Option<Arc<[u32]>>,
    next: Next,
}

#[derive(Clone, Copy)]
enum Next {
    Subset(usize),
    Complement(usize),
    Done,
}

impl Ddmin {
    /// Searches `0..circumstances`.
    pub fn new(circumstances: usize) -> Self {
        Self::with(circumstances, None)
    }

    /// Returns W_ddmin (Zhou et al., ICSE 2025): a part is cut where its weight is halved, since
    /// heavy circumstances are more often needed. There are as many circumstances as weights.
    pub fn weighted(weights: &[u32]) -> Self {
        Self::with(weights.len(), Some(weights.into()))
    }

    fn with(circumstances: usize, weights: Option<Arc<[u32]>>) -> Self {
        let kept = Configuration::all(circumstances);
        let parts = Parts::whole(kept.iter().collect());
        let mut ddmin = Self { kept, parts, weights, next: Next::Done };
        ddmin.refine();
        ddmin
    }

    /// Returns the current granularity: into how many parts the configuration is cut.
    pub fn granularity(&self) -> usize {
        self.parts.count()
    }

    fn refine(&mut self) {
        let members = self.parts.members();
        if self.parts.count() >= members.len() {
            self.next = Next::Done;
            return;
        }
        self.parts = match &self.weights {
            Some(weights) => self.parts.halved_by_weight(weights),
            None => {
                let count = (self.parts.count() * 2).min(members.len());
                Parts::equal(members.clone(), count)
            }
        };
        self.next = Next::Subset(0);
    }
}

impl Machine for Ddmin {
    fn question(&self) -> Option<Configuration> {
        match self.next {
            Next::Subset(i) => {
                let part = self.parts.part(i).iter().copied();
                Some(Configuration::of(self.kept.universe(), part))
            }
            Next::Complement(i) => Some(self.parts.complement(&self.kept, i)),
            Next::Done => None,
        }
    }

    fn answer(&mut self, outcome: Outcome) {
        let question = self.question().expect("told only what was asked");
        match (self.next, outcome) {
            (Next::Subset(i), Outcome::Fail) => {
                self.parts = Parts::whole(self.parts.part(i).into());
                self.kept = question;
                self.refine();
            }
            (Next::Complement(i), Outcome::Fail) => {
                self.parts = self.parts.without(i);
                self.kept = question;
                self.next = Next::Subset(0);
            }
            (Next::Subset(i), _) if i + 1 < self.parts.count() => self.next = Next::Subset(i + 1),
            // Of two parts, each is the complement of the other.
            (Next::Subset(_), _) if self.parts.count() > 2 => self.next = Next::Complement(0),
            (Next::Complement(i), _) if i + 1 < self.parts.count() => {
                self.next = Next::Complement(i + 1);
            }
            _ => self.refine(),
        }
    }

    fn best(&self) -> &Configuration {
        &self.kept
    }
}
