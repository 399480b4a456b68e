//! A browser's tree of a page, with where in the page each element and each text comes from, so
//! that two such trees can be compared: of a page, and of what an edit has left of it.
//!
//! Knows html5ever; must not know edits, searches, nor how our trees are made. Elements that the
//! parser adds on its own (implied ones, copies of formatting elements) have no place in the page
//! and count as not there.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{
    ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeBuilderOpts, TreeSink,
};
use html5ever::{Attribute, ExpandedName, QualName, expanded_name, local_name, ns};
use minirepro_syntax::Copied;

/// The tree; nodes refer to each other by number.
pub(crate) struct Traced {
    nodes: Vec<Node>,
    /// All texts without their blank space.
    text: String,
    chunks: Vec<Chunk>,
}

const DOCUMENT: usize = 0;

#[derive(Default)]
struct Node {
    parent: Option<usize>,
    before: Option<usize>,
    after: Option<usize>,
    first: Option<usize>,
    last: Option<usize>,
    origin: Origin,
}

#[derive(Clone, Copy, Default)]
enum Origin {
    /// The parser's own idea, or something that does not matter here.
    #[default]
    None,
    /// An element: where the last byte of its start tag stands.
    Tag(usize),
    /// A text: a part of all texts, and the chunk that it comes from.
    Text(usize, usize, usize),
}

/// The page is read in chunks that end behind a `>`, so each has at most one tag, at its end.
struct Chunk {
    start: usize,
    end: usize,
    has_markup: bool,
}

/// What a tree consists of, in document order.
#[derive(PartialEq, Eq)]
enum Part {
    Open(usize),
    Text(String),
    Close,
}

impl Traced {
    /// Reads a page. Linear, apart from what the standard makes of misnested tags.
    pub(crate) fn new(page: &[u8]) -> Self {
        let opts = TreeBuilderOpts::default();
        let tap = Tap { builder: TreeBuilder::new(Sink::default(), opts) };
        let tokenizer = Tokenizer::new(tap, TokenizerOpts::default());
        let input = BufferQueue::default();
        let mut start = 0;
        for chunk in page.split_inclusive(|&b| b == b'>') {
            let end = start + chunk.len();
            let sink = &tokenizer.sink.builder.sink;
            sink.chunks.borrow_mut().push(Chunk { start, end, has_markup: false });
            input.push_back(StrTendril::from_slice(&String::from_utf8_lossy(chunk)));
            while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
            start = end;
        }
        tokenizer.end();
        tokenizer.sink.builder.sink.finish()
    }

    /// Whether a browser builds from `after` just what it builds from the page `before` once nothing
    /// but the `copied` parts is left of that: the same elements inside of each other, in the same
    /// order, with the same text where none was cut. Linear times the logarithm of `copied`.
    pub(crate) fn keeps(before: (&Self, &[u8]), after: (&Self, &[u8]), copied: &[Copied]) -> bool {
        let mut forth: Vec<Copied> = copied.to_vec();
        forth.sort_unstable_by_key(|part| part.from.start);
        let mut back: Vec<Copied> = copied
            .iter()
            .map(|Copied { from, to }| Copied { from: *to..to + from.len(), to: *to })
            .collect();
        back.sort_unstable_by_key(|part| part.to);
        let (expected, known) = before.0.parts(before.1, &forth);
        let (found, known_too) = after.0.parts(after.1, &back);
        if known && known_too {
            return expected == found;
        }
        let is_tag = |part: &&Part| !matches!(part, Part::Text(_));
        expected.iter().filter(is_tag).eq(found.iter().filter(is_tag))
    }

    /// What is left of the tree when only `copied` parts of its page are, with elements named by
    /// where their tags went; and whether every text is there as a whole or not at all.
    fn parts(&self, page: &[u8], copied: &[Copied]) -> (Vec<Part>, bool) {
        let (mut parts, mut known) = (Vec::new(), true);
        let mut at = DOCUMENT;
        loop {
            match self.nodes[at].origin {
                Origin::None => {}
                Origin::Tag(end) => parts.extend(place(copied, end).map(Part::Open)),
                Origin::Text(from, to, chunk) => match kept(copied, page, &self.chunks[chunk]) {
                    Kept::Nothing => {}
                    Kept::Some => known = false,
                    Kept::All => match parts.last_mut() {
                        Some(Part::Text(text)) => text.push_str(&self.text[from..to]),
                        _ => parts.push(Part::Text(self.text[from..to].to_owned())),
                    },
                },
            }
            if let Some(child) = self.nodes[at].first {
                at = child;
                continue;
            }
            loop {
                if let Origin::Tag(end) = self.nodes[at].origin {
                    parts.extend(place(copied, end).map(|_| Part::Close));
                }
                match (self.nodes[at].after, self.nodes[at].parent) {
                    (Some(next), _) if at != DOCUMENT => at = next,
                    (None, Some(parent)) => {
                        at = parent;
                        continue;
                    }
                    _ => return (parts, known),
                }
                break;
            }
        }
    }
}

/// Where a byte went.
fn place(copied: &[Copied], byte: usize) -> Option<usize> {
    let part = copied[..copied.partition_point(|part| part.from.start <= byte)].last()?;
    (byte < part.from.end).then(|| part.to + byte - part.from.start)
}

enum Kept {
    Nothing,
    Some,
    All,
}

/// How much of the text of a chunk is left.
fn kept(copied: &[Copied], page: &[u8], chunk: &Chunk) -> Kept {
    let bytes = &page[chunk.start..chunk.end];
    let tag = bytes.iter().rposition(|&b| b == b'<').filter(|_| chunk.has_markup);
    let text = &bytes[..tag.unwrap_or(bytes.len())];
    let (mut some, mut all) = (false, true);
    for (i, _) in text.iter().enumerate().filter(|(_, b)| !b.is_ascii_whitespace()) {
        match place(copied, chunk.start + i) {
            Some(_) => some = true,
            None => all = false,
        }
    }
    match (some, all) {
        (false, _) => Kept::Nothing,
        (true, true) => Kept::All,
        (true, false) => Kept::Some,
    }
}

/// Tells the sink about each token before the tree builder has it.
struct Tap {
    builder: TreeBuilder<Handle, Sink>,
}

impl TokenSink for Tap {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        let sink = &self.builder.sink;
        let start_tag = match &token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => Some(tag.name.clone()),
            _ => None,
        };
        if !matches!(token, Token::CharacterTokens(_) | Token::ParseError(_)) {
            sink.chunks.borrow_mut().iter_mut().next_back().into_iter().for_each(|chunk| {
                chunk.has_markup = true;
            });
        }
        sink.tag.replace(start_tag.map(|name| name.to_string()));
        sink.made.set(None);
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

type Handle = Rc<Named>;

/// A node as html5ever knows it.
struct Named {
    node: usize,
    name: QualName,
    /// The node that holds a template's contents.
    contents: usize,
    is_integration_point: bool,
}

/// What html5ever builds.
#[derive(Default)]
struct Sink {
    nodes: RefCell<Vec<Node>>,
    text: RefCell<String>,
    chunks: RefCell<Vec<Chunk>>,
    /// The name of the start tag that is being dealt with.
    tag: RefCell<Option<String>>,
    /// The element that was made for it. Elements of the same name that the parser adds on its own
    /// come before it.
    made: Cell<Option<usize>>,
}

impl Sink {
    fn node(&self, origin: Origin) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        if nodes.is_empty() {
            nodes.push(Node::default());
        }
        nodes.push(Node { origin, ..Node::default() });
        nodes.len() - 1
    }

    fn handle(&self, node: usize, name: QualName) -> Handle {
        Rc::new(Named { node, name, contents: DOCUMENT, is_integration_point: false })
    }

    fn nameless(&self, node: usize) -> Handle {
        self.handle(node, QualName::new(None, ns!(), local_name!("")))
    }

    /// A node for what is to be put in.
    fn child(&self, child: NodeOrText<Handle>) -> usize {
        match child {
            NodeOrText::AppendNode(node) => node.node,
            NodeOrText::AppendText(text) => {
                let mut all = self.text.borrow_mut();
                let from = all.len();
                all.extend(text.chars().filter(|c| !c.is_whitespace()));
                let chunk = self.chunks.borrow().len().saturating_sub(1);
                if from == all.len() {
                    return self.node(Origin::None);
                }
                self.node(Origin::Text(from, all.len(), chunk))
            }
        }
    }

    fn cut(&self, node: usize) {
        let mut nodes = self.nodes.borrow_mut();
        let Node { parent, before, after, .. } = nodes[node];
        match before {
            Some(before) => nodes[before].after = after,
            None => parent.into_iter().for_each(|p| nodes[p].first = after),
        }
        match after {
            Some(after) => nodes[after].before = before,
            None => parent.into_iter().for_each(|p| nodes[p].last = before),
        }
        (nodes[node].parent, nodes[node].before, nodes[node].after) = (None, None, None);
    }

    /// Puts a node into a parent, before the given child or at the end.
    fn put(&self, parent: usize, node: usize, next: Option<usize>) {
        self.cut(node);
        let mut nodes = self.nodes.borrow_mut();
        let before = match next {
            Some(next) => nodes[next].before.replace(node),
            None => nodes[parent].last.replace(node),
        };
        match before {
            Some(before) => nodes[before].after = Some(node),
            None => nodes[parent].first = Some(node),
        }
        let own = &mut nodes[node];
        (own.parent, own.before, own.after) = (Some(parent), before, next);
    }

    /// Whether an element with this name is the one that the current start tag stands for.
    fn is_tags_own(&self, name: &QualName) -> bool {
        // There is always exactly one of these, whoever wrote its tag and wherever.
        if matches!(
            name.expanded(),
            expanded_name!(html "html") | expanded_name!(html "head") | expanded_name!(html "body")
        ) {
            return false;
        }
        let tag = self.tag.borrow();
        tag.as_ref().is_some_and(|tag| {
            (*name.local).eq_ignore_ascii_case(tag) || tag == "image" && &*name.local == "img"
        })
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Traced;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Traced {
        let mut nodes = self.nodes.into_inner();
        if nodes.is_empty() {
            nodes.push(Node::default());
        }
        Traced { nodes, text: self.text.into_inner(), chunks: self.chunks.into_inner() }
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.nameless(DOCUMENT)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, _: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let end = self.chunks.borrow().last().map_or(0, |chunk| chunk.end.saturating_sub(1));
        let own = self.is_tags_own(&name);
        let node = self.node(if own { Origin::Tag(end) } else { Origin::None });
        if let (true, Some(copy)) = (own, self.made.replace(Some(node))) {
            self.nodes.borrow_mut()[copy].origin = Origin::None;
        }
        let contents = if flags.template { self.node(Origin::None) } else { DOCUMENT };
        if flags.template {
            self.put(node, contents, None);
        }
        let is_integration_point = flags.mathml_annotation_xml_integration_point;
        Rc::new(Named { node, name, contents, is_integration_point })
    }

    fn create_comment(&self, _text: StrTendril) -> Handle {
        self.nameless(self.node(Origin::None))
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Handle {
        self.nameless(self.node(Origin::None))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.put(parent.node, self.child(child), None);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let has_parent = self.nodes.borrow()[element.node].parent.is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.nameless(target.contents)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.node == y.node
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let parent = self.nodes.borrow()[sibling.node].parent;
        let child = self.child(child);
        parent.into_iter().for_each(|parent| self.put(parent, child, Some(sibling.node)));
    }

    fn add_attrs_if_missing(&self, _target: &Handle, _attributes: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &Handle) {
        self.cut(target.node);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        while let Some(child) = { self.nodes.borrow()[node.node].first } {
            self.put(new_parent.node, child, None);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        handle.is_integration_point
    }
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::Copied;

    use super::Traced;

    /// Whether a browser still reads the page as before once the parts between `⟦` and `⟧` are gone.
    fn keeps(marked: &str) -> bool {
        let (mut before, mut after, mut copied) = (String::new(), String::new(), Vec::new());
        for part in marked.split('⟦') {
            let (gone, kept) = part.split_once('⟧').unwrap_or(("", part));
            before.push_str(gone);
            let from = before.len()..before.len() + kept.len();
            copied.push(Copied { from, to: after.len() });
            before.push_str(kept);
            after.push_str(kept);
        }
        let (old, new) = (before.as_bytes(), after.as_bytes());
        Traced::keeps((&Traced::new(old), old), (&Traced::new(new), new), &copied)
    }

    #[test]
    fn edits_that_mean_what_they_say_are_kept() {
        for page in [
            "<p>a<p>⟦<b>b</b>⟧c",
            "<div>⟦<p>⟧a⟦</p>⟧</div>",
            "<table>⟦<tbody>⟧<tr><td>x⟦</tbody>⟧</table>",
            "<p>a⟦</p>⟧<p>b",
            "<ul><li>a⟦</li>⟧<li>b</ul>",
            "⟦<!DOCTYPE html><title>x</title>⟧<p>a",
            "<body>⟦<p>⟧a",
            "<svg><g>⟦<path/>⟧</g></svg>",
            "<p>one ⟦two ⟧three <b>x</b>",
            "<template><td>⟦<i>⟧x⟦</i>⟧</td></template>",
            "<script>⟦if (a > b) c();⟧</script><p>x",
        ] {
            assert!(keeps(page), "{page}");
        }
    }

    #[test]
    fn what_a_browser_would_read_otherwise_is_told() {
        for page in [
            // Foster parenting.
            "<table>⟦<tr><td>⟧<p>x</p></table>",
            "<table><tr>⟦<td>⟧text⟦</td>⟧</table>",
            // The end tag of a formatting element.
            "<b>x⟦</b>⟧y",
            // A paragraph inside of a paragraph.
            "<p>a⟦<button>⟧<p>b</p>⟦</button>⟧",
            // A list item closes another one.
            "<li>a⟦<ul>⟧<li>b</li>⟦</ul>⟧",
            // Cells outside of a table.
            "⟦<table>⟧<tr><td>x⟦</table>⟧",
            // A nested form.
            "⟦<form>⟧<form>x</form>⟦</form>⟧",
            // Text of a raw text element.
            "⟦<script>⟧a<b>c⟦</script>⟧",
            // Foreign content.
            "⟦<svg>⟧<title><b>x</b></title>⟦</svg>⟧",
        ] {
            assert!(!keeps(page), "{page}");
        }
    }

    #[test]
    fn any_bytes_have_a_tree() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        for page in [&bytes[..], b"", b"<", b"<template><template></template>x", b"</p></br>"] {
            let tree = Traced::new(page);
            let all = [Copied { from: 0..page.len(), to: 0 }];
            assert!(Traced::keeps((&tree, page), (&tree, page), &all));
        }
    }
}
