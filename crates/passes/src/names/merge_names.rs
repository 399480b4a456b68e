//! Uses one name instead of another everywhere but in the other's declaration, which goes (Vulcan's
//! identifier replacement, OOPSLA'23).

use std::collections::BTreeMap;

use minirepro_syntax::{Change, FieldRole, NodeId, Role};

use crate::framework::limits::MERGED_NAMES;
use crate::{Item, PassContext, Plan, Proposal, Reference};

/// Proposes one item per ordered pair of names of the same kind; of many names, one for each
/// variable and the one of its type that is declared last before it.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let mut names: Vec<&Vec<NodeId>> = cx.index().values().collect();
    names.sort_unstable_by_key(|all| all.first().copied());
    if names.len() > MERGED_NAMES {
        return cx.proposal(of_one_type(cx, &names), Plan::EACH);
    }
    let of_one = |gone: &&Vec<NodeId>| {
        let kept = names.iter().filter(|kept| *kept != gone);
        kept.filter_map(|kept| item(cx, gone, kept)).collect::<Vec<_>>()
    };
    cx.proposal(given_names(cx).into_iter().chain(names.iter().flat_map(of_one)), Plan::EACH)
}

/// Returns one item for each variable that may be the one of its type that is declared last before
/// it. Linear in the names.
fn of_one_type(cx: &PassContext<'_>, names: &[&Vec<NodeId>]) -> Vec<Item> {
    let mut last = BTreeMap::new();
    let items = names.iter().filter_map(|all| {
        let of = type_of_variable(cx, *all.first()?)?;
        item(cx, all, last.insert(cx.text_of(of), *all)?)
    });
    items.collect()
}

/// Returns the type with which a variable or a parameter is declared, if it is no more than that.
fn type_of_variable(cx: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let parent = cx.parent(name)?;
    let is_declared = cx.part(parent, FieldRole::Declarator) == Some(name);
    let has_value = cx.is(Role::Initializer, parent);
    let holder = if has_value { cx.parent(parent)? } else { parent };
    cx.part(holder, FieldRole::Type).filter(|_| is_declared && !cx.is(Role::Function, holder))
}

/// Returns one item per ordered pair of names that parts of leaves give, such as ids: the program
/// mentions the one instead of the other, which is given no more.
fn given_names(cx: &PassContext<'_>) -> Vec<Item> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_given = |r: &&Reference| r.is_given() && r.name.iter().all(is_word);
    let given: Vec<&Reference> = cx.references().iter().filter(is_given).collect();
    if given.len() > MERGED_NAMES {
        return Vec::new();
    }
    let pairs = given.iter().flat_map(|gone| given.iter().map(move |kept| (*gone, *kept)));
    let of_one_sort = pairs.filter(|(gone, kept)| {
        gone.name != kept.name && gone.namespace == kept.namespace && gone.document == kept.document
    });
    of_one_sort.filter_map(|(gone, kept)| given_name(cx, gone, kept)).collect()
}

fn given_name(cx: &PassContext<'_>, gone: &Reference, kept: &Reference) -> Option<Item> {
    let uses = cx.mentions_of(&gone.name);
    let declarations = gone.mentions.iter().map(|mention| {
        let is_whole = mention.is_definition && !mention.in_list && !uses.is_empty();
        cx.ancestors(mention.leaf).find(|&id| cx.is_droppable(id)).filter(|_| is_whole)
    });
    let declarations: Vec<NodeId> = declarations.collect::<Option<_>>()?;
    let saved = declarations.iter().map(|&id| cx.tokens(id)).sum();
    let drops = declarations.into_iter().map(|id| (id, Change::drop()));
    Item::of(drops.chain(uses.iter().map(|&id| (id, cx.reworded(id, &kept.name)))), saved)
}

fn item(cx: &PassContext<'_>, gone: &[NodeId], kept: &[NodeId]) -> Option<Item> {
    let (&declared, uses) = gone.split_first()?;
    let declaration = cx.around(declared).find(|&id| cx.is_droppable(id))?;
    let uses = uses.iter().filter(|&&m| !cx.contains(declaration, m));
    let (&first, &known) = (uses.clone().next()?, kept.first()?);
    // A name that stands nowhere before its use is not declared there, unless it is visible from
    // everywhere.
    let declares = cx.parent_that(Role::Declaration, known);
    let is_visible = declares.is_some_and(|id| cx.name_part(id) == Some(known));
    let is_alike = kept.iter().any(|&m| cx.kind(m) == cx.kind(first));
    let fits = is_alike && !cx.contains(declaration, known) && (known <= first || is_visible);
    fits.then_some(())?;
    let renamed = uses.map(|&mention| (mention, cx.reworded(mention, cx.text_of(known))));
    let changes = [(declaration, Change::drop())].into_iter().chain(renamed);
    Item::of(changes, cx.tokens(declaration))
}
