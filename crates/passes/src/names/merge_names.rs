//! Uses one name instead of another everywhere but in the other's declaration, which goes (Vulcan's
//! identifier replacement, OOPSLA'23).

use std::collections::BTreeMap;

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::limits::MERGED_NAMES;
use crate::{Item, PassContext, Proposal, Reference, Strategy};

/// Proposes one item per ordered pair of names of the same kind; of many names, one for each
/// variable and the one of its type that is declared last before it.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mut names: Vec<&Vec<NodeId>> = context.index().names.values().collect();
    names.sort_unstable_by_key(|all| all.first().copied());
    if names.len() > MERGED_NAMES {
        let items = context.untried(of_one_type(context, &names));
        return Proposal::new(items, Strategy::Single);
    }
    let mut items = given_names(context);
    for gone in &names {
        for kept in names.iter().filter(|kept| kept != &gone) {
            items.extend(item(context, gone, kept));
        }
    }
    let items = context.untried(items);
    Proposal::new(items, Strategy::Single)
}

/// Returns one item for each variable that may be the one of its type that is declared last before
/// it. Linear in the names.
fn of_one_type(context: &PassContext<'_>, names: &[&Vec<NodeId>]) -> Vec<Item> {
    let tree = context.tree;
    let mut last = BTreeMap::new();
    let mut items = Vec::new();
    for all in names {
        let Some(of) = all.first().and_then(|&name| type_of_variable(context, name)) else {
            continue;
        };
        if let Some(kept) = last.insert(tree.text_of(of), *all) {
            items.extend(item(context, all, kept));
        }
    }
    items
}

/// Returns the type with which a variable or a parameter is declared, if it is no more than that.
fn type_of_variable(context: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let parent = context.tree.parent(name)?;
    let is_declared = context.part(parent, FieldRole::Declarator) == Some(name);
    let has_value = context.is(Role::Initializer, parent);
    let holder = if has_value { context.tree.parent(parent)? } else { parent };
    context
        .part(holder, FieldRole::Type)
        .filter(|_| is_declared && !context.is(Role::Function, holder))
}

/// Returns one item per ordered pair of names that parts of leaves give, such as ids: the program
/// mentions the one instead of the other, which is given no more.
fn given_names(context: &PassContext<'_>) -> Vec<Item> {
    let is_word =
        |name: &[u8]| name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_given = |r: &&Reference| r.mentions.iter().any(|m| m.is_definition) && is_word(&r.name);
    let given: Vec<&Reference> = context.references().iter().filter(is_given).collect();
    if given.len() > MERGED_NAMES {
        return Vec::new();
    }
    let pairs = given.iter().flat_map(|gone| given.iter().map(move |kept| (*gone, *kept)));
    let of_one_sort = pairs.filter(|(gone, kept)| {
        gone.name != kept.name && gone.namespace == kept.namespace && gone.document == kept.document
    });
    of_one_sort.filter_map(|(gone, kept)| given_name(context, gone, kept)).collect()
}

fn given_name(context: &PassContext<'_>, gone: &Reference, kept: &Reference) -> Option<Item> {
    let tree = context.tree;
    let uses = context.index().mentions(&gone.name);
    let mut edits = Edits::none();
    let mut saved = 0;
    for mention in &gone.mentions {
        if !mention.is_definition || mention.in_list {
            return None;
        }
        let declaration = tree.ancestors(mention.leaf).find(|&id| context.is_droppable(id))?;
        saved += tree.tokens(declaration);
        edits.add(declaration, Change::drop()).then_some(())?;
    }
    for &id in uses {
        edits.add(id, Change::replace_with(&kept.name, Some(tree.kind(id)))).then_some(())?;
    }
    (!uses.is_empty()).then(|| Item::new(edits, saved))
}

fn item(context: &PassContext<'_>, gone: &[NodeId], kept: &[NodeId]) -> Option<Item> {
    let tree = context.tree;
    let (&declared, uses) = gone.split_first()?;
    let declaration = std::iter::once(declared)
        .chain(tree.ancestors(declared))
        .find(|&id| context.is_droppable(id))?;
    let uses = uses.iter().filter(|&&m| !tree.contains(declaration, m));
    let (&first, &known) = (uses.clone().next()?, kept.first()?);
    // A name that stands nowhere before its use is not declared there, unless it is visible from
    // everywhere.
    let is_visible = tree.parent(known).is_some_and(|id| {
        context.is(Role::Declaration, id) && context.name_part(id) == Some(known)
    });
    if tree.contains(declaration, known)
        || known > first && !is_visible
        || !kept.iter().any(|&m| tree.kind(m) == tree.kind(first))
    {
        return None;
    }
    let mut edits = Edits::drop(declaration);
    let name = tree.text_of(known);
    for &mention in uses {
        edits.add(mention, Change::replace_with(name, Some(tree.kind(mention)))).then_some(())?;
    }
    Some(Item::new(edits, tree.tokens(declaration)))
}
