//! Moves the declarations of elements that declare the same into one style rule: `<p style=top:0><p
//! style=top:0> …` becomes `<style>p{top:0}</style><p><p> …`.
//!
//! Not those of one element alone: its attribute has fewer tokens than the same declarations in any
//! rule.

use minirepro_syntax::{Change, Edits, NodeId, Piece};

use crate::framework::limits::ENDING_TEXT;
use crate::framework::style_rules::{Rule, in_one_line};
use crate::markup::style_rules::Tag;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "share-style";

/// Proposes one rule for all elements that declare the same.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    context.styles().attribute.as_deref()?;
    if context.tree.tokens(NodeId::ROOT) > ENDING_TEXT {
        return None;
    }
    let mut tags = Tag::all(context);
    tags.retain(|tag| tag.style.is_some());
    let rules = if tags.is_empty() { Vec::new() } else { Rule::all(context) };

    let mut items = Vec::new();
    for (at, tag) in tags.iter().enumerate().rev() {
        let alike: Vec<&Tag<'_>> = tags[at..].iter().filter(|o| o.says() == tag.says()).collect();
        let is_first = tags[..at].iter().all(|other| other.says() != tag.says());
        if is_first && alike.len() > 1 {
            items.extend(for_all(context, &alike, rules.last()));
        }
    }
    Proposal::new(context.untried(items), Strategy::Single)
}

impl Tag<'_> {
    /// Returns the declarations of its own.
    fn says(&self) -> Option<Vec<u8>> {
        self.style.map(|(_, value)| in_one_line(value))
    }
}

/// Makes a rule of what elements have in common: after the last rule, or in a style sheet of its
/// own.
fn for_all(context: &PassContext<'_>, tags: &[&Tag<'_>], last: Option<&Rule>) -> Option<Item> {
    let tree = context.tree;
    let styles = context.styles();
    let [first, others @ ..] = tags else { return None };
    let is_one_kind = others.iter().all(|tag| tag.text.eq_ignore_ascii_case(first.text));
    let selector = if is_one_kind { first.text } else { styles.all.as_deref()? };
    let rule = [selector, b"{", &first.says()?[..], b"}"].concat();
    let attributes: Vec<NodeId> = tags.iter().filter_map(|tag| Some(tag.style?.0)).collect();
    let saved = attributes.iter().skip(1).map(|&attribute| tree.tokens(attribute)).sum();
    let mut edits = Edits::drop_all(attributes);
    let is_put = match last {
        Some(last) => {
            let text = [b" ", &rule[..]].concat();
            let pieces = vec![Piece::Node(last.node), Piece::Text(text.into(), None)];
            edits.add(last.node, Change(pieces))
        }
        None => {
            let sheet = styles.sheet.as_deref()?;
            let text = [b"<", sheet, b">", &rule[..], b"</", sheet, b">"].concat();
            // The tag begins with its sign.
            let sign = tree.parent(first.name).and_then(|holder| tree.children(holder).next())?;
            edits.add(sign, Change(vec![Piece::Text(text.into(), None), Piece::Node(sign)]))
        }
    };
    is_put.then(|| Item::new(edits, saved))
}
