//! What a declaration defines beside the names that it declares: types outside of their scope,
//! forms of templates, values of members, meanings of signs.

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;
use crate::framework::declarations::declares;
use crate::graph::parts::{inner_declaration, plain_name};

/// Returns the name of the type or namespace of which a qualified name is a member.
pub(crate) fn scope_of(context: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let qualified = tree.parent(name).filter(|&id| context.is(Role::Qualified, id))?;
    let scope = tree.children(qualified).next().filter(|&scope| scope != name)?;
    if context.is_name(scope) { Some(scope) } else { context.name_part(scope) }
}

/// Returns the sign that a function with this name gives a meaning.
pub(crate) fn sign(context: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    let is_name = context.is(Role::Qualified, name) || tree.is_leaf(name);
    let mut children = tree.children(name);
    let word = children.next().filter(|&id| tree.is_leaf(id) && !is_name)?;
    tree.text_of(word).first().filter(|byte| byte.is_ascii_alphabetic())?;
    let sign = children.last()?;
    (tree.is_leaf(sign) && !context.is_name(sign)).then_some(sign)
}

/// Returns whether a declaration defines the type of this name, perhaps outside of the type that it
/// is a member of.
pub(crate) fn defines_type(context: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let tree = context.tree;
    let is_last = |id: NodeId| tree.subtree_end(id) == tree.subtree_end(name);
    let mut around = tree.ancestors(name).take_while(|&id| id >= declaration);
    let defined = around.find(|&id| !(context.is(Role::Qualified, id) && is_last(id)));
    let Some(defined) = defined.filter(|&id| context.part(id, FieldRole::Body).is_some()) else {
        return false;
    };
    let is_outside = tree.parent(name) != Some(defined) && context.is(Role::DeclaresType, defined);
    is_outside && (defined == declaration || tree.parent(defined) == Some(declaration))
        || declares(context, declaration, name)
}

/// Returns whether a declaration gives a member of the type of this name its value.
pub(crate) fn completes(context: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let tree = context.tree;
    let Some(qualified) = tree.parent(name).filter(|&id| context.is(Role::Qualified, id)) else {
        return false;
    };
    let ends = |id: NodeId| tree.children(id).last().is_some_and(|last| context.is_name(last));
    let is_scope = tree.children(qualified).next() == Some(name) && ends(qualified);
    let variable = inner_declaration(context, declaration);
    let variable = variable.filter(|&id| is_scope && context.is(Role::Joinable, id));
    let declared = variable.and_then(|variable| plain_name(context, variable));
    declared.is_some_and(|declared| {
        context.is(Role::Qualified, declared) && tree.contains(declared, name)
    })
}

/// Returns whether a declaration says what a template is for certain arguments: whoever uses the
/// template may use this. It can stand after the use.
pub(crate) fn specialises(context: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let tree = context.tree;
    let is_name = |id: NodeId| {
        tree.field(id).is_some_and(|f| context.language.roles.fields(FieldRole::Name).contains(&f))
    };
    let Some(special) = tree.parent(name).filter(|_| is_name(name)) else { return false };
    if context.part(special, FieldRole::Arguments).is_none() {
        return false;
    }
    // It may stand after the namespace or type of the template.
    let mut whole = special;
    while let Some(qualified) = tree.parent(whole).filter(|&id| context.is(Role::Qualified, id))
        && is_name(whole)
    {
        whole = qualified;
    }
    let is_type = is_name(whole)
        && tree.parent(whole).is_some_and(|id| {
            context.is(Role::DeclaresType, id) && tree.parent(id) == Some(declaration)
        });
    // A variable or a function.
    let declarator = |&at: &NodeId| context.part(at, FieldRole::Declarator);
    let inner =
        context.is(Role::Template, declaration).then(|| inner_declaration(context, declaration));
    let mut declarators = std::iter::successors(inner.flatten(), declarator);
    is_type || declarators.any(|at| at == special)
}
