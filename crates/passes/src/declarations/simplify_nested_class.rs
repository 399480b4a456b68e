//! Takes a class out of the one that it stands in: in the place of that one, or before it. No name is qualified
//! with the outer one any more.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "simplify-nested-class";

/// Proposes two items for each type that is defined in a class and used by its qualified name, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let records = context.ids().rev().filter(|&id| context.is(Role::Record, id));
    let items = records.flat_map(|outer| items(context, outer)).collect();
    Proposal::new(context.untried(items), Strategy::All)
}

fn items(context: &PassContext<'_>, outer: NodeId) -> Vec<Item> {
    let tree = context.tree;
    let body = context.part(outer, FieldRole::Body);
    let (Some(name), Some(body)) = (context.name_part(outer), body) else { return Vec::new() };
    let mut items = Vec::new();
    for member in context.elements(body) {
        let inner = context.part(member, FieldRole::Type).filter(|&inner| {
            let is_type = context.is(Role::Record, inner) || context.is(Role::Enumeration, inner);
            is_type && context.part(inner, FieldRole::Body).is_some()
        });
        let Some(inner) = inner else { continue };
        let Some(inner_name) = context.name_part(inner) else { continue };
        let Some((edits, weight)) = unqualified(context, name, inner_name) else { continue };
        let mut instead = edits.clone();
        if instead.add(outer, Change::hoist(inner)) {
            items.push(Item::new(instead, weight + tree.tokens(outer) - tree.tokens(inner)));
        }
        let is_alone = context.part(member, FieldRole::Declarator).is_none();
        if is_alone && let Some(end) = &context.tokens().statement_end {
            let mut before = edits;
            let end = Piece::Text(end.clone(), None);
            let rest = tree.children(outer).map(Piece::Node);
            let pieces = [Piece::Node(inner), end].into_iter().chain(rest).collect();
            if before.add(member, Change::drop()) && before.add(outer, Change(pieces)) {
                items.push(Item::new(before, weight));
            }
        }
    }
    items.reverse();
    items
}

/// Returns the edits after which no mention of `inner` is qualified with `outer`, and what they take away; `None` if
/// none is qualified with it now.
fn unqualified(context: &PassContext<'_>, outer: NodeId, inner: NodeId) -> Option<(Edits, u32)> {
    let tree = context.tree;
    let mut edits = Edits::none();
    let mut weight = 0;
    for &mention in context.mentions(inner) {
        let qualified = tree.parent(mention).filter(|&id| context.is(Role::Qualified, id));
        let scope = qualified.and_then(|id| context.elements(id).next());
        let Some(qualified) = qualified.filter(|_| {
            scope.is_some_and(|at| at != mention && tree.text_of(at) == tree.text_of(outer))
        }) else {
            continue;
        };
        weight += tree.tokens(qualified) - tree.tokens(mention);
        if !edits.add(qualified, Change::hoist(mention)) {
            return None;
        }
    }
    (!edits.is_empty()).then_some((edits, weight))
}
