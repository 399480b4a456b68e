//! The pairs of a certificate's edits, which are tried where a result shall be 2-minimal.
//!
//! An edit that is refused alone may do together with another: one breaks what the other one repairs, or
//! neither makes the text smaller without the other.

use std::collections::HashSet;
use std::sync::Arc;

use minirepro_passes::{Gate, Item, PAIRS, PAIRS_BY_REPARSE, Pass, Proposal, Strategy};
use minirepro_syntax::{Change, Edits, Language, NodeId, Tree, close, rendered};

/// All single edits of a text, and how far their pairs are tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    singles: Arc<Vec<Single>>,
    /// How many proposals were made: two for each edit, by the gate that its pairs have to pass.
    proposed: usize,
}

/// A single edit of the certificate.
#[derive(Debug)]
struct Single {
    item: Item,
    /// The same with the separators that go along, if the grammar can form it alone.
    closed: Option<Edits>,
    gate: Gate,
}

impl Pairs {
    /// Collects the edits. Of several that come to the same text, the first counts.
    pub(crate) fn new(
        tree: &Tree,
        language: &Language,
        edits: impl IntoIterator<Item = (Gate, Item)>,
    ) -> Self {
        let mut texts: HashSet<Arc<[u8]>> = HashSet::new();
        let mut others: HashSet<Edits> = HashSet::new();
        let mut singles = Vec::new();
        for (gate, item) in language.interruption.until(edits) {
            let closed = match gate {
                Gate::Reparse => Some(item.edits.clone()),
                Gate::Facts | Gate::Graph | Gate::Pump => {
                    close(tree, language, &item.edits).map(|closed| closed.edits)
                }
            };
            let is_new = match &closed {
                Some(closed) => texts.insert(rendered(tree, language, closed).text),
                None => others.insert(item.edits.clone()),
            };
            if is_new {
                singles.push(Single { item, closed, gate });
            }
        }
        Self { singles: Arc::new(singles), proposed: 0 }
    }

    /// Returns how many pairs there are.
    pub(crate) fn count(&self) -> u64 {
        let singles = self.singles.len() as u64;
        singles * singles.saturating_sub(1) / 2
    }

    /// Returns how many pairs are still to be proposed, about.
    pub(crate) fn left(&self) -> u64 {
        let left = (self.singles.len() as u64).saturating_sub(self.proposed as u64 / 2);
        left * left.saturating_sub(1) / 2
    }

    /// Proposes the pairs of the next edit with those behind it; `None` when there is none left. The
    /// proposal may be empty. Linear in the edits.
    pub(crate) fn next(&mut self, tree: &Tree) -> Option<(Pass, Proposal)> {
        let first = self.singles.get(self.proposed / 2)?;
        let pass = if self.proposed.is_multiple_of(2) { PAIRS } else { PAIRS_BY_REPARSE };
        let others = &self.singles[self.proposed / 2 + 1..];
        self.proposed += 1;
        let with = |other: &Single| {
            let pair = first.with(other, tree)?;
            (pair.0 == pass.gate).then_some(pair.1)
        };
        let items = others.iter().filter_map(with).collect();
        Some((pass, Proposal::of(items, Strategy::Single)))
    }
}

impl Single {
    /// Returns both edits as one; `None` if they contradict each other, or one takes away all that the
    /// other one changes.
    fn with(&self, other: &Self, tree: &Tree) -> Option<(Gate, Item)> {
        if hides(tree, &self.item.edits, &other.item.edits)
            || hides(tree, &other.item.edits, &self.item.edits)
        {
            return None;
        }
        let by_facts = self.gate == Gate::Facts && other.gate == Gate::Facts;
        let (gate, mut edits, second) = match by_facts {
            true => (Gate::Facts, self.item.edits.clone(), &other.item.edits),
            false => (Gate::Reparse, self.alone().clone(), other.alone()),
        };
        let weight = self.item.weight.saturating_add(other.item.weight);
        edits.merge(second).then(|| (gate, Item::new(edits, weight)))
    }

    fn alone(&self) -> &Edits {
        self.closed.as_ref().unwrap_or(&self.item.edits)
    }
}

/// Returns whether `outer` drops every node that `inner` changes.
fn hides(tree: &Tree, outer: &Edits, inner: &Edits) -> bool {
    let is_gone = |id: NodeId| {
        let dropped = |at: NodeId| outer.get(at).is_some_and(Change::is_drop);
        dropped(id) || tree.ancestors(id).any(dropped)
    };
    inner.iter().all(|(id, _)| is_gone(id))
}
