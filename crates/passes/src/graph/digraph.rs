//! Graphs whose nodes are numbers, in few large arrays: those of a text have a node for every ten
//! bytes.

use minirepro_syntax::{NodeId, Tree};

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

/// Returns for each node the weight of all that is reached from the last one only by ways through
/// it, itself included; of what is not reached the weight alone. Nearly linear in practice (Cooper,
/// Harvey & Kennedy, A Simple, Fast Dominance Algorithm, 2001).
pub(crate) fn dominated(edges: &Lists<u32>, weights: &[u32]) -> Vec<u64> {
    let order = postorder(edges, edges.len() - 1);
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
    let top = order.len() - 1;
    let mut above = vec![NONE; order.len()];
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
    let mut dominated: Vec<u64> = weights.iter().map(|&weight| weight.into()).collect();
    for (at, &node) in order[..top].iter().enumerate() {
        dominated[order[above[at] as usize] as usize] += dominated[node as usize];
    }
    dominated
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
    /// Has each of these nodes held by its number, with all in it that no other one holds.
    pub(crate) fn of(tree: &Tree, mut held: Vec<(NodeId, usize)>) -> Self {
        let mut all = vec![NONE; tree.len()];
        // What stands in another one comes after it.
        held.sort_unstable();
        for (id, holder) in held {
            all[id.0 as usize..tree.subtree_end(id).0 as usize].fill(number(holder));
        }
        Self(all)
    }

    pub(crate) fn get(&self, id: NodeId) -> Option<usize> {
        Some(self.0[id.0 as usize]).filter(|&holder| holder != NONE).map(|holder| holder as usize)
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
        let edges: [&[u32]; 7] = [&[3], &[3, 4], &[5], &[5], &[3], &[0, 1, 2], &[5]];
        let edges = Lists::of(edges.map(Vec::from).into());
        assert_eq!(dominated(&edges, &[1, 2, 4, 8, 16, 32, 64]), [1, 18, 4, 8, 16, 63, 127]);
        assert_eq!(dominated(&Lists::of(vec![Vec::new()]), &[3]), [3]);
    }
}
