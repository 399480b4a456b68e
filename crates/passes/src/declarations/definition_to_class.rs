//! Puts what a class defines outside of it in the place of its declaration: `int s::f() { }` becomes a function with a body in
//! `s`.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::declaration_parts::plain_name;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "definition-to-class";

/// Proposes all functions that are defined outside of their classes at once, then halves of them. Each goes to the first
/// declaration of its name with as many parameters. Linear in the functions times what their classes declare.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if !context.language.roles.is_played(Role::Qualified) {
        return None;
    }
    let functions = context.ids().rev().filter(|&id| context.is(Role::Function, id));
    let items = functions.filter_map(|function| moved(context, function)).collect();
    Proposal::new(context.untried(items), Strategy::Halves)
}

/// Returns the item that moves the definition of a function into its class.
fn moved(context: &PassContext<'_>, function: NodeId) -> Option<Item> {
    let tree = context.tree;
    context.part(function, FieldRole::Body)?;
    let whole = plain_name(context, function).filter(|&id| context.is(Role::Qualified, id))?;
    let inner = |&id: &NodeId| {
        context.elements(id).last().filter(|&last| context.is(Role::Qualified, last))
    };
    let qualified = std::iter::successors(Some(whole), inner).last()?;
    let scope = context.elements(qualified).next()?;
    let name = context.elements(qualified).last().filter(|&name| name != scope)?;
    let class = tree.subtree(scope).find(|&id| context.is_name(id))?;
    let wanted = arity(context, whole)?;
    let is_meant = |&member: &NodeId| {
        let own = plain_name(context, member).filter(|_| !context.is(Role::Template, member));
        own.is_some_and(|own| {
            let is_defined = context.part(member, FieldRole::Body).is_some();
            let has_name = tree.text_of(own) == tree.text_of(name);
            !is_defined && has_name && arity(context, own) == Some(wanted)
        })
    };
    let records = context.mentions(class).iter().filter_map(|&mention| {
        let record = tree.parent(mention).filter(|&id| context.is(Role::Record, id))?;
        context.part(record, FieldRole::Body)
    });
    let member = records.flat_map(|body| context.elements(body)).find(is_meant)?;
    let parents = |&id: &NodeId| tree.parent(id).filter(|&at| context.is(Role::Template, at));
    let definition = std::iter::successors(Some(function), parents).last()?;
    if !context.is_droppable(definition) {
        return None;
    }
    // `virtual`, `static` and the like are only said in the class.
    let declarator = || context.part(member, FieldRole::Declarator);
    let first = context.part(member, FieldRole::Type).or_else(declarator)?;
    let parts = [
        tree.span(member).start..tree.span(first).start,
        tree.span(function).start..tree.span(whole).start,
        tree.span(name).start..tree.span(function).end,
    ];
    let new: Vec<u8> = parts.into_iter().flat_map(|part| tree.text()[part].to_vec()).collect();
    let mut edits = Edits::drop(definition);
    let weight = tree.tokens(member);
    edits.add(member, Change::replace_with(new, None)).then(|| Item::new(edits, weight))
}

/// Returns the number of parameters of the function with this name.
fn arity(context: &PassContext<'_>, name: NodeId) -> Option<usize> {
    let list = context.part(context.tree.parent(name)?, FieldRole::Parameters)?;
    Some(context.elements(list).count())
}
