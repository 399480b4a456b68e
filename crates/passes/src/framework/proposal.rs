//! What a pass hands to the engine: items, and how to search among them.

use std::collections::HashMap;
use std::sync::Arc;

use minirepro_rules::RuleName;
use minirepro_search::First;
use minirepro_syntax::{Change, Edits, NodeId};

/// One thing to try: edits that only make sense together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// The edits.
    pub edits: Edits,
    /// Tokens that they take away, as an estimate: weights of searches, order of lists.
    pub weight: u32,
    /// The rule of a manifest or of the user's that it follows, if it follows one.
    pub rule: Option<Arc<RuleName>>,
    /// The node by which it is known again once it was refused; without one, all nodes that it
    /// changes.
    pub known_by: Option<NodeId>,
}

impl Item {
    /// Creates an item.
    pub fn new(edits: Edits, weight: u32) -> Self {
        Self { edits, weight, rule: None, known_by: None }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Which items it asks about.
    pub order: Order,
    /// When it gives up.
    pub patience: Patience,
    /// Whether its questions are about many items at a time, so that it has to win much of a large
    /// text.
    pub is_broad: bool,
}

/// The consecutive refusals after which a search gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// It never does.
    Endless,
    /// As many at first, and as many after a success.
    Refusals(u32, u32),
    /// As many at first as halving takes to meet the first needed item, and as many after a
    /// success.
    Halvings(u32),
}

impl Patience {
    /// Returns the refusals at first and after a success, for a list of as many items.
    pub fn of(self, items: usize) -> Option<[u32; 2]> {
        match self {
            Self::Endless => None,
            Self::Refusals(at_first, later) => Some([at_first, later]),
            Self::Halvings(later) => Some([items.max(1).ilog2() + 1, later]),
        }
    }
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
    pub const ALL: Self = Self::groups(First::All, Patience::Endless, true);

    /// The same with halves until something needed is met: nothing tells the items apart.
    pub const HALVES: Self = Self::groups(First::Halves, Patience::Endless, true);

    /// Group testing from single items on, growing with success, given up after some refusals in a
    /// row.
    pub const GALLOP: Self = Self::groups(First::One, Patience::Refusals(REFUSALS, REFUSALS), true);

    /// All at once, and given up after a few refusals in a row: they are of one sort, so that all
    /// can go or hardly one.
    pub const SORT: Self =
        Self::groups(First::All, Patience::Refusals(REFUSALS_OF_A_SORT, REFUSALS_OF_A_SORT), false);

    /// Halves until something needed is met, but given up after some refusals in a row: hardly
    /// anything will go, and it would take many questions to find that out for each item.
    pub const PROBE: Self = Self::groups(First::Halves, Patience::Halvings(REFUSALS), false);

    /// Binary reduction: what the failure needs together with all that this needs in turn, as far
    /// as the proposal knows.
    pub const CLOSURES: Self = Self { order: Order::Closures, ..Self::EACH };

    /// The same, but given up after some refusals in a row: before, what the proposal knows was too
    /// little.
    pub const PROBE_CLOSURES: Self =
        Self { patience: Patience::Refusals(REFUSALS_OF_A_GRAPH, REFUSALS), ..Self::CLOSURES };

    /// Hardly anything is kept at first; then what an informant misses.
    pub const DEMANDED: Self = Self { order: Order::Demanded, ..Self::EACH };

    /// One after the other, in order; each may work or not (alternatives of one place).
    pub const EACH: Self =
        Self { order: Order::Each, patience: Patience::Endless, is_broad: false };

    const fn groups(first: First, patience: Patience, is_broad: bool) -> Self {
        Self { order: Order::Groups(first), patience, is_broad }
    }
}

/// Consecutive refusals after which a list of mostly hopeless items is left to later rounds and to
/// the sweep.
const REFUSALS: u32 = 10;

/// The same for a dependency graph that has turned out to be incomplete.
const REFUSALS_OF_A_GRAPH: u32 = 4;

/// The same for parts of one sort.
const REFUSALS_OF_A_SORT: u32 = 2;

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
    /// Which items each item cannot do without, as far as the text shows: empty, or one list for
    /// each item. A hint for the search.
    pub needs: Vec<Vec<u32>>,
    /// Which others it needs probably: empty, or one list for each item.
    pub probable: Vec<Vec<u32>>,
    /// Which others it may need, too: counts where the others say too little.
    pub possible: Vec<Vec<u32>>,
    /// Where the first two are kept, the third is needed.
    pub together: Vec<[u32; 3]>,
    /// For searches that ask an informant.
    pub supplied: Supplied,
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
        let [needs, probable, possible] = [const { Vec::new() }; 3];
        let (together, supplied) = (Vec::new(), Supplied::default());
        Self { items, plan, needs, probable, possible, together, supplied }
    }

    /// Searches in another way.
    #[must_use]
    pub fn searched(self, plan: Plan) -> Self {
        Self { plan, ..self }
    }

    /// Keeps the items for which `stays` is true and returns the others. Linear in items and needs.
    pub fn retain(&mut self, stays: impl Fn(&Item) -> bool) -> Vec<Item> {
        let mut numbers = 0..;
        let new: Vec<Option<u32>> =
            self.items.iter().map(|item| stays(item).then(|| numbers.next()).flatten()).collect();
        for all in [&mut self.needs, &mut self.probable, &mut self.possible] {
            let mut stay = new.iter().map(Option::is_some);
            all.retain(|_| stay.next().unwrap_or(false));
            for needs in all {
                *needs = needs.iter().filter_map(|&need| new[need as usize]).collect();
            }
        }
        for all in std::mem::take(&mut self.together) {
            let [one, other, need] = all.map(|number| new[number as usize]);
            match (one, other, need) {
                (Some(one), Some(other), Some(need)) => self.together.push([one, other, need]),
                // What is no longer an item is there.
                (Some(only), None, Some(need)) | (None, Some(only), Some(need)) => {
                    self.needs[only as usize].push(need);
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
        proposal.needs = vec![Vec::new(); 4];
        proposal.together = vec![[0, 1, 2], [1, 2, 3]];
        let gone = proposal.retain(|item| item.weight > 0);
        assert_eq!(gone.len(), 1);
        assert_eq!(proposal.needs, [vec![1], vec![], vec![]]);
        assert_eq!(proposal.together, [[0, 1, 2]]);
    }
}
