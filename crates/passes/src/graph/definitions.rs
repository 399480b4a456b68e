//! What a declaration defines beside the names that it declares: types outside of their scope,
//! forms of templates, values of members, meanings of signs.

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;
use crate::framework::declarations::declares;
use crate::graph::parts::{inner_declaration, plain_name};

/// Returns the name of the type or namespace of which a qualified name is a member.
pub(crate) fn scope_of(cx: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let qualified = cx.parent(name).filter(|&id| cx.is(Role::Qualified, id))?;
    let scope = cx.children(qualified).next().filter(|&scope| scope != name)?;
    if cx.is_name(scope) { Some(scope) } else { cx.name_part(scope) }
}

/// Returns the sign that a function with this name gives a meaning.
pub(crate) fn sign(cx: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let is_name = cx.is(Role::Qualified, name) || cx.is_leaf(name);
    let mut children = cx.children(name);
    let word = children.next().filter(|&id| cx.is_leaf(id) && !is_name)?;
    cx.text_of(word).first().filter(|byte| byte.is_ascii_alphabetic())?;
    let sign = children.last()?;
    (cx.is_leaf(sign) && !cx.is_name(sign)).then_some(sign)
}

/// Returns whether a declaration defines the type of this name, perhaps outside of the type that it
/// is a member of.
pub(crate) fn defines_type(cx: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let is_last = |id: NodeId| cx.subtree_end(id) == cx.subtree_end(name);
    let mut around = cx.ancestors(name).take_while(|&id| id >= declaration);
    let defined = around.find(|&id| !(cx.is(Role::Qualified, id) && is_last(id)));
    let Some(defined) = defined.filter(|&id| cx.part(id, FieldRole::Body).is_some()) else {
        return false;
    };
    let is_outside = cx.parent(name) != Some(defined) && cx.is(Role::DeclaresType, defined);
    is_outside && (defined == declaration || cx.parent(defined) == Some(declaration))
        || declares(cx, declaration, name)
}

/// Returns whether a declaration gives a member of the type of this name its value.
pub(crate) fn completes(cx: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let Some(qualified) = cx.parent(name).filter(|&id| cx.is(Role::Qualified, id)) else {
        return false;
    };
    let ends = |id: NodeId| cx.children(id).last().is_some_and(|last| cx.is_name(last));
    let is_scope = cx.children(qualified).next() == Some(name) && ends(qualified);
    let variable = inner_declaration(cx, declaration);
    let variable = variable.filter(|&id| is_scope && cx.is(Role::Joinable, id));
    let declared = variable.and_then(|variable| plain_name(cx, variable));
    declared.is_some_and(|declared| cx.is(Role::Qualified, declared) && cx.contains(declared, name))
}

/// Returns whether a declaration says what a template is for certain arguments: whoever uses the
/// template may use this. It can stand after the use.
pub(crate) fn specialises(cx: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let is_name = |id: NodeId| {
        cx.field(id).is_some_and(|f| cx.language.roles.fields(FieldRole::Name).contains(&f))
    };
    let Some(special) = cx.parent(name).filter(|_| is_name(name)) else { return false };
    if cx.part(special, FieldRole::Arguments).is_none() {
        return false;
    }
    // It may stand after the namespace or type of the template.
    let mut whole = special;
    while let Some(qualified) = cx.parent(whole).filter(|&id| cx.is(Role::Qualified, id))
        && is_name(whole)
    {
        whole = qualified;
    }
    let is_type = is_name(whole)
        && cx
            .parent(whole)
            .is_some_and(|id| cx.is(Role::DeclaresType, id) && cx.parent(id) == Some(declaration));
    // A variable or a function.
    let declarator = |&at: &NodeId| cx.part(at, FieldRole::Declarator);
    let inner = cx.is(Role::Template, declaration).then(|| inner_declaration(cx, declaration));
    let mut declarators = std::iter::successors(inner.flatten(), declarator);
    is_type || declarators.any(|at| at == special)
}
