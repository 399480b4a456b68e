//! Numbers in a text that say how many parts of a list there are, and follow when some go.

use minirepro_syntax::{Change, Edits, NodeId, Tree};

/// Lists, and the numbers that depend on how many of their parts are left.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// The parts of each list.
    pub(crate) lists: Vec<Vec<NodeId>>,
    pub(crate) numbers: Vec<CountingNumber>,
}

/// A number that counts the first parts of a list, all of them or those before one.
#[derive(Clone, Debug)]
pub(crate) struct CountingNumber {
    /// The word that is the number.
    pub(crate) place: NodeId,
    /// The list, by its place among all.
    pub(crate) list: usize,
    /// How many parts count.
    pub(crate) parts: usize,
    /// What it is for none of them.
    pub(crate) base: u64,
}

impl Counts {
    /// Returns edits that drop parts of the lists, with those that let the numbers follow; `None`
    /// if they contradict each other. Linear in lists and numbers.
    pub fn followed(&self, tree: &Tree, edits: Edits) -> Option<Edits> {
        let left = |list: &Vec<NodeId>| {
            let mut left = vec![0];
            for &part in list {
                let stays = !edits.get(part).is_some_and(Change::is_drop);
                left.push(left[left.len() - 1] + u64::from(stays));
            }
            left
        };
        let left: Vec<Vec<u64>> = self.lists.iter().map(left).collect();
        let changes = self.numbers.iter().filter_map(|number| {
            let now = left[number.list][number.parts];
            let text = number.text(tree, number.base + now);
            let change = Change::replace_with(text, Some(tree.kind(number.place)));
            (now != number.parts as u64).then(|| Edits::one(number.place, change))
        });
        let changes: Vec<Edits> = changes.collect();
        if changes.is_empty() { Some(edits) } else { Edits::merged(changes.iter().chain([&edits])) }
    }
}

impl CountingNumber {
    /// Returns the number's word with another value, as wide as it is, since it may stand in a
    /// column, and the blank space after it.
    fn text(&self, tree: &Tree, value: u64) -> Vec<u8> {
        let old = tree.text_of(self.place);
        let digits = old.trim_ascii_end();
        [format!("{value:>0$}", digits.len()).as_bytes(), &old[digits.len()..]].concat()
    }
}
