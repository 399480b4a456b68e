//! Declares a name with the type to which it is cast, and drops the casts.

use std::collections::BTreeMap;

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::declarations::declared_name;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "cast-to-declaration";

/// Proposes one item per name and type to which it is cast, names that are declared last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mut casts: BTreeMap<(NodeId, &[u8]), Vec<Cast>> = BTreeMap::new();
    for cast in context.ids().filter_map(|id| cast(context, id)) {
        let mentions = context.mentions(cast.name);
        if let Some(&declared) = mentions.iter().find(|&&name| declaration(context, name).is_some())
        {
            let text = context.tree.text_of(cast.to);
            casts.entry((declared, text)).or_default().push(cast);
        }
    }
    let items = casts.iter().rev().filter_map(|(&(name, _), casts)| item(context, name, casts));
    Proposal::new(context.untried(items.collect()), Strategy::Single)
}

/// A name that is cast.
struct Cast {
    whole: NodeId,
    to: NodeId,
    name: NodeId,
}

fn cast(context: &PassContext<'_>, id: NodeId) -> Option<Cast> {
    let to = context.part(id, FieldRole::Type).filter(|_| context.is(Role::Expression, id))?;
    let name = context.part(id, FieldRole::Value)?;
    // In an expression, brackets around the cast are there for its sake.
    let tree = context.tree;
    let around = tree.parent(id).filter(|&parent| {
        context.is(Role::Expression, parent)
            && tree.parent(parent).is_some_and(|outer| context.is(Role::Expression, outer))
            && tree.children(parent).filter(|&c| tree.is_named(c)).count() == 1
            && tree.tokens(parent) == tree.tokens(id) + 2
    });
    context.is_name(name).then(|| Cast { whole: around.unwrap_or(id), to, name })
}

/// Returns the parameter or the declaration that declares a name.
fn declaration(context: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let mut around = std::iter::once(name).chain(context.tree.ancestors(name));
    let is_one = |id| context.is(Role::Parameter, id) || context.is(Role::Joinable, id);
    let found = around
        .by_ref()
        .take_while(|&id| !context.is(Role::Block, id) && !context.is(Role::Parameters, id))
        .find(|&id| is_one(id))?;
    (declared_name(context, found) == Some(name)).then_some(found)
}

fn item(context: &PassContext<'_>, name: NodeId, casts: &[Cast]) -> Option<Item> {
    let tree = context.tree;
    let declaration = declaration(context, name)?;
    let to = casts.first()?.to;
    let mut edits = Edits::none();
    let mut won = 0;
    for cast in casts {
        won += tree.tokens(cast.whole).checked_sub(1)?;
        if !edits.add(cast.whole, Change::hoist(cast.name)) {
            return None;
        }
    }
    let text = tree.text_of(to);
    let bare = tree.text_of(declaration) == tree.text_of(name);
    if bare {
        // As the parameters of old functions.
        let text = [text, b" ", tree.text_of(name)].concat();
        let changed = Change::replace_with(text, Some(tree.kind(declaration)));
        if !edits.add(declaration, changed) {
            return None;
        }
    } else {
        let old = context.part(declaration, FieldRole::Type)?;
        won += tree.tokens(old);
        if !edits.add(old, Change::replace_with(text, None)) {
            return None;
        }
        let is_level = |&id: &NodeId| context.is(Role::Pointer, id) || context.is(Role::Array, id);
        if let Some(levels) = tree.ancestors(name).take_while(is_level).last() {
            won += tree.tokens(levels) - 1;
            if !edits.add(levels, Change::hoist(name)) {
                return None;
            }
        }
    }
    let won = won.checked_sub(tree.tokens(to)).filter(|&won| won > 0)?;
    Some(Item::new(edits, won))
}
