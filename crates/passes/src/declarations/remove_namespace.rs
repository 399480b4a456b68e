//! Opens a namespace: what it holds stands outside, and no name is qualified with it any more.

use std::collections::BTreeMap;

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::slots::inner_children;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "remove-namespace";

/// Proposes one item for each name of a namespace, however often it is opened; then one for each without
/// a name.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mut named: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
    let mut items = Vec::new();
    for id in context.ids().filter(|&id| context.is(Role::Namespace, id)) {
        match context.name_part(id) {
            Some(name) => named.entry(context.tree.text_of(name)).or_default().push(id),
            None => items.extend(item(context, b"", &[id])),
        }
    }
    items.extend(named.iter().filter_map(|(name, all)| item(context, name, all)));
    Proposal::new(context.untried(items), Strategy::All)
}

fn item(context: &PassContext<'_>, name: &[u8], namespaces: &[NodeId]) -> Option<Item> {
    let tree = context.tree;
    let mut edits = Edits::none();
    let mut weight = 0;
    for &id in namespaces {
        let body = tree.children(id).find(|&child| context.is(Role::Hollow, child))?;
        let inner = inner_children(context, body);
        weight += tree.tokens(id) - inner.iter().map(|&child| tree.tokens(child)).sum::<u32>();
        if !edits.add(id, Change::splice(inner)) {
            return None;
        }
    }
    for &mention in context.index().names.get(name).into_iter().flatten() {
        let parent = tree.parent(mention)?;
        if context.is(Role::Namespace, parent) {
            continue;
        }
        let import = tree.ancestors(mention).find(|&id| context.is(Role::Import, id));
        if let Some(import) = import.filter(|&id| context.is_droppable(id)) {
            weight += tree.tokens(import);
            if !edits.add(import, Change::drop()) {
                return None;
            }
        } else if context.is(Role::Qualified, parent) {
            let qualified = context.elements(parent).last().filter(|&last| last != mention);
            if let Some(qualified) = qualified {
                weight += tree.tokens(parent) - tree.tokens(qualified);
                if !edits.add(parent, Change::hoist(qualified)) {
                    return None;
                }
            }
        }
    }
    Some(Item::new(edits, weight))
}
