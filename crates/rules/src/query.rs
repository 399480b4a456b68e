//! Queries: what a part must look like, in the notation of tree-sitter, but matched on our own
//! trees. A piece of code is read into a query, too.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::LazyLock;

use minirepro_syntax::{Field, NodeId, Tree};
use regex::Regex;

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
}

impl Captured {
    pub(crate) fn set(&mut self, Capture(number): Capture, nodes: Vec<NodeId>) {
        self.0[number] = Found { nodes, place: None };
    }

    pub(crate) fn nodes(&self, Capture(number): Capture) -> &[NodeId] {
        &self.0[number].nodes
    }

    pub(crate) fn first(&self, capture: Capture) -> Option<NodeId> {
        self.nodes(capture).first().copied()
    }
}

/// What a node must look like.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    /// All of these it must be.
    pub(crate) wanted: Vec<Selector>,
    captures: Vec<Capture>,
    /// What may stand between it and the one before.
    before: Others,
    /// Whether it stands for as many neighbours as possible, or none.
    is_many: bool,
    /// What stands in it, in this order; anything may, if there is nothing.
    children: Vec<Query>,
    /// What may stand behind these.
    behind: Others,
    /// Fields that no child may stand in.
    lacks: Vec<Vec<Field>>,
}

/// What may stand beside the children that a query names. Comments may everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Others {
    #[default]
    Any,
    /// Where a dot stands: signs.
    NoParts,
    /// In code.
    None,
}

impl Others {
    fn may_be(self, view: View<'_>, node: NodeId) -> bool {
        self == Self::Any || self == Self::NoParts && !view.tree.is_named(node)
    }
}

impl Query {
    /// Returns the captures of each way in which a node fits, in the order of the text. Recursion
    /// is as deep as the query.
    pub(crate) fn ways(&self, view: View<'_>, node: NodeId, captured: &Captured) -> Vec<Captured> {
        let tree = view.tree;
        let is_like = |capture: &Capture| {
            captured.first(*capture).is_none_or(|other| tree.hash(other) == tree.hash(node))
        };
        let lacks = |fields: &Vec<Field>| !tree.children(node).any(|at| view.is_in(fields, at));
        let fits = self.wanted.iter().all(|selector| selector.fits(view, captured, node))
            && self.captures.iter().all(is_like)
            && self.lacks.iter().all(lacks);
        if !fits {
            return Vec::new();
        }
        let mut captured = captured.clone();
        self.captures.iter().for_each(|&Capture(number)| captured.0[number].nodes.push(node));
        if self.children.is_empty() && self.behind == Others::Any {
            return vec![captured];
        }
        let counts = |&child: &NodeId| !tree.flags(child).extra;
        let nodes: Vec<NodeId> = tree.children(node).filter(counts).collect();
        self.ways_of_children(&self.children, view, &nodes, &captured)
    }

    fn ways_of_children(
        &self,
        children: &[Query],
        view: View<'_>,
        nodes: &[NodeId],
        captured: &Captured,
    ) -> Vec<Captured> {
        let Some((child, others)) = children.split_first() else {
            let is_over = nodes.iter().all(|&node| self.behind.may_be(view, node));
            return is_over.then(|| captured.clone()).into_iter().collect();
        };
        if child.is_many {
            let fits = |&&node: &&NodeId| !child.ways(view, node, captured).is_empty();
            let most = nodes.iter().take_while(fits).count();
            let ways = (0..=most).rev().map(|end| {
                let mut captured = captured.clone();
                for &Capture(number) in &child.captures {
                    captured.0[number].nodes.extend_from_slice(&nodes[..end]);
                }
                self.ways_of_children(others, view, &nodes[end..], &captured)
            });
            return { ways }.find(|ways| !ways.is_empty()).unwrap_or_default();
        }
        let mut ways = Vec::new();
        for (at, &node) in nodes.iter().enumerate() {
            let found = child.ways(view, node, captured);
            let behind = &nodes[at + 1..];
            ways.extend(found.iter().flat_map(|c| self.ways_of_children(others, view, behind, c)));
            if !child.before.may_be(view, node) {
                break;
            }
        }
        ways
    }
}

/// The signs and words of a query.
static WORDS: LazyLock<Regex> = LazyLock::new(|| regex(r#"[()|.]|"[^"]*"|'[^']*'|[!@]?[\w:]+|\S"#));

/// Finds captures in code.
pub(crate) static CAPTURES: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\$(?:(?:\$\$)?(?<name>[A-Z][A-Z0-9_]*)|\((?<said>[A-Z][A-Z0-9_]*)\))")
});

/// Returns the regular expression of a pattern in this crate.
pub(crate) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("patterns in the code are valid")
}

/// What is left of a query.
type Words<'w> = Peekable<std::vec::IntoIter<&'w str>>;

impl Compiler<'_> {
    /// Reads what the subject of a rule must look like: code, if it has captures of such, else a
    /// query.
    pub(crate) fn subject(&mut self, text: &str) -> Read<Query> {
        if CAPTURES.is_match(text) {
            return self.code(text);
        }
        let words: Vec<&str> = WORDS.find_iter(text).map(|word| word.as_str()).collect();
        let mut words = words.into_iter().peekable();
        let query = self.node(words.next(), &mut words).and_then(|query| match words.next() {
            None => Ok(query),
            Some(_) => Err(no_query()),
        });
        query.map_err(|RuleError(why)| RuleError(format!("`{text}`: {why}")))
    }

    /// Reads a node that begins with a word, with its captures.
    fn node(&mut self, word: Option<&str>, words: &mut Words<'_>) -> Read<Query> {
        let mut query = match word {
            Some("(") => self.inner(words)?,
            Some("_") => Query::default(),
            _ => {
                let text = word.and_then(unquoted).ok_or_else(no_query)?.as_bytes().into();
                let wanted = vec![Wanted::Named(false).into(), Wanted::Text(text).into()];
                Query { wanted, ..Query::default() }
            }
        };
        while let Some(name) = words.next_if(|word| word.starts_with('@')) {
            if name.contains(|c: char| c.is_lowercase()) {
                return Err(RuleError(format!("`{name}`: captures are in capitals")));
            }
            query.captures.push(self.new_capture(&name[1..])?);
        }
        Ok(query)
    }

    /// Reads what stands between brackets.
    fn inner(&mut self, words: &mut Words<'_>) -> Read<Query> {
        let mut kinds = words.next().unwrap_or_default().to_owned();
        while words.next_if_eq(&"|").is_some() {
            kinds = kinds + "|" + words.next().unwrap_or_default();
        }
        let wanted = vec![Wanted::Named(true).into(), self.selector(&kinds)?];
        let mut query = Query { wanted, ..Query::default() };
        let (mut before, mut field) = (Others::Any, None);
        while let Some(word) = words.next() {
            match (word, word.strip_prefix('!'), word.strip_suffix(':')) {
                (")", ..) => return Ok(query),
                (".", ..) if words.peek() == Some(&")") => query.behind = Others::NoParts,
                (".", ..) => before = Others::NoParts,
                (_, Some(name), _) => query.lacks.push(self.fields(name)?),
                (_, _, Some(name)) => field = Some(Wanted::Field(self.fields(name)?)),
                _ => {
                    let mut child = self.node(Some(word), words)?;
                    child.wanted.extend(field.take().map(Selector::from));
                    child.before = std::mem::take(&mut before);
                    query.children.push(child);
                }
            }
        }
        Err(no_query())
    }

    /// Reads code with the language's parser.
    fn code(&mut self, code: &str) -> Read<Query> {
        let unreadable = || {
            let instead = "write a query (`minirepro tree FILE` shows the kinds), or give the language \
                           `pattern_contexts` in which it is";
            RuleError(format!("`{code}` is no code with parts by itself: {instead}"))
        };
        let mut holes: BTreeMap<Vec<u8>, Query> = BTreeMap::new();
        for found in CAPTURES.captures_iter(code) {
            let is_many = found[0].starts_with("$$$");
            let captures = vec![self.new_capture(name_of(&found))?];
            holes.insert(word(&found).into(), Query { captures, is_many, ..Query::default() });
        }
        let (tree, root) = self.read(code).ok_or_else(unreadable)?;
        Ok(of_code(&tree, root, &holes))
    }

    /// Returns the tree of the first context in which code is free of errors, and in it the
    /// innermost node with children that is the code and nothing else.
    pub(crate) fn read(&self, code: &str) -> Option<(Tree, NodeId)> {
        // Captures become words for the parser.
        let text = &*CAPTURES.replace_all(code, |found: &regex::Captures<'_>| word(found));
        let contexts = self.grammar.contexts.iter().map(String::as_str);
        contexts.chain([HOLE]).find_map(|context| {
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

fn no_query() -> RuleError {
    RuleError(
        "neither code with captures (`$A + $B`) nor a query (`(call function: (name) @F)`)"
            .to_owned(),
    )
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
    let text = tree.text_of(id);
    // Among statements, a capture of neighbours is one: `$$$A;`.
    let as_statement = || holes.get(text.strip_suffix(b";")?).filter(|hole| hole.is_many);
    // Where names begin with a sign, so do captures: `%$A`.
    let behind_sign = || {
        let is_one_leaf = tree.subtree(id).filter(|&below| tree.is_leaf(below)).count() == 1;
        let (sign, name) = text.split_first()?;
        holes.get(name).filter(|_| is_one_leaf && sign.is_ascii_punctuation())
    };
    if let Some(hole) = holes.get(text).or_else(as_statement).or_else(behind_sign) {
        return hole.clone();
    }
    let counts = |&child: &NodeId| !tree.flags(child).extra;
    let child = |child| Query { before: Others::None, ..of_code(tree, child, holes) };
    let own = tree.is_leaf(id).then(|| Wanted::Text(text.into()));
    Query {
        wanted: [Wanted::Kind(tree.kind(id))].into_iter().chain(own).map(Selector::from).collect(),
        children: tree.children(id).filter(counts).map(child).collect(),
        behind: Others::None,
        ..Query::default()
    }
}

/// Returns what stands between quotation marks.
pub(crate) fn unquoted(word: &str) -> Option<&str> {
    let quote = word.chars().next().filter(|sign| ['"', '\''].contains(sign))?;
    word[1..].strip_suffix(quote)
}
