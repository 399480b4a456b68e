//! Makes one declaration of a class that is only declared first and defined further down: the definition comes in the place of the
//! declaration, or the declaration goes. Defaults of a template's parameters go to the definition.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::declarations::{leaves_without, text_of};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "join-declaration-and-definition";

/// In larger texts other passes win more.
const SMALL: u32 = 5_000;

/// Proposes up to two items for each class that is declared before its definition, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.tree.tokens(NodeId::ROOT) > SMALL {
        return None;
    }
    let records = context.ids().rev().filter(|&id| context.is(Role::Record, id));
    let items = records.flat_map(|id| items(context, id)).collect();
    Proposal::new(context.untried(items), Strategy::All)
}

fn items(context: &PassContext<'_>, class: NodeId) -> Vec<Item> {
    if context.part(class, FieldRole::Body).is_some() {
        return Vec::new();
    }
    let Some(defined) = definition_of(context, class) else { return Vec::new() };
    let parts = [class, defined].map(|class| template_around(context, class));
    let (declared, defined, defaults) = match parts {
        [Some(declared), Some(defined)] => {
            let Some(defaults) = defaults(context, declared, defined) else { return Vec::new() };
            (declared, defined, defaults)
        }
        [None, None] => (class, defined, Vec::new()),
        _ => return Vec::new(),
    };
    [moved(context, declared, defined, &defaults), dropped(context, declared, &defaults)]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the item that puts the definition in the place of the declaration.
fn moved(
    context: &PassContext<'_>,
    declared: NodeId,
    defined: NodeId,
    defaults: &[Default],
) -> Option<Item> {
    if !context.is_droppable(declared) || !context.is_droppable(defined) {
        return None;
    }
    // The sign that ends a definition may be a neighbour of it.
    let end = context.tree.subtree_end(defined);
    let is_end = |&end: &NodeId| {
        (end.0 as usize) < context.tree.len()
            && context.tree.parent(end) == context.tree.parent(defined)
            && Some(context.tree.text_of(end)) == context.tokens().statement_end.as_deref()
    };
    let mut edits = Edits::drop_all([defined].into_iter().chain(Some(end).filter(is_end)));
    let added = add(defaults, &mut edits)?;
    let won = context.tree.tokens(declared).checked_sub(added)?;
    let fits = edits.add(declared, Change::splice(context.tree.children(defined)));
    fits.then(|| Item::new(edits, won))
}

/// Returns the item that drops the declaration; without defaults, others propose that.
fn dropped(context: &PassContext<'_>, declared: NodeId, defaults: &[Default]) -> Option<Item> {
    if defaults.is_empty() || !context.is_droppable(declared) {
        return None;
    }
    let mut edits = Edits::drop(declared);
    let added = add(defaults, &mut edits)?;
    Some(Item::new(edits, context.tree.tokens(declared).checked_sub(added)?))
}

/// A parameter of the definition with the default that the declaration gives it.
struct Default {
    parameter: NodeId,
    text: Vec<u8>,
    /// How many tokens it has more than before.
    added: u32,
}

/// Adds defaults to edits; returns how many tokens they are.
fn add(defaults: &[Default], edits: &mut Edits) -> Option<u32> {
    for default in defaults {
        let change = Change::replace_with(&default.text, None);
        if !edits.add(default.parameter, change) {
            return None;
        }
    }
    Some(defaults.iter().map(|default| default.added).sum())
}

/// Returns the defaults that only the first of two templates gives; `None` if both give one.
fn defaults(context: &PassContext<'_>, declared: NodeId, defined: NodeId) -> Option<Vec<Default>> {
    let tree = context.tree;
    let [before, after] =
        [declared, defined].map(|template| context.part(template, FieldRole::Parameters));
    let mut defaults = Vec::new();
    for (from, to) in context.elements(before?).zip(context.elements(after?)) {
        let default = default_of(context, from);
        if default.is_empty() {
            continue;
        }
        if !default_of(context, to).is_empty() {
            return None;
        }
        let text = [tree.text_of(to), b" ", &text_of(context, &default)].concat();
        let added = default.iter().map(|&leaf| tree.tokens(leaf)).sum();
        defaults.push(Default { parameter: to, text, added });
    }
    Some(defaults)
}

/// Returns the template that a class is.
fn template_around(context: &PassContext<'_>, class: NodeId) -> Option<NodeId> {
    context.tree.parent(class).filter(|&id| context.is(Role::Template, id))
}

/// Returns the class with the same name that stands further down and has a body.
fn definition_of(context: &PassContext<'_>, class: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let name = context.name_part(class)?;
    let behind = context.mentions(name).iter().filter(|&&mention| mention > name);
    behind.into_iter().find_map(|&mention| {
        let other = tree.parent(mention).filter(|&id| context.is(Role::Record, id))?;
        context.part(other, FieldRole::Body)?;
        (context.name_part(other) == Some(mention)).then_some(other)
    })
}

/// Returns the leaves from the sign on that gives a parameter its default; none if there is no default.
fn default_of(context: &PassContext<'_>, parameter: NodeId) -> Vec<NodeId> {
    let leaves = leaves_without(context, parameter, &[]);
    let sign = leaves.iter().position(|&leaf| context.tree.text_of(leaf) == b"=");
    sign.map_or(Vec::new(), |sign| leaves[sign..].to_vec())
}
