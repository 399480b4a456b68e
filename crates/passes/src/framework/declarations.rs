//! The parts of a declaration: the names that it declares, its type, its initial values, its words.

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;

/// Returns the name that a parameter or a declaration declares: the one that the grammar calls so,
/// or the last one. Where nothing but one name is there, it is that, although it reads as a type (a
/// parameter of an old function).
pub(crate) fn declared_name(cx: &PassContext<'_>, declaration: NodeId) -> Option<NodeId> {
    if let Some(name) = cx.name_part(declaration) {
        return Some(name);
    }
    let names = || cx.names_in(declaration);
    names().rev().find(|&n| !cx.is(Role::Type, n)).or_else(|| {
        let only = names().next()?;
        (cx.text_of(only) == cx.text_of(declaration)).then_some(only)
    })
}

/// Returns whether a name that stands in a declaration is declared by it, and visible outside of
/// it.
pub(crate) fn declares(cx: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let plays = |id: NodeId, role: FieldRole| {
        cx.field(id).is_some_and(|field| cx.language.roles.fields(role).contains(&field))
    };
    let mut around = cx.ancestors(name).take_while(|&id| id >= declaration);
    if around.any(|id| cx.is(Role::Scope, id)) {
        return false;
    }
    if cx.is(Role::Import, declaration) {
        return imported_name(cx, declaration) == Some(name);
    }
    let mut at = name;
    while let Some(parent) = cx.parent(at).filter(|_| at != declaration) {
        if plays(at, FieldRole::Name) {
            // A type that is only named may be declared elsewhere.
            let is_defined = cx.part(parent, FieldRole::Body).is_some()
                || parent == declaration
                || cx.parent(parent) == Some(declaration);
            return !cx.is(Role::Expression, parent)
                && (!cx.is(Role::Type, parent) || cx.is(Role::DeclaresType, parent) && is_defined);
        }
        // Grammars give what a pointer or a reference stands around no field.
        let is_all = || cx.children(parent).filter(|&part| cx.is_named(part)).eq([at]);
        if !plays(at, FieldRole::Declarator) && !is_all() {
            return false;
        }
        let is_whole = [Role::Declaration, Role::Function, Role::Typedef];
        if is_whole.into_iter().any(|role| cx.is(role, parent)) {
            return true;
        }
        at = parent;
    }
    false
}

/// Returns the name that is made known here, although it is declared elsewhere: that which the
/// grammar calls so, or the last one.
pub(crate) fn imported_name(cx: &PassContext<'_>, import: NodeId) -> Option<NodeId> {
    let named = cx.name_part(import).filter(|&name| cx.is_name(name));
    named.or_else(|| cx.subtree(import).rev().find(|&id| cx.is_name(id)))
}

/// Returns the nodes that have to go for each declared name: all of the declaration, if it declares
/// only one.
pub(crate) fn declared(cx: &PassContext<'_>, declaration: NodeId) -> Vec<NodeId> {
    let parts: Vec<NodeId> = declarators(cx, declaration).collect();
    if parts.len() == 1 { vec![declaration] } else { parts }
}

/// Returns the children that declare a name each.
pub(crate) fn declarators<'a>(
    cx: &'a PassContext<'_>,
    declaration: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    cx.elements(declaration).filter(move |&c| {
        !cx.is(Role::Type, c) && !cx.is(Role::Qualifier, c) && cx.subtree(c).any(|n| cx.is_name(n))
    })
}

/// Returns the children that are the least type, which says nothing.
pub(crate) fn least_types<'a>(
    cx: &'a PassContext<'_>,
    declaration: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    cx.children(declaration).filter(move |&id| is_least_type(cx, id))
}

/// Returns whether the node is the least type.
pub(crate) fn is_least_type(cx: &PassContext<'_>, id: NodeId) -> bool {
    cx.is(Role::Type, id) && least_type(cx) == Some(cx.text_of(id))
}

/// Returns the least type.
pub(crate) fn least_type<'a>(cx: &PassContext<'a>) -> Option<&'a [u8]> {
    let roles = &cx.language.roles;
    let mut types = roles.kinds(Role::Type).filter_map(|kind| roles.placeholders.get(&kind));
    types.find_map(|texts| texts.first()).map(|(text, _)| &**text)
}

/// Returns the parts that give initial values, each with its sign.
pub(crate) fn values<'a>(
    cx: &'a PassContext<'_>,
    declaration: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    // As old programs declare variables outside of functions.
    let old = cx.is(Role::ExpressionStatement, declaration);
    let gives_value =
        move |&id: &NodeId| cx.is(Role::Initializer, id) || old && cx.is(Role::Assignment, id);
    let initializers = cx.subtree(declaration).filter(gives_value);
    initializers.flat_map(|id| cx.children(id).skip(1))
}

/// Returns the text of a value in brackets, where it needs them to stand anywhere.
pub(crate) fn bracketed(cx: &PassContext<'_>, value: NodeId, text: &[u8]) -> Option<Vec<u8>> {
    if cx.is(Role::Tight, value) {
        return Some(text.to_vec());
    }
    let signs = cx.signs(value);
    Some([signs.open_bracket.as_deref()?, text, signs.close_bracket.as_deref()?].concat())
}

/// Returns the text of leaves with the blank space between them, some of them in other words.
pub(crate) fn text_with<'t>(
    cx: &'t PassContext<'_>,
    leaves: impl Iterator<Item = NodeId>,
    instead: impl Fn(NodeId) -> Option<&'t [u8]>,
) -> Vec<u8> {
    let mut text = Vec::new();
    // The last leaf, and whether other words stand in its place.
    let mut before: Option<(NodeId, bool)> = None;
    for leaf in leaves {
        let new = instead(leaf);
        if let Some((last, is_new)) = before {
            let blank = cx.text().get(cx.span(last).end..cx.span(leaf).start);
            let blank = blank.filter(|text| text.iter().all(u8::is_ascii_whitespace));
            // Lines stay lines. What takes the place of a leaf could read as one token with its
            // neighbour.
            let is_new = is_new || new.is_some();
            text.extend_from_slice(blank.filter(|b| !(is_new && b.is_empty())).unwrap_or(b" "));
        }
        text.extend_from_slice(new.unwrap_or(cx.text_of(leaf)));
        before = Some((leaf, new.is_some()));
    }
    text
}

/// Returns the innermost node that is all of this one.
pub(crate) fn only_part(cx: &PassContext<'_>, id: NodeId) -> NodeId {
    let only = |&at: &NodeId| {
        let mut children = cx.children(at);
        children.next().filter(|_| children.next().is_none())
    };
    std::iter::successors(Some(id), only).last().unwrap_or(id)
}

/// Returns the declaration as it stands outside of functions, where the least type need not be
/// said; `None` without a name.
pub(crate) fn outside(cx: &PassContext<'_>, declaration: NodeId) -> Option<Vec<u8>> {
    declared_name(cx, declaration)?;
    let implied = least_types(cx, declaration).filter(|_| cx.signs(declaration).implied_type);
    let implied: Vec<NodeId> = implied.collect();
    let is_said = |leaf: &NodeId| !implied.iter().any(|&least| cx.contains(least, *leaf));
    let mut text = text_with(cx, cx.leaves_in(declaration).filter(is_said), |_| None);
    if cx.is(Role::Parameter, declaration) {
        text.extend_from_slice(cx.signs(declaration).statement_end.as_deref()?);
    }
    Some(text)
}
