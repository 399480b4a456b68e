//! What a browser builds from a page, after the HTML standard (html5ever).
//!
//! It must not depend on edits, searches, or how our trees are made.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use minirepro_syntax::{Copied, Encoded, NodeId, Parse, ParseErrors, Rendered, Tree};

use crate::html::attribute_limit::without_excess_attributes;
use crate::html::serializer::{Tags, Written};
use crate::html::tracing_parser::Traced;
use crate::plain::nesting::Nesting;

/// A parser of pages, with a browser's view beside the tree.
pub(crate) struct Browser {
    pub(crate) parser: Box<dyn Parse>,
    pub(crate) nesting: Option<Nesting>,
    /// The last page whose edits were asked about: there are many edits of one page.
    last: Mutex<Option<Arc<Read>>>,
}

/// A page and what a browser makes of it.
struct Read {
    page: Vec<u8>,
    tree: Traced,
}

impl Browser {
    pub(crate) fn new(parser: Box<dyn Parse>, nesting: Option<Nesting>) -> Self {
        Self { parser, nesting, last: Mutex::default() }
    }

    fn read(&self, page: &[u8]) -> Arc<Read> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = last.as_ref().filter(|read| read.page == page) {
            return Arc::clone(read);
        }
        let read = Arc::new(Read { page: page.to_vec(), tree: Traced::new(page) });
        *last = Some(Arc::clone(&read));
        read
    }
}

impl Parse for Browser {
    fn is_too_much(&self, text: &[u8]) -> bool {
        self.parser.is_too_much(text)
    }

    fn parse(&self, text: &[u8]) -> Tree {
        self.parser.parse(text)
    }

    fn tokens(&self, text: &[u8]) -> Option<u64> {
        self.parser.tokens(text)
    }

    fn errors(&self, text: &[u8]) -> u32 {
        self.parser.errors(text)
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        self.parser.errors_after(base, candidate)
    }

    fn encoded(&self, tree: &Tree, leaf: NodeId) -> Option<Encoded> {
        self.parser.encoded(tree, leaf)
    }

    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        let of_page = read(text, self.nesting.as_ref()).map(|dom| parse_errors(&dom))?;
        let mut all = self.parser.parse_errors(text).unwrap_or_default();
        all.messages.extend(of_page.messages);
        Some(all)
    }

    fn edit_is_faithful(&self, before: &[u8], after: &[u8], copied: &[Copied]) -> bool {
        if is_too_much(before, self.nesting.as_ref()) {
            return true;
        }
        Traced::keeps((&self.read(before).tree, before), (&Traced::new(after), after), copied)
    }

    fn sound_form(&self, text: &[u8]) -> Option<Vec<u8>> {
        let dom = read(text, self.nesting.as_ref())?;
        Some(Written::new(&dom, Tags::Needed).text)
    }

    fn reading(&self, text: &[u8]) -> Option<String> {
        let dom = read(text, self.nesting.as_ref())?;
        let mut reading = outline(&dom);
        for (message, count) in parse_errors(&dom).messages {
            reading.push_str(&format!("{count} × {message}\n"));
        }
        Some(reading)
    }
}

/// Above this, a page is not read a second time.
const LARGEST: usize = 10_000_000;

/// Returns the page's DOM; `None` for a page that is so large, or nested so deeply, that our own
/// parser does without a tree.
pub(crate) fn read(text: &[u8], nesting: Option<&Nesting>) -> Option<RcDom> {
    (!is_too_much(text, nesting)).then(|| dom(text))
}

fn is_too_much(text: &[u8], nesting: Option<&Nesting>) -> bool {
    text.len() > LARGEST || nesting.is_some_and(|n| n.is_too_deep(text))
}

pub(crate) fn dom(text: &[u8]) -> RcDom {
    let tree_builder = TreeBuilderOpts { exact_errors: true, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let shown = without_excess_attributes(text);
    parse_document(RcDom::default(), options).from_utf8().one(&*shown)
}

/// Returns the parse errors by their kinds: html5ever's messages without names and texts of the
/// page.
fn parse_errors(dom: &RcDom) -> ParseErrors {
    let mut complaints = ParseErrors::default();
    for message in &*dom.errors.borrow() {
        // Any part that somebody cut out of a page lacks the type at its beginning, and what is
        // still open at its end is closed without ado.
        let open_end = ["Unexpected token Eof", "Unexpected open tag"];
        let cut = open_end.iter().any(|start| message.starts_with(start));
        if cut || message.ends_with(" in insertion mode Initial") {
            continue;
        }
        let head = match message.split_once(" in insertion mode ") {
            // A tag can be broken in many ways, and each cut makes another of them.
            _ if is_in_tag(message) => Cow::from("Broken tag"),
            _ if message.starts_with("Saw ") => message.clone(),
            Some(_) => Cow::from("Unexpected token"),
            None => Cow::from(message.split([':', '(', '{', '"', '\'']).next().unwrap_or_default()),
        };
        *complaints.messages.entry(head.into_owned()).or_default() += 1;
    }
    complaints
}

/// Returns whether the message names a state of the tokenizer that is inside of a tag.
fn is_in_tag(message: &str) -> bool {
    if !message.starts_with("Saw ") {
        return false;
    }
    let state = message.rsplit(' ').next().unwrap_or_default();
    state.contains("Attribute") || ["TagName", "SelfClosingStartTag"].contains(&state)
}

/// Returns one line per node of the DOM, indented by depth: `<p class="x">`, `"text"`, `<!--…-->`.
/// No recursion on depth.
fn outline(dom: &RcDom) -> String {
    let mut lines = format!("{:?}\n", dom.quirks_mode.get());
    let mut stack: Vec<(usize, Handle)> = vec![(0, dom.document.clone())];
    while let Some((depth, node)) = stack.pop() {
        let line = match &node.data {
            NodeData::Document => String::new(),
            NodeData::Doctype { name, .. } => format!("<!DOCTYPE {name}>"),
            NodeData::Text { contents } if contents.borrow().trim().is_empty() => String::new(),
            NodeData::Text { contents } => format!("{:?}", contents.borrow().trim()),
            NodeData::Comment { contents } => format!("<!--{contents}-->"),
            NodeData::ProcessingInstruction { target, .. } => format!("<?{target}>"),
            NodeData::Element { name, attrs, template_contents, .. } => {
                if let Some(contents) = &*template_contents.borrow() {
                    stack.push((depth + 1, contents.clone()));
                }
                let attributes: String = attrs
                    .borrow()
                    .iter()
                    .map(|a| format!(" {}={:?}", a.name.local, &*a.value))
                    .collect();
                format!("<{}{attributes}>", name.local)
            }
        };
        if !line.is_empty() {
            lines.push_str(&"  ".repeat(depth.saturating_sub(1).min(DEEPEST)));
            lines.push_str(&line);
            lines.push('\n');
        }
        let children = node.children.borrow();
        stack.extend(children.iter().rev().map(|child| (depth + 1, child.clone())));
    }
    lines
}

/// Lines of deeper nodes are not indented further.
const DEEPEST: usize = 200;

#[cfg(test)]
mod tests {
    use minirepro_syntax::ParseErrors;

    use super::{dom, outline};

    #[test]
    fn what_is_cut_out_of_a_page_is_no_reason_to_complain() {
        let html = crate::by_name("html").unwrap().parser;
        let parse_errors = |page: &str| html.parse_errors(page.as_bytes());
        assert_eq!(
            parse_errors("<!DOCTYPE html><title>a</title><style>b{"),
            Some(ParseErrors::default())
        );
        assert_eq!(parse_errors("<b>a</b>"), Some(ParseErrors::default()));
        let [stray, twice, open] = ["</q>", "</q><b></q>", "<b"]
            .map(|end| parse_errors(&format!("<!DOCTYPE html><title>a</title>{end}")).unwrap());
        assert!(stray.subset_of(&twice) && !twice.subset_of(&stray));
        assert!(!open.subset_of(&stray) && !stray.subset_of(&open), "{open:?}");
        let [quote, cut] = ["<b x \">", "<b x"].map(|tag| parse_errors(tag).unwrap());
        assert!(quote == cut && cut.count() == 1, "{cut:?}");
    }

    #[test]
    fn the_outline_shows_what_the_parser_implies() {
        let page = b"<table><p id=x>a<tr><td>b</table>";
        assert_eq!(
            outline(&dom(page)),
            "Quirks\n<html>\n  <head>\n  <body>\n    <p id=\"x\">\n      \"a\"\n    <table>\n      \
             <tbody>\n        <tr>\n          <td>\n            \"b\"\n"
        );
    }
}
