//! A browser's tree of a page and that of what an edit has left of it, compared.
//!
//! Must not know html5ever, edits, searches, nor how our trees are made. Elements that the parser
//! adds on its own (implied ones, copies of formatting elements) count as not there.

use minirepro_syntax::Copied;

use crate::html::page::{Chunk, Page, Part, Piece};

/// What a tree consists of, in document order.
#[derive(PartialEq, Eq)]
enum Token {
    Open(usize),
    Text(String),
    Close,
}

impl Page {
    /// Returns whether a browser builds from `after` just what it builds from the page `before`
    /// once nothing but the `copied` parts is left of that: the same elements inside of each other,
    /// in the same order, with the same text where none was cut. Linear times the logarithm of
    /// `copied`.
    pub(crate) fn keeps(before: &Self, after: &Self, copied: &[Copied]) -> bool {
        let mut forth: Vec<Copied> = copied.to_vec();
        forth.sort_unstable_by_key(|part| part.from.start);
        let place = |Copied { from, to }: &Copied| Copied { from: *to..to + from.len(), to: *to };
        let mut back: Vec<Copied> = copied.iter().map(place).collect();
        back.sort_unstable_by_key(|part| part.to);
        let (expected, known) = before.left(&forth);
        let (found, known_too) = after.left(&back);
        if known && known_too {
            return expected == found;
        }
        let is_tag = |part: &&Token| !matches!(part, Token::Text(_));
        expected.iter().filter(is_tag).eq(found.iter().filter(is_tag))
    }

    /// Returns what is left of the tree when only `copied` parts of its page are, with elements
    /// named by where their tags went; and whether every text is there as a whole or not at all.
    fn left(&self, copied: &[Copied]) -> (Vec<Token>, bool) {
        let mut left = Vec::new();
        let mut known = true;
        for part in &self.parts {
            match part {
                Part::Open(end) => left.extend(place(copied, *end).map(Token::Open)),
                Part::Close(end) => left.extend(place(copied, *end).map(|_| Token::Close)),
                Part::Text(Piece { words, chunk }) => {
                    match (is_whole(copied, &self.text, &self.chunks[*chunk]), left.last_mut()) {
                        (None, _) => {}
                        (Some(false), _) => known = false,
                        (Some(true), Some(Token::Text(text))) => text.push_str(words),
                        (Some(true), _) => left.push(Token::Text(words.clone())),
                    }
                }
            }
        }
        (left, known)
    }
}

/// Returns where a byte went.
fn place(copied: &[Copied], byte: usize) -> Option<usize> {
    let part = copied[..copied.partition_point(|part| part.from.start <= byte)].last()?;
    (byte < part.from.end).then(|| part.to + byte - part.from.start)
}

/// Returns whether all of the text of a chunk is left; `None` if nothing is, and all of an empty
/// text is nothing.
fn is_whole(copied: &[Copied], page: &[u8], chunk: &Chunk) -> Option<bool> {
    let bytes = &page[chunk.start..chunk.end];
    let tag = bytes.iter().rposition(|&b| b == b'<').filter(|_| chunk.has_markup);
    let text = bytes[..tag.unwrap_or(bytes.len())].iter().enumerate();
    let said = text.filter(|(_, byte)| !byte.is_ascii_whitespace());
    let mut is_left = said.map(|(at, _)| place(copied, chunk.start + at).is_some());
    let is_first_left = is_left.next()?;
    match is_left.all(|is_left| is_left == is_first_left) {
        true => is_first_left.then_some(true),
        false => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::Copied;

    use crate::html::page::Page;

    /// Returns whether a browser still reads the page as before once the parts between `⟦` and `⟧`
    /// are gone.
    fn keeps(marked: &str) -> bool {
        let mut before = String::new();
        let mut after = String::new();
        let mut copied = Vec::new();
        for part in marked.split('⟦') {
            let (gone, kept) = part.split_once('⟧').unwrap_or(("", part));
            before.push_str(gone);
            let from = before.len()..before.len() + kept.len();
            copied.push(Copied { from, to: after.len() });
            before.push_str(kept);
            after.push_str(kept);
        }
        Page::keeps(&Page::read(before.as_bytes()), &Page::read(after.as_bytes()), &copied)
    }

    #[test]
    fn edits_that_mean_what_they_say_are_kept() {
        for page in [
            "<p>a<p>⟦<b>b</b>⟧c",
            "<div>⟦<p>⟧a⟦</p>⟧</div>",
            "<table>⟦<tbody>⟧<tr><td>x⟦</tbody>⟧</table>",
            "<p>a⟦</p>⟧<p>b",
            "<ul><li>a⟦</li>⟧<li>b</ul>",
            "⟦<!DOCTYPE html><title>x</title>⟧<p>a",
            "<body>⟦<p>⟧a",
            "<svg><g>⟦<path/>⟧</g></svg>",
            "<p>one ⟦two ⟧three <b>x</b>",
            "<template><td>⟦<i>⟧x⟦</i>⟧</td></template>",
            "<script>⟦if (a > b) c();⟧</script><p>x",
        ] {
            assert!(keeps(page), "{page}");
        }
    }

    #[test]
    fn what_a_browser_would_read_otherwise_is_told() {
        for page in [
            // Foster parenting.
            "<table>⟦<tr><td>⟧<p>x</p></table>",
            "<table><tr>⟦<td>⟧text⟦</td>⟧</table>",
            // The end tag of a formatting element.
            "<b>x⟦</b>⟧y",
            // A paragraph inside of a paragraph.
            "<p>a⟦<button>⟧<p>b</p>⟦</button>⟧",
            // A list item closes another one.
            "<li>a⟦<ul>⟧<li>b</li>⟦</ul>⟧",
            // Cells outside of a table.
            "⟦<table>⟧<tr><td>x⟦</table>⟧",
            // A nested form.
            "⟦<form>⟧<form>x</form>⟦</form>⟧",
            // Text of a raw text element.
            "⟦<script>⟧a<b>c⟦</script>⟧",
            // Foreign content.
            "⟦<svg>⟧<title><b>x</b></title>⟦</svg>⟧",
        ] {
            assert!(!keeps(page), "{page}");
        }
    }

    #[test]
    fn any_bytes_have_a_tree() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        for page in [&bytes[..], b"", b"<", b"<template><template></template>x", b"</p></br>"] {
            let read = Page::read(page);
            let all = [Copied { from: 0..page.len(), to: 0 }];
            assert!(Page::keeps(&read, &read, &all));
        }
    }
}
