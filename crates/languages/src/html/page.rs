//! A page as a browser reads it: the parts of its tree in document order, each with the place in
//! the page that it comes from, and what the browser complains about.
//!
//! html5ever builds the tree, as an `RcDom`. Nothing here may depend on edits, searches, or how our
//! trees are made. Elements that the parser adds on its own (implied ones, copies of formatting
//! elements) have no place in the page.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{
    ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeBuilderOpts, TreeSink,
};
use html5ever::{Attribute, ExpandedName, QualName, ns};
use markup5ever_rcdom::{Handle, Node, NodeData, RcDom};
use minirepro_syntax::ParseErrors;

/// What a browser reads.
pub(crate) struct Page {
    pub(crate) text: Vec<u8>,
    /// The tree in document order.
    pub(crate) parts: Vec<Part>,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) errors: ParseErrors,
}

/// A part of the tree that comes from the page.
pub(crate) enum Part {
    /// An element begins: the last byte of its start tag stands here.
    Open(usize),
    Text(Piece),
    Close(usize),
}

/// A text without its blank space, and the number of the chunk that it comes from.
pub(crate) struct Piece {
    pub(crate) words: String,
    pub(crate) chunk: usize,
}

/// The page is read in chunks that end after a `>`, so each has at most one tag, at its end.
pub(crate) struct Chunk {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) has_markup: bool,
}

impl Page {
    /// Reads a page. Linear, apart from what the standard makes of misnested tags.
    pub(crate) fn read(page: &[u8]) -> Self {
        let opts = TreeBuilderOpts { exact_errors: true, ..TreeBuilderOpts::default() };
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
        let Sink { dom, places, chunks, .. } = tokenizer.sink.builder.sink;
        Self {
            text: page.to_vec(),
            parts: parts(&dom.document, places.into_inner()),
            chunks: chunks.into_inner(),
            errors: parse_errors(&dom.errors.into_inner()),
        }
    }
}

/// Returns the parts of a document. No recursion on depth.
fn parts(document: &Handle, mut places: Places) -> Vec<Part> {
    let mut parts = Vec::new();
    // Nodes, and where those that are open have begun.
    let mut steps: Vec<Result<Handle, usize>> = vec![Ok(Rc::clone(document))];
    while let Some(step) = steps.pop() {
        let node = match step {
            Ok(node) => node,
            Err(end) => {
                parts.push(Part::Close(end));
                continue;
            }
        };
        match places.remove(&Rc::as_ptr(&node)).map(|(_, origin)| origin) {
            Some(Origin::Tag(end)) => {
                parts.push(Part::Open(end));
                steps.push(Err(end));
            }
            Some(Origin::Texts(pieces)) => parts.extend(pieces.into_iter().map(Part::Text)),
            None => {}
        }
        steps.extend(node.children.borrow().iter().rev().cloned().map(Ok));
        if let NodeData::Element { template_contents, .. } = &node.data {
            steps.extend(template_contents.borrow().iter().cloned().map(Ok));
        }
    }
    parts
}

/// Returns the parse errors by their kinds: html5ever's messages without names and texts of the
/// page.
fn parse_errors(errors: &[Cow<'static, str>]) -> ParseErrors {
    let mut complaints = ParseErrors::default();
    for message in errors.iter().map(|message| &**message) {
        // Any part that somebody cut out of a page lacks the type at its beginning, and what is
        // still open at its end is closed without ado.
        let open_end = ["Unexpected token Eof", "Unexpected open tag"];
        let cut = open_end.iter().any(|start| message.starts_with(start));
        if cut || message.ends_with(" in insertion mode Initial") {
            continue;
        }
        // Of what it saw, the tokenizer says last in which state.
        let state = message.strip_prefix("Saw ").and_then(|saw| saw.rsplit(' ').next());
        let head = match state {
            // A tag can be broken in many ways, and each cut makes another of them.
            Some("TagName" | "SelfClosingStartTag") => "Broken tag",
            Some(state) if state.contains("Attribute") => "Broken tag",
            Some(_) => message,
            None if message.contains(" in insertion mode ") => "Unexpected token",
            None => message.split([':', '(', '{', '"', '\'']).next().unwrap_or_default(),
        };
        *complaints.messages.entry(head.to_owned()).or_default() += 1;
    }
    complaints
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
        sink.made.take();
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// A DOM that is built, and where its nodes come from.
#[derive(Default)]
struct Sink {
    dom: RcDom,
    places: RefCell<Places>,
    chunks: RefCell<Vec<Chunk>>,
    /// The name of the start tag that is being dealt with.
    tag: RefCell<Option<String>>,
    /// The element that was made for it. Elements of the same name that the parser adds on its own
    /// come before it.
    made: RefCell<Option<Handle>>,
}

/// Where nodes come from that are not the parser's own idea. They live as long as that is known: no
/// other one gets their address.
type Places = HashMap<*const Node, (Handle, Origin)>;

enum Origin {
    /// An element: the last byte of its start tag stands here.
    Tag(usize),
    /// A text.
    Texts(Vec<Piece>),
}

impl Sink {
    /// Returns the piece that a text is, unless it is blank.
    fn piece(&self, child: &NodeOrText<Handle>) -> Option<Piece> {
        let NodeOrText::AppendText(text) = child else { return None };
        let words: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let chunk = self.chunks.borrow().len().saturating_sub(1);
        (!words.is_empty()).then_some(Piece { words, chunk })
    }

    /// Adds a piece to the text that it stands in.
    fn note_piece(&self, text: Option<&Handle>, piece: Option<Piece>) {
        let (Some(text), Some(piece)) = (text, piece) else { return };
        let mut places = self.places.borrow_mut();
        let place = places.entry(Rc::as_ptr(text));
        if let (_, Origin::Texts(pieces)) =
            place.or_insert_with(|| (Rc::clone(text), Origin::Texts(Vec::new())))
        {
            pieces.push(piece);
        }
    }

    /// Returns whether an element with this name is the one that the current start tag stands for.
    fn is_tags_own(&self, name: &QualName) -> bool {
        // There is always exactly one of these, whoever wrote its tag and wherever.
        let is_single = name.ns == ns!(html) && ["html", "head", "body"].contains(&&*name.local);
        let is_of = |tag: &String| {
            (*name.local).eq_ignore_ascii_case(tag) || tag == "image" && &*name.local == "img"
        };
        !is_single && self.tag.borrow().as_ref().is_some_and(is_of)
    }
}

fn parent(node: &Handle) -> Option<Handle> {
    let parent = node.parent.take();
    node.parent.set(parent.clone());
    parent.as_ref().and_then(Weak::upgrade)
}

/// Leaves methods to the DOM.
macro_rules! forward {
    ($(fn $name:ident($($arg:ident: $of:ty),*) $(-> $result:ty)?;)*) => {
        $(fn $name(&self, $($arg: $of),*) $(-> $result)? {
            self.dom.$name($($arg),*)
        })*
    };
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    forward! {
        fn parse_error(message: Cow<'static, str>);
        fn get_document() -> Handle;
        fn create_comment(text: StrTendril) -> Handle;
        fn create_pi(target: StrTendril, data: StrTendril) -> Handle;
        fn append_doctype_to_document(name: StrTendril, public: StrTendril, system: StrTendril);
        fn get_template_contents(target: &Handle) -> Handle;
        fn same_node(x: &Handle, y: &Handle) -> bool;
        fn set_quirks_mode(mode: QuirksMode);
        fn add_attrs_if_missing(target: &Handle, attributes: Vec<Attribute>);
        fn remove_from_parent(target: &Handle);
        fn reparent_children(node: &Handle, new_parent: &Handle);
        fn is_mathml_annotation_xml_integration_point(target: &Handle) -> bool;
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_element(&self, name: QualName, of: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let end = self.chunks.borrow().last().map_or(0, |chunk| chunk.end.saturating_sub(1));
        let own = self.is_tags_own(&name);
        let element = self.dom.create_element(name, of, flags);
        let copy = self.made.replace(Some(Rc::clone(&element)));
        if own {
            let mut places = self.places.borrow_mut();
            places.insert(Rc::as_ptr(&element), (Rc::clone(&element), Origin::Tag(end)));
            // That one was the parser's own idea.
            copy.iter().for_each(|copy| drop(places.remove(&Rc::as_ptr(copy))));
        }
        element
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let piece = self.piece(&child);
        self.dom.append(parent, child);
        self.note_piece(parent.children.borrow().last(), piece);
    }

    fn append_based_on_parent_node(&self, to: &Handle, or: &Handle, child: NodeOrText<Handle>) {
        match parent(to) {
            Some(_) => self.append_before_sibling(to, child),
            None => self.append(or, child),
        }
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let Some(parent) = parent(sibling) else { return };
        let piece = self.piece(&child);
        self.dom.append_before_sibling(sibling, child);
        let children = parent.children.borrow();
        if piece.is_some() {
            let before = children.iter().take_while(|other| !Rc::ptr_eq(other, sibling)).last();
            self.note_piece(before, piece);
        }
    }
}
