//! Looks at the DOM that a browser builds from a page, and at the page as it is written.

use std::rc::Rc;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use minirepro_syntax::{Language, NodeId, Tree};

use super::oracle::{Oracle, found};

/// Returns an oracle on pages.
pub(super) fn of_pages(shows: impl Fn(&Language, &[u8]) -> bool + 'static) -> Oracle {
    let html = minirepro_languages::by_name("html").expect("HTML is built in");
    Box::new(move |page| found(shows(&html, page)))
}

/// One node of a DOM: its depth, and its tag's name or its text.
struct Line {
    depth: usize,
    name: Option<String>,
    text: String,
}

/// Returns the elements and texts of the page's DOM in document order. No recursion on depth.
fn dom(page: &[u8]) -> Vec<Line> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).from_utf8().one(page);
    let mut lines = Vec::new();
    let mut stack: Vec<(usize, Handle)> = vec![(0, Rc::clone(&dom.document))];
    while let Some((depth, node)) = stack.pop() {
        let children = node.children.borrow();
        stack.extend(children.iter().rev().map(|child| (depth + 1, Rc::clone(child))));
        match &node.data {
            NodeData::Text { contents } if !contents.borrow().trim().is_empty() => {
                let text = contents.borrow().trim().to_owned();
                lines.push(Line { depth: depth - 1, name: None, text });
            }
            NodeData::Element { name, template_contents, .. } => {
                let contents = template_contents.borrow();
                stack.extend(contents.iter().map(|contents| (depth + 1, Rc::clone(contents))));
                let name = Some(name.local.to_string());
                lines.push(Line { depth: depth - 1, name, text: String::new() });
            }
            _ => {}
        }
    }
    lines
}

/// See [`StandIn::Element`](super::StandIn::Element).
pub(super) fn has_element(page: &[u8], path: &[String], text: &str) -> bool {
    let lines = dom(page);
    let mut open: Vec<&str> = Vec::new();
    lines.iter().enumerate().any(|(at, line)| {
        let Some(name) = line.name.as_deref() else { return false };
        open.truncate(line.depth);
        open.push(name);
        let mut wanted = path;
        for name in &open {
            wanted = match wanted {
                [first, rest @ ..] if first == name => rest,
                _ => wanted,
            };
        }
        let inside = lines[at + 1..].iter().take_while(|l| l.depth > line.depth);
        let own = |l: &Line| l.depth == line.depth + 1 && l.name.is_none();
        wanted.is_empty()
            && path.last().is_some_and(|last| last == name)
            && (text.is_empty() || inside.filter(|l| own(l)).any(|l| l.text.contains(text)))
    })
}

/// See [`StandIn::Fostered`](super::StandIn::Fostered).
pub(super) fn is_fostered(html: &Language, page: &[u8], tag: &str) -> bool {
    let lines = dom(page);
    let before_table = lines.iter().enumerate().any(|(at, line)| {
        let next = lines[at + 1..].iter().find(|l| l.depth <= line.depth);
        let is_table = |l: &Line| l.depth == line.depth && l.name.as_deref() == Some("table");
        line.name.as_deref() == Some(tag) && next.is_some_and(is_table)
    });
    before_table && is_written_in_table(&html.parser.parse(page), tag)
}

/// See [`StandIn::Missed`](super::StandIn::Missed).
pub(super) fn is_missed(html: &Language, page: &[u8], parent: &str, child: &str) -> bool {
    let lines = dom(page);
    let mut open: Vec<&str> = Vec::new();
    let mut selected = false;
    let mut matched = false;
    for line in &lines {
        open.truncate(line.depth);
        let above = open.last().copied();
        matched |= line.name.as_deref() == Some(child) && above == Some(parent);
        let plain = || line.text.split_whitespace().collect::<String>();
        // Something must be declared for what is selected.
        let rule = format!("{parent}>{child}{{");
        selected |= line.name.is_none()
            && above == Some("style")
            && plain().split_once(&rule).is_some_and(|(_, behind)| declares(behind));
        open.extend(line.name.as_deref());
    }
    let tree = html.parser.parse(page);
    let is = |node: NodeId, name: &str| {
        element_name(&tree, node).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
    };
    let written = || {
        let mut children = tree.ids().filter(|&node| is(node, child));
        children.any(|node| tree.parent(node).is_some_and(|p| is(p, parent)))
    };
    selected && !matched && written()
}

/// See [`StandIn::Overflow`](super::StandIn::Overflow).
pub(super) fn overflows(page: &[u8], levels: usize) -> bool {
    let mut open = 0_usize;
    let mut tags = page.split(|&b| b == b'<').skip(1).filter(|tag| tag.contains(&b'>'));
    tags.any(|tag| {
        match tag.first() {
            Some(b'/') => open = open.saturating_sub(1),
            Some(b) if b.is_ascii_alphabetic() => open += 1,
            _ => {}
        }
        open >= levels
    })
}

/// Returns whether a style sheet goes on with a declaration, and its rule has an end.
fn declares(sheet: &str) -> bool {
    let block = sheet.split_once('}').map_or("", |(block, _)| block);
    block.split(';').filter_map(|d| d.split_once(':')).any(|(p, v)| !p.is_empty() && !v.is_empty())
}

/// Returns whether an element stands in a table, but not in a cell of it.
fn is_written_in_table(tree: &Tree, tag: &str) -> bool {
    let is = |node: NodeId, name: &str| {
        element_name(tree, node).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
    };
    let around = ["table", "td", "th", "caption"];
    tree.ids().filter(|&node| is(node, tag)).any(|node| {
        let mut above = tree.ancestors(node);
        above.find(|&a| around.iter().any(|name| is(a, name))).is_some_and(|a| is(a, "table"))
    })
}

fn element_name(tree: &Tree, node: NodeId) -> Option<&[u8]> {
    let of_kind = |node, kind: &str| tree.children(node).find(|&c| tree.kind_name(c) == kind);
    let start = Some(node).filter(|&n| tree.kind_name(n) == "element")?;
    Some(tree.text_of(of_kind(of_kind(start, "start_tag")?, "tag_name")?))
}
