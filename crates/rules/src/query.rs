//! Queries: what a part must look like, in the notation of tree-sitter, but matched on our own
//! trees. A piece of code is read into a query, too.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use minirepro_syntax::{Field, NodeId, Tree};
use regex::{Regex, bytes};

use crate::compile::{Compiler, Read, RuleError};
use crate::selector::{Selector, Wanted};
use crate::world::View;

/// The number of a capture, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capture(pub(crate) usize);

/// The nodes of all captures of a rule; the first is the subject.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captured(pub(crate) Vec<Found>);

/// The nodes of one capture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) nodes: Vec<NodeId>,
    /// The place among the nodes that were found with it, where there is one match for each.
    pub(crate) place: Option<usize>,
    /// Instead of nodes, a text that comes from elsewhere.
    pub(crate) text: Option<Arc<[u8]>>,
}

impl Captured {
    pub(crate) fn set(&mut self, Capture(number): Capture, nodes: Vec<NodeId>) {
        self.0[number] = Found { nodes, ..Found::default() };
    }

    pub(crate) fn get(&self, Capture(number): Capture) -> &Found {
        &self.0[number]
    }

    pub(crate) fn nodes(&self, capture: Capture) -> &[NodeId] {
        &self.get(capture).nodes
    }

    pub(crate) fn first(&self, capture: Capture) -> Option<NodeId> {
        self.nodes(capture).first().copied()
    }
}

/// What a node must look like.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(crate) selector: Selector,
    /// Whether it is a part, no sign; either will do without.
    is_named: Option<bool>,
    text: Option<Arc<[u8]>>,
    captures: Vec<Capture>,
    /// The fields of which it stands in one.
    field: Option<Vec<Field>>,
    /// Whether no part may stand between it and the one before.
    is_next: bool,
    times: Times,
    /// What stands in it, in this order; anything may, if there is nothing.
    children: Vec<Query>,
    /// What may stand beside these.
    others: Others,
    /// Fields that no child may stand in.
    lacks: Vec<Vec<Field>>,
    /// Predicates: what captured nodes must read like.
    tests: Vec<(Capture, Selector)>,
}

/// How often something stands in a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Times {
    #[default]
    Once,
    /// `?`
    Optional,
    /// `*` or `+`: as often as possible, and at least so often.
    Many(usize),
}

/// What may stand among the children that a query names. Comments may everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Others {
    /// Anything, but no parts where a dot stands.
    #[default]
    Any,
    /// Anything, but no part after the last child.
    NoPartBehind,
    /// Nothing.
    None,
}

impl Query {
    /// Returns the captures of each way in which a node fits, in the order of the text. Recursion
    /// is as deep as the query.
    pub(crate) fn ways(&self, view: View<'_>, node: NodeId, captured: &Captured) -> Vec<Captured> {
        let mut ways = self.fit(view, node, captured);
        ways.retain(|captured| {
            self.tests.iter().all(|(capture, like)| {
                captured.nodes(*capture).iter().all(|&node| like.fits(view, captured, node))
            })
        });
        ways
    }

    fn fit(&self, view: View<'_>, node: NodeId, captured: &Captured) -> Vec<Captured> {
        let tree = view.tree;
        let is_like = |capture: &Capture| {
            captured.first(*capture).is_none_or(|other| tree.hash(other) == tree.hash(node))
        };
        let lacks = |fields: &Vec<Field>| !tree.children(node).any(|at| view.is_in(fields, at));
        if self.is_named.is_some_and(|is_named| tree.is_named(node) != is_named)
            || self.text.as_ref().is_some_and(|text| tree.text_of(node) != &**text)
            || self.field.as_ref().is_some_and(|fields| !view.is_in(fields, node))
            || !self.selector.fits(view, captured, node)
            || !self.captures.iter().all(is_like)
            || !self.lacks.iter().all(lacks)
        {
            return Vec::new();
        }
        let mut captured = captured.clone();
        self.captures.iter().for_each(|&Capture(number)| captured.0[number].nodes.push(node));
        if self.children.is_empty() && self.others == Others::Any {
            return vec![captured];
        }
        let counts = |&child: &NodeId| !tree.flags(child).extra;
        let nodes: Vec<NodeId> = tree.children(node).filter(counts).collect();
        self.fit_children(&self.children, view, &nodes, &captured)
    }

    fn fit_children(
        &self,
        children: &[Query],
        view: View<'_>,
        nodes: &[NodeId],
        captured: &Captured,
    ) -> Vec<Captured> {
        let Some((child, others)) = children.split_first() else {
            let is_over = match self.others {
                Others::Any => true,
                Others::NoPartBehind => !nodes.iter().any(|&node| view.tree.is_named(node)),
                Others::None => nodes.is_empty(),
            };
            return is_over.then(|| captured.clone()).into_iter().collect();
        };
        let is_exact = self.others == Others::None;
        if let Times::Many(least) = child.times {
            let fits = |&node: &NodeId| !child.fit(view, node, captured).is_empty();
            let fitting: Vec<bool> = nodes.iter().map(fits).collect();
            let most = fitting.iter().position(|fits| is_exact && !fits).unwrap_or(nodes.len());
            let ways = (0..=most).rev().map(|end| {
                let taken = nodes[..end].iter().zip(&fitting).filter(|(_, fits)| **fits);
                let taken: Vec<NodeId> = taken.map(|(&node, _)| node).collect();
                if taken.len() < least {
                    return Vec::new();
                }
                let mut captured = captured.clone();
                for &Capture(number) in &child.captures {
                    captured.0[number].nodes.extend_from_slice(&taken);
                }
                self.fit_children(others, view, &nodes[end..], &captured)
            });
            return { ways }.find(|ways| !ways.is_empty()).unwrap_or_default();
        }
        let mut ways = Vec::new();
        for (at, &node) in nodes.iter().enumerate() {
            let found = child.fit(view, node, captured);
            let behind = &nodes[at + 1..];
            ways.extend(found.iter().flat_map(|c| self.fit_children(others, view, behind, c)));
            if is_exact || child.is_next && (!found.is_empty() || view.tree.is_named(node)) {
                break;
            }
        }
        if ways.is_empty() && child.times == Times::Optional {
            return self.fit_children(others, view, nodes, captured);
        }
        ways
    }
}

/// The signs and words of a query.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"[()|.?*+]|"[^"]*"|'[^']*'|#[\w-]+\?|[!@]?[\w:]+|\S"#;
    Regex::new(pattern).expect("the pattern above is one")
});

/// Finds captures in code.
pub(crate) static CAPTURES: LazyLock<Regex> = LazyLock::new(|| {
    let pattern =
        r"\$(?:(?:\$\$)?(?<name>[A-Z][A-Z0-9_]*)|\((?<said>[A-Z][A-Z0-9_]*)\)|\[(?<space>\w+)\])";
    Regex::new(pattern).expect("the pattern above is one")
});

/// What is left of a query, last word first.
type Words<'w> = Vec<&'w str>;

impl Compiler<'_> {
    /// Reads what the subject of a rule must look like: code, if it has captures of such, else a
    /// query.
    pub(crate) fn subject(&mut self, text: &str) -> Read<Query> {
        if CAPTURES.is_match(text) {
            return self.code(text);
        }
        let mut words: Words<'_> = WORDS.find_iter(text).map(|word| word.as_str()).collect();
        words.reverse();
        let mut tests = Vec::new();
        let query = self.node(&mut words, &mut tests)?.filter(|_| words.is_empty());
        let like = "such as `(call function: (name) @F)`";
        let query = query.ok_or_else(|| RuleError(format!("`{text}` is not a query, {like}")))?;
        Ok(Query { tests, ..query })
    }

    /// Reads a node with what stands behind it; `None` if the words are not one.
    fn node(
        &mut self,
        words: &mut Words<'_>,
        tests: &mut Vec<(Capture, Selector)>,
    ) -> Read<Option<Query>> {
        let mut query = match words.pop() {
            Some("(") => match self.inner(words, tests)? {
                Some(query) => query,
                None => return Ok(None),
            },
            Some("_") => Query::default(),
            word => {
                let Some(text) = word.and_then(unquoted) else { return Ok(None) };
                let text = Some(text.as_bytes().into());
                Query { is_named: Some(false), text, ..Query::default() }
            }
        };
        query.times = match words.pop_if(|word| ["?", "*", "+"].contains(word)) {
            Some("?") => Times::Optional,
            Some(sign) => Times::Many(usize::from(sign == "+")),
            None => Times::Once,
        };
        while let Some(name) = words.pop_if(|word| word.starts_with('@')) {
            query.captures.push(self.new_capture(&name[1..])?);
        }
        Ok(Some(query))
    }

    /// Reads what stands between brackets.
    fn inner(
        &mut self,
        words: &mut Words<'_>,
        tests: &mut Vec<(Capture, Selector)>,
    ) -> Read<Option<Query>> {
        let mut query = Query { is_named: Some(true), ..Query::default() };
        let mut kinds = words.pop().unwrap_or_default().to_owned();
        while let Some(sign) = words.pop_if(|word| *word == "|") {
            kinds = kinds + sign + words.pop().unwrap_or_default();
        }
        if kinds != "_" {
            query.selector = self.selector(&kinds)?;
        }
        let mut is_next = false;
        let mut field = None;
        while let Some(word) = words.pop() {
            match (word, words.last(), word.strip_prefix('!'), word.strip_suffix(':')) {
                (")", ..) => return Ok(Some(query)),
                (".", Some(&")"), ..) => query.others = Others::NoPartBehind,
                (".", ..) => is_next = true,
                ("(", Some(name), ..) if name.starts_with('#') => {
                    let Some(test) = self.test(words)? else { break };
                    tests.push(test);
                }
                (_, _, Some(name), _) => query.lacks.push(self.fields(name)?),
                (_, _, _, Some(name)) => field = Some(self.fields(name)?),
                _ => {
                    words.push(word);
                    let Some(child) = self.node(words, tests)? else { break };
                    query.children.push(Query { field: field.take(), is_next, ..child });
                    is_next = false;
                }
            }
        }
        Ok(None)
    }

    /// Reads a predicate, of which the bracket is read.
    fn test(&mut self, words: &mut Words<'_>) -> Read<Option<(Capture, Selector)>> {
        let end = words.iter().rposition(|word| *word == ")").unwrap_or(0);
        let mut words = words.split_off(end);
        let (Some(name), Some(of)) = (words.pop(), words.pop()) else { return Ok(None) };
        words.remove(0);
        let capture = self.capture(of.trim_start_matches('@'))?;
        let mut any = Vec::new();
        for word in words.into_iter().rev() {
            any.push(match (word.strip_prefix('@'), unquoted(word)) {
                (Some(other), _) => Wanted::Like(self.capture(other)?),
                (None, Some(text)) if name.ends_with("match?") => {
                    let regex = bytes::Regex::new(text);
                    Wanted::Regex(regex.map_err(|e| RuleError(e.to_string()))?)
                }
                (None, Some(text)) => Wanted::Text(text.as_bytes().into()),
                (None, None) => return Ok(None),
            });
        }
        let negated = name.starts_with("#not-");
        let is_known = ["eq?", "any-of?", "match?"].iter().any(|known| name.ends_with(known));
        Ok((is_known && !any.is_empty()).then_some((capture, Selector { negated, any })))
    }

    /// Reads code with the language's parser.
    fn code(&mut self, code: &str) -> Read<Query> {
        let place = "to a node with parts in any of the `pattern_contexts`";
        let unreadable = || RuleError(format!("`{code}` does not parse {place}"));
        let mut holes: BTreeMap<Vec<u8>, Query> = BTreeMap::new();
        for found in CAPTURES.captures_iter(code) {
            let times = if found[0].starts_with("$$$") { Times::Many(0) } else { Times::Once };
            let captures = vec![self.new_capture(name_of(&found))?];
            holes.insert(word(&found).into(), Query { captures, times, ..Query::default() });
        }
        let (tree, root) = self.read(code).ok_or_else(unreadable)?;
        Ok(of_code(&tree, root, &holes))
    }

    /// Returns the tree of the first context in which code is free of errors, and in it the
    /// innermost node with children that is the code and nothing else.
    fn read(&self, code: &str) -> Option<(Tree, NodeId)> {
        // Captures become words for the parser.
        let text = &*CAPTURES.replace_all(code, |found: &regex::Captures<'_>| word(found));
        self.grammar.contexts.iter().find_map(|context| {
            let start = context.find(HOLE)?;
            let tree = self.language.parser.parse(context.replacen(HOLE, text, 1).as_bytes());
            let span = start..start + text.len();
            let is_whole = |&id: &NodeId| tree.span(id) == span && !tree.is_leaf(id);
            let root = tree.ids().rev().find(is_whole).filter(|_| tree.errors() == 0)?;
            // Nobody writes code of such depth, and it is read with recursion.
            let is_deep = |id| tree.ancestors(id).nth(DEEPEST).is_some();
            (!tree.ids().any(is_deep)).then_some((tree, root))
        })
    }
}

/// Returns the name in a capture.
pub(crate) fn name_of<'f>(found: &regex::Captures<'f>) -> &'f str {
    found.iter().flatten().last().map_or("", |name| name.as_str())
}

/// Returns the word that stands for a capture.
fn word(found: &regex::Captures<'_>) -> String {
    let what = if found[0].starts_with("$$$") { "rest" } else { "capture" };
    format!("{what}_{}", name_of(found))
}

/// Patterns are not as deep.
const DEEPEST: usize = 200;

/// Stands for the pattern in a context.
const HOLE: &str = "$PATTERN";

/// Returns the query for a node of code; recursion is as deep as the code of a rule.
fn of_code(tree: &Tree, id: NodeId, holes: &BTreeMap<Vec<u8>, Query>) -> Query {
    // Where names begin with a sign, so do captures: `%$A`.
    let text = tree.text_of(id);
    let is_one_leaf = tree.subtree(id).filter(|&below| tree.is_leaf(below)).count() == 1;
    let behind_sign = || {
        let parts = text.split_first().filter(|_| is_one_leaf);
        parts.filter(|(sign, _)| sign.is_ascii_punctuation())
    };
    // Among statements, a capture of neighbours is one: `$$$A;`.
    let as_statement = || {
        let hole = holes.get(text.strip_suffix(b";")?);
        hole.filter(|hole| hole.times != Times::Once)
    };
    let hole = holes.get(text).or_else(as_statement).or_else(|| holes.get(behind_sign()?.1));
    if let Some(hole) = hole {
        return hole.clone();
    }
    let counts = |&child: &NodeId| !tree.flags(child).extra;
    let children = tree.children(id).filter(counts).map(|child| of_code(tree, child, holes));
    Query {
        selector: Selector { negated: false, any: vec![Wanted::Kind(tree.kind(id))] },
        text: tree.is_leaf(id).then(|| text.into()),
        children: children.collect(),
        others: Others::None,
        ..Query::default()
    }
}

fn unquoted(word: &str) -> Option<&str> {
    let quote = word.chars().next().filter(|sign| ['"', '\''].contains(sign))?;
    word[1..].strip_suffix(quote)
}
