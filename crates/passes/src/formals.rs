//! Makes a variable a parameter of the one function that uses it: a parameter needs no end of its
//! own, no initial value, and alone among parameters no least type.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::declared::{
    declarators, declared_name, declares_variables, is_least_type, least_type, least_types,
    leaves_without, text_of, values,
};
use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "formals";

/// One item per variable that only one function mentions, last first.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let declarations = input.tree.ids().rev().filter(|&id| declares_variables(input, id));
    let items = declarations.flat_map(|id| items(input, id)).collect();
    Proposal::new(input.fresh(items), Strategy::Single)
}

fn items(input: &Input<'_>, declaration: NodeId) -> Vec<Item> {
    let names: Vec<NodeId> = declarators(input, declaration).collect();
    names.iter().rev().filter_map(|&name| item(input, declaration, name, &names)).collect()
}

fn item(
    input: &Input<'_>,
    declaration: NodeId,
    declarator: NodeId,
    all: &[NodeId],
) -> Option<Item> {
    let tree = input.tree;
    let name = declared_name(input, declarator)?;
    let function = user(input, declaration, name)?;
    let list = tree.subtree(function).find(|&id| input.is("parameters", id))?;
    let others: Vec<NodeId> = input.elements(list).collect();
    let mut without: Vec<NodeId> = all.iter().copied().filter(|&d| d != declarator).collect();
    without.extend(values(input, declaration));
    without.extend(
        tree.children(declaration)
            .filter(|&c| input.is("qualifier", c) || !tree.is_named(c) || tree.flags(c).extra),
    );
    without.extend(least_types(input, declaration));
    let leaves = leaves_without(input, declaration, &without);
    let mut text = text_of(input, &leaves);
    // Names alone need no type, unless another parameter has one.
    let bare = leaves.len() == 1 && others.iter().all(|&p| tree.tokens(p) == 1);
    let typed = tree.children(declaration).any(|c| is_other_type(input, c));
    if !bare && !typed {
        text = [least_type(input)?, &text].join(&b' ');
    }
    let gone = if all.len() == 1 { declaration } else { declarator };
    let more = u32::try_from(leaves.len()).ok()?
        + u32::from(!bare && !typed)
        + u32::from(!others.is_empty());
    let won = tree.tokens(gone).checked_sub(more).filter(|&won| won > 0)?;
    let mut edits = Edits::drop(gone);
    edits.add(list, with(input, list, &text)).then(|| Item::new(edits, won))
}

fn is_other_type(input: &Input<'_>, id: NodeId) -> bool {
    input.is("type", id) && !is_least_type(input, id)
}

/// The function that holds every mention of the name but its declaration.
fn user(input: &Input<'_>, declaration: NodeId, name: NodeId) -> Option<NodeId> {
    let tree = input.tree;
    let outer = |id| tree.ancestors(id).find(|&a| input.is("function", a));
    let mentions = input.index().names[tree.text_of(name)].iter().copied();
    if let Some(own) = outer(declaration) {
        return Some(own);
    }
    let mut users = mentions.filter(|&m| !tree.contains(declaration, m)).map(outer);
    let first = users.next()??;
    users.all(|user| user == Some(first)).then_some(first)
}

/// The list of parameters with one more at its end.
fn with(input: &Input<'_>, list: NodeId, parameter: &[u8]) -> Change {
    let tree = input.tree;
    let last = input.elements(list).last();
    let end = last.map_or(tree.span(list).start + 1, |last| tree.span(last).end);
    let start = tree.span(list).start;
    let separator: &[u8] = if last.is_some() { b", " } else { b"" };
    let (before, after) = (&tree.text()[start..end], &tree.text()[end..tree.span(list).end]);
    Change::put([before, separator, parameter, after].concat(), Some(tree.kind(list)))
}
