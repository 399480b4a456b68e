//! The graph of a text: its declarations and bodies, all parts in them that can go, and what each
//! of them mentions. It is made once a text.

use std::cmp::Reverse;
use std::sync::OnceLock;

use minirepro_syntax::{Change, Edits, NodeId};

use crate::framework::views::declares;
use crate::graph::digraph::{Holders, Lists, dominated, number};
use crate::graph::parts::{Part, parts, values_before};
use crate::graph::uses::{Needs, Uses};
use crate::{Item, PassContext};

/// The graph. Its nodes have numbers: first the declarations and bodies that can go, then names,
/// then the elements (what can go inside of a declaration or body), and last the text around them.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) parts: Vec<Part>,
    /// The innermost part that each node belongs to.
    owners: Holders,
    /// How many names have a number.
    pub(crate) names: usize,
    /// Outermost first.
    elements: Vec<NodeId>,
    /// The innermost part or element that holds each node of the tree.
    holders: Holders,
    /// What each number makes necessary by what it mentions.
    needs: Lists<u32>,
    /// Numbers, each with the body of a function that it may call.
    calls: Vec<[u32; 2]>,
    /// Where the first two are kept, the third is needed.
    pub(crate) together: Vec<[u32; 3]>,
    dominance: OnceLock<Dominance>,
}

impl Graph {
    /// Returns the graph of a text. Linear in the tree, times a small constant for overloads.
    pub(crate) fn of(cx: &PassContext<'_>) -> Self {
        let parts = parts(cx);
        let mut held = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let values = values_before(cx, part.node).filter(|_| part.is_body);
            held.extend(values.chain([part.node]).map(|id| (id, number)));
        }
        let owners = Holders::of(cx, held.clone());
        let uses = Uses::of(cx, &parts, &owners);
        let (names, together) = (uses.names.len(), uses.together.clone());
        let is_element = |&id: &NodeId| {
            let is_inside = owners.get(id).is_some_and(|part| parts[part].node != id);
            is_inside && cx.is_named(id) && cx.is_droppable(id)
        };
        let elements: Vec<NodeId> = cx.ids().filter(is_element).collect();
        held.extend(elements.iter().copied().zip(parts.len() + names..));
        let holders = Holders::of(cx, held);
        let count = parts.len() + names + elements.len() + 1;
        let Needs { of_holders, calls } = uses.needs(&holders, count);
        let (needs, dominance) = (Lists::of(of_holders), OnceLock::new());
        Self { parts, owners, names, elements, holders, needs, calls, together, dominance }
    }

    /// Returns what each part makes necessary by what it mentions, and at the end the text around
    /// them.
    pub(crate) fn needs_of_parts(&self) -> Vec<Vec<u32>> {
        let count = self.parts.len();
        let mut needs = vec![Vec::new(); count + 1];
        for holder in 0..self.needs.len() {
            let element = holder.checked_sub(self.first()).map(|at| self.elements.get(at).copied());
            let owner = |id: Option<NodeId>| id.and_then(|id| self.owners.get(id)).unwrap_or(count);
            let part = element.map_or(holder, owner);
            let others = self.needs.get(holder).iter().filter(|&&need| need as usize != part);
            // Names need nothing.
            needs[part.min(count)].extend(others);
        }
        needs
    }

    fn root(&self) -> usize {
        self.needs.len() - 1
    }

    /// Returns the number of the first element.
    fn first(&self) -> usize {
        self.parts.len() + self.names
    }

    /// Returns the node of a part or element.
    pub(crate) fn node(&self, number: usize) -> NodeId {
        let part = self.parts.get(number).map(|part| part.node);
        part.unwrap_or_else(|| self.elements[number - self.first()])
    }

    fn edits(&self, number: usize) -> Edits {
        let part = self.parts.get(number).map(|part| part.edits.clone());
        part.unwrap_or_else(|| Edits::drop(self.node(number)))
    }

    fn dominance(&self, cx: &PassContext<'_>) -> &Dominance {
        self.dominance.get_or_init(|| Dominance::of(cx, self))
    }

    /// Returns the numbers of the declarations that nothing else needs, those first with which most
    /// goes.
    pub(crate) fn roots(&self, cx: &PassContext<'_>) -> Vec<usize> {
        let roots = self.dominance(cx).edges.get(self.root()).iter().map(|&root| root as usize);
        self.heaviest(cx, roots.filter(|&number| number < self.parts.len()).collect(), 0)
    }

    /// Returns the numbers of the elements and bodies with which at least that number of tokens
    /// goes, those first with which most goes.
    pub(crate) fn dominating(&self, cx: &PassContext<'_>, least: u32) -> Vec<usize> {
        let bodies = (0..self.parts.len()).filter(|&part| self.parts[part].is_body);
        self.heaviest(cx, bodies.chain(self.first()..self.root()).collect(), least)
    }

    fn heaviest(&self, cx: &PassContext<'_>, mut numbers: Vec<usize>, least: u32) -> Vec<usize> {
        let weights = &self.dominance(cx).dominates;
        numbers.retain(|&number| weights[number] >= least.into());
        numbers.sort_by_key(|&number| (Reverse(weights[number]), number));
        numbers.dedup();
        numbers
    }

    /// Returns what goes with a number: what it declares for its part is gone for those that
    /// mention it, too. `None` if something must go that cannot go. Linear in the graph.
    pub(crate) fn loss(&self, cx: &PassContext<'_>, number: usize) -> Option<Item> {
        let gone = self.gone_with(cx, number)?;
        let dominance = self.dominance(cx);
        let after = dominance.reached_without(&gone);
        let is_lost = |&number: &usize| dominance.reached[number] && !after[number];
        let weight = (0..self.root()).filter(is_lost).map(|n| dominance.weights[n]).sum();
        let parts = (0..self.parts.len()).filter(is_lost).filter(|part| !gone.contains(part));
        let mut lost: Vec<usize> = parts.chain(gone.iter().copied()).collect();
        lost.sort_by_key(|&number| self.node(number));
        let mut edits = Edits::none();
        let mut end = NodeId::ROOT;
        // What stands in something that goes is gone.
        for (node, own) in lost.into_iter().map(|number| (self.node(number), self.edits(number))) {
            if node >= end {
                let is_drop = own.get(node).is_some_and(Change::is_drop);
                end = if is_drop { cx.subtree_end(node) } else { end };
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
    fn gone_with(&self, cx: &PassContext<'_>, number: usize) -> Option<Vec<usize>> {
        let mut gone = vec![number];
        let mut at = 0;
        while let Some(&next) = gone.get(at) {
            at += 1;
            let Some(element) = next.checked_sub(self.first()) else { continue };
            let element = self.elements[element];
            let declared = cx.names_in(element).filter(|&name| declares(cx, element, name));
            for &mention in declared.flat_map(|name| cx.mentions(name)) {
                let is_own = self.owners.get(mention) == self.owners.get(element);
                if is_own && mention >= cx.subtree_end(element) {
                    let user = self.holders.get(mention).filter(|&user| user >= self.first())?;
                    gone.extend((!gone.contains(&user)).then_some(user));
                }
            }
        }
        Some(gone)
    }
}

/// What is there only for the sake of what.
///
/// A node dominates another one if every way from the text's roots to that one leads through it.
/// With it goes all that it dominates (dominators: Lengauer & Tarjan, TOPLAS 1979).
#[derive(Debug)]
struct Dominance {
    /// What each number makes necessary by what it mentions, calls and holds.
    edges: Lists<u32>,
    /// For each number: where the first is there as well, the second is necessary.
    together: Lists<[u32; 2]>,
    /// The tokens that each number has itself.
    weights: Vec<u32>,
    /// Whether each number is necessary in the whole text.
    reached: Vec<bool>,
    /// The tokens that each number dominates, its own included.
    dominates: Vec<u64>,
}

impl Dominance {
    fn of(cx: &PassContext<'_>, graph: &Graph) -> Self {
        let Graph { parts, holders, .. } = graph;
        let (root, count) = (graph.root(), graph.needs.len());
        let mut edges: Vec<Vec<u32>> = (0..count).map(|n| graph.needs.get(n).to_vec()).collect();
        let mut joint = graph.together.clone();
        for &[holder, body] in &graph.calls {
            // Where it is that of a function of a record, both must be kept.
            let function = parts[body as usize].outer;
            match function.filter(|&function| parts[function].member.is_some()) {
                Some(function) => joint.push([holder, number(function), body]),
                None => edges[holder as usize].push(body),
            }
        }
        for (holder, edges) in edges.iter_mut().enumerate() {
            edges.sort_unstable();
            edges.dedup();
            edges.retain(|&need| need as usize != holder);
        }
        let mut is_needed = vec![false; count];
        edges.iter().flatten().for_each(|&need| is_needed[need as usize] = true);
        let mut together = vec![Vec::new(); count];
        for [one, other, need] in joint {
            is_needed[need as usize] = true;
            together[one as usize].push([other, need]);
            together[other as usize].push([one, need]);
        }
        // Elements are necessary where they stand, and so are parts that nothing else needs.
        for at in (0..parts.len()).filter(|&n| !is_needed[n]).chain(graph.first()..root) {
            let is_outermost = parts.get(at).is_some_and(|part| part.outer.is_none());
            let around = cx.parent(graph.node(at)).filter(|_| !is_outermost);
            let around = around.and_then(|around| holders.get(around));
            edges[around.unwrap_or(root)].push(number(at));
        }
        let mut weights = vec![0; count];
        for id in cx.ids().filter(|&id| cx.is_leaf(id)) {
            weights[holders.get(id).unwrap_or(root)] += cx.tokens(id);
        }
        let (edges, together) = (Lists::of(edges), Lists::of(together));
        let (reached, dominates) = (Vec::new(), Vec::new());
        let mut new = Self { edges, together, weights, reached, dominates };
        let mut reached = new.reached_without(&[]);
        // What only needs itself is there anyway.
        for part in (0..parts.len()).rev() {
            if !reached[part] {
                new.edges.push(number(part));
                new.reach(part, &mut reached);
            }
        }
        new.reached = reached;
        let edges = (0..count).map(|from| {
            // What is necessary for the sake of a record and a name counts as there for the record.
            let together = new.together.get(from).iter().filter(|_| from < parts.len());
            let together = together.map(|[_, need]| need);
            let all = new.edges.get(from).iter().chain(together);
            all.copied().filter(|&need| new.reached[need as usize]).collect()
        });
        new.dominates = dominated(&Lists::of(edges.collect()), &new.weights);
        new
    }

    /// Marks everything that is reached from a number.
    fn reach(&self, from: usize, reached: &mut [bool]) {
        let mut open = vec![number(from)];
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut reached[next as usize], true) {
                let is_new = |need: &u32| !reached[*need as usize];
                open.extend(self.edges.get(next as usize).iter().copied().filter(is_new));
                let together = self.together.get(next as usize).iter();
                let together = together.filter(|[other, _]| reached[*other as usize]);
                open.extend(together.map(|&[_, need]| need).filter(is_new));
            }
        }
    }

    /// Returns what is reached from the root without these.
    fn reached_without(&self, without: &[usize]) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        without.iter().for_each(|&gone| reached[gone] = true);
        self.reach(self.edges.len() - 1, &mut reached);
        without.iter().for_each(|&gone| reached[gone] = false);
        reached
    }
}
