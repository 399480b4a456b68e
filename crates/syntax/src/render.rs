//! Tree and edits to text. Knows no grammar; keeps tokens apart by the language's style.

use std::ops::Range;

use crate::{Edits, Language, NodeId, Piece, Style, TokenHash, Tree};

/// A candidate: its text, its size, and the hash of its token sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The bytes for the oracle.
    pub text: Vec<u8>,
    /// Tokens as the language counts them (of new texts: words and single signs).
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

/// The text of `tree` after `edits`. Linear in the bytes copied plus the changed nodes; no
/// recursion on depth.
pub fn render(tree: &Tree, edits: &Edits, style: Style) -> Rendered {
    let mut out = Writer {
        tree,
        style,
        out: Rendered {
            text: Vec::with_capacity(tree.text().len()),
            tokens: 0,
            hash: TokenHash::EMPTY,
            copied: Vec::new(),
        },
        last_end: Some(0),
    };
    let mut stack = vec![Work::Node(NodeId::ROOT)];
    while let Some(work) = stack.pop() {
        match work {
            Work::Node(id) => match edits.get(id) {
                Some(change) if change.is_inside() => out.parts(id, &change.0),
                Some(change) => stack.extend(change.0.iter().rev().filter_map(|piece| {
                    match piece {
                        Piece::Node(n) if *n == id => Some(Work::Inside(id)),
                        Piece::Node(n) => Some(Work::Node(*n)),
                        Piece::Text(text, _) => Some(Work::Text(text)),
                        // Parts never stand next to other pieces.
                        Piece::Part(..) => None,
                    }
                })),
                None => stack.push(Work::Inside(id)),
            },
            Work::Inside(id) if tree.is_leaf(id) || !edits.touch_below(tree, id) => out.subtree(id),
            Work::Inside(id) => {
                let at = stack.len();
                stack.extend(tree.children(id).map(Work::Node));
                stack[at..].reverse();
            }
            Work::Text(text) => out.new_text(text),
        }
    }
    out.finish()
}

/// The same in a language, in which other parts may have to follow ([`Parse::corrected`]).
///
/// [`Parse::corrected`]: crate::Parse::corrected
pub fn rendered(tree: &Tree, language: &Language, edits: &Edits) -> Rendered {
    let candidate = render(tree, edits, language.style);
    match language.parser.corrected(tree, &candidate.copied) {
        Some((text, hash)) => Rendered { text, hash, copied: Vec::new(), ..candidate },
        None => candidate,
    }
}

enum Work<'a> {
    /// A node with its own change, if it has one.
    Node(NodeId),
    /// A node whose own change is dealt with.
    Inside(NodeId),
    Text(&'a [u8]),
}

struct Writer<'a> {
    tree: &'a Tree,
    style: Style,
    out: Rendered,
    /// Where the last part that came from the tree's text ended there; `None` behind a new text.
    last_end: Option<usize>,
}

impl Writer<'_> {
    fn subtree(&mut self, id: NodeId) {
        let span = self.tree.span(id);
        if span.is_empty() {
            return;
        }
        self.gap(Some(span.start));
        self.copy(span.clone());
        self.out.tokens += u64::from(self.tree.tokens(id));
        self.out.hash = self.out.hash.then(self.tree.hash(id));
        self.last_end = Some(span.end);
    }

    /// Takes a part of the tree's text over.
    fn copy(&mut self, part: Range<usize>) {
        let (text, to) = (self.tree.text(), self.out.text.len());
        self.out.text.extend_from_slice(&text[part.clone()]);
        match self.out.copied.last_mut() {
            Some(last) if (last.from.end, last.to + last.from.len()) == (part.start, to) => {
                last.from.end = part.end;
            }
            _ => self.out.copied.push(Copied { from: part, to }),
        }
    }

    /// A leaf of which only parts are left, with texts between them. Its tokens are estimated like those of a new text, but
    /// never more than it had.
    fn parts(&mut self, id: NodeId, parts: &[Piece]) {
        let span = self.tree.span(id);
        self.gap(Some(span.start));
        let start = self.out.text.len();
        for piece in parts {
            match piece {
                Piece::Part(from, to) => {
                    self.copy(span.start + *from as usize..span.start + *to as usize);
                }
                Piece::Text(text, _) => self.out.text.extend_from_slice(text),
                Piece::Node(_) => {}
            }
        }
        let text = &self.out.text[start..];
        let tokens = simple_tokens(text).count() as u64;
        self.out.tokens += tokens.min(u64::from(self.tree.tokens(id)));
        self.out.hash = self.out.hash.then(TokenHash::token(text));
        self.last_end = Some(span.end);
    }

    fn new_text(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.gap(None);
        if let (true, Some(&last)) = (self.style.separate, self.out.text.last())
            && reads_as_one(last, text[0])
        {
            self.out.text.push(b' ');
        }
        self.out.text.extend_from_slice(text);
        for token in simple_tokens(text) {
            self.out.tokens += 1;
            self.out.hash = self.out.hash.then(TokenHash::token(token));
        }
        self.last_end = None;
    }

    /// Writes what stands between the last part and one that starts at `start` of the old text.
    fn gap(&mut self, start: Option<usize>) {
        if !self.style.gaps {
            return;
        }
        let text = self.tree.text();
        match (self.last_end, start) {
            (Some(end), Some(start)) if end <= start && is_blank(&text[end..start]) => {
                // Neighbours in the source stay as they are, even where they read as one.
                self.copy(end..start);
                return;
            }
            (end, start) => {
                let after = end.map_or(&[][..], |e| blank_prefix(&text[e..]));
                let before = start.map_or(&[][..], |s| blank_suffix(&text[..s]));
                let quote = |b| matches!(b, b'"' | b'\'');
                let last = self.out.text.last();
                let opens = last.is_some_and(|&b| matches!(b, b'(' | b'[') || quote(b));
                let next = start.and_then(|s| text.get(s));
                let closes = next
                    .is_some_and(|&b| matches!(b, b')' | b']' | b'>' | b';' | b',') || quote(b));
                if after.contains(&b'\n') || before.contains(&b'\n') {
                    self.push_blank(b'\n');
                } else if opens && after.is_empty() || closes && before.is_empty() {
                    // It stood close to what is gone.
                } else if !after.is_empty() || !before.is_empty() {
                    self.push_blank(b' ');
                }
            }
        }
        if let (true, Some(&last), Some(start)) = (self.style.separate, self.out.text.last(), start)
            && reads_as_one(last, text[start])
        {
            self.out.text.push(b' ');
        }
    }

    fn push_blank(&mut self, blank: u8) {
        if !self.out.text.is_empty() {
            self.out.text.push(blank);
        }
    }

    fn finish(mut self) -> Rendered {
        if let (true, Some(end)) = (self.style.gaps, self.last_end)
            && is_blank(&self.tree.text()[end..])
        {
            self.copy(end..self.tree.text().len());
        } else if self.style.gaps && self.tree.text().ends_with(b"\n") && !self.out.text.is_empty()
        {
            self.out.text.push(b'\n');
        }
        self.out
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

fn blank_prefix(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len());
    &bytes[..end]
}

fn blank_suffix(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().rposition(|b| !b.is_ascii_whitespace()).map_or(0, |i| i + 1);
    &bytes[start..]
}

/// Whether a token that ends with `a` and one that starts with `b` would read as one token.
pub(crate) fn reads_as_one(a: u8, b: u8) -> bool {
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
