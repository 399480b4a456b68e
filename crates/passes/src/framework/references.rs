//! Names that stand in parts of leaves (ids, class names), with everything that mentions them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Change, Language, Mention, Namespace, NodeId, Tree};

use crate::Item;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Reference {
    /// What sort of name it is.
    pub namespace: Arc<Namespace>,
    /// The document that it is known in.
    pub document: NodeId,
    /// The name.
    pub name: Vec<u8>,
    /// In the order of the text; at least one.
    pub mentions: Vec<Mention>,
}

impl Reference {
    /// Returns all names of a tree, in the order in which they appear first. Linear times a
    /// logarithm.
    pub(crate) fn all(tree: &Tree, language: &Language) -> Vec<Self> {
        let mut found: BTreeMap<(NodeId, Arc<Namespace>, Vec<u8>), Vec<Mention>> = BTreeMap::new();
        for mention in language.reader.mentions(tree) {
            let name = tree.text_of(mention.leaf)[mention.part.clone()].to_vec();
            let key = (mention.document, Arc::clone(&mention.namespace), name);
            found.entry(key).or_default().push(mention);
        }
        let mut all = Vec::new();
        for ((document, namespace, name), mentions) in found {
            all.push(Self { namespace, document, name, mentions });
        }
        all.sort_by_key(|name| (name.mentions[0].leaf, name.mentions[0].part.start));
        all
    }

    /// Returns whether something has the name, and something else mentions it.
    pub(crate) fn is_used(&self) -> bool {
        self.mentions.iter().any(|m| !m.is_definition) && self.is_given()
    }

    /// Returns whether something has the name.
    pub(crate) fn is_given(&self) -> bool {
        self.mentions.iter().any(|m| m.is_definition)
    }

    /// Returns the mention that begins a line or block and says what the name means.
    pub(crate) fn said(&self, tree: &Tree) -> Option<&Mention> {
        let says = |mention: &&Mention| {
            let (before, rest) = tree.text_of(mention.leaf).split_at(mention.part.start);
            let begins = !before.iter().any(u8::is_ascii_alphanumeric);
            let sign = rest[mention.part.len()..].trim_ascii_start().first();
            mention.is_definition && begins && matches!(sign, Some(b':' | b'='))
        };
        self.mentions.iter().find(says)
    }

    /// Returns the item that renames every mention to `new`; `None` if that contradicts itself.
    pub(crate) fn renamed(&self, tree: &Tree, new: &[u8]) -> Option<Item> {
        let changes = self.mentions.iter().map(|Mention { leaf, part, .. }| {
            let length = tree.text_of(*leaf).len();
            let is_whole = *part == (0..length);
            let whole = is_whole.then(|| Change::replace_with(new, Some(tree.kind(*leaf))));
            (*leaf, whole.unwrap_or_else(|| Change::replace(length, part.clone(), new)))
        });
        Item::of(changes, 1)
    }
}

/// Returns whether it stands in a list with other names.
pub(crate) fn is_one_of_several(tree: &Tree, mention: &Mention) -> bool {
    let text = tree.text_of(mention.leaf);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    let mut around = text[..mention.part.start].iter().chain(&text[mention.part.end..]);
    mention.in_list && around.any(is_name)
}

/// Returns the name with the blank space after it, or else before it.
pub(crate) fn with_blanks(text: &[u8], part: &Range<usize>) -> Range<usize> {
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
    let behind = text[part.end..].iter().take_while(is_blank).count();
    let before = text[..part.start].iter().rev().take_while(is_blank);
    let before = before.filter(|_| behind == 0).count();
    part.start - before..part.end + behind
}

/// Returns a name in a line with what says how often it comes, and with one of the separators
/// around it, or the blank space.
pub(crate) fn with_separator(line: &[u8], part: &Range<usize>) -> Range<usize> {
    let repeats = line[part.end..].iter().take_while(|byte| b"*+?".contains(byte));
    let (start, end) = (part.start, part.end + repeats.count());
    let (before, after) = (line[..start].trim_ascii_end(), line[end..].trim_ascii_start());
    let separates = |byte: Option<&u8>| byte.is_some_and(|byte| b",;|+".contains(byte));
    let ends = after.first().is_none_or(|byte| b")]}".contains(byte)) || separates(after.first());
    if ends && separates(before.last()) {
        with_blanks(line, &(before.len() - 1..end))
    } else if separates(after.first()) {
        with_blanks(line, &(start..line.len() - after.len() + 1))
    } else {
        with_blanks(line, &(start..end))
    }
}
