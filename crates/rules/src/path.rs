//! Paths: `NAME.uses.parent(access)[0]` leads from a captured name to the first node that one of
//! its other mentions stands in.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use minirepro_syntax::{NodeId, Role};
use regex::Regex;
use strum::VariantNames;

use crate::compile::{Compiler, Read, RuleError};
use crate::query::{Capture, Captured, Found, regex};
use crate::selector::{Selector, Wanted, nearest};
use crate::world::View;

/// A way from captured nodes to others.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// As it is written.
    pub(crate) text: Arc<str>,
    from: Capture,
    steps: Vec<Step>,
    pub(crate) quantity: Quantity,
}

/// How many nodes a path must lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quantity {
    /// At least one: without, the rule does not match.
    Some,
    /// `PATH?`
    Any,
    /// `PATH[*]`: one; the rule matches once for each node.
    Each,
    /// `!PATH`
    None,
}

#[derive(Clone, Debug)]
enum Step {
    /// Those from one place to another one; places below 0 count from the end.
    Slice(isize, isize),
    Word(Word, Selector),
}

/// A step of a path. `S` is a selector, `A` a capture.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantNames, strum::EnumMessage,
)]
#[strum(serialize_all = "snake_case")]
pub enum Word {
    /// `.children`: the parts that stand in a part; `.children(S)`: those of all children that are
    /// S, signs too. Such as `CALL.arguments.children`.
    Children,
    /// `.below(S)`: the uppermost parts inside that are S. Such as `$.below(expression)`.
    Below,
    /// `.within(S)`: all parts inside that are S. Such as `$.within(return_statement)`.
    Within,
    /// `.leaves`: the single tokens inside. Such as `TYPE.leaves`.
    Leaves,
    /// `.parent(S)`: the parent, if it is S. Such as `NAME.uses.parent(call)`.
    Parent,
    /// `.around(S)`: the innermost part around that is S. Such as `$.around(function)`.
    Around,
    /// `.outermost(S)`: the outermost part around that is S. Such as `$.outermost(template)`.
    Outermost,
    /// `.next`: the next sibling, signs included. Such as `$.next.is(';')`.
    Next,
    /// `.uses`: the other mentions of a name, by the scopes of the language; of a script's string,
    /// the names of the elements that it may be about. Such as `NAME.uses`.
    Uses,
    /// `.declared`: the name that a declaration declares, or that a list of parameters belongs to.
    /// Such as `$.around(declaration).declared`.
    Declared,
    /// `.members`: all that has to go for each declared name. Such as `$.body.children.members`.
    Members,
    /// `.initials`: the initial values, each with its sign. Such as `$.leaves.in(!VALUES)`, where
    /// `VALUES` is `$.initials`.
    Initials,
    /// `.implied`: the type, if it need not be said. Such as `$.implied?`.
    Implied,
    /// `.list`: the parameters or arguments after a function's name; of a type or its name, the
    /// lists of values of all that is made with it. Such as `NAME.uses.list`.
    List,
    /// `.column(A)`: the element of a list at the place that `A` has in its own list; `self` does
    /// not count where a method is called on a value. Such as `NAME.uses.list.column(PARAMETER)`.
    Column,
    /// `.is(S)`: those that are S. Such as `NAME.uses.is(type)`.
    Is,
    /// `.under(S)`: those whose parent is S. Such as `CALLS.under(!expression_statement)`.
    Under,
    /// `.in(A)`: those that are `A` or lie in it; `.in(!A)`: all others. Such as
    /// `NAME.uses.in(FUNCTION)`.
    In,
    /// `.before(A)`: those before `A`. Such as `NAME.uses.before($)`.
    Before,
    /// `.after(A)`: those after `A`. Such as `$.children.after(TYPE)`.
    After,
    /// `.only`: the only one; none, if there are several. Such as `NAME.uses.only`.
    Only,
}

/// One step in words.
static STEP: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s*(?:\.(?<word>\w+)(?:\((?<argument>(?:[^()']|'[^']*')*)\))?|\[(?<places>-?\d+|-?\d*\.\.-?\d*)\])",
    )
});

impl Compiler<'_> {
    pub(crate) fn paths(&mut self, texts: &[String]) -> Read<Vec<Path>> {
        texts.iter().map(|text| self.path(text)).collect()
    }

    pub(crate) fn path(&mut self, text: &str) -> Read<Path> {
        let quantities = [("?", Quantity::Any), ("[*]", Quantity::Each)];
        let suffix = quantities.iter().find_map(|(sign, q)| Some((text.strip_suffix(sign)?, *q)));
        let none = text.strip_prefix('!').map(|way| (way, Quantity::None));
        let (way, quantity) = none.or(suffix).unwrap_or((text, Quantity::Some));
        let (from, mut rest) = way.split_at(way.find(['.', '[']).unwrap_or(way.len()));
        let from = self.capture(from.trim())?;
        let mut steps = Vec::new();
        while let Some(found) = STEP.captures(rest) {
            rest = rest[found[0].len()..].trim_start();
            let argument = found.name("argument").map_or("", |argument| argument.as_str());
            let step = match found.name("word") {
                Some(word) => self.step(word.as_str(), argument)?,
                None => slice(&found["places"]),
            };
            // A name may have very many mentions: those outside of the only node that the next step
            // looks into are left out at once.
            if let (Some(Step::Word(Word::Uses, limit)), Step::Word(Word::In, region)) =
                (steps.last_mut(), &step)
            {
                limit.clone_from(region);
            }
            steps.push(step);
        }
        match rest {
            "" => Ok(Path { text: text.into(), from, steps, quantity }),
            _ => Err(RuleError(format!(
                "`{text}` is not a path: a capture, then steps such as `.uses` or `.parent(call)`"
            ))),
        }
    }

    /// Reads a word, or the name of a field: the children that stand in it.
    fn step(&mut self, word: &str, argument: &str) -> Read<Step> {
        if let Ok(word) = word.parse() {
            return Ok(Step::Word(word, self.selector(argument)?));
        }
        let fields = self.fields(word).map_err(|_| {
            let near = nearest(word, Word::VARIANTS.iter().copied());
            RuleError(format!("`.{word}` is neither a step nor a field of the grammar{near}"))
        })?;
        Ok(Step::Word(Word::Children, Wanted::Field(fields).into()))
    }
}

fn slice(places: &str) -> Step {
    let place = |text: &str, or| text.parse().unwrap_or(or);
    match places.split_once("..") {
        Some((from, end)) => Step::Slice(place(from, 0), place(end, 0) - 1),
        None => Step::Slice(place(places, isize::MAX), place(places, isize::MAX)),
    }
}

/// The parameter of a method that stands for the value before its name, where it is written.
const RECEIVER: &[u8] = b"self";

/// To ask of this many nodes where they lie takes as long as to follow a mention.
const NODES_OF_A_MENTION: usize = 16;

impl View<'_> {
    /// Returns the nodes that several paths lead to, each once, in the order in which they are
    /// found.
    pub(crate) fn follow_all(self, paths: &[Path], captured: &Captured) -> Vec<NodeId> {
        let mut reached = Vec::new();
        for path in paths {
            let mut nodes = captured.nodes(path.from).to_vec();
            for step in &path.steps {
                if nodes.is_empty() {
                    break;
                }
                nodes = once_each(match step {
                    &Step::Slice(from, last) => {
                        let count = nodes.len();
                        let place =
                            |at: isize| if at < 0 { at.saturating_add_unsigned(count) } else { at };
                        let wanted = place(from)..=place(last);
                        let nodes = (0..).zip(nodes).filter(|(at, _)| wanted.contains(at));
                        nodes.map(|(_, node)| node).collect()
                    }
                    Step::Word(Word::Uses, limit) => self.used(&nodes, limit, captured),
                    Step::Word(word, selector) => self.step(*word, selector, captured, &nodes),
                });
            }
            reached.extend(nodes);
        }
        once_each(reached)
    }

    fn step(
        self,
        word: Word,
        selector: &Selector,
        captured: &Captured,
        nodes: &[NodeId],
    ) -> Vec<NodeId> {
        let tree = self.tree;
        let fits = |node: &NodeId| selector.fits(self, captured, *node);
        let mut others = selector.captured(captured).to_vec();
        let first = others.first().copied();
        let end = others.last().map(|&last| tree.subtree_end(last));
        if word == Word::In {
            let mentions = (nodes.len() + others.len()) / NODES_OF_A_MENTION;
            self.followed.set(self.followed.get() + mentions);
            // What lies in another one says nothing new.
            others.sort_unstable();
            others.dedup_by(|inner, outer| tree.contains(*outer, *inner));
        }
        let is_in = |node: NodeId| {
            let before = others.partition_point(|&start| start <= node);
            before.checked_sub(1).is_some_and(|last| tree.contains(others[last], node))
        };
        let mut reached = Vec::new();
        for node in self.language.interruption.until(nodes.iter().copied()) {
            let if_so = |keeps: bool| keeps.then_some(node);
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
                Word::Leaves => reached.extend(tree.subtree(node).filter(|&at| tree.is_leaf(at))),
                Word::Parent => reached.extend(tree.parent(node).filter(fits)),
                Word::Around => reached.extend(tree.ancestors(node).find(fits)),
                Word::Outermost => reached.extend(tree.ancestors(node).filter(fits).last()),
                Word::Next => {
                    let siblings = tree.parent(node).into_iter().flat_map(|at| tree.children(at));
                    let mut after = siblings.skip_while(|&sibling| sibling <= node);
                    reached.extend(after.find(|&sibling| !tree.flags(sibling).extra));
                }
                Word::Column => reached.extend(self.in_column(selector, captured, node)),
                Word::Is => reached.extend(if_so(fits(&node))),
                Word::Under => reached.extend(tree.parent(node).filter(fits).and(Some(node))),
                Word::In => reached.extend(if_so(is_in(node) != selector.negated)),
                Word::Before => reached.extend(first.filter(|&at| node < at).and(Some(node))),
                Word::After => reached.extend(end.filter(|&end| node >= end).and(Some(node))),
                Word::Only => reached.extend(if_so(nodes.len() == 1)),
                _ => reached.extend(self.world.related(word, node)),
            }
        }
        reached
    }

    /// Returns the other mentions of some names, those of each name once; only those in a region,
    /// if it is a single node.
    fn used(self, nodes: &[NodeId], region: &Selector, captured: &Captured) -> Vec<NodeId> {
        let mut reached = Vec::new();
        // Mentions of one name are one slice. Seen from two of them, all are others.
        let mut times: HashMap<*const NodeId, usize> = HashMap::new();
        for node in self.language.interruption.until(nodes.iter().copied()) {
            if !self.is_name(node) {
                reached.extend(self.world.related(Word::Uses, node));
                continue;
            }
            let mut mentions = self.world.mentions(node);
            if let (false, &[limit]) = (region.negated, region.captured(captured)) {
                let end = self.tree.subtree_end(limit);
                let place = |limit| mentions.partition_point(|&at| at < limit);
                mentions = &mentions[place(limit)..place(end)];
            }
            let times = times.entry(mentions.as_ptr()).or_default();
            *times += 1;
            if *times <= 2 {
                reached.extend(mentions.iter().copied().filter(|&mention| mention != node));
                self.followed.set(self.followed.get() + mentions.len());
            }
        }
        reached
    }

    /// Returns the element of a list at the place of a captured node: its own among those found
    /// with it, or else among its siblings.
    fn in_column(self, selector: &Selector, captured: &Captured, list: NodeId) -> Option<NodeId> {
        let [Wanted::Like(Capture(number))] = selector.any[..] else { return None };
        let Found { nodes, place } = &captured.0[number];
        let siblings: Vec<NodeId> = self.elements(self.tree.parent(*nodes.first()?)?).collect();
        let place =
            place.or_else(|| siblings.iter().position(|sibling| nodes.first() == Some(sibling)))?;
        let is_receiver = |leaf| self.tree.text_of(leaf) == RECEIVER;
        let has_receiver = self.tree.subtree(*siblings.first()?).any(is_receiver);
        let left_out = usize::from(has_receiver && self.is_after_value(list));
        self.elements(list).nth(place.checked_sub(left_out)?)
    }

    /// Returns whether a list holds the arguments of a method that is called on a value.
    fn is_after_value(self, list: NodeId) -> bool {
        let around = self.tree.parent(list).into_iter();
        let mut before = around.flat_map(|at| self.tree.children(at)).take_while(|&at| at < list);
        before.any(|at| self.is(Role::Access, at))
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
