//! The declarations of a whole text as a graph: which of them mention which.

use std::collections::HashMap;

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::declarations::declares;
use crate::framework::slots::Place;
use crate::{Item, PassContext};

/// The declarations that are visible from everywhere (outermost, or in a namespace), and the bodies of
/// their functions.
pub(crate) struct DeclarationGraph {
    /// Last first: uses before definitions. A body becomes the least one, a declaration goes.
    pub(crate) items: Vec<Item>,
    /// The items that each one cannot do without: a body needs its function, and both need the
    /// declarations of the names that they mention.
    pub(crate) needs: Vec<Vec<u32>>,
}

/// A declaration or a body.
struct Part {
    node: NodeId,
    edits: Edits,
    /// The declaration that a body stands in.
    outer: Option<usize>,
}

/// Of the declarations of one name only so many count: of a large family of overloads few are meant.
const OVERLOADS: usize = 6;

impl DeclarationGraph {
    /// Returns the graph of a text. Linear in the tree, times a small constant for overloads.
    pub(crate) fn of(context: &PassContext<'_>) -> Self {
        let tree = context.tree;
        let parts = parts(context);
        let owners = owners(context, &parts);
        let declared = declared(context, &parts, &owners);
        let last = parts.len().saturating_sub(1);
        let number = |part: usize| u32::try_from(last - part).expect("trees have fewer nodes");
        let mut needs: Vec<Vec<u32>> = vec![Vec::new(); parts.len()];
        for name in context.ids().filter(|&id| context.is_name(id)) {
            if let Some(part) = owners[name.0 as usize]
                && let Some(all) = declared.get(tree.text_of(name))
            {
                // A name is declared before it is used; what declares it later means something else.
                let before = &all[..all.partition_point(|&other| other < part)];
                let nearest = before.iter().rev().take(OVERLOADS);
                needs[part].extend(nearest.map(|&other| number(other)));
            }
        }
        let mut weights: Vec<u32> = parts.iter().map(|part| tree.tokens(part.node)).collect();
        for (part, needs) in parts.iter().zip(&mut needs) {
            if let Some(outer) = part.outer {
                needs.push(number(outer));
                weights[outer] = weights[outer].saturating_sub(tree.tokens(part.node));
            }
            needs.sort_unstable();
            needs.dedup();
        }
        needs.reverse();
        let parts = parts.into_iter().zip(weights).rev();
        let items = parts.map(|(part, weight)| Item::new(part.edits, weight)).collect();
        Self { items, needs }
    }
}

/// Returns the parts in the order of the text.
fn parts(context: &PassContext<'_>) -> Vec<Part> {
    let tree = context.tree;
    let mut declarations = Vec::new();
    let mut lists = vec![NodeId::ROOT];
    while let Some(list) = lists.pop() {
        for child in tree.children(list) {
            // What a directive brings in no graph can know.
            let declares = context.is(Role::Declaration, child) || context.is(Role::Type, child);
            let is_item = || declares && context.is_droppable(child) && !tree.is_leaf(child);
            if let Some(inner) = inner_list(context, child) {
                lists.push(inner);
            } else if is_item() {
                declarations.push(child);
            }
        }
    }
    declarations.sort_unstable();
    let mut parts = Vec::new();
    for node in declarations {
        let outer = parts.len();
        parts.push(Part { node, edits: Edits::drop(node), outer: None });
        let mut at = NodeId(node.0 + 1);
        while at < tree.subtree_end(node) {
            if let Some(edits) = without_body(context, at) {
                parts.push(Part { node: at, edits, outer: Some(outer) });
                at = tree.subtree_end(at);
            } else {
                at = NodeId(at.0 + 1);
            }
        }
    }
    parts
}

/// Returns the list of declarations in a namespace, if there are any; a conditional and a broken region
/// are such lists themselves.
fn inner_list(context: &PassContext<'_>, id: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    if context.is(Role::Namespace, id) {
        let body = tree.children(id).find(|&child| context.is(Role::Hollow, child));
        return body.filter(|&body| context.elements(body).next().is_some());
    }
    let holds_some = || tree.children(id).any(|child| context.is(Role::Declaration, child));
    let is_list = context.is(Role::Conditional, id) || tree.flags(id).error;
    (is_list && holds_some()).then_some(id)
}

/// Returns the edit that empties the body of a function.
fn without_body(context: &PassContext<'_>, id: NodeId) -> Option<Edits> {
    let tree = context.tree;
    let is_body = context.is(Role::Block, id)
        && tree.parent(id).is_some_and(|parent| context.is(Role::Function, parent));
    let texts = context.language.roles.placeholders.get(&tree.kind(id)).filter(|_| is_body)?;
    let place = Place::of(context, id);
    let (least, kind) = texts.iter().find(|(_, kind)| kind.is_none_or(|k| place.takes([k])))?;
    (**least != *tree.text_of(id)).then(|| Edits::one(id, Change::replace_with(least, *kind)))
}

/// Returns for each node the innermost part that it belongs to.
fn owners(context: &PassContext<'_>, parts: &[Part]) -> Vec<Option<usize>> {
    let mut owners = vec![None; context.tree.len()];
    for (number, part) in parts.iter().enumerate() {
        let end = context.tree.subtree_end(part.node);
        owners[part.node.0 as usize..end.0 as usize].fill(Some(number));
    }
    owners
}

/// Returns for each name the parts that declare it, in the order of the text.
fn declared<'a>(
    context: &PassContext<'a>,
    parts: &[Part],
    owners: &[Option<usize>],
) -> HashMap<&'a [u8], Vec<usize>> {
    let tree = context.tree;
    let mut declared: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for name in context.ids().filter(|&id| context.is_name(id)) {
        let Some(number) = owners[name.0 as usize] else { continue };
        let part = &parts[number];
        if part.outer.is_none() && declares(context, part.node, name) {
            let all = declared.entry(tree.text_of(name)).or_default();
            if all.last() != Some(&number) {
                all.push(number);
            }
        }
    }
    declared
}
