//! Nodes for text that no grammar splits: lines, and in them words and signs.

use std::ops::Range;

use minirepro_syntax::{Flags, Kind, Kinds, TreeBuilder};

use crate::plain::chunks::{lines, pieces};
use crate::plain::nesting::{Nesting, TagPart};
use crate::plain::tokenizer::{Lexing, is_name};

/// Spans of more bytes are not split into tokens: that would need more memory than it helps.
const LARGE: usize = 1 << 20;

/// The kind of words, where a language has none.
const WORD: &str = "word";

/// The kinds of such nodes in one language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordNodes {
    chunk: Kind,
    element: Kind,
    line: Kind,
    name: Kind,
    sign: Kind,
    lexing: Lexing,
}

impl WordNodes {
    /// Interns the kinds; `name` is the kind for words: that of identifiers, where a language has
    /// one.
    pub(crate) fn new(kinds: &mut Kinds, lexing: Lexing, name: Option<&str>) -> Self {
        Self {
            chunk: kinds.intern("chunk", true),
            element: kinds.intern("block", true),
            line: kinds.intern("line", true),
            name: kinds.intern(name.unwrap_or(WORD), true),
            sign: kinds.intern("sign", true),
            lexing,
        }
    }

    /// Returns the facts for a node that holds such text.
    pub(crate) fn facts(name: Option<&str>, holders: &[String]) -> String {
        let name = name.unwrap_or(WORD);
        let line = |kind: &str| format!("{kind} = (chunk | block | line | {name} | sign)*\n");
        let within = [line("block"), format!("line = (line | {name} | sign)*\n")];
        holders.iter().map(|h| line(h)).chain(within).collect()
    }

    /// Adds nodes for all of `span` that is not blank: one for each line if there are several,
    /// and in them a leaf for each token. Linear. Large spans get coarse leaves.
    pub(crate) fn add(&self, builder: &mut TreeBuilder, text: &[u8], span: Range<usize>) {
        if span.len() > LARGE {
            let pieces = pieces(text, span.clone(), span.len() / 10_000);
            for piece in pieces.into_iter().filter_map(|piece| said(text, piece)) {
                let tokens = self.lexing.count(&text[piece.clone()]);
                builder.leaf(self.chunk, piece, Flags::default(), tokens);
            }
            return;
        }
        let lines: Vec<_> = lines(text, span).filter_map(|line| said(text, line)).collect();
        let several = lines.len() > 1;
        lines.into_iter().for_each(|line| self.tokens(builder, text, line, several));
    }

    /// Adds nodes for a text of tags that is nested too deeply for a parser: one for each element,
    /// and in it one for each tag or text, and in a tag one for each attribute; lines where the
    /// nesting is deeper still. Linear, as [`Nesting::elements`] is.
    pub(crate) fn add_elements(&self, builder: &mut TreeBuilder, text: &[u8], nesting: &Nesting) {
        let Some(parts) = nesting.elements(text) else {
            self.add(builder, text, 0..text.len());
            return;
        };
        let mut at = 0;
        for part in parts {
            match part {
                TagPart::Open(None) => {}
                TagPart::Open(Some(end)) => {
                    let start = trim(text, at..end).start;
                    builder.open(self.element, start..end, Flags::default());
                }
                TagPart::Close => builder.close(),
                TagPart::Piece(end) => {
                    if let Some(piece) = said(text, at..end) {
                        builder.open(self.line, piece.clone(), Flags::default());
                        self.tag(builder, text, piece);
                        builder.close();
                    }
                    at = end;
                }
            }
        }
    }

    /// Adds the words of a tag or text: what is joined to one before it by `=` is one node with it.
    fn tag(&self, builder: &mut TreeBuilder, text: &[u8], piece: Range<usize>) {
        let tokens: Vec<Range<usize>> = self.tokens_in(text, &piece).collect();
        let mut at = piece.start;
        let mut rest = &tokens[..];
        while let [first, after @ ..] = rest {
            let is_joined = after.len() > 1 && text[after[0].clone()] == *b"=";
            let (joined, others) = after.split_at(if is_joined { 2 } else { 0 });
            let span = first.start..joined.last().unwrap_or(first).end;
            self.skipped(builder, text, at..span.start);
            (at, rest) = (span.end, others);
            self.tokens(builder, text, span, is_joined);
        }
        self.skipped(builder, text, at..piece.end);
    }

    fn tokens_in<'t>(
        &self,
        text: &'t [u8],
        span: &Range<usize>,
    ) -> impl Iterator<Item = Range<usize>> + use<'t> {
        let start = span.start;
        let tokens = self.lexing.tokens(&text[span.clone()]);
        tokens.map(move |token| start + token.start..start + token.end)
    }

    /// Adds the tokens of a part of a line, which may be a node of its own.
    fn tokens(&self, builder: &mut TreeBuilder, text: &[u8], line: Range<usize>, is_node: bool) {
        if is_node {
            builder.open(self.line, line.clone(), Flags::default());
        }
        let mut at = line.start;
        for token in self.tokens_in(text, &line) {
            self.skipped(builder, text, at..token.start);
            let kind = if is_name(&text[token.clone()]) { self.name } else { self.sign };
            builder.leaf(kind, token.clone(), Flags::default(), 1);
            at = token.end;
        }
        self.skipped(builder, text, at..line.end);
        if is_node {
            builder.close();
        }
    }

    /// Comments and the like: no tokens, but not blank either.
    fn skipped(&self, builder: &mut TreeBuilder, text: &[u8], span: Range<usize>) {
        if let Some(span) = said(text, span) {
            builder.leaf(self.sign, span, Flags::default(), 0);
        }
    }
}

/// Returns the span without the blank space at its ends; empty if there is nothing else.
pub(crate) fn trim(text: &[u8], span: Range<usize>) -> Range<usize> {
    let said = text[span.clone()].trim_ascii_start();
    let start = if said.is_empty() { span.start } else { span.end - said.len() };
    start..start + said.trim_ascii_end().len()
}

/// Does the same for a span that is not blank.
pub(crate) fn said(text: &[u8], span: Range<usize>) -> Option<Range<usize>> {
    Some(trim(text, span)).filter(|span| !span.is_empty())
}
