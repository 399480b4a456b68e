//! What has to change so that one mention of a name goes. Knows no pass.

use minirepro_syntax::{Change, NodeId};

use crate::Input;

/// The edit that takes the mention at `occurrence` away and leaves the rest as it is, as far as
/// the grammar shows:
///
/// - inside of an expression, the outermost expression goes: with its statement if that is all
///   there is to it, else to the least text of its kind;
/// - a type becomes the least type;
/// - anything else goes with the smallest part that the grammar lets go.
pub(crate) fn unit(input: &Input<'_>, occurrence: NodeId) -> Option<(NodeId, Change)> {
    let tree = input.tree;
    if input.is("type", occurrence) {
        let (text, kind) = input.language.roles.least.get(&tree.kind(occurrence))?.first()?;
        let declares = tree.parent(occurrence).is_some_and(|p| input.is("declares_type", p));
        if !declares {
            return Some((occurrence, Change::put(text, *kind)));
        }
    }
    if let Some(top) = outermost_expression(input, occurrence) {
        if let Some(parent) = tree.parent(top)
            && input.is("expression_statement", parent)
            && input.is_droppable(parent)
        {
            return Some((parent, Change::drop()));
        }
        if let Some((text, kind)) =
            input.language.roles.least.get(&tree.kind(top)).and_then(|l| l.first())
        {
            return Some((top, Change::put(text, *kind)));
        }
    }
    std::iter::once(occurrence)
        .chain(tree.ancestors(occurrence))
        .find(|&id| input.is_droppable(id))
        .map(|id| (id, Change::drop()))
}

/// The highest node above (or at) `id` that is reached through expressions and their lists only.
fn outermost_expression(input: &Input<'_>, id: NodeId) -> Option<NodeId> {
    let mut top = input.is("expression", id).then_some(id);
    let mut at = id;
    while let Some(parent) = input.tree.parent(at) {
        if input.is("expression", parent) {
            top = Some(parent);
        } else if !input.is("expression_list", parent) {
            break;
        }
        at = parent;
    }
    top
}
