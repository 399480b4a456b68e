//! Shortens leaves that the grammar does not split: values, comments, strings. Names of lists first
//! (classes), then lines, words and other parts, then words and signs, then characters.
//!
//! Kinds of the language's role `divisible` are cut down to single characters. Tokens (names,
//! strings, words) hardly ever can be cut where a program reads them, but where a text is searched
//! for them: a few questions find out.

use std::ops::Range;

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::limits::{LONG_TOKEN, LONG_WORD};
use crate::framework::numbers::smaller;
use crate::framework::references::{is_one_of_several, with_blanks};
use crate::{Item, PassContext, Plan, Proposal};

/// How finely a leaf is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// After blank space and after the signs that end a part of a list.
    Parts,
    Words,
    Characters,
}

/// Proposes the parts of all divisible leaves at the coarsest level that has something new, last
/// part first.
///
/// The sweep takes the words and signs of leaves that have several.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    if cx.is_sweep() {
        let several = |&id: &NodeId| cx.tokens(id) > 1;
        let texts = tokens(cx).filter(|&id| holds_blanks(cx, id));
        let all = leaves(cx).filter(several).chain(texts);
        let items = all.flat_map(|id| items(cx, id, Level::Words));
        return Proposal::new(items.collect(), Plan::EACH);
    }
    let listed = cx.proposal(listed(cx), Plan::ALL);
    let divisible = listed.or_else(|| {
        [Level::Parts, Level::Words, Level::Characters].into_iter().find_map(|level| {
            let may_divide = |&id: &NodeId| match level {
                Level::Parts => true,
                Level::Words => !is_fixed(cx, id) || holds_blanks(cx, id),
                Level::Characters => !is_fixed(cx, id),
            };
            let leaves = leaves(cx).filter(may_divide);
            let items = leaves.flat_map(|id| items(cx, id, level));
            cx.proposal(items, Plan::ALL)
        })
    });
    divisible.or_else(|| parts_of_tokens(cx))
}

/// Returns the words of texts that are one token, then the characters of long tokens.
fn parts_of_tokens(cx: &PassContext<'_>) -> Option<Proposal> {
    let texts = tokens(cx).filter(|&id| holds_blanks(cx, id));
    let words = texts.flat_map(|id| items(cx, id, Level::Words));
    cx.proposal(words, Plan::PROBE)
        .or_else(|| {
            let is_long = |&id: &NodeId| cx.span(id).len() >= LONG_TOKEN;
            let long = tokens(cx).filter(|&id| !is_fixed(cx, id)).filter(is_long);
            let characters = long.flat_map(|id| items(cx, id, Level::Characters));
            cx.proposal(characters, Plan::PROBE)
        })
        .or_else(|| Proposal::new(shorter_words(cx), Plan::EACH))
}

/// Returns the next shorter form of each long word that is shown, where no part of a word is tried
/// otherwise: letters of one kind, else half of it, then half of what is left. Words with hyphens
/// are several: lines can break there.
fn shorter_words(cx: &PassContext<'_>) -> Vec<Item> {
    let is_shown = |id: NodeId| {
        cx.parent(id).is_some_and(|text| cx.is(Role::Text, text)) && !cx.text_of(id).contains(&b'-')
    };
    let words = cx.until(cx.tree.ids().rev()).filter(|&id| cx.is_leaf(id) && is_fixed(cx, id));
    let mut all = Vec::new();
    for word in words.filter(|&id| cx.span(id).len() >= LONG_WORD && is_shown(id)) {
        let text = String::from_utf8_lossy(cx.text_of(word));
        let letters: Vec<char> = text.chars().collect();
        let one_kind = "a".repeat(letters.len() - 1);
        let lengths = smaller(letters.len() as u64);
        let halves = lengths.map(|length| letters.iter().take(length as usize).collect());
        let item = |text: String| Item::new(Edits::one(word, cx.reworded(word, text)), 1);
        all.extend(cx.next_of([one_kind].into_iter().chain(halves).map(item)));
    }
    all
}

/// Returns whether readers know the words of the text that a leaf is in.
fn is_fixed(cx: &PassContext<'_>, id: NodeId) -> bool {
    cx.signs(id).fixed_words
}

/// Returns the leaves that are whole tokens of their own, last first: no keywords, no names of
/// types or tags.
fn tokens<'a>(cx: &'a PassContext<'_>) -> impl Iterator<Item = NodeId> + 'a {
    let is_token = |id: NodeId| {
        cx.is_leaf(id)
            && cx.is_named(id)
            && !cx.is(Role::Divisible, id)
            && !cx.is(Role::Type, id)
            && !cx.parent(id).is_some_and(|parent| cx.is(Role::Bracket, parent))
    };
    cx.until(cx.tree.ids().rev())
        .filter(move |&id| cx.language.spacing.between_tokens && is_token(id))
}

fn holds_blanks(cx: &PassContext<'_>, id: NodeId) -> bool {
    cx.text_of(id).iter().any(u8::is_ascii_whitespace)
}

/// Returns each name that stands in a list with others, last first.
fn listed(cx: &PassContext<'_>) -> Vec<Item> {
    let mentions = cx.references().iter().flat_map(|reference| &reference.mentions);
    let mut cuts: Vec<(NodeId, Range<usize>)> = mentions
        .filter(|mention| is_one_of_several(cx.tree, mention))
        .map(|mention| (mention.leaf, with_blanks(cx.text_of(mention.leaf), &mention.part)))
        .collect();
    cuts.sort_unstable_by_key(|(leaf, part)| std::cmp::Reverse((*leaf, part.start)));
    cuts.into_iter().map(|(leaf, part)| cut(cx, leaf, part)).collect()
}

/// Returns the item that cuts a part out of a leaf.
fn cut(cx: &PassContext<'_>, leaf: NodeId, part: Range<usize>) -> Item {
    let weight = u32::try_from(part.len()).unwrap_or(u32::MAX);
    Item::new(Edits::one(leaf, Change::cut(cx.text_of(leaf).len(), part)), weight)
}

fn leaves<'a>(cx: &'a PassContext<'_>) -> impl Iterator<Item = NodeId> + 'a {
    cx.tree.ids().rev().filter(|&id| cx.is_leaf(id) && cx.is(Role::Divisible, id))
}

fn items(cx: &PassContext<'_>, id: NodeId, level: Level) -> Vec<Item> {
    let text = cx.text_of(id);
    let mut parts = parts(text, level);
    if is_quoted(text) && !cx.is(Role::Divisible, id) {
        // One quotation mark without the other would only change what is read as a text.
        parts.pop();
        parts.remove(0);
    } else if parts.len() < 2 {
        return Vec::new();
    }
    parts.into_iter().rev().map(|part| cut(cx, id, part)).collect()
}

fn is_quoted(text: &[u8]) -> bool {
    let quote = text.first().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    text.len() > 1 && quote.is_some_and(|quote| text.last() == Some(quote))
}

fn parts(text: &[u8], level: Level) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (at, &byte) in text.iter().enumerate() {
        let joined = match last {
            None => false,
            // The bytes of one character stay together.
            Some(_) if byte & 0xC0 == 0x80 => true,
            Some(last) => match level {
                Level::Parts => !ends_part(last) || ends_part(byte),
                Level::Words => is_word(last) && is_word(byte),
                Level::Characters => false,
            },
        };
        match parts.last_mut() {
            Some(part) if joined => part.end = at + 1,
            _ => parts.push(at..at + 1),
        }
        last = Some(byte);
    }
    parts
}

fn ends_part(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b';' | b',' | b'&' | b'/' | b'?')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::{Level, parts};

    #[test]
    fn a_leaf_is_cut_into_parts_words_and_characters() {
        let shown = |level| -> Vec<&str> {
            const TEXT: &str = "a:b; c-d,\u{e9}\u{e9}";
            parts(TEXT.as_bytes(), level).into_iter().map(|part| &TEXT[part]).collect()
        };
        assert_eq!(shown(Level::Parts), ["a:b; ", "c-d,", "\u{e9}\u{e9}"]);
        assert_eq!(
            shown(Level::Words),
            ["a", ":", "b", ";", " ", "c", "-", "d", ",", "\u{e9}\u{e9}"]
        );
        assert_eq!(shown(Level::Characters).len(), 11);
    }
}
