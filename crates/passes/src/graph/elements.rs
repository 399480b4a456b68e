//! A whole text as a graph of its declarations and of all parts in them that can go: which of them
//! is there only for the sake of another one.
//!
//! A node dominates another one if every way from the text's roots to that one leads through it.
//! With it goes all that it dominates (dominators: Lengauer & Tarjan, TOPLAS 1979).

use std::ops::Deref;

use minirepro_syntax::{Change, Edits, NodeId, Role, Tree};

use crate::framework::declarations::declares;
use crate::framework::limits::{GRAPH_TEXT, REPLACED_TOKENS};
use crate::graph::digraph::{Holders, Lists, immediate_dominators, number};
use crate::graph::parts::{Part, Parts, inner_declaration, plain_name, values_before};
use crate::graph::uses::Uses;
use crate::{Item, PassContext};

/// The graph. Its nodes have numbers: first the declarations and bodies that can go, then names,
/// then the elements (what can go, or be put away for something smaller, inside of a declaration or
/// body), and last the root.
#[derive(Debug)]
pub(crate) struct Graph {
    /// How many parts come first.
    parts: usize,
    /// How many names have a number.
    names: usize,
    /// Outermost first.
    elements: Vec<NodeId>,
    /// The innermost part or element that holds each node of the tree.
    holders: Holders,
    /// What each number makes necessary.
    needs: Lists<u32>,
    /// For each number: where the first is there as well, the second is necessary.
    together: Lists<[u32; 2]>,
    /// The tokens that each number has itself.
    weights: Vec<u32>,
    /// Whether each number is necessary in the whole text.
    reached: Vec<bool>,
    /// The tokens that each number dominates, its own included.
    dominated: Vec<u64>,
    /// The same with a share of what only several together dominate.
    values: Vec<u64>,
    /// The number that dominates each immediately, if it is reached.
    above: Vec<Option<u32>>,
}

impl Graph {
    /// Returns the graph of a text. Linear in the tree, times a small constant for overloads.
    pub(crate) fn of(cx: &PassContext<'_>) -> Self {
        let Parts { all: parts, owners } = cx.parts();
        let elements = elements(cx, parts, owners);
        let uses = Uses::of(cx, parts, owners);
        let names = uses.names();
        let first = parts.len() + names;
        let holders = hold(cx, parts, (first..).zip(elements.iter().copied()));
        let count = first + elements.len() + 1;
        let found = uses.needs(&holders, count);
        let (mut needs, mut joint) = (found.of_holders, found.together);
        for (at, (needs, calls)) in needs.iter_mut().zip(found.calls).enumerate() {
            uses.call(at, &calls, needs, &mut joint);
        }
        needs[count - 1] = found.of_rest;
        for (at, part) in parts.iter().enumerate() {
            needs[at].extend(part.header.map(number));
            let name = member_defined(cx, part.node).filter(|_| !part.is_body);
            let name = name.and_then(|name| uses.number_of(cx.text_of(name)));
            if let Some(name) = name {
                needs[name as usize].push(number(at));
            }
        }
        let mut together = vec![Vec::new(); count];
        for [name, of, function] in joint {
            together[name as usize].push([of, function]);
            together[of as usize].push([name, function]);
        }
        let mut graph = Self {
            parts: parts.len(),
            names,
            elements,
            holders,
            needs: Lists::of(Vec::new()),
            together: Lists::of(together),
            weights: Vec::new(),
            reached: Vec::new(),
            dominated: Vec::new(),
            values: Vec::new(),
            above: Vec::new(),
        };
        graph.add_places(cx.tree, parts, needs);
        graph.weigh(cx);
        graph.root_the_rest();
        graph.find_dominated();
        graph
    }

    /// Adds to what is necessary because it is mentioned what is necessary because of where it
    /// stands: elements, and the parts that nothing else makes necessary.
    fn add_places(&mut self, tree: &Tree, parts: &[Part], mut needs: Vec<Vec<u32>>) {
        let (root, first) = (needs.len() - 1, self.first());
        let around = |id: NodeId| {
            let holder = tree.parent(id).and_then(|around| self.holders.get(around));
            holder.unwrap_or(root)
        };
        let mut places: Vec<(usize, usize)> =
            (first..).zip(&self.elements).map(|(number, &id)| (around(id), number)).collect();
        let mut is_needed = vec![false; needs.len()];
        for (number, needs) in needs.iter().enumerate() {
            for &need in needs.iter().filter(|&&need| need as usize != number) {
                is_needed[need as usize] = true;
            }
        }
        for &[_, function] in (0..=root).flat_map(|number| self.together.get(number)) {
            is_needed[function as usize] = true;
        }
        for (number, part) in parts.iter().enumerate().filter(|&(n, _)| !is_needed[n]) {
            places.push((if part.outer.is_some() { around(part.node) } else { root }, number));
        }
        for (place, at) in places {
            needs[place].push(number(at));
        }
        self.needs = Lists::of(needs);
    }

    fn weigh(&mut self, cx: &PassContext<'_>) {
        let mut weights = vec![0; self.needs.len()];
        for id in cx.ids().filter(|&id| cx.is_leaf(id)) {
            weights[self.holders.get(id).unwrap_or(self.root())] += cx.tokens(id);
        }
        self.weights = weights;
    }

    /// Makes everything necessary that nothing makes necessary but what it needs itself.
    fn root_the_rest(&mut self) {
        let mut reached = self.reached_without(&[]);
        for part in (0..self.parts).rev() {
            if !reached[part] {
                // The root is the last number.
                self.needs.push(number(part));
                self.reach(part, &mut reached);
            }
        }
        self.reached = reached;
    }

    fn root(&self) -> usize {
        self.needs.len() - 1
    }

    /// Returns the number of the first element.
    fn first(&self) -> usize {
        self.parts + self.names
    }

    /// Marks everything that is reached from a number.
    fn reach(&self, from: usize, reached: &mut [bool]) {
        let mut open = vec![number(from)];
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut reached[next as usize], true) {
                let is_new = |need: &u32| !reached[*need as usize];
                open.extend(self.needs.get(next as usize).iter().copied().filter(is_new));
                let together = self.together.get(next as usize).iter();
                let together = together.filter(|[other, _]| reached[*other as usize]);
                open.extend(together.map(|&[_, need]| need).filter(is_new));
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

    /// Finds the weight of what each number dominates, itself included, and its value. Nearly
    /// linear in the graph.
    fn find_dominated(&mut self) {
        let reached = |number: u32| self.reached[number as usize];
        let edges = (0..self.needs.len()).map(|from| {
            if !self.reached[from] {
                return Vec::new();
            }
            // What is necessary for the sake of a record and a name counts as there for the record.
            let is_record = from < self.parts;
            let together = self.together.get(from).iter().filter(|_| is_record);
            let together = together.map(|&[_, need]| need).filter(|&need| reached(need));
            let mut needs: Vec<u32> =
                self.needs.get(from).iter().copied().chain(together).collect();
            needs.sort_unstable();
            needs.dedup();
            needs
        });
        let above = immediate_dominators(&Lists::of(edges.collect()), self.root());
        let mut below = vec![Vec::new(); self.needs.len()];
        for (number, above) in (0..).zip(&above) {
            if let Some(above) = above {
                below[*above as usize].push(number);
            }
        }
        let below = Lists::of(below);
        let mut order = vec![number(self.root())];
        let mut at = 0;
        while let Some(&next) = order.get(at) {
            order.extend(below.get(next as usize));
            at += 1;
        }
        let mut weights: Vec<u64> = self.weights.iter().map(|&weight| weight.into()).collect();
        for &number in order.iter().rev() {
            if let Some(above) = above[number as usize] {
                weights[above as usize] += weights[number as usize];
            }
        }
        self.values = self.share(&order, &below, &weights);
        self.dominated = weights;
        self.above = above;
    }

    /// Returns the dominated weights with what is dominated by the same number but needed by none
    /// of those directly below it alone, in equal shares: none of two statements dominates what
    /// both use, but the body with both of them does.
    fn share(&self, order: &[u32], below: &Lists<u32>, dominated: &[u64]) -> Vec<u64> {
        let mut values = dominated.to_vec();
        let root = self.root();
        for number in order.iter().map(|&number| number as usize).filter(|&n| n != root) {
            let mut direct = self.needs.get(number).to_vec();
            direct.sort_unstable();
            direct.dedup();
            let joint = below.get(number).iter();
            let joint = joint.filter(|below| direct.binary_search(below).is_err());
            let from_above = values[number] - dominated[number];
            let shared = from_above + joint.map(|&below| dominated[below as usize]).sum::<u64>();
            let share = shared / (direct.len() as u64).max(1);
            let own = direct.iter().map(|&need| need as usize).filter(|&n| n >= self.first());
            for need in own.filter(|&need| need != root) {
                values[need] += share;
            }
        }
        values
    }
}

/// The graph of a text, with the text.
pub(crate) struct ElementGraph<'a> {
    pub(crate) cx: &'a PassContext<'a>,
    pub(crate) parts: &'a Parts,
    pub(crate) graph: &'a Graph,
}

impl Deref for ElementGraph<'_> {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        self.graph
    }
}

impl ElementGraph<'_> {
    /// Returns the numbers of the declarations that nothing else needs, those first with which most
    /// goes.
    pub(crate) fn roots(&self) -> Vec<usize> {
        let roots = self.needs.get(self.root()).iter().map(|&root| root as usize);
        heaviest(roots.filter(|&number| number < self.parts.all.len()), &self.dominated, 0)
    }

    /// Returns the numbers of the elements and bodies that can go and with which at least that
    /// number of tokens goes by the dominators, those first with which most goes.
    pub(crate) fn dominating(&self, least: u32) -> Vec<usize> {
        let droppable = self.others().filter(|&number| self.is_droppable(number));
        heaviest(droppable, &self.dominated, least.into())
    }

    /// Returns the nodes that dominate one and at most twice as much as it, innermost first.
    pub(crate) fn hardly_more(&self, number: usize) -> impl Iterator<Item = usize> {
        let above = |&number: &usize| self.above[number].map(|above| above as usize);
        let all = std::iter::successors(above(&number), above);
        let most = 2 * self.dominated[number];
        let all =
            all.take_while(move |&above| above != self.root() && self.dominated[above] <= most);
        all.filter(|&above| above < self.parts.all.len() || above >= self.first())
    }

    /// Returns the numbers of the elements and bodies with at least this value, those with the
    /// highest first.
    pub(crate) fn valuable(&self, least: u32) -> Vec<usize> {
        heaviest(self.others(), &self.values, least.into())
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let bodies = (0..self.parts.all.len()).filter(|&part| self.parts.all[part].is_body);
        bodies.chain(self.first()..self.root())
    }

    /// Returns whether a number is a node that can go.
    pub(crate) fn is_droppable(&self, number: usize) -> bool {
        number < self.parts.all.len() || self.cx.is_droppable(self.node(number))
    }

    /// Returns the value of a number if these nodes in it stay: the tokens that may go in the long
    /// run.
    pub(crate) fn value(&self, number: usize, kept: impl Iterator<Item = NodeId>) -> u32 {
        let kept = kept.filter_map(|node| self.holders.get(node)).filter(|&n| n != number);
        let value = self.values[number].saturating_sub(kept.map(|n| self.values[n]).sum());
        u32::try_from(value).unwrap_or(u32::MAX)
    }

    /// Returns a node without what is there only for its sake, but with what mentions what it
    /// declares for its part.
    pub(crate) fn alone(&self, number: usize) -> Option<Edits> {
        let mut edits = Edits::none();
        let gone = self.gone_with(number)?;
        gone.into_iter().all(|number| edits.merge(&self.edits(number))).then_some(edits)
    }

    /// Returns what goes with a number: what it declares for its part is gone for those that
    /// mention it, too. `None` if something must go that cannot go. Linear in the graph.
    pub(crate) fn loss(&self, number: usize) -> Option<Item> {
        let gone = self.gone_with(number)?;
        let tree = self.cx.tree;
        let before = &self.reached;
        let after = self.reached_without(&gone);
        let weight = (0..self.root()).filter(|&n| before[n] && !after[n]);
        let weight = weight.map(|n| self.weights[n]).sum();
        let lost_parts = (0..self.parts.all.len()).filter(|&n| before[n] && !after[n]);
        let mut lost: Vec<(NodeId, Edits)> = lost_parts
            .filter(|part| !gone.contains(part))
            .map(|n| (self.parts.all[n].node, self.parts.all[n].edits.clone()))
            .chain(gone.iter().map(|&n| (self.node(n), self.edits(n))))
            .collect();
        lost.sort_by_key(|(node, _)| *node);
        let mut edits = Edits::none();
        let mut end = NodeId::ROOT;
        for (node, own) in lost {
            // What stands in something that goes is gone.
            if node >= end {
                if own.get(node).is_some_and(Change::is_drop) {
                    end = tree.subtree_end(node);
                }
                edits.merge(&own).then_some(())?;
            }
        }
        Some(self.item(number, edits, weight))
    }

    /// Returns an item that is known again by the node of a number.
    pub(crate) fn item(&self, number: usize, edits: Edits, weight: u32) -> Item {
        Item { known_by: Some(self.node(number)), ..Item::new(edits, weight) }
    }

    /// Returns a number with those that mention what it declares for its part; `None` if one of
    /// them cannot go.
    fn gone_with(&self, number: usize) -> Option<Vec<usize>> {
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
        Some(gone)
    }

    /// Returns the elements that mention a name which this one declares, in the same part; `None`
    /// if one of the mentions cannot go.
    fn users(&self, number: usize) -> Option<Vec<usize>> {
        let cx = self.cx;
        let mut users = Vec::new();
        let Some(element) = number.checked_sub(self.first()).map(|n| self.elements[n]) else {
            return Some(users);
        };
        let owner = self.parts.owners.get(element);
        let end = cx.subtree_end(element);
        for name in cx.subtree(element).filter(|&id| cx.is_name(id)) {
            if !declares(cx, element, name) {
                continue;
            }
            let mentions = cx.mentions(name).iter();
            let own = mentions.filter(|id| self.parts.owners.get(**id) == owner);
            for mention in own.filter(|&&id| id >= end) {
                users.push(self.droppable_element(*mention)?);
            }
        }
        Some(users)
    }

    /// Returns the innermost element around a node that can go, unless a part is further inside.
    fn droppable_element(&self, id: NodeId) -> Option<usize> {
        let mut at = Some(id);
        loop {
            let holder = self.holders.get(at?)?;
            if holder < self.first() || self.is_droppable(holder) {
                return (holder >= self.first()).then_some(holder);
            }
            at = self.cx.parent(self.node(holder));
        }
    }

    /// Returns the node of a part or element.
    pub(crate) fn node(&self, number: usize) -> NodeId {
        match number.checked_sub(self.first()) {
            Some(element) => self.elements[element],
            None => self.parts.all[number].node,
        }
    }

    fn edits(&self, number: usize) -> Edits {
        match number.checked_sub(self.first()) {
            Some(element) => Edits::drop(self.elements[element]),
            None => self.parts.all[number].edits.clone(),
        }
    }
}

fn heaviest(numbers: impl Iterator<Item = usize>, weights: &[u64], least: u64) -> Vec<usize> {
    let mut numbers: Vec<usize> = numbers.filter(|&n| weights[n] >= least).collect();
    numbers.sort_by_key(|&number| (std::cmp::Reverse(weights[number]), number));
    numbers.dedup();
    numbers
}

/// Returns the nodes in parts that can go, or that something smaller may replace, and are no parts
/// themselves, in document order.
fn elements(cx: &PassContext<'_>, parts: &[Part], owners: &Holders) -> Vec<NodeId> {
    let is_large = cx.tokens(NodeId::ROOT) > GRAPH_TEXT;
    let is_element = |&id: &NodeId| {
        let is_inside = owners.get(id).is_some_and(|part| parts[part].node != id);
        let is_replaceable = || !is_large && (2..=REPLACED_TOKENS).contains(&cx.tokens(id));
        is_inside && cx.is_named(id) && (is_replaceable() || cx.is_droppable(id))
    };
    cx.ids().filter(is_element).collect()
}

/// Returns for each node the innermost part or element that holds it.
fn hold(
    cx: &PassContext<'_>,
    parts: &[Part],
    elements: impl Iterator<Item = (usize, NodeId)>,
) -> Holders {
    let mut all: Vec<(NodeId, usize)> = elements.map(|(number, id)| (id, number)).collect();
    for (number, part) in parts.iter().enumerate() {
        all.push((part.node, number));
        if part.is_body {
            all.extend(values_before(cx, part.node).map(|value| (value, number)));
        }
    }
    // What stands in another one comes after it.
    all.sort_unstable();
    let mut holders = Holders::none(cx.len());
    for (id, number) in all {
        holders.set(id..cx.subtree_end(id), number);
    }
    holders
}

/// Returns the name of the function of a record that is defined outside of it.
fn member_defined(cx: &PassContext<'_>, declaration: NodeId) -> Option<NodeId> {
    let name = plain_name(cx, inner_declaration(cx, declaration)?)?;
    let is_qualified = cx.is(Role::Qualified, name);
    let last = cx.subtree(name).filter(|&id| cx.is_name(id)).last()?;
    (is_qualified && cx.subtree_end(last) == cx.subtree_end(name)).then_some(last)
}
