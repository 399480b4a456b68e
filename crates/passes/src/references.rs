//! Names that stand in parts of leaves (ids, class names), with everything that mentions them. Knows
//! which from the language; no pass.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Change, Edits, Mention, NodeId, Space, Tree};

use crate::Input;
use crate::units::{Extent, add_unit};

/// A name and where it stands.
#[derive(Clone, Debug)]
pub struct Reference {
    /// What sort of name it is.
    pub space: Arc<Space>,
    /// The document that it is known in.
    pub document: NodeId,
    /// The name.
    pub name: Vec<u8>,
    /// In the order of the text; at least one.
    pub mentions: Vec<Mention>,
}

impl Reference {
    /// All names of a tree, in the order in which they appear first. Linear times a logarithm.
    pub(crate) fn all(input: &Input<'_>) -> Vec<Self> {
        let mut found: BTreeMap<(NodeId, Arc<Space>, Vec<u8>), Vec<Mention>> = BTreeMap::new();
        for mention in input.language.names.mentions(input.tree) {
            let name = input.tree.text_of(mention.leaf)[mention.part.clone()].to_vec();
            found
                .entry((mention.document, Arc::clone(&mention.space), name))
                .or_default()
                .push(mention);
        }
        let mut all: Vec<Self> = found
            .into_iter()
            .map(|((document, space, name), mentions)| Self { space, document, name, mentions })
            .collect();
        all.sort_by_key(|reference| {
            let first = &reference.mentions[0];
            (first.leaf, first.part.start)
        });
        all
    }

    /// Whether something has the name, and something else speaks of it.
    pub(crate) fn is_used(&self) -> bool {
        self.mentions.iter().any(|m| m.gives) && self.mentions.iter().any(|m| !m.gives)
    }

    /// Every mention reads `new` instead; `None` if that contradicts itself.
    pub(crate) fn renamed(&self, input: &Input<'_>, new: &[u8]) -> Option<Edits> {
        let mut edits = Edits::none();
        let fits = self.mentions.iter().all(|Mention { leaf, part, .. }| {
            let length = input.tree.text_of(*leaf).len();
            let change = if *part == (0..length) {
                Change::put(new, Some(input.tree.kind(*leaf)))
            } else {
                Change::replace(length, part.clone(), new)
            };
            edits.add(*leaf, change)
        });
        fits.then_some(edits)
    }
}

/// Adds the edits that take one mention away; `false` when there is no way. A name in a list goes
/// alone; of an attribute that is nothing but the name, all goes.
#[must_use]
pub(crate) fn add_mention(
    input: &Input<'_>,
    mention: &Mention,
    extent: Extent,
    edits: &mut Edits,
) -> bool {
    let tree = input.tree;
    let (leaf, text) = (mention.leaf, tree.text_of(mention.leaf));
    if is_one_of_several(tree, mention) {
        return edits.add(leaf, Change::cut(text.len(), with_blanks(text, &mention.part)));
    }
    match tree.parent(leaf).filter(|&parent| input.is("attribute", parent)) {
        Some(attribute) => edits.add(attribute, Change::drop()),
        None => add_unit(input, leaf, extent, edits),
    }
}

/// Whether it stands in a list with other names.
pub(crate) fn is_one_of_several(tree: &Tree, mention: &Mention) -> bool {
    let text = tree.text_of(mention.leaf);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    let mut around = text[..mention.part.start].iter().chain(&text[mention.part.end..]);
    mention.in_list && around.any(is_name)
}

/// The name with the blank space behind it, or else before it.
pub(crate) fn with_blanks(text: &[u8], part: &Range<usize>) -> Range<usize> {
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
    let behind = text[part.end..].iter().take_while(is_blank).count();
    let before = match behind {
        0 => text[..part.start].iter().rev().take_while(is_blank).count(),
        _ => 0,
    };
    part.start - before..part.end + behind
}

/// The tokens that edits take away, counted once where they lie inside of each other.
pub(crate) fn weight(input: &Input<'_>, edits: &Edits) -> u32 {
    let mut weight = 0;
    let mut behind = NodeId::ROOT;
    for (id, change) in edits.iter() {
        if id >= behind {
            let left = if change.is_inside() {
                input.tree.tokens(id)
            } else {
                u32::from(!change.is_drop())
            };
            weight += input.tree.tokens(id).saturating_sub(left);
            behind = input.tree.subtree_end(id);
        }
    }
    weight
}
