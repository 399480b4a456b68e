//! Circles and levels of a graph whose nodes are numbers, and the order with few arrows against it.

use std::collections::{BTreeMap, BTreeSet};

/// How many arrows lead from one node to another one.
pub(crate) type Arrows = BTreeMap<(usize, usize), usize>;

/// Returns for every node the nodes that can be reached from it by one arrow or more.
fn reachable(nodes: usize, arrows: &Arrows) -> Vec<BTreeSet<usize>> {
    let mut next = vec![Vec::new(); nodes];
    for &(from, to) in arrows.keys() {
        next[from].push(to);
    }
    let search = |start: usize| {
        let mut found = BTreeSet::new();
        let mut open = next[start].clone();
        while let Some(node) = open.pop() {
            if found.insert(node) {
                open.extend(&next[node]);
            }
        }
        found
    };
    (0..nodes).map(search).collect()
}

/// Returns the largest sets of nodes that can all be reached from each other, of two nodes or more.
pub(crate) fn circles(nodes: usize, arrows: &Arrows) -> Vec<Vec<usize>> {
    let reachable = reachable(nodes, arrows);
    let mut is_done = vec![false; nodes];
    let mut circles = Vec::new();
    for node in 0..nodes {
        if is_done[node] || !reachable[node].contains(&node) {
            continue;
        }
        let circle: Vec<usize> =
            reachable[node].iter().copied().filter(|&n| reachable[n].contains(&node)).collect();
        for &member in &circle {
            is_done[member] = true;
        }
        circles.push(circle);
    }
    circles
}

/// Returns the number of nodes on the longest way down, where a circle counts as one node.
pub(crate) fn levels(nodes: usize, arrows: &Arrows) -> usize {
    let mut group: Vec<usize> = (0..nodes).collect();
    for circle in circles(nodes, arrows) {
        for &member in &circle {
            group[member] = circle[0];
        }
    }
    let mut level = vec![1; nodes];
    // The longest way has fewer arrows than nodes.
    for _ in 0..nodes {
        for &(from, to) in arrows.keys() {
            let (from, to) = (group[from], group[to]);
            if from != to {
                level[from] = level[from].max(level[to] + 1);
            }
        }
    }
    level.into_iter().max().unwrap_or(0)
}

/// Returns how many arrows point upward in an order of the nodes that has few of them: the greedy
/// one of Eades, Lin and Smyth (1993), which takes sources and sinks first.
pub(crate) fn upward(nodes: usize, arrows: &Arrows) -> usize {
    let mut left: BTreeSet<usize> = (0..nodes).collect();
    let mut upper = Vec::new();
    let mut lower = Vec::new();
    while !left.is_empty() {
        let weight = |node: usize, is_out: bool| -> usize {
            let ends = arrows
                .iter()
                .filter(|((from, to), _)| left.contains(from) && left.contains(to) && from != to);
            let own = ends.filter(|((from, to), _)| node == if is_out { *from } else { *to });
            own.map(|(_, count)| count).sum()
        };
        if let Some(sink) = left.iter().copied().find(|&node| weight(node, true) == 0) {
            left.remove(&sink);
            lower.push(sink);
            continue;
        }
        let most_out = left
            .iter()
            .copied()
            .max_by_key(|&node| weight(node, true) as i64 - weight(node, false) as i64);
        let node = most_out.expect("the set is not empty");
        left.remove(&node);
        upper.push(node);
    }
    upper.extend(lower.into_iter().rev());
    let mut rank = vec![0; nodes];
    for (at, &node) in upper.iter().enumerate() {
        rank[node] = at;
    }
    arrows.iter().filter(|((from, to), _)| rank[*from] > rank[*to]).map(|(_, count)| count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(pairs: &[(usize, usize)]) -> Arrows {
        pairs.iter().map(|&pair| (pair, 1)).collect()
    }

    #[test]
    fn a_chain_has_no_circle_and_as_many_levels_as_nodes() {
        let chain = arrows(&[(0, 1), (1, 2)]);
        assert!(circles(3, &chain).is_empty());
        assert_eq!(levels(3, &chain), 3);
        assert_eq!(upward(3, &chain), 0);
    }

    #[test]
    fn a_circle_on_a_longer_way_is_found_and_is_one_level() {
        let graph = arrows(&[(0, 1), (1, 2), (2, 1), (2, 3), (3, 1)]);
        assert_eq!(circles(4, &graph), [vec![1, 2, 3]]);
        assert_eq!(levels(4, &graph), 2);
        assert_eq!(upward(4, &graph), 1);
    }
}
