//! A browser's tree of a page, with where in the page each element and each text comes from.
//!
//! html5ever builds the tree. Nothing here may depend on edits, searches, or how our trees are
//! made. Elements that the parser adds on its own (implied ones, copies of formatting elements)
//! have no place in the page.

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

use crate::html::attribute_limit::{excess_attributes, left_of};

/// The tree; nodes refer to each other by number.
pub(crate) struct Traced {
    pub(crate) nodes: Vec<Node>,
    /// All texts without their blank space.
    pub(crate) text: String,
    pub(crate) chunks: Vec<Chunk>,
}

pub(crate) const DOCUMENT: usize = 0;

#[derive(Default)]
pub(crate) struct Node {
    pub(crate) parent: Option<usize>,
    before: Option<usize>,
    pub(crate) after: Option<usize>,
    pub(crate) first: Option<usize>,
    last: Option<usize>,
    pub(crate) origin: Origin,
}

#[derive(Clone, Copy, Default)]
pub(crate) enum Origin {
    /// The parser's own idea, or something that does not matter here.
    #[default]
    None,
    /// An element: where the last byte of its start tag stands.
    Tag(usize),
    /// A text: a part of all texts, and the chunk that it comes from.
    Text(usize, usize, usize),
}

/// The page is read in chunks that end after a `>`, so each has at most one tag, at its end.
pub(crate) struct Chunk {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) has_markup: bool,
}

impl Traced {
    /// Reads a page. Linear, apart from what the standard makes of misnested tags.
    pub(crate) fn new(page: &[u8]) -> Self {
        let opts = TreeBuilderOpts::default();
        let tap = Tap { builder: TreeBuilder::new(Sink::default(), opts) };
        let tokenizer = Tokenizer::new(tap, TokenizerOpts::default());
        let input = BufferQueue::default();
        let excess = excess_attributes(page);
        let mut start = 0;
        for chunk in page.split_inclusive(|&b| b == b'>') {
            let end = start + chunk.len();
            let sink = &tokenizer.sink.builder.sink;
            sink.chunks.borrow_mut().push(Chunk { start, end, has_markup: false });
            let shown = left_of(page, start..end, &excess);
            input.push_back(StrTendril::from_slice(&String::from_utf8_lossy(&shown)));
            while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
            start = end;
        }
        tokenizer.end();
        tokenizer.sink.builder.sink.finish()
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
        if !matches!(token, Token::CharacterTokens(_) | Token::ParseError(_))
            && let Some(chunk) = sink.chunks.borrow_mut().last_mut()
        {
            chunk.has_markup = true;
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

    /// Returns a node for what is to be put in.
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
        if let Some(before) = before {
            nodes[before].after = after;
        } else if let Some(parent) = parent {
            nodes[parent].first = after;
        }
        if let Some(after) = after {
            nodes[after].before = before;
        } else if let Some(parent) = parent {
            nodes[parent].last = before;
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

    /// Returns whether an element with this name is the one that the current start tag stands for.
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
        if let Some(parent) = parent {
            self.put(parent, child, Some(sibling.node));
        }
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
