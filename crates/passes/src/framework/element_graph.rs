//! A whole text as a graph of its declarations and of all parts in them that can go: which of them is there only
//! for the sake of another one.
//!
//! A node dominates another one if every way from the text's roots to that one leads through it. With it goes all that
//! it dominates (dominators: Lengauer & Tarjan, TOPLAS 1979; here by the algorithm of Cooper, Harvey & Kennedy, 2001).

use std::collections::HashMap;

use minirepro_syntax::{Edits, NodeId, Role};
use petgraph::algo::dominators;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::PassContext;
use crate::framework::declaration_graph::Uses;
use crate::framework::declaration_parts::{
    Part, inner_declaration, owners, parts, plain_name, values_before,
};
use crate::framework::declarations::declares;

/// The graph. Its nodes are the declarations and bodies that can go, then names, then the parts of them.
pub(crate) struct ElementGraph<'a> {
    context: &'a PassContext<'a>,
    parts: Vec<Part>,
    /// Names have a number, too, behind the parts.
    names: usize,
    /// The nodes that can go in a part, outermost first; their numbers come behind those of the names.
    elements: Vec<NodeId>,
    /// The innermost part or element that holds a node.
    holders: Vec<Option<usize>>,
    /// The innermost part that holds a node.
    owners: Vec<Option<usize>>,
    /// What each number makes necessary. The last one is the text's root.
    needs: Vec<Vec<usize>>,
    /// For each number: where the first is there as well, the second is necessary.
    together: Vec<Vec<[usize; 2]>>,
    /// The tokens that each number has itself.
    weights: Vec<u32>,
}

/// What goes together.
pub(crate) struct Loss {
    /// The node with which the rest goes.
    pub(crate) of: NodeId,
    pub(crate) edits: Edits,
    pub(crate) weight: u32,
}

impl<'a> ElementGraph<'a> {
    /// Returns the graph of a text. Linear in the tree, times a small constant for overloads.
    pub(crate) fn of(context: &'a PassContext<'a>) -> Self {
        let tree = context.tree;
        let parts = parts(context);
        let owners = owners(context, &parts);
        let (names, of_rest, mut needs, elements, holders, mut together);
        {
            let uses = Uses::of(context, &parts, &owners);
            names = uses.names();
            elements = find_elements(context, &parts, &owners);
            let first = parts.len() + names;
            holders = hold(context, &parts, &elements, first);
            let root = first + elements.len();
            let found = uses.needs(&holders, root + 1);
            of_rest = found.of_rest;
            needs = found.of_holders;
            for (needs, calls) in needs.iter_mut().zip(found.calls) {
                needs.extend(calls);
            }
            together = vec![Vec::new(); needs.len()];
            for [name, of, function] in found.together {
                together[name].push([of, function]);
                together[of].push([name, function]);
            }
            for (number, part) in parts.iter().enumerate() {
                if let Some(name) = member_defined(context, part.node).filter(|_| !part.is_body)
                    && let Some(name) = uses.number_of(tree.text_of(name))
                {
                    needs[name].push(number);
                }
            }
        }
        let root = needs.len() - 1;
        needs[root] = of_rest;
        let first = parts.len() + names;
        let holder = |id: NodeId| tree.parent(id).and_then(|around| holders[around.0 as usize]);
        for (number, &element) in (first..).zip(&elements) {
            needs[holder(element).unwrap_or(root)].push(number);
        }
        for (number, part) in parts.iter().enumerate() {
            needs[number].extend(part.header);
        }
        // What a part stands in makes it necessary if nothing else does.
        let mut is_needed = vec![false; needs.len()];
        for (number, needs) in needs.iter().enumerate() {
            for &need in needs.iter().filter(|&&need| need != number) {
                is_needed[need] = true;
            }
        }
        for &[_, function] in together.iter().flatten() {
            is_needed[function] = true;
        }
        for (number, part) in parts.iter().enumerate() {
            if part.outer.is_some() && !is_needed[number] {
                needs[holder(part.node).unwrap_or(root)].push(number);
            } else if !is_needed[number] {
                needs[root].push(number);
            }
        }
        let mut weights = vec![0; needs.len()];
        for id in context.ids().filter(|&id| tree.is_leaf(id)) {
            weights[holders[id.0 as usize].unwrap_or(root)] += tree.tokens(id);
        }
        let mut graph =
            Self { context, parts, names, elements, holders, owners, needs, together, weights };
        graph.root_the_rest();
        graph
    }

    /// Makes everything necessary that nothing makes necessary but what it needs itself.
    fn root_the_rest(&mut self) {
        let root = self.root();
        let mut reached = self.reached_without(&[]);
        for part in (0..self.parts.len()).rev() {
            if !reached[part] {
                self.needs[root].push(part);
                self.reach(part, &mut reached);
            }
        }
    }

    fn root(&self) -> usize {
        self.needs.len() - 1
    }

    /// Returns the number of the first element.
    fn first(&self) -> usize {
        self.parts.len() + self.names
    }

    /// Marks everything that is reached from a number.
    fn reach(&self, from: usize, reached: &mut [bool]) {
        let mut open = vec![from];
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut reached[next], true) {
                open.extend(self.needs[next].iter().copied().filter(|&need| !reached[need]));
                let together = self.together[next].iter().filter(|[other, _]| reached[*other]);
                open.extend(together.map(|&[_, need]| need).filter(|&need| !reached[need]));
            }
        }
    }

    /// Returns what is reached from the root without these.
    fn reached_without(&self, without: &[usize]) -> Vec<bool> {
        let mut reached = vec![false; self.needs.len()];
        for &gone in without {
            reached[gone] = true;
        }
        self.reach(self.root(), &mut reached);
        for &gone in without {
            reached[gone] = false;
        }
        reached
    }

    /// Returns the weight of what each number dominates, itself included. Nearly linear in the graph.
    fn dominated(&self) -> Vec<u64> {
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in &self.needs {
            graph.add_node(());
        }
        let reached = self.reached_without(&[]);
        for (from, needs) in self.needs.iter().enumerate().filter(|&(from, _)| reached[from]) {
            // What is necessary for the sake of a record and a name counts as there for the record.
            let is_record = from < self.parts.len();
            let together = self.together[from].iter().filter(|_| is_record);
            let together = together.map(|&[_, need]| need).filter(|&need| reached[need]);
            let mut needs: Vec<usize> = needs.iter().copied().chain(together).collect();
            needs.sort_unstable();
            needs.dedup();
            for to in needs {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
            }
        }
        let tree = dominators::simple_fast(&graph, NodeIndex::new(self.root()));
        let above =
            |number: usize| tree.immediate_dominator(NodeIndex::new(number)).map(NodeIndex::index);
        let mut below = vec![Vec::new(); self.needs.len()];
        for number in 0..self.root() {
            if let Some(above) = above(number) {
                below[above].push(number);
            }
        }
        let mut order = vec![self.root()];
        let mut at = 0;
        while let Some(&next) = order.get(at) {
            order.extend(&below[next]);
            at += 1;
        }
        let mut weights: Vec<u64> = self.weights.iter().map(|&weight| weight.into()).collect();
        for &number in order.iter().rev() {
            if let Some(above) = above(number) {
                weights[above] += weights[number];
            }
        }
        weights
    }

    /// Returns what goes with each declaration that nothing else needs.
    pub(crate) fn roots(&self) -> Vec<Loss> {
        let before = self.reached_without(&[]);
        let mut roots: Vec<usize> = self.needs[self.root()].clone();
        roots.sort_unstable();
        roots.dedup();
        let roots = roots.into_iter().rev().filter(|&part| part < self.parts.len());
        roots.filter_map(|part| self.loss(part, &before)).collect()
    }

    /// Returns what goes with each element and body, the most first: as far as at least `least` tokens go, and at most
    /// `most` of them.
    pub(crate) fn losses(&self, least: u32, most: usize) -> Vec<Loss> {
        let dominated = self.dominated();
        let bodies = (0..self.parts.len()).filter(|&part| self.parts[part].is_body);
        let all = bodies.chain(self.first()..self.root());
        let mut all: Vec<usize> = all.filter(|&n| dominated[n] >= least.into()).collect();
        all.sort_by_key(|&number| (std::cmp::Reverse(dominated[number]), number));
        let before = self.reached_without(&[]);
        let losses = all.into_iter().take(most).filter_map(|number| self.loss(number, &before));
        let mut losses: Vec<Loss> = losses.collect();
        losses.sort_by_key(|loss| (std::cmp::Reverse(loss.weight), loss.of));
        losses
    }

    /// Returns what goes with a number; `None` if something must go that cannot go.
    fn loss(&self, number: usize, before: &[bool]) -> Option<Loss> {
        let tree = self.context.tree;
        let mut gone = vec![number];
        let mut at = 0;
        while let Some(&next) = gone.get(at) {
            for user in self.users(next)? {
                if !gone.contains(&user) {
                    gone.push(user);
                }
            }
            at += 1;
        }
        let after = self.reached_without(&gone);
        let weight = (0..self.root()).filter(|&n| before[n] && !after[n]);
        let weight = weight.map(|n| self.weights[n]).sum();
        let mut edits = Edits::none();
        let mut end = NodeId::ROOT;
        let lost_parts = (0..self.parts.len()).filter(|&n| before[n] && !after[n]);
        let mut lost: Vec<(NodeId, Edits)> = lost_parts
            .filter(|part| !gone.contains(part))
            .map(|n| (self.parts[n].node, self.parts[n].edits.clone()))
            .chain(gone.iter().map(|&n| (self.node(n), self.edits(n))))
            .collect();
        lost.sort_by_key(|(node, _)| *node);
        for (node, own) in lost {
            // What stands in something that goes is gone.
            if node >= end {
                let is_drop = own.iter().all(|(_, change)| change.is_drop());
                let stays = !is_drop || own.get(node).is_none();
                end = if stays { end } else { tree.subtree_end(node) };
                if !edits.merge(&own) {
                    return None;
                }
            }
        }
        Some(Loss { of: self.node(number), edits, weight })
    }

    /// Returns the elements that mention a name which this one declares, in the same part; `None` if one of the mentions
    /// cannot go.
    fn users(&self, number: usize) -> Option<Vec<usize>> {
        let context = self.context;
        let tree = context.tree;
        let mut users = Vec::new();
        let Some(element) = number.checked_sub(self.first()).map(|n| self.elements[n]) else {
            return Some(users);
        };
        let owner = self.owners[element.0 as usize];
        let end = tree.subtree_end(element);
        for name in tree.subtree(element).filter(|&id| context.is_name(id)) {
            if !declares(context, element, name) {
                continue;
            }
            let mentions = context.mentions(name).iter();
            let own = mentions.filter(|id| self.owners[id.0 as usize] == owner);
            for mention in own.filter(|&&id| id >= end) {
                let holder = self.holders[mention.0 as usize]?;
                if holder < self.first() {
                    return None;
                }
                users.push(holder);
            }
        }
        Some(users)
    }

    fn node(&self, number: usize) -> NodeId {
        match number.checked_sub(self.first()) {
            Some(element) => self.elements[element],
            None => self.parts[number].node,
        }
    }

    fn edits(&self, number: usize) -> Edits {
        match number.checked_sub(self.first()) {
            Some(element) => Edits::drop(self.elements[element]),
            None => self.parts[number].edits.clone(),
        }
    }
}

/// Returns the nodes in parts that can go and are no parts themselves, in document order.
fn find_elements(
    context: &PassContext<'_>,
    parts: &[Part],
    owners: &[Option<usize>],
) -> Vec<NodeId> {
    let tree = context.tree;
    let nodes: HashMap<NodeId, usize> =
        parts.iter().enumerate().map(|(number, part)| (part.node, number)).collect();
    let is_element = |&id: &NodeId| {
        tree.is_named(id)
            && owners[id.0 as usize].is_some()
            && !nodes.contains_key(&id)
            && context.is_droppable(id)
    };
    context.ids().filter(is_element).collect()
}

/// Returns for each node the innermost part or element that holds it; elements are numbered from `first` on.
fn hold(
    context: &PassContext<'_>,
    parts: &[Part],
    elements: &[NodeId],
    first: usize,
) -> Vec<Option<usize>> {
    let tree = context.tree;
    let mut all: Vec<(NodeId, usize)> = (first..).zip(elements).map(|(n, &id)| (id, n)).collect();
    for (number, part) in parts.iter().enumerate() {
        all.push((part.node, number));
        if part.is_body {
            all.extend(values_before(context, part.node).map(|value| (value, number)));
        }
    }
    // An element in a body counts as such, although both may begin with the same node.
    all.sort_unstable_by_key(|&(id, number)| (id, number));
    let mut holders = vec![None; tree.len()];
    for (id, number) in all {
        holders[id.0 as usize..tree.subtree_end(id).0 as usize].fill(Some(number));
    }
    holders
}

/// Returns the name of the function of a record that is defined outside of it.
fn member_defined(context: &PassContext<'_>, declaration: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let name = plain_name(context, inner_declaration(context, declaration)?)?;
    let is_qualified = context.is(Role::Qualified, name);
    let last = tree.subtree(name).filter(|&id| context.is_name(id)).last()?;
    (is_qualified && tree.subtree_end(last) == tree.subtree_end(name)).then_some(last)
}
