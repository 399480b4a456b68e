//! Renders a tree with edits to text. The language's spacing keeps tokens apart.

use std::ops::Range;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::{Edits, Language, NodeId, Piece, Spacing, TokenHash, Tree};

/// A candidate: its text, its size, and the hash of its token sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The bytes for the oracle.
    pub text: Arc<[u8]>,
    /// The tokens of all leaves: those that were left alone count as they did, new texts as the
    /// language says.
    pub tokens: u64,
    /// The hash of the token sequence; blank space does not matter, unless the style has no gaps
    /// and so every byte is in a token.
    pub hash: TokenHash,
    /// What comes from the tree's text unchanged, in the order of the candidate.
    pub copied: Vec<Copied>,
}

/// A part of a text that stands in a candidate as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Where it stood.
    pub from: Range<usize>,
    /// Where it stands now.
    pub to: usize,
}

/// Renders `tree` after `edits`; words and signs are the tokens of new texts. Linear in the bytes
/// copied plus the changed nodes; no recursion on depth.
pub fn render(tree: &Tree, edits: &Edits, spacing: Spacing) -> Rendered {
    render_counting(tree, edits, spacing, &|text| simple_tokens(text).count() as u64)
}

/// Renders the edits in a language, which may know better how many tokens a new text has, and in
/// which other parts may have to follow ([`Reader::corrected`]).
///
/// [`Reader::corrected`]: crate::Reader::corrected
pub fn rendered(tree: &Tree, language: &Language, edits: &Edits) -> Rendered {
    let count = |text: &[u8]| language.tokens(text);
    let candidate = render_counting(tree, edits, language.spacing, &count);
    match language.reader.corrected(tree, &candidate.text, &candidate.copied) {
        Some(text) => {
            let hash = TokenHash::token(&text);
            Rendered { text: text.into(), hash, copied: Vec::new(), ..candidate }
        }
        None => candidate,
    }
}

fn render_counting(
    tree: &Tree,
    edits: &Edits,
    spacing: Spacing,
    count: &dyn Fn(&[u8]) -> u64,
) -> Rendered {
    let mut out = Writer {
        tree,
        spacing,
        count,
        // Most candidates are nearly as long.
        text: Vec::with_capacity(tree.text().len()),
        tokens: 0,
        hash: TokenHash::EMPTY,
        copied: Vec::new(),
        last_end: Some(0),
        shifts: Vec::new(),
        region: 0,
        begin: 0,
        moved: 0,
    };
    out.enter(0);
    let mut stack: Stack<'_> = smallvec![Work::Node(NodeId::ROOT)];
    while let Some(work) = stack.pop() {
        match work {
            Work::Node(id) => match edits.get(id) {
                Some(change) if change.is_inside() => out.parts(id, &change.0),
                Some(change) => {
                    let pieces = change.0.iter().enumerate().rev();
                    stack.extend(pieces.filter_map(|(at, piece)| match piece {
                        Piece::Node(n) if *n == id => Some(Work::Inside(id)),
                        Piece::Node(n) => Some(Work::Moved(*n, id)),
                        Piece::Text(text, _) => Some(Work::Text(text, at > 0)),
                        // Parts never stand next to other pieces.
                        Piece::Part(..) => None,
                    }));
                }
                None => stack.push(Work::Inside(id)),
            },
            Work::Inside(id) if edits.within(tree, id).next().is_none() => {
                out.run(id..tree.subtree_end(id));
            }
            Work::Inside(id) => {
                let at = stack.len();
                add_children(tree, edits, id, &mut stack);
                stack[at..].reverse();
            }
            Work::Moved(id, to) => {
                out.cross(tree.span(to).start);
                out.moved += 1;
                if out.spacing.indentation {
                    let [from, to] = [id, to].map(|id| indentation(tree, id));
                    out.shifts.push(Shift { from, to });
                }
                stack.extend([Work::Back, Work::Node(id)]);
            }
            Work::Back => {
                out.shifts.pop();
                out.moved -= 1;
            }
            Work::Run(nodes) => out.run(nodes),
            Work::Text(text, is_behind) => out.new_text(text, is_behind),
        }
    }
    out.finish()
}

/// Adds the children of a node, with neighbours in one run that have no change. Linear in the
/// children and in the changes below the node.
fn add_children<'a>(tree: &Tree, edits: &Edits, id: NodeId, work: &mut Stack<'a>) {
    let mut changed = edits.within(tree, id).peekable();
    let mut run = NodeId(id.0 + 1);
    for child in tree.children(id) {
        let end = tree.subtree_end(child);
        if let Some((at, change)) = changed.next_if(|(at, _)| *at < end) {
            if run < child {
                work.push(Work::Run(run..child));
            }
            // Nothing comes of one that is dropped.
            if at != child || !change.is_drop() {
                work.push(Work::Node(child));
            }
            run = end;
            while changed.next_if(|(at, _)| *at < end).is_some() {}
        }
    }
    if run < tree.subtree_end(id) {
        work.push(Work::Run(run..tree.subtree_end(id)));
    }
}

/// What is left to write, the next last: seldom more than a few.
type Stack<'a> = SmallVec<[Work<'a>; 32]>;

enum Work<'a> {
    /// A node with its own change, if it has one.
    Node(NodeId),
    /// A node that replaces another one.
    Moved(NodeId, NodeId),
    /// The node that replaces another one is written: what follows is indented as before it.
    Back,
    /// A node whose own change is dealt with.
    Inside(NodeId),
    /// A text, and whether it follows another part of the same form.
    Text(&'a [u8], bool),
    /// Neighbours with all that is below them, without any change.
    Run(Range<NodeId>),
}

struct Writer<'a> {
    tree: &'a Tree,
    spacing: Spacing,
    /// How many tokens a new text has.
    count: &'a dyn Fn(&[u8]) -> u64,
    text: Vec<u8>,
    tokens: u64,
    hash: TokenHash,
    copied: Vec<Copied>,
    /// Where the last part that came from the tree's text ended there; `None` after a new text.
    last_end: Option<usize>,
    /// How lines are indented anew, the innermost last; empty where indentation means nothing.
    shifts: Vec<Shift<'a>>,
    /// The part of the tree's text, of those that are texts of their own, that is being written.
    region: usize,
    /// Where it begins in the candidate.
    begin: usize,
    /// How many nodes around this place replace others: what they hold goes where they go.
    moved: usize,
}

/// How the indentation of a node changes that replaces another one.
struct Shift<'a> {
    /// How the node's line is indented.
    from: &'a [u8],
    /// How the line is indented that it goes to.
    to: &'a [u8],
}

/// Returns how the line is indented in which a node begins.
fn indentation(tree: &Tree, id: NodeId) -> &[u8] {
    let before = &tree.text()[..tree.span(id).start];
    blank_prefix(last_line(before).unwrap_or(before))
}

impl Writer<'_> {
    /// Neighbours without changes: what stands between them is blank and stays.
    fn run(&mut self, nodes: Range<NodeId>) {
        let mut span = None;
        let mut at = nodes.start;
        while at < nodes.end {
            let own = self.tree.span(at);
            if !own.is_empty() {
                span = Some(span.map_or(own.start, |old: Range<usize>| old.start)..own.end);
                self.tokens += u64::from(self.tree.tokens(at));
            }
            at = self.tree.subtree_end(at);
        }
        let Some(span) = span else { return };
        self.gap(Some(span.start));
        self.hash = self.hash.then(self.tree.hash_between(nodes.start, nodes.end));
        self.last_end = Some(span.end);
        if self.shifts.iter().any(|shift| shift.from != shift.to) {
            self.copy_shifted(nodes, span);
        } else {
            let last = self.tree.region_at(span.end.saturating_sub(1));
            let begun = self.tree.region(last).filter(|_| last != self.region);
            let before = begun.as_ref().map_or(0, |(part, _)| span.end - part.start);
            self.copy(span);
            if let Some((_, spacing)) = begun.filter(|_| self.moved == 0) {
                (self.region, self.spacing) = (last, spacing);
                self.begin = self.text.len() - before;
            }
        }
    }

    /// Takes a part of the tree's text over; lines that begin between its leaves are indented anew.
    fn copy_shifted(&mut self, nodes: Range<NodeId>, span: Range<usize>) {
        let tree = self.tree;
        let mut at = span.start;
        for id in (nodes.start.0..nodes.end.0).map(NodeId).filter(|&id| tree.is_leaf(id)) {
            let leaf = tree.span(id);
            if leaf.start > at {
                self.blank(at..leaf.start);
            }
            if leaf.end > at {
                self.copy(leaf.start.max(at)..leaf.end);
                at = leaf.end;
            }
        }
        if at < span.end {
            self.copy(at..span.end);
        }
    }

    /// Takes blank space over, the last line in it indented anew.
    fn blank(&mut self, part: Range<usize>) {
        let tree = self.tree;
        let Some(line) = last_line(&tree.text()[part.clone()]) else { return self.copy(part) };
        self.copy(part.start..part.end - line.len());
        self.indent(line);
    }

    /// Writes the indentation of a line that was indented like this.
    fn indent(&mut self, line: &[u8]) {
        let shifted = |line: Vec<u8>, Shift { from, to }: &Shift<'_>| match line.strip_prefix(*from)
        {
            Some(rest) => [to, rest].concat(),
            None => line,
        };
        let line = self.shifts.iter().rev().fold(line.to_vec(), shifted);
        self.text.extend_from_slice(&line);
    }

    /// Takes a part of the tree's text over.
    fn copy(&mut self, part: Range<usize>) {
        let text = self.tree.text();
        let to = self.text.len();
        self.text.extend_from_slice(&text[part.clone()]);
        match self.copied.last_mut() {
            Some(last) if (last.from.end, last.to + last.from.len()) == (part.start, to) => {
                last.from.end = part.end;
            }
            _ => self.copied.push(Copied { from: part, to }),
        }
    }

    /// Returns a leaf of which only parts are left, with texts between them. Its tokens are
    /// estimated like those of a new text, but never more than it had.
    fn parts(&mut self, id: NodeId, parts: &[Piece]) {
        let span = self.tree.span(id);
        self.gap(Some(span.start));
        let start = self.text.len();
        for piece in parts {
            match piece {
                Piece::Part(from, to) => {
                    self.copy(span.start + *from as usize..span.start + *to as usize);
                }
                Piece::Text(text, _) => self.text.extend_from_slice(text),
                Piece::Node(_) => {}
            }
        }
        let text = &self.text[start..];
        self.tokens += (self.count)(text).min(u64::from(self.tree.tokens(id)));
        self.hash = self.hash.then(TokenHash::token(text));
        self.last_end = Some(span.end);
    }

    /// Writes a text. The end of a line that stood after the part of the same form before it would
    /// tear the form apart where lines mean something.
    fn new_text(&mut self, text: &[u8], is_behind: bool) {
        let ends_line = |end| blank_prefix(&self.tree.text()[end..]).contains(&b'\n');
        if is_behind && self.spacing.indentation && self.last_end.is_some_and(ends_line) {
            self.last_end = None;
        }
        if text.is_empty() {
            return;
        }
        self.gap(None);
        self.keep_apart(text[0]);
        self.text.extend_from_slice(text);
        self.tokens += (self.count)(text);
        // A blank that somebody puts there is meant.
        let tokens = simple_tokens(text).chain(is_blank(text).then_some(text));
        self.hash = tokens.fold(self.hash, |hash, token| hash.then(TokenHash::token(token)));
        self.last_end = None;
    }

    /// Begins a part of the text that is a text of its own.
    fn enter(&mut self, region: usize) {
        self.begin = self.text.len();
        if let Some((span, spacing)) = self.tree.region(region) {
            self.region = region;
            self.last_end = Some(span.start);
            self.spacing = spacing;
        }
    }

    /// Begins the text that a place is in, if it is another one than that which is being written.
    fn cross(&mut self, place: usize) {
        let region = self.tree.region_at(place);
        if self.moved == 0 && region != self.region {
            self.end_region();
            self.enter(region);
        }
    }

    /// Writes what stands between the last part and one that starts at `start` of the old text.
    fn gap(&mut self, start: Option<usize>) {
        if let Some(start) = start {
            self.cross(start);
        }
        let text = self.tree.text();
        match (self.last_end, start) {
            (Some(end), Some(start)) if end <= start && is_blank(&text[end..start]) => {
                // A leaf that is blank, as between tags, is a part of the text and gone.
                if end == start || !self.tree.is_in_leaf(end) {
                    // Neighbours in the source stay as they are, even where they read as one.
                    return self.blank(end..start);
                }
            }
            (end, start) => {
                let end = end.filter(|&end| self.is_between(end));
                let after = end.map_or(&[][..], |end| blank_prefix(&text[end..]));
                let behind = start.filter(|&start| start > 0 && self.is_between(start - 1));
                let before = behind.map_or(&[][..], |start| blank_suffix(&text[..start]));
                let last = self.text[self.begin..].last();
                let next = start.and_then(|start| text.get(start));
                let is_close = last.is_some_and(|sign| b"([\"'".contains(sign)) && after.is_empty()
                    || next.is_some_and(|sign| b")]>;,\"'".contains(sign)) && before.is_empty();
                if after.contains(&b'\n') || before.contains(&b'\n') {
                    self.push_blank(b'\n');
                    match last_line(before) {
                        _ if !self.spacing.indentation => {}
                        Some(line) => self.indent(line),
                        // It begins a line in place of what began one.
                        None => self.text.extend_from_slice(last_line(after).unwrap_or_default()),
                    }
                } else if !(is_close || after.is_empty() && before.is_empty()) {
                    self.push_blank(b' ');
                }
            }
        }
        if let Some(start) = start.filter(|&start| !self.ends_quotes(start)) {
            self.keep_apart(text[start]);
        }
    }

    /// Writes a blank before what would read as one with the last part.
    fn keep_apart(&mut self, next: u8) {
        let own = &self.text[self.begin..];
        // A `$` alone is the sign of a name.
        let is_sign = matches!(own, [b'$']) || matches!(own, [.., last, b'$'] if !is_word(*last));
        let joins = || own.last().is_some_and(|&last| reads_as_one(last, next));
        if self.spacing.keep_words_apart && !is_sign && joins() {
            self.text.push(b' ');
        }
    }

    /// Returns whether blank space that stands there is between tokens: in languages where every
    /// byte is in a token, only in texts of other languages.
    fn is_between(&self, at: usize) -> bool {
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        self.spacing.between_tokens
            || self.tree.text().get(at).is_some_and(is_blank) && !self.tree.is_in_leaf(at)
    }

    /// Returns whether a quotation mark stands there that is a leaf by itself and closes what
    /// another one of its parent's opens: it cannot begin anything that a word before it would be
    /// part of.
    fn ends_quotes(&self, start: usize) -> bool {
        if !matches!(self.tree.text()[start], b'"' | b'\'') {
            return false;
        }
        let Some(leaf) = self.tree.leaf_at(start) else { return false };
        let is_first = |parent| self.tree.children(parent).next() == Some(leaf);
        self.tree.span(leaf).len() == 1 && self.tree.parent(leaf).is_some_and(|p| !is_first(p))
    }

    fn push_blank(&mut self, blank: u8) {
        if self.text.len() > self.begin {
            self.text.push(blank);
        }
    }

    /// Writes the blank space at the end of a text.
    fn end_region(&mut self) {
        let text = self.tree.text();
        let span = self.tree.region(self.region).map_or(0..text.len(), |(span, _)| span);
        let ends_here =
            |end: &usize| (span.start..=span.end).contains(end) && is_blank(&text[*end..span.end]);
        match self.last_end.filter(ends_here) {
            _ if !self.spacing.between_tokens => {}
            Some(end) => self.copy(end..span.end),
            None if text[span].ends_with(b"\n") => self.push_blank(b'\n'),
            None => {}
        }
    }

    fn finish(mut self) -> Rendered {
        self.end_region();
        let Self { text, tokens, hash, copied, .. } = self;
        Rendered { text: text.into(), tokens, hash, copied }
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().is_empty()
}

fn blank_prefix(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len() - bytes.trim_ascii_start().len()]
}

fn blank_suffix(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.trim_ascii_end().len()..]
}

/// Returns what follows the last line end.
fn last_line(bytes: &[u8]) -> Option<&[u8]> {
    bytes.iter().rposition(|&b| b == b'\n').map(|at| &bytes[at + 1..])
}

/// Returns whether a token that ends with `a` and one that starts with `b` would read as one token.
pub fn reads_as_one(a: u8, b: u8) -> bool {
    is_word(a) && (is_word(b) || matches!(b, b'"' | b'\''))
        || matches!(
            (a, b),
            (b'+', b'+' | b'=')
                | (b'-', b'-' | b'=' | b'>')
                | (b'&', b'&' | b'=')
                | (b'|', b'|' | b'=')
                | (b'<', b'<' | b'=' | b':' | b'%')
                | (b'>', b'>' | b'=')
                | (b'/', b'/' | b'*' | b'=')
                | (b'*' | b'%' | b'^' | b'!' | b'=', b'=')
                | (b'#', b'#')
                | (b'.', b'.' | b'0'..=b'9')
                | (b'0'..=b'9', b'.')
                | (b':' | b'%', b':' | b'>')
        )
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

/// Words and single signs.
pub(crate) fn simple_tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.chunk_by(|&a, &b| is_word(a) && is_word(b)).filter(|t| !t[0].is_ascii_whitespace())
}
