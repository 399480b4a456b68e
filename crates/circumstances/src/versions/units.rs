//! Takes both texts of a merge apart into lines, words or characters, and cuts what differs then.

use std::ops::Range;

use minirepro_syntax::Tree;

use crate::versions::merge::{Merge, Segment};

/// Cuts what differs between lines: as a whole, or each line for itself. Whole files stay whole.
pub(super) fn by_line(left: &Merge, is_single: bool) -> Merge {
    let cut = if is_single { side_by_side } else { whole };
    left.opened(
        |part| !part.common && !part.old.is_empty() && !part.new.is_empty(),
        |part| left.texts(part).map(|text| text.split_inclusive(|&b| b == b'\n').collect()),
        cut,
    )
}

/// Cuts every difference, and blank space that differs, character by character (of invalid UTF-8,
/// byte by byte).
pub(super) fn by_character(merge: &Merge) -> Merge {
    merge.opened(|_| true, |part| merge.texts(part).map(characters), apart)
}

/// Cuts every difference of a merge, whose ends have these trees, and blank space that differs,
/// word by word: tokens stay whole, comments, strings and text fall into words, signs and blank
/// space. Near linear in the trees.
pub(super) fn by_word(old: &Tree, new: &Tree, merge: &Merge) -> Merge {
    let (olds, news) = (word_ends(old), word_ends(new));
    let texts = |part: &Segment| [texts_in(old, &olds, &part.old), texts_in(new, &news, &part.new)];
    merge.opened(|_| true, texts, exchanged)
}

fn characters(text: &[u8]) -> Vec<&[u8]> {
    let mut all = Vec::new();
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        all.extend(valid.char_indices().map(|(at, c)| &valid.as_bytes()[at..at + c.len_utf8()]));
        all.extend(chunk.invalid().chunks(1));
    }
    all
}

/// Returns words, blank space and single signs, in order.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let class = |b: u8| match b {
        b if b.is_ascii_whitespace() => 0,
        b if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 => 1,
        _ => 2,
    };
    text.chunk_by(|&a, &b| class(a) == class(b) && class(a) < 2).collect()
}

/// Returns the ends of all words of a text in order: of tokens, of words and signs in leaves that
/// hold several or blank space, and of the blank space between leaves.
fn word_ends(tree: &Tree) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    let mut add = |span: Range<usize>| {
        let mut end = span.start;
        ends.extend(words(&tree.text()[span]).into_iter().map(|word| {
            end += word.len();
            end
        }));
    };
    let mut tokens = Vec::new();
    for leaf in tree.ids().filter(|&id| tree.is_leaf(id) && !tree.span(id).is_empty()) {
        let span = tree.span(leaf);
        add(at..span.start);
        let is_text = tree.text_of(leaf).iter().any(u8::is_ascii_whitespace);
        match is_text || tree.tokens(leaf) > 1 {
            true => add(span.clone()),
            false => tokens.push(span.end),
        }
        at = span.end;
    }
    add(at..tree.text().len());
    ends.extend(tokens);
    ends.sort_unstable();
    ends
}

/// Returns the texts of the words in a part of a text, cut where the part begins and ends.
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

fn whole(olds: &[&[u8]], news: &[&[u8]]) -> Vec<(usize, usize)> {
    vec![(olds.concat().len(), news.concat().len())]
}

/// Lets what stands side by side replace each other.
fn side_by_side(olds: &[&[u8]], news: &[&[u8]]) -> Vec<(usize, usize)> {
    let length = |units: &[&[u8]], i: usize| units.get(i).map_or(0, |unit| unit.len());
    (0..olds.len().max(news.len())).map(|i| (length(olds, i), length(news, i))).collect()
}

/// Takes each of the old ones away and adds each of the new ones by itself.
fn apart(olds: &[&[u8]], news: &[&[u8]]) -> Vec<(usize, usize)> {
    olds.iter().map(|old| (old.len(), 0)).chain(news.iter().map(|new| (0, new.len()))).collect()
}

/// Lets units stand for each other in their order, blank space for blank space only, so that no
/// choice holds a token and the one that replaces it.
fn exchanged(olds: &[&[u8]], news: &[&[u8]]) -> Vec<(usize, usize)> {
    let is_blank = |unit: &[u8]| unit.first().is_some_and(u8::is_ascii_whitespace);
    let mut pairs = Vec::new();
    let (mut olds, mut news) = (olds.iter().peekable(), news.iter().peekable());
    loop {
        match (olds.peek(), news.peek()) {
            (None, None) => return pairs,
            (Some(old), Some(new)) if is_blank(old) == is_blank(new) => {
                pairs.push((old.len(), new.len()));
                olds.next();
                news.next();
            }
            (Some(old), new) if new.is_none() || is_blank(old) => {
                pairs.push((old.len(), 0));
                olds.next();
            }
            (_, new) => {
                pairs.push((0, new.map_or(0, |new| new.len())));
                news.next();
            }
        }
    }
}
