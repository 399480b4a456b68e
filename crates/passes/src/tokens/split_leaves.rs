//! Shortens leaves that the grammar does not split: values, comments, strings. Names of lists first
//! (classes), then lines, words and other parts, then words and signs, then characters.
//!
//! Kinds of the language's role `divisible` are cut down to single characters. Tokens (names,
//! strings, words) hardly ever can be cut where a program reads them, but where a text is searched
//! for them: a few questions find out.

use std::ops::Range;

use minirepro_syntax::{Change, NodeId, Role};

use crate::expressions::reduce_numbers::smaller;
use crate::framework::limits::{LONG_TOKEN, LONG_WORD};
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
    let texts = || tokens(cx).filter(|&id| holds_blanks(cx, id));
    let words = || texts().flat_map(|id| items(cx, id, Level::Words));
    if cx.is_sweep() {
        let several = leaves(cx).filter(|&id| cx.tokens(id) > 1);
        let items = several.flat_map(|id| items(cx, id, Level::Words)).chain(words());
        return Proposal::new(items.collect(), Plan::EACH);
    }
    let divided = |level| {
        let may_divide = |&id: &NodeId| match level {
            Level::Parts => true,
            Level::Words => !cx.signs(id).fixed_words || holds_blanks(cx, id),
            Level::Characters => !cx.signs(id).fixed_words,
        };
        let items = leaves(cx).filter(may_divide).flat_map(|id| items(cx, id, level));
        cx.proposal(items, Plan::ALL)
    };
    let characters = || {
        let is_long = |&id: &NodeId| cx.span(id).len() >= LONG_TOKEN && !cx.signs(id).fixed_words;
        tokens(cx).filter(is_long).flat_map(|id| items(cx, id, Level::Characters))
    };
    cx.proposal(listed(cx), Plan::ALL)
        .or_else(|| [Level::Parts, Level::Words, Level::Characters].into_iter().find_map(divided))
        .or_else(|| cx.proposal(words(), Plan::PROBE))
        .or_else(|| cx.proposal(characters(), Plan::PROBE))
        .or_else(|| Proposal::new(shorter_words(cx), Plan::EACH))
}

/// Returns the next shorter form of each long word that is shown, where no part of a word is tried
/// otherwise: letters of one kind, else half of it, then half of what is left. Words with hyphens
/// are several: lines can break there.
fn shorter_words(cx: &PassContext<'_>) -> Vec<Item> {
    let is_shown =
        |&id: &NodeId| cx.parent_that(Role::Text, id).is_some() && !cx.text_of(id).contains(&b'-');
    let words = cx.ids().rev().filter(|&id| cx.is_leaf(id) && cx.signs(id).fixed_words);
    let long = words.filter(|&id| cx.span(id).len() >= LONG_WORD).filter(is_shown);
    let forms = |word| {
        let text = String::from_utf8_lossy(cx.text_of(word));
        let letters: Vec<char> = text.chars().collect();
        let one_kind = "a".repeat(letters.len() - 1);
        let lengths = smaller(letters.len() as u64);
        let halves = lengths.map(|length| letters.iter().take(length as usize).collect());
        let item = |text: String| Item::one(word, cx.reworded(word, text), 1);
        cx.next_of([one_kind].into_iter().chain(halves).map(item))
    };
    long.flat_map(forms).collect()
}

/// Returns the leaves that are whole tokens of their own, last first: no keywords, no names of
/// types or tags.
fn tokens(cx: &PassContext<'_>) -> impl Iterator<Item = NodeId> {
    cx.ids().rev().filter(|&id| {
        cx.language.spacing.between_tokens
            && cx.is_leaf(id)
            && cx.is_named(id)
            && !cx.is_any(&[Role::Divisible, Role::Type], id)
            && cx.parent_that(Role::Bracket, id).is_none()
    })
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
    Item::one(leaf, Change::cut(cx.text_of(leaf).len(), part), weight)
}

fn leaves(cx: &PassContext<'_>) -> impl Iterator<Item = NodeId> {
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
    let ends_part = |byte: u8| byte.is_ascii_whitespace() || b";,&/?".contains(&byte);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let parts = text.chunk_by(|&last, &byte| match level {
        // The bytes of one character stay together.
        _ if byte & 0xC0 == 0x80 => true,
        Level::Parts => !ends_part(last) || ends_part(byte),
        Level::Words => is_word(last) && is_word(byte),
        Level::Characters => false,
    });
    let mut end = 0;
    let range = |part: &[u8]| {
        end += part.len();
        end - part.len()..end
    };
    parts.map(range).collect()
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
