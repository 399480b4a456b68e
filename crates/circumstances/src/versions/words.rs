//! Opens what differs between two trees word by word: tokens stay whole, comments, strings and text
//! fall into words, signs and blank space.

use std::ops::Range;

use minirepro_syntax::Tree;

use crate::patch::align::align;
use crate::versions::merge::{Merge, Segment};

/// Opens every difference of a merge, whose ends have these trees, and blank space that differs,
/// unit by unit. What stands in place of each other is exchanged, so that no choice holds a token
/// and the one that replaces it. Near linear in the trees.
pub(super) fn by_word(old: &Tree, new: &Tree, merge: &Merge) -> Merge {
    let olds = units(old);
    let news = units(new);
    let mut parts = Vec::new();
    for part in merge.parts() {
        let (a, b) = merge.texts(part);
        if a == b {
            parts.push(Segment { common: true, ..part.clone() });
            continue;
        }
        let mut opened = Opened { parts: &mut parts, old: part.old.start, new: part.new.start };
        opened.part(&texts_in(old, &olds, &part.old), &texts_in(new, &news, &part.new));
    }
    merge.cut(parts)
}

/// Returns the ends of all units of a text in order: of tokens, of words and signs in leaves that
/// hold several or blank space, and of the blank space between leaves.
fn units(tree: &Tree) -> Vec<usize> {
    let text = tree.text();
    let mut ends = Vec::new();
    let mut at = 0;
    for leaf in tree.ids().filter(|&id| tree.is_leaf(id) && !tree.span(id).is_empty()) {
        let span = tree.span(leaf);
        add_units(&text[at..span.start], at, &mut ends);
        let is_text = tree.text_of(leaf).iter().any(u8::is_ascii_whitespace);
        if is_text || tree.tokens(leaf) > 1 {
            add_units(&text[span.clone()], span.start, &mut ends);
        } else {
            ends.push(span.end);
        }
        at = span.end;
    }
    add_units(&text[at..], at, &mut ends);
    ends
}

/// Adds the ends of the words, the runs of blank space and the single signs of a text that begins
/// at `start`.
fn add_units(text: &[u8], start: usize, ends: &mut Vec<usize>) {
    let together = |&a: &u8, &b: &u8| class(a) == class(b) && class(a) != Class::Sign;
    let mut at = start;
    for unit in text.chunk_by(together) {
        at += unit.len();
        ends.push(at);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Word,
    Sign,
}

fn class(byte: u8) -> Class {
    match byte {
        _ if byte.is_ascii_whitespace() => Class::Blank,
        _ if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => Class::Word,
        _ => Class::Sign,
    }
}

/// Returns the texts of the units in a part of a text, cut where the part begins and ends.
fn texts_in<'a>(tree: &'a Tree, ends: &[usize], part: &Range<usize>) -> Vec<&'a [u8]> {
    let mut texts = Vec::new();
    let mut at = part.start;
    let first = ends.partition_point(|&end| end <= part.start);
    for &end in &ends[first..] {
        if at == part.end {
            break;
        }
        let end = end.min(part.end);
        texts.push(&tree.text()[at..end]);
        at = end;
    }
    texts
}

/// The parts so far, and how far they reach in both texts.
struct Opened<'a> {
    parts: &'a mut Vec<Segment>,
    old: usize,
    new: usize,
}

impl Opened<'_> {
    fn part(&mut self, olds: &[&[u8]], news: &[&[u8]]) {
        for run in align(olds.iter().copied(), news.iter().copied()) {
            let (olds, news) = (&olds[run.old], &news[run.new]);
            if run.common {
                let bytes = olds.iter().map(|unit| unit.len()).sum();
                self.push(bytes, bytes, true);
            } else {
                self.differing(olds, news);
            }
        }
    }

    /// Lets units that differ stand for each other in their order, blank space for blank space
    /// only.
    fn differing(&mut self, olds: &[&[u8]], news: &[&[u8]]) {
        let mut olds = olds.iter().peekable();
        let mut news = news.iter().peekable();
        loop {
            match (olds.peek(), news.peek()) {
                (None, None) => break,
                (Some(old), Some(new)) if is_blank(old) == is_blank(new) => {
                    self.push(old.len(), new.len(), false);
                    olds.next();
                    news.next();
                }
                (Some(old), new) if new.is_none() || is_blank(old) => {
                    self.push(old.len(), 0, false);
                    olds.next();
                }
                (_, new) => {
                    self.push(0, new.map_or(0, |new| new.len()), false);
                    news.next();
                }
            }
        }
    }

    fn push(&mut self, old: usize, new: usize, common: bool) {
        let start = (self.old, self.new);
        (self.old, self.new) = (self.old + old, self.new + new);
        self.parts.push(Segment { old: start.0..self.old, new: start.1..self.new, common });
    }
}

fn is_blank(unit: &[u8]) -> bool {
    unit.first().is_some_and(u8::is_ascii_whitespace)
}
