//! What a declaration says: the names it declares, its type, its initial values, its words. Knows no
//! pass.

use minirepro_syntax::NodeId;

use crate::Input;

/// The name that a parameter or a declaration declares last. Where nothing but one name is there, it
/// is that, although it reads as a type (a parameter of an old function).
pub(crate) fn declared_name(input: &Input<'_>, declaration: NodeId) -> Option<NodeId> {
    let tree = input.tree;
    let names = || tree.subtree(declaration).filter(|&n| input.is_name(n));
    names().rev().find(|&n| !input.is("type", n)).or_else(|| {
        let only = names().next()?;
        (tree.text_of(only) == tree.text_of(declaration)).then_some(only)
    })
}

/// Whether the node declares variables: in old programs an expression outside of functions does so,
/// too.
pub(crate) fn declares_variables(input: &Input<'_>, id: NodeId) -> bool {
    let inside = || input.tree.ancestors(id).any(|a| input.is("function", a));
    let whole = input.is("joinable", id) && !input.is("field", id);
    whole || input.is("outer_declaration", id) && !inside()
}

/// What has to go for each name that is declared: all of the declaration, if it declares only one.
pub(crate) fn declared(input: &Input<'_>, declaration: NodeId) -> Vec<NodeId> {
    let parts: Vec<NodeId> = declarators(input, declaration).collect();
    if parts.len() == 1 { vec![declaration] } else { parts }
}

/// The children that declare a name each.
pub(crate) fn declarators<'a>(
    input: &'a Input<'_>,
    declaration: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    let tree = input.tree;
    input.elements(declaration).filter(move |&c| {
        !input.is("type", c)
            && !input.is("qualifier", c)
            && tree.subtree(c).any(|n| input.is_name(n))
    })
}

/// The children that are the least type, which says nothing.
pub(crate) fn least_types<'a>(
    input: &'a Input<'_>,
    declaration: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    input.tree.children(declaration).filter(move |&id| is_least_type(input, id))
}

/// Whether the node is the least type.
pub(crate) fn is_least_type(input: &Input<'_>, id: NodeId) -> bool {
    input.is("type", id) && least_type(input) == Some(input.tree.text_of(id))
}

/// The least type.
pub(crate) fn least_type<'a>(input: &Input<'a>) -> Option<&'a [u8]> {
    let roles = &input.language.roles;
    let mut types = roles.named.get("type")?.iter().filter_map(|kind| roles.least.get(kind));
    types.find_map(|texts| texts.first()).map(|(text, _)| &**text)
}

/// The parts that give initial values, each with its sign.
pub(crate) fn values<'a>(
    input: &'a Input<'_>,
    declaration: NodeId,
) -> impl Iterator<Item = NodeId> + 'a {
    let tree = input.tree;
    let old = input.is("outer_declaration", declaration);
    let gives_value =
        move |&id: &NodeId| input.is("initializer", id) || old && input.is("assignment", id);
    let initializers = tree.subtree(declaration).filter(gives_value);
    initializers.flat_map(|id| tree.children(id).skip(1))
}

/// The leaves of a node without those of some nodes below it.
pub(crate) fn leaves_without(input: &Input<'_>, id: NodeId, without: &[NodeId]) -> Vec<NodeId> {
    let tree = input.tree;
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

/// The text of leaves, with what stands between those that are neighbours, else a blank.
pub(crate) fn text_of(input: &Input<'_>, leaves: &[NodeId]) -> Vec<u8> {
    let tree = input.tree;
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
