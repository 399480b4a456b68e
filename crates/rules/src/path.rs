//! Paths: `NAME.uses.parent(access)[0]` leads from a captured name to the first node that one of
//! its other mentions stands in.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use minirepro_syntax::{Field, NodeId};
use regex::Regex;

use crate::compile::{Compiler, Read, RuleError};
use crate::query::{Capture, Captured};
use crate::selector::{Selector, Wanted, nearest};
use crate::world::View;

/// A way from captured nodes to others.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// As it is written.
    pub(crate) text: Arc<str>,
    from: Capture,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    /// To the children in these fields.
    Field(Vec<Field>),
    /// Those from one place up to another one; places below 0 count from the end.
    Slice(isize, isize),
    Word(Word, Selector),
}

/// A step of a path. `S` is a selector, `A` a capture.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantNames, strum::EnumMessage,
)]
#[strum(serialize_all = "snake_case")]
pub enum Word {
    /// `.children`: the parts that stand in a part; `.children(S)`: those of all children that
    /// are S, signs too.
    Children,
    /// `.below(S)`: the uppermost parts inside that are S.
    Below,
    /// `.within(S)`: all parts inside that are S.
    Within,
    /// `.leaves`: the single tokens inside.
    Leaves,
    /// `.parent(S)`: the parent, if it is S.
    Parent,
    /// `.around(S)`: the innermost part around that is S.
    Around,
    /// `.outermost(S)`: the outermost part around that is S.
    Outermost,
    /// `.next`: the next sibling, signs included.
    Next,
    /// `.uses`: the other mentions of a name, by the scopes of the language.
    Uses,
    /// `.declared`: the name that a declaration declares, or that a list of parameters belongs to.
    Declared,
    /// `.members`: what has to go for each declared name.
    Members,
    /// `.initials`: the initial values, each with its sign.
    Initials,
    /// `.implied`: the type, if it need not be said.
    Implied,
    /// `.list`: the parameters or arguments after a function's name.
    List,
    /// `.values`: the lists of values of what is made with a type.
    Values,
    /// `.looked_up`: the names of the elements that a script's string may be about.
    LookedUp,
    /// `.column(A)`: the element of a list at the place that `A` has in its own list.
    Column,
    /// `.is(S)`: those that are S.
    Is,
    /// `.under(S)`: those whose parent is S.
    Under,
    /// `.in(A)`: those that are `A` or lie in it.
    In,
    /// `.outside(A)`: all others.
    Outside,
    /// `.before(A)`: those before `A`.
    Before,
    /// `.after(A)`: those after `A`.
    After,
    /// `.only`: the only one; none, if there are several.
    Only,
}

/// One step in words.
static STEP: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"^\s*(?:\.(?<word>\w+)(?:\((?<argument>(?:[^()']|'[^']*')*)\))?|\[(?<from>-?\d*)(?<to>\.\.(-?\d*))?\])";
    Regex::new(pattern).expect("the pattern above is one")
});

impl Compiler<'_> {
    pub(crate) fn paths(&mut self, texts: &[String]) -> Read<Vec<Path>> {
        texts.iter().map(|text| self.path(text)).collect()
    }

    fn path(&mut self, text: &str) -> Read<Path> {
        let end = text.find(['.', '[']).unwrap_or(text.len());
        let from = self.capture(text[..end].trim())?;
        let mut rest = &text[end..];
        let mut steps = Vec::new();
        while let Some(found) = STEP.captures(rest) {
            rest = rest[found[0].len()..].trim_start();
            let step = match (found.name("word"), found.name("to")) {
                (Some(word), _) => {
                    let argument = found.name("argument").map_or("", |argument| argument.as_str());
                    self.step(word.as_str(), argument)?
                }
                (None, None) => {
                    let at = found["from"].parse().map_err(|_| no_path(text))?;
                    Step::Slice(at, if at == -1 { isize::MAX } else { at + 1 })
                }
                (None, Some(to)) => Step::Slice(
                    found["from"].parse().unwrap_or(0),
                    to.as_str()[2..].parse().unwrap_or(isize::MAX),
                ),
            };
            steps.push(step);
        }
        if !rest.is_empty() {
            return Err(no_path(text));
        }
        Ok(Path { text: text.into(), from, steps })
    }

    fn step(&mut self, word: &str, argument: &str) -> Read<Step> {
        if let Ok(word) = word.parse() {
            return Ok(Step::Word(word, self.selector(argument)?));
        }
        self.fields(word).map(Step::Field).map_err(|_| {
            let words = <Word as strum::VariantNames>::VARIANTS.iter().copied();
            let near = nearest(word, words);
            RuleError(format!("`.{word}` is neither a step nor a field of the grammar{near}"))
        })
    }
}

fn no_path(text: &str) -> RuleError {
    let like = "a capture, then steps such as `.uses` or `.parent(call)`";
    RuleError(format!("`{text}` is not a path: {like}"))
}

/// To ask of this many nodes where they lie takes as long as to follow a mention.
const NODES_OF_A_MENTION: usize = 16;

/// Of fewer nodes, each is compared with each.
const FEW_NODES: usize = 8;

impl View<'_> {
    /// Returns the nodes that several paths lead to, each once, in the order in which they are
    /// found.
    pub(crate) fn follow_all(self, paths: &[Path], captured: &Captured) -> Vec<NodeId> {
        once_each(paths.iter().flat_map(|path| self.follow(path, captured)).collect())
    }

    /// Returns the nodes that a path leads to.
    pub(crate) fn follow(self, path: &Path, captured: &Captured) -> Vec<NodeId> {
        let mut nodes = captured.nodes(path.from).to_vec();
        for (number, step) in path.steps.iter().enumerate() {
            if nodes.is_empty() {
                break;
            }
            // A name may have very many mentions: those outside of the only node that the next step
            // looks into are left out at once.
            let limit = match path.steps.get(number + 1) {
                Some(Step::Word(Word::In, selector)) => match selector.captured(captured) {
                    &[limit] => Some(limit),
                    _ => None,
                },
                _ => None,
            };
            nodes = match step {
                Step::Field(fields) => {
                    let tree = self.tree;
                    let part = |&node: &NodeId| {
                        tree.children(node).find(|&child| self.is_in(fields, child))
                    };
                    once_each(nodes.iter().filter_map(part).collect())
                }
                &Step::Slice(from, to) => {
                    let place = |at: isize| match usize::try_from(at) {
                        Ok(at) => at.min(nodes.len()),
                        Err(_) => nodes.len().saturating_sub(at.unsigned_abs()),
                    };
                    nodes[place(from).min(place(to))..place(to)].to_vec()
                }
                Step::Word(word, selector) => self.step(*word, selector, captured, limit, nodes),
            };
        }
        nodes
    }

    fn step(
        self,
        word: Word,
        selector: &Selector,
        captured: &Captured,
        limit: Option<NodeId>,
        nodes: Vec<NodeId>,
    ) -> Vec<NodeId> {
        let tree = self.tree;
        let fits = |node: NodeId| selector.fits(self, captured, node);
        let others = || selector.captured(captured);
        let keep = |mut nodes: Vec<NodeId>, keeps: &dyn Fn(NodeId) -> bool| {
            nodes.retain(|&node| keeps(node));
            nodes
        };
        match word {
            Word::Is => keep(nodes, &fits),
            Word::Under => keep(nodes, &|node| tree.parent(node).is_some_and(fits)),
            Word::In => self.lying(others(), true, nodes),
            Word::Outside => self.lying(others(), false, nodes),
            Word::Before => {
                let first = others().first().copied();
                keep(nodes, &|node| first.is_some_and(|first| node < first))
            }
            Word::After => {
                let end = others().last().map(|&last| tree.subtree_end(last));
                keep(nodes, &|node| end.is_some_and(|end| node >= end))
            }
            Word::Only if nodes.len() > 1 => Vec::new(),
            Word::Only => nodes,
            Word::Uses => once_each(self.used(&nodes, limit)),
            _ => {
                let mut reached = Vec::new();
                for node in self.language.interruption.until(nodes) {
                    self.lead(word, selector, captured, node, &mut reached);
                }
                once_each(reached)
            }
        }
    }

    /// Returns those of the nodes that lie in one of `around`, or in none of them.
    fn lying(self, around: &[NodeId], inside: bool, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
        let tree = self.tree;
        self.world.has_followed((nodes.len() + around.len()) / NODES_OF_A_MENTION);
        if nodes.len().min(around.len()) <= FEW_NODES {
            let is_in = |node| around.iter().any(|&outer| tree.contains(outer, node));
            nodes.retain(|&node| is_in(node) == inside);
            return nodes;
        }
        // The outermost of them, in document order.
        let mut regions: Vec<(NodeId, NodeId)> = Vec::new();
        let mut around = around.to_vec();
        around.sort_unstable();
        for node in around {
            if regions.last().is_none_or(|&(_, end)| node >= end) {
                regions.push((node, tree.subtree_end(node)));
            }
        }
        nodes.retain(|&node| {
            let before = regions.partition_point(|&(start, _)| start <= node);
            (before > 0 && node < regions[before - 1].1) == inside
        });
        nodes
    }

    /// Adds the nodes to which a word leads from one.
    fn lead(
        self,
        word: Word,
        selector: &Selector,
        captured: &Captured,
        node: NodeId,
        reached: &mut Vec<NodeId>,
    ) {
        let tree = self.tree;
        let fits = |node: &NodeId| selector.fits(self, captured, *node);
        match word {
            Word::Children if selector.any.is_empty() => reached.extend(self.elements(node)),
            Word::Children => reached.extend(tree.children(node).filter(fits)),
            Word::Below => {
                let mut at = NodeId(node.0 + 1);
                while at < tree.subtree_end(node) {
                    let is_wanted = fits(&at);
                    reached.extend(is_wanted.then_some(at));
                    at = if is_wanted { tree.subtree_end(at) } else { NodeId(at.0 + 1) };
                }
            }
            Word::Within => reached.extend(tree.subtree(node).skip(1).filter(fits)),
            Word::Leaves => {
                reached.extend(tree.subtree(node).filter(|&leaf| tree.is_leaf(leaf)));
            }
            Word::Parent => reached.extend(tree.parent(node).filter(fits)),
            Word::Around => reached.extend(tree.ancestors(node).find(fits)),
            Word::Outermost => reached.extend(tree.ancestors(node).filter(fits).last()),
            Word::Next => {
                let Some(parent) = tree.parent(node) else { return };
                let mut after = tree.children(parent).skip_while(|&sibling| sibling <= node);
                reached.extend(after.find(|&sibling| !tree.flags(sibling).extra));
            }
            Word::Column => {
                let place = self.place(selector, captured);
                reached.extend(place.and_then(|place| self.elements(node).nth(place)));
            }
            _ => reached.extend(self.world.related(word, node)),
        }
    }

    /// Returns the other mentions of some names, those of each name once.
    fn used(self, names: &[NodeId], limit: Option<NodeId>) -> Vec<NodeId> {
        let mut reached = Vec::new();
        // Mentions of one name are one slice.
        let mut first_of: HashMap<*const NodeId, NodeId> = HashMap::new();
        let names = names.iter().copied().filter(|&name| self.is_name(name));
        for node in self.language.interruption.until(names) {
            let mut mentions = self.world.mentions(node);
            if let Some(limit) = limit {
                let end = self.tree.subtree_end(limit);
                let place = |limit| mentions.partition_point(|&at| at < limit);
                mentions = &mentions[place(limit)..place(end)];
            }
            if mentions.is_empty() {
                continue;
            }
            match first_of.entry(mentions.as_ptr()) {
                // Seen from another of its mentions, the first one is one of the others.
                Entry::Occupied(first) => reached.push(*first.get()),
                Entry::Vacant(first) => {
                    first.insert(node);
                    reached.extend(mentions.iter().copied().filter(|&mention| mention != node));
                    self.world.has_followed(mentions.len());
                }
            }
        }
        reached
    }

    /// Returns the place of a captured node among those found with it, or else among its siblings.
    fn place(self, selector: &Selector, captured: &Captured) -> Option<usize> {
        let [Wanted::Like(capture)] = selector.any[..] else { return None };
        let found = captured.get(capture);
        found.place.or_else(|| {
            let &node = found.nodes.first()?;
            self.elements(self.tree.parent(node)?).position(|element| element == node)
        })
    }
}

/// Returns the nodes, each at its first place.
fn once_each(mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    if nodes.is_sorted() {
        nodes.dedup();
    } else {
        let mut seen = HashSet::new();
        nodes.retain(|&node| seen.insert(node));
    }
    nodes
}
