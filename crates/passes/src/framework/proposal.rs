//! What a pass hands to the engine: items, and how to search among them.

use std::collections::HashMap;
use std::sync::Arc;

use minirepro_rules::RuleName;
use minirepro_search::First;
use minirepro_syntax::{Change, Edits, NodeId, Tree};

use crate::Counts;

/// One thing to try: edits that only make sense together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// The edits.
    pub edits: Edits,
    /// Tokens that they take away, as an estimate: weights of searches, order of lists.
    pub weight: u32,
    /// The rule of a manifest or of the user's that it follows, if it follows one.
    pub rule: Option<Arc<RuleName>>,
}

impl Item {
    /// Creates an item.
    pub fn new(edits: Edits, weight: u32) -> Self {
        Self { edits, weight, rule: None }
    }

    /// Creates an item of one change.
    pub(crate) fn one(id: NodeId, change: Change, weight: u32) -> Self {
        Self::new(Edits::one(id, change), weight)
    }

    /// Creates an item of these changes; `None` if some contradict each other.
    pub(crate) fn of(
        changes: impl IntoIterator<Item = (NodeId, Change)>,
        weight: u32,
    ) -> Option<Self> {
        let mut edits = Edits::none();
        let fits = changes.into_iter().all(|(id, change)| edits.add(id, change));
        fits.then(|| Self::new(edits, weight))
    }
}

/// How the engine searches among the items of a proposal.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Which items it asks about.
    pub order: Order,
    /// After how many refusals in a row it gives up a list of as many items, at first and after a
    /// success, if ever.
    pub patience: fn(usize) -> Option<[u32; 2]>,
    /// Whether its questions are about many items at a time, so that it has to win much of a large
    /// text.
    pub is_broad: bool,
}

/// Which items a search asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Groups, first of this size.
    Groups(First),
    /// All that some need.
    Closures,
    /// Those that an informant demands.
    Demanded,
    /// One after the other.
    Each,
}

impl Plan {
    /// Group testing, all at once first: most will work.
    pub const ALL: Self = Self { order: Order::Groups(First::All), is_broad: true, ..Self::EACH };

    /// The same with halves until something needed is met: nothing tells the items apart.
    pub const HALVES: Self = Self { order: Order::Groups(First::Halves), ..Self::ALL };

    /// Group testing from single items on, growing with success. What is left of mostly hopeless
    /// items is left to later rounds and to the sweep.
    pub const GALLOP: Self =
        Self { order: Order::Groups(First::One), patience: |_| Some([10, 10]), ..Self::ALL };

    /// All at once, and given up soon: they are of one sort, so that all can go or hardly one.
    pub const SORT: Self = Self { patience: |_| Some([2, 2]), is_broad: false, ..Self::ALL };

    /// Halves until something needed is met, but given up if halving has met no item that can go:
    /// hardly anything will, and it would take many questions to find that out for each.
    pub const PROBE: Self = Self {
        patience: |items| Some([items.max(1).ilog2() + 1, 10]),
        is_broad: false,
        ..Self::HALVES
    };

    /// Binary reduction: what the failure needs together with all that this needs in turn, as far
    /// as the proposal knows.
    pub const CLOSURES: Self = Self { order: Order::Closures, ..Self::EACH };

    /// The same, but given up soon: before, what the proposal knows was too little.
    pub const PROBE_CLOSURES: Self = Self { patience: |_| Some([4, 10]), ..Self::CLOSURES };

    /// Hardly anything is kept at first; then what an informant misses.
    pub const DEMANDED: Self = Self { order: Order::Demanded, ..Self::EACH };

    /// One after the other, in order; each may work or not (alternatives of one place).
    pub const EACH: Self = Self { order: Order::Each, patience: |_| None, is_broad: false };
}

/// How an edit's grammar is checked before a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// By the grammar facts (and by reparse where they are silent).
    Facts,
    /// Only by reparse: the edit may turn the place into something else.
    Reparse,
    /// Like [`Facts`](Self::Facts); what stays was mostly never asked about by itself, so that
    /// other passes may still try it.
    Graph,
    /// Like [`Facts`](Self::Facts), but the text may become larger, for a while.
    Pump,
}

/// Items in the order in which they should be tried.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The items; they may contradict each other (alternatives).
    pub items: Vec<Item>,
    /// How to search.
    pub plan: Plan,
    /// Which items each item cannot do without, as far as the text shows, which others it needs
    /// probably, and which it may need, too: counts where the others say too little. Each is empty,
    /// or one list for each item. A hint for the search.
    pub needs: [Vec<Vec<u32>>; 3],
    /// Where the first two are kept, the third is needed.
    pub together: Vec<[u32; 3]>,
    /// For searches that ask an informant.
    pub supplied: Supplied,
    /// The numbers that follow when items are applied.
    pub counts: Counts,
}

/// Which items say what names mean.
#[derive(Clone, Debug, Default)]
pub struct Supplied {
    /// By the name: the items that declare it, those that hold the body of its function, those that
    /// mention it first, and members of this record that are used without a name.
    pub by_name: HashMap<Arc<[u8]>, [Vec<u32>; 4]>,
    /// For each item the innermost one that it stands in.
    pub outer: Vec<Option<u32>>,
    /// Whether each item stands in a body, so that nothing outside of that can mean it.
    pub is_local: Vec<bool>,
}

impl Supplied {
    /// Gives the items their new numbers; those without one are there in any case.
    fn renumber(&mut self, new: &[Option<u32>]) {
        for items in self.by_name.values_mut().flatten() {
            *items = items.iter().filter_map(|&item| new[item as usize]).collect();
        }
        let outer = &self.outer;
        let left = (0..outer.len()).filter(|&at| new[at].is_some()).map(|at| {
            let mut around = std::iter::successors(outer[at], |&around| outer[around as usize]);
            (around.find_map(|around| new[around as usize]), self.is_local[at])
        });
        (self.outer, self.is_local) = left.collect();
    }
}

impl Proposal {
    /// Creates a proposal without known needs; `None` if there is nothing to try.
    pub fn new(items: Vec<Item>, plan: Plan) -> Option<Self> {
        (!items.is_empty()).then(|| Self::of(items, plan))
    }

    /// Creates a proposal without known needs, which may be empty.
    pub fn of(items: Vec<Item>, plan: Plan) -> Self {
        let (needs, together, supplied, counts) = Default::default();
        Self { items, plan, needs, together, supplied, counts }
    }

    /// Returns the items as they are where each is applied alone.
    pub fn each(self, tree: &Tree) -> Vec<Item> {
        let Self { items, counts, .. } = self;
        let alone = |item: Item| Some(Item { edits: counts.followed(tree, item.edits)?, ..item });
        items.into_iter().filter_map(alone).collect()
    }

    /// Keeps the items for which `stays` is true and returns the others. Linear in items and needs.
    pub fn retain(&mut self, stays: impl Fn(&Item) -> bool) -> Vec<Item> {
        let mut numbers = 0..;
        let new: Vec<Option<u32>> =
            self.items.iter().map(|item| stays(item).then(|| numbers.next()).flatten()).collect();
        for all in &mut self.needs {
            let mut stay = new.iter().map(Option::is_some);
            all.retain(|_| stay.next().unwrap_or(false));
            for needs in all {
                *needs = needs.iter().filter_map(|&need| new[need as usize]).collect();
            }
        }
        for all in std::mem::take(&mut self.together) {
            match all.map(|number| new[number as usize]) {
                [Some(one), Some(other), Some(need)] => self.together.push([one, other, need]),
                // What is no longer an item is there.
                [Some(only), None, Some(need)] | [None, Some(only), Some(need)] => {
                    self.needs[0][only as usize].push(need);
                }
                _ => {}
            }
        }
        self.supplied.renumber(&new);
        let mut goes = new.iter().map(Option::is_none);
        self.items.extract_if(.., |_| goes.next().unwrap_or(false)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_need_together_is_needed_by_the_one_that_is_left() {
        let items = (0..4).map(|weight| Item::new(Edits::none(), weight)).collect();
        let mut proposal = Proposal::of(items, Plan::CLOSURES);
        proposal.needs[0] = vec![Vec::new(); 4];
        proposal.together = vec![[0, 1, 2], [1, 2, 3]];
        let gone = proposal.retain(|item| item.weight > 0);
        assert_eq!(gone.len(), 1);
        assert_eq!(proposal.needs[0], [vec![1], vec![], vec![]]);
        assert_eq!(proposal.together, [[0, 1, 2]]);
    }
}
