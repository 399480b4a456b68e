//! What a browser builds from a page, after the HTML standard (html5ever).
//!
//! Knows DOMs; must not know edits, searches, nor how our trees are made.

use std::borrow::Cow;

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use minirepro_syntax::{Parse, Tree};

use crate::manifest::Nesting;

/// A parser of pages, with a browser's view beside the tree.
pub(crate) struct Browser {
    pub(crate) parser: Box<dyn Parse>,
    pub(crate) nesting: Option<Nesting>,
}

impl Parse for Browser {
    fn parse(&self, text: &[u8]) -> Tree {
        self.parser.parse(text)
    }

    fn tokens(&self, text: &[u8]) -> Option<u64> {
        self.parser.tokens(text)
    }

    fn errors(&self, text: &[u8]) -> u32 {
        self.parser.errors(text)
    }

    fn complaints(&self, text: &[u8]) -> Option<u32> {
        let dom = read(text, self.nesting.as_ref())?;
        // What is still open at the end of a page is closed without ado, as at the end of any
        // part that somebody cut out.
        let counts = |message: &&Cow<'_, str>| {
            !message.to_ascii_lowercase().starts_with("unexpected token eof")
        };
        u32::try_from(dom.errors.borrow().iter().filter(counts).count()).ok()
    }

    fn reading(&self, text: &[u8]) -> Option<String> {
        read(text, self.nesting.as_ref()).map(|dom| outline(&dom))
    }
}

/// Above this, a page is not read a second time.
const LARGEST: usize = 10_000_000;

/// The page's DOM; `None` for a page that is so large, or nested so deeply, that our own parser
/// does without a tree.
pub(crate) fn read(text: &[u8], nesting: Option<&Nesting>) -> Option<RcDom> {
    let too_much = text.len() > LARGEST || nesting.is_some_and(|n| n.is_too_deep(text));
    (!too_much).then(|| dom(text))
}

pub(crate) fn dom(text: &[u8]) -> RcDom {
    let tree_builder = TreeBuilderOpts { exact_errors: true, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    parse_document(RcDom::default(), options).from_utf8().one(text)
}

/// One line per node of the DOM, indented by depth: `<p class="x">`, `"text"`, `<!--…-->`.
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
    use super::{dom, outline};

    #[test]
    fn an_open_end_is_no_reason_to_complain() {
        let html = crate::by_name("html").unwrap().parser;
        let complaints = |page: &str| html.complaints(page.as_bytes());
        assert_eq!(complaints("<!DOCTYPE html><title>a</title><style>b{"), Some(0));
        assert_eq!(complaints("<!DOCTYPE html><title>a</title></q>"), Some(1));
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
