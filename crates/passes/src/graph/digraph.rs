//! Graphs whose nodes are numbers, in few large arrays: those of a text have a node for every ten
//! bytes.

use std::ops::Range;

use minirepro_syntax::NodeId;

/// For each number a list.
#[derive(Debug)]
pub(crate) struct Lists<T> {
    /// Where each list begins among all items, and where the last one ends.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    pub(crate) fn of(lists: Vec<Vec<T>>) -> Self {
        let mut starts = vec![0];
        let mut items = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        for list in lists {
            items.extend(list);
            starts.push(number(items.len()));
        }
        Self { starts, items }
    }

    /// Returns how many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn get(&self, at: usize) -> &[T] {
        &self.items[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Adds an item to the last list.
    pub(crate) fn push(&mut self, item: T) {
        self.items.push(item);
        if let Some(end) = self.starts.last_mut() {
            *end += 1;
        }
    }
}

/// Returns for each node the one that stands on all ways from the root to it and is nearest to it;
/// `None` for the root and for what is not reached from it. Nearly linear in practice (Cooper,
/// Harvey & Kennedy, A Simple, Fast Dominance Algorithm, 2001).
pub(crate) fn immediate_dominators(edges: &Lists<u32>, root: usize) -> Vec<Option<u32>> {
    let order = postorder(edges, root);
    let mut place = vec![NONE; edges.len()];
    for (at, &node) in order.iter().enumerate() {
        place[node as usize] = number(at);
    }
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
    for (at, &node) in order.iter().enumerate() {
        for &next in edges.get(node as usize) {
            before[place[next as usize] as usize].push(number(at));
        }
    }
    let before = Lists::of(before);
    // By places: a dominator has a higher one than what it dominates, the root the highest.
    let mut above = vec![NONE; order.len()];
    let Some(top) = order.len().checked_sub(1) else { return vec![None; edges.len()] };
    above[top] = number(top);
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for at in (0..top).rev() {
            let known = before.get(at).iter().copied().filter(|&from| above[from as usize] != NONE);
            let meeting = known.reduce(|mut one, mut other| {
                while one != other {
                    let lower = if one < other { &mut one } else { &mut other };
                    *lower = above[*lower as usize];
                }
                one
            });
            let meeting = meeting.unwrap_or(NONE);
            changes |= std::mem::replace(&mut above[at], meeting) != meeting;
        }
    }
    let dominator = |&place: &u32| {
        let above = (place != NONE && place != number(top)).then(|| above[place as usize]);
        above.map(|above| order[above as usize])
    };
    place.iter().map(dominator).collect()
}

/// Returns the nodes that are reached from the root, each after those that are first reached
/// through it.
fn postorder(edges: &Lists<u32>, root: usize) -> Vec<u32> {
    let mut seen = vec![false; edges.len()];
    let mut order = Vec::new();
    seen[root] = true;
    let mut open = vec![(number(root), 0)];
    while let Some((node, next)) = open.last_mut() {
        let Some(&to) = edges.get(*node as usize).get(*next) else {
            order.push(*node);
            open.pop();
            continue;
        };
        *next += 1;
        if !std::mem::replace(&mut seen[to as usize], true) {
            open.push((to, 0));
        }
    }
    order
}

/// For each node of a tree the number of what holds it, if anything does.
#[derive(Clone, Debug)]
pub(crate) struct Holders(Vec<u32>);

impl Holders {
    pub(crate) fn none(nodes: usize) -> Self {
        Self(vec![NONE; nodes])
    }

    pub(crate) fn get(&self, id: NodeId) -> Option<usize> {
        Some(self.0[id.0 as usize]).filter(|&holder| holder != NONE).map(|holder| holder as usize)
    }

    /// Has these nodes held by this number, whatever held them.
    pub(crate) fn set(&mut self, nodes: Range<NodeId>, holder: usize) {
        self.0[nodes.start.0 as usize..nodes.end.0 as usize].fill(number(holder));
    }
}

/// Stands for no number.
const NONE: u32 = u32::MAX;

/// Returns a number of which there are fewer than nodes of a tree, or mentions of names.
pub(crate) fn number(number: usize) -> u32 {
    u32::try_from(number).expect("trees have fewer nodes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominators_stand_on_all_ways() {
        let edges: [&[u32]; 7] = [&[1, 2], &[3], &[3, 4], &[5], &[5], &[3], &[0]];
        let edges = Lists::of(edges.map(Vec::from).into());
        let expected = [None, Some(0), Some(0), Some(0), Some(2), Some(0), None];
        assert_eq!(immediate_dominators(&edges, 0), expected);
        // A way back, and one node alone.
        let edges = Lists::of(vec![vec![1], vec![2], vec![1, 3], vec![2]]);
        assert_eq!(immediate_dominators(&edges, 0), [None, Some(0), Some(1), Some(2)]);
        assert_eq!(immediate_dominators(&Lists::of(vec![Vec::new()]), 0), [None]);
    }
}
