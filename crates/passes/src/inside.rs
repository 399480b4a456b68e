//! Shortens leaves that the grammar does not split: values, comments, strings. Names of lists first
//! (classes), then lines, words and other parts, then words and signs, then characters.
//!
//! Knows which kinds can be cut from the language's role `divisible`, and nothing of what they mean.

use std::ops::Range;

use minirepro_syntax::{Change, Edits, NodeId};

use crate::references::{is_one_of_several, with_blanks};
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "inside";

/// How finely a leaf is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Behind blank space and behind the signs that end a part of a list.
    Parts,
    Words,
    Characters,
}

/// The parts of all divisible leaves at the coarsest level that has something new, last part first.
///
/// The sweep takes what can make the text smaller by tokens: words and signs of leaves that have
/// several.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    if input.is_sweep() {
        let several = |&id: &NodeId| input.tree.tokens(id) > 1;
        let items = leaves(input).filter(several).flat_map(|id| items(input, id, Level::Words));
        return Proposal::new(items.collect(), Strategy::Single);
    }
    let listed = Proposal::new(input.fresh(listed(input)), Strategy::All);
    listed.or_else(|| {
        [Level::Parts, Level::Words, Level::Characters].into_iter().find_map(|level| {
            let items = leaves(input).flat_map(|id| items(input, id, level)).collect();
            Proposal::new(input.fresh(items), Strategy::All)
        })
    })
}

/// Each name that stands in a list with others, last first.
fn listed(input: &Input<'_>) -> Vec<Item> {
    let mentions = input.references().iter().flat_map(|reference| &reference.mentions);
    let mut cuts: Vec<(NodeId, Range<usize>)> = mentions
        .filter(|mention| is_one_of_several(input.tree, mention))
        .map(|mention| (mention.leaf, with_blanks(input.tree.text_of(mention.leaf), &mention.part)))
        .collect();
    cuts.sort_unstable_by_key(|(leaf, part)| std::cmp::Reverse((*leaf, part.start)));
    let item = |(leaf, part): (NodeId, Range<usize>)| {
        let weight = u32::try_from(part.len()).unwrap_or(u32::MAX);
        Item::new(Edits::one(leaf, Change::cut(input.tree.text_of(leaf).len(), part)), weight)
    };
    cuts.into_iter().map(item).collect()
}

fn leaves<'a>(input: &'a Input<'_>) -> impl Iterator<Item = NodeId> + 'a {
    input.tree.ids().rev().filter(|&id| input.tree.is_leaf(id) && input.is("divisible", id))
}

fn items(input: &Input<'_>, id: NodeId, level: Level) -> Vec<Item> {
    let text = input.tree.text_of(id);
    let cut = |part: Range<usize>| {
        let weight = u32::try_from(part.len()).unwrap_or(u32::MAX);
        Item::new(Edits::one(id, Change::cut(text.len(), part)), weight)
    };
    let parts = parts(text, level);
    if parts.len() < 2 { Vec::new() } else { parts.into_iter().rev().map(cut).collect() }
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
