//! Renders a tree with edits to text. The language's spacing keeps tokens apart.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::{Edits, NodeId, Piece, Spacing, TokenHash, Tree};

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
    render_counting(tree, edits, spacing, &|_| None)
}

/// Does the same where somebody knows better how many tokens a new text has.
pub(crate) fn render_counting(
    tree: &Tree,
    edits: &Edits,
    spacing: Spacing,
    count: &dyn Fn(&[u8]) -> Option<u64>,
) -> Rendered {
    let mut out = Writer {
        tree,
        spacing,
        count,
        text: TEXT.take(),
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
            Work::Inside(id) if edits.below(tree, id).next().is_none() => {
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
                    out.shifts.push(Shift::between(tree, id, to));
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

thread_local! {
    /// Where texts are written: most candidates are as long as the one before.
    static TEXT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
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
    /// How many tokens a new text has, if the language says it.
    count: &'a dyn Fn(&[u8]) -> Option<u64>,
    text: Vec<u8>,
    tokens: u64,
    hash: TokenHash,
    copied: Vec<Copied>,
    /// Where the last part that came from the tree's text ended there; `None` after a new text.
    last_end: Option<usize>,
    /// How lines are indented anew, the innermost last; empty where indentation means nothing.
    shifts: Vec<Shift>,
    /// The part of the tree's text, of those that are texts of their own, that is being written.
    region: usize,
    /// Where it begins in the candidate.
    begin: usize,
    /// How many nodes around this place replace others: what they hold goes where they go.
    moved: usize,
}

/// How the indentation of a node changes that replaces another one.
struct Shift {
    /// How the node's line is indented.
    from: Vec<u8>,
    /// How the line is indented that it goes to.
    to: Vec<u8>,
}

impl Shift {
    fn between(tree: &Tree, from: NodeId, to: NodeId) -> Self {
        let indentation = |id| {
            let before = &tree.text()[..tree.span(id).start];
            let line = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
            blank_prefix(&tree.text()[line..tree.span(id).start]).to_vec()
        };
        Self { from: indentation(from), to: indentation(to) }
    }

    /// Returns the new indentation of a line.
    fn of(&self, line: &[u8]) -> Vec<u8> {
        match line.strip_prefix(&self.from[..]) {
            Some(rest) => [&self.to[..], rest].concat(),
            None => line.to_vec(),
        }
    }
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
        let blank = &self.tree.text()[part.clone()];
        let Some(line) = blank.iter().rposition(|&b| b == b'\n').map(|at| part.start + at + 1)
        else {
            return self.copy(part);
        };
        self.copy(part.start..line);
        self.indent(&self.tree.text()[line..part.end]);
    }

    /// Writes the indentation of a line that was indented like this.
    fn indent(&mut self, line: &[u8]) {
        let mut line = line.to_vec();
        for shift in self.shifts.iter().rev() {
            line = shift.of(&line);
        }
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
        self.tokens += self.counted(text).min(u64::from(self.tree.tokens(id)));
        self.hash = self.hash.then(TokenHash::token(text));
        self.last_end = Some(span.end);
    }

    fn counted(&self, text: &[u8]) -> u64 {
        (self.count)(text).unwrap_or_else(|| simple_tokens(text).count() as u64)
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
        let last = self.text[self.begin..].last();
        if let (true, Some(&last)) = (self.spacing.keep_words_apart, last)
            && reads_as_one(last, text[0])
        {
            self.text.push(b' ');
        }
        self.text.extend_from_slice(text);
        self.tokens += self.counted(text);
        for token in simple_tokens(text) {
            self.hash = self.hash.then(TokenHash::token(token));
        }
        // A blank that somebody puts there is meant.
        if text.iter().all(u8::is_ascii_whitespace) {
            self.hash = self.hash.then(TokenHash::token(text));
        }
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
            // A leaf that is blank, as between tags, is a part of the text and gone.
            (Some(end), Some(start))
                if end < start && is_blank(&text[end..start]) && self.tree.is_in_leaf(end) => {}
            (Some(end), Some(start))
                if end == start
                    || end < start && is_blank(&text[end..start]) && self.is_between(end) =>
            {
                // Neighbours in the source stay as they are, even where they read as one.
                self.blank(end..start);
                return;
            }
            (end, start) => {
                let end = end.filter(|&end| self.is_between(end));
                let after = end.map_or(&[][..], |e| blank_prefix(&text[e..]));
                let behind = start.filter(|&start| start > 0 && self.is_between(start - 1));
                let before = behind.map_or(&[][..], |s| blank_suffix(&text[..s]));
                let quote = |b| matches!(b, b'"' | b'\'');
                let last = self.text[self.begin..].last();
                let opens = last.is_some_and(|&b| matches!(b, b'(' | b'[') || quote(b));
                let next = start.and_then(|s| text.get(s));
                let closes = next
                    .is_some_and(|&b| matches!(b, b')' | b']' | b'>' | b';' | b',') || quote(b));
                if after.contains(&b'\n') || before.contains(&b'\n') {
                    self.push_blank(b'\n');
                    if self.spacing.indentation {
                        match last_line(before) {
                            Some(line) => self.indent(line),
                            // It begins a line in place of what began one.
                            None => {
                                self.text.extend_from_slice(last_line(after).unwrap_or_default())
                            }
                        }
                    }
                } else if opens && after.is_empty() || closes && before.is_empty() {
                    // It stood close to what is gone.
                } else if !after.is_empty() || !before.is_empty() {
                    self.push_blank(b' ');
                }
            }
        }
        if let (true, Some(&last), Some(start)) =
            (self.spacing.keep_words_apart, self.text[self.begin..].last(), start)
            && reads_as_one(last, text[start])
            && !self.ends_quotes(start)
        {
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
        let all = || 0..self.tree.text().len();
        let span = self.tree.region(self.region).map_or_else(all, |(span, _)| span);
        if let (true, Some(end)) = (self.spacing.between_tokens, self.last_end)
            && (span.start..=span.end).contains(&end)
            && is_blank(&self.tree.text()[end..span.end])
        {
            self.copy(end..span.end);
        } else if self.spacing.between_tokens
            && self.tree.text()[span].ends_with(b"\n")
            && self.text.len() > self.begin
        {
            self.text.push(b'\n');
        }
    }

    fn finish(mut self) -> Rendered {
        self.end_region();
        let Self { mut text, tokens, hash, copied, .. } = self;
        let rendered = Rendered { text: Arc::from(&text[..]), tokens, hash, copied };
        text.clear();
        TEXT.set(text);
        rendered
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

fn blank_prefix(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len());
    &bytes[..end]
}

/// Returns what follows the last line end.
fn last_line(bytes: &[u8]) -> Option<&[u8]> {
    bytes.iter().rposition(|&b| b == b'\n').map(|at| &bytes[at + 1..])
}

fn blank_suffix(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().rposition(|b| !b.is_ascii_whitespace()).map_or(0, |i| i + 1);
    &bytes[start..]
}

/// Returns whether a token that ends with `a` and one that starts with `b` would read as one token.
pub fn reads_as_one(a: u8, b: u8) -> bool {
    is_word(a) && (is_word(b) || matches!(b, b'"' | b'\''))
        || (a == b'.' && b.is_ascii_digit())
        || (a.is_ascii_digit() && b == b'.')
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
                | (b'.', b'.')
                | (b':', b':' | b'>')
                | (b'%', b':' | b'>')
        )
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

/// Words and single signs.
fn simple_tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.chunk_by(|&a, &b| is_word(a) && is_word(b)).filter(|t| !t[0].is_ascii_whitespace())
}
