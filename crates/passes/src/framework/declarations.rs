//! The parts of a declaration: the names that it declares, its type, its initial values, its words.

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;

/// Returns the name that a parameter or a declaration declares: the one that the grammar calls so,
/// or the last one. Where nothing but one name is there, it is that, although it reads as a type (a
/// parameter of an old function).
pub(crate) fn declared_name(context: &PassContext<'_>, declaration: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    if let Some(name) = context.name_part(declaration) {
        return Some(name);
    }
    let names = || tree.subtree(declaration).filter(|&n| context.is_name(n));
    names().rev().find(|&n| !context.is(Role::Type, n)).or_else(|| {
        let only = names().next()?;
        (tree.text_of(only) == tree.text_of(declaration)).then_some(only)
    })
}

/// Returns whether a name that stands in a declaration is declared by it, and visible outside of
/// it.
pub(crate) fn declares(context: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let tree = context.tree;
    let plays = |id: NodeId, role: FieldRole| {
        tree.field(id).is_some_and(|field| context.language.roles.fields(role).contains(&field))
    };
    let mut around = tree.ancestors(name).take_while(|&id| id >= declaration);
    if around.any(|id| context.is(Role::Scope, id)) {
        return false;
    }
    if context.is(Role::Import, declaration) {
        return imported_name(context, declaration) == Some(name);
    }
    let mut at = name;
    while let Some(parent) = tree.parent(at).filter(|_| at != declaration) {
        if plays(at, FieldRole::Name) {
            // A type that is only named may be declared elsewhere.
            let is_defined = context.part(parent, FieldRole::Body).is_some()
                || parent == declaration
                || tree.parent(parent) == Some(declaration);
            return !context.is(Role::Expression, parent)
                && (!context.is(Role::Type, parent)
                    || context.is(Role::DeclaresType, parent) && is_defined);
        }
        // Grammars give what a pointer or a reference stands around no field.
        let is_all = || tree.children(parent).filter(|&part| tree.is_named(part)).eq([at]);
        if !plays(at, FieldRole::Declarator) && !is_all() {
            return false;
        }
        let is_whole = [Role::Declaration, Role::Function, Role::Typedef];
        if is_whole.into_iter().any(|role| context.is(role, parent)) {
            return true;
        }
        at = parent;
    }
    false
}

/// Returns the name that is made known here, although it is declared elsewhere: that which the
/// grammar calls so, or the last one.
pub(crate) fn imported_name(context: &PassContext<'_>, import: NodeId) -> Option<NodeId> {
    let named = context.name_part(import).filter(|&name| context.is_name(name));
    named.or_else(|| context.tree.subtree(import).rev().find(|&id| context.is_name(id)))
}

/// Returns the nodes that have to go for each declared name: all of the declaration, if it declares
/// only one.
pub(crate) fn declared(context: &PassContext<'_>, declaration: NodeId) -> Vec<NodeId> {
    let parts: Vec<NodeId> = declarators(context, declaration).collect();
    if parts.len() == 1 { vec![declaration] } else { parts }
}

/// Returns the children that declare a name each.
pub(crate) fn declarators<'a>(
    context: &'a PassContext<'_>,
    declaration: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    let tree = context.tree;
    context.elements(declaration).filter(move |&c| {
        !context.is(Role::Type, c)
            && !context.is(Role::Qualifier, c)
            && tree.subtree(c).any(|n| context.is_name(n))
    })
}

/// Returns the children that are the least type, which says nothing.
pub(crate) fn least_types<'a>(
    context: &'a PassContext<'_>,
    declaration: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    context.tree.children(declaration).filter(move |&id| is_least_type(context, id))
}

/// Returns whether the node is the least type.
pub(crate) fn is_least_type(context: &PassContext<'_>, id: NodeId) -> bool {
    context.is(Role::Type, id) && least_type(context) == Some(context.tree.text_of(id))
}

/// Returns the least type.
pub(crate) fn least_type<'a>(context: &PassContext<'a>) -> Option<&'a [u8]> {
    let roles = &context.language.roles;
    let mut types = roles.kinds(Role::Type).filter_map(|kind| roles.placeholders.get(&kind));
    types.find_map(|texts| texts.first()).map(|(text, _)| &**text)
}

/// Returns the parts that give initial values, each with its sign.
pub(crate) fn values<'a>(
    context: &'a PassContext<'_>,
    declaration: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    let tree = context.tree;
    // As old programs declare variables outside of functions.
    let old = context.is(Role::ExpressionStatement, declaration);
    let gives_value = move |&id: &NodeId| {
        context.is(Role::Initializer, id) || old && context.is(Role::Assignment, id)
    };
    let initializers = tree.subtree(declaration).filter(gives_value);
    initializers.flat_map(|id| tree.children(id).skip(1))
}

/// Returns the leaves of a node without those of some nodes below it.
pub(crate) fn leaves_without(
    context: &PassContext<'_>,
    id: NodeId,
    without: &[NodeId],
) -> Vec<NodeId> {
    let tree = context.tree;
    let mut leaves = Vec::new();
    let mut at = id;
    while at < tree.subtree_end(id) {
        if without.contains(&at) {
            at = tree.subtree_end(at);
            continue;
        }
        leaves.extend(tree.is_leaf(at).then_some(at));
        at = NodeId(at.0 + 1);
    }
    leaves
}

/// Returns the text of leaves, with what stands between those that are neighbours, else a blank.
pub(crate) fn text_of(context: &PassContext<'_>, leaves: &[NodeId]) -> Vec<u8> {
    let tree = context.tree;
    let mut text = Vec::new();
    let mut before: Option<NodeId> = None;
    for &leaf in leaves {
        if let Some(before) = before {
            let apart = before >= leaf || (before.0 + 1..leaf.0).any(|n| tree.is_leaf(NodeId(n)));
            let gap = tree.span(before).end..tree.span(leaf).start;
            text.extend_from_slice(if apart { b" " } else { &tree.text()[gap] });
        }
        text.extend_from_slice(tree.text_of(leaf));
        before = Some(leaf);
    }
    text
}

/// Returns the innermost node that is all of this one.
pub(crate) fn only_part(context: &PassContext<'_>, id: NodeId) -> NodeId {
    let only = |&at: &NodeId| {
        let mut children = context.tree.children(at);
        children.next().filter(|_| children.next().is_none())
    };
    std::iter::successors(Some(id), only).last().unwrap_or(id)
}

/// Returns the declaration as it stands outside of functions, where the least type need not be
/// said; `None` without a name.
pub(crate) fn outside(
    context: &PassContext<'_>,
    declaration: NodeId,
    without: &[NodeId],
) -> Option<Vec<u8>> {
    declared_name(context, declaration)?;
    let implied =
        least_types(context, declaration).filter(|_| context.tokens(declaration).implied_type);
    let without: Vec<NodeId> = implied.chain(without.iter().copied()).collect();
    let mut text = text_of(context, &leaves_without(context, declaration, &without));
    if context.is(Role::Parameter, declaration) {
        text.extend_from_slice(context.tokens(declaration).statement_end.as_deref()?);
    }
    Some(text)
}
