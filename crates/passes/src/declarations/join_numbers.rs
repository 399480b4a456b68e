//! Drops one of two neighbours and adds its number to that of the other: `int a : 10, b : 13;` becomes
//! `int a : 23;`, `read(4); read(4);` becomes `read(8);`. The same with a part and what stands around it, if
//! both have one form: `a + 1 + 2` becomes `a + 3`.
//!
//! Where only the sum of several sizes, widths or counts matters, no part can go alone.

use minirepro_syntax::{Change, Edits, NodeId};

use crate::framework::sizes::ENDING_TEXT;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "join-numbers";

/// Proposes for every two neighbours of one kind with one number each: one of them, with the sum, or with
/// the next power of two.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    if tree.tokens(NodeId::ROOT) > ENDING_TEXT {
        return None;
    }
    let mut items = Vec::new();
    for parent in context.ids().rev().filter(|&id| !tree.is_leaf(id)) {
        let members = members(context, parent);
        for pair in members.windows(2).rev() {
            items.extend(joined(context, &pair[0], &pair[1]));
        }
    }
    items.extend(context.ids().rev().filter_map(|id| nested(context, id)));
    items.sort_by_key(|item: &Item| std::cmp::Reverse(item.weight));
    Proposal::new(context.untried(items), Strategy::Single)
}

/// A part that can go, with the only number in it.
struct Member {
    /// The nodes that go together.
    nodes: Vec<NodeId>,
    number: NodeId,
    value: u64,
}

/// Returns the children that hold one number each: alone, or with the neighbour before them (a name and its
/// width).
fn members(context: &PassContext<'_>, parent: NodeId) -> Vec<Member> {
    let mut members = Vec::new();
    let mut before: Option<NodeId> = None;
    for child in context.elements(parent) {
        let of = |nodes: Vec<NodeId>| {
            let (number, value) = only_number(context, child)?;
            Some(Member { nodes, number, value })
        };
        let is_part = |before: NodeId| {
            !context.is_droppable(child) || context.tree.field(before) != context.tree.field(child)
        };
        let nodes = match before.filter(|&before| is_part(before) && context.is_name(before)) {
            Some(before) => vec![before, child],
            None => vec![child],
        };
        match of(nodes) {
            Some(member) => {
                members.push(member);
                before = None;
            }
            None => before = Some(child),
        }
    }
    members
}

/// Returns the number of a node that holds no other one.
fn only_number(context: &PassContext<'_>, id: NodeId) -> Option<(NodeId, u64)> {
    let tree = context.tree;
    let is_number =
        |&id: &NodeId| tree.is_leaf(id) && tree.text_of(id).first().is_some_and(u8::is_ascii_digit);
    let mut numbers = tree.subtree(id).filter(is_number);
    let number = numbers.next().filter(|_| numbers.next().is_none())?;
    let value = std::str::from_utf8(tree.text_of(number)).ok()?.parse().ok()?;
    Some((number, value))
}

/// Returns the items for two neighbours.
fn joined(context: &PassContext<'_>, first: &Member, second: &Member) -> Vec<Item> {
    let tree = context.tree;
    let kinds =
        |member: &Member| -> Vec<_> { member.nodes.iter().map(|&id| tree.kind(id)).collect() };
    let Some(sum) = first.value.checked_add(second.value) else { return Vec::new() };
    if kinds(first) != kinds(second) || sum == 0 {
        return Vec::new();
    }
    let mut items = Vec::new();
    let rounded = sum.checked_next_power_of_two().filter(|&rounded| rounded != sum);
    for value in [Some(sum), rounded].into_iter().flatten() {
        for (stays, goes) in [(first, second), (second, first)] {
            let mut edits = Edits::drop_all(goes.nodes.iter().copied());
            let text = value.to_string();
            let change = Change::replace_with(text, Some(tree.kind(stays.number)));
            if edits.add(stays.number, change) {
                let weight = goes.nodes.iter().map(|&id| tree.tokens(id)).sum();
                items.push(Item::new(edits, weight));
            }
        }
    }
    items
}

/// Returns the item that puts a part in the place of what is around it, if that is alike but for one number.
fn nested(context: &PassContext<'_>, outer: NodeId) -> Option<Item> {
    let tree = context.tree;
    let leaves =
        |id: NodeId| -> Vec<NodeId> { tree.subtree(id).filter(|&id| tree.is_leaf(id)).collect() };
    let inner = tree.subtree(outer).skip(1).find(|&id| tree.kind(id) == tree.kind(outer))?;
    let (around, inside) = (leaves(outer), leaves(inner));
    let before = around.iter().position(|leaf| inside.first() == Some(leaf))?;
    let behind = around.len() - before - inside.len();
    let last = inside.len().checked_sub(behind).filter(|&last| before < last)?;
    let own = around[..before].iter().chain(&around[before + inside.len()..]);
    let same_place = inside[..before].iter().chain(&inside[last..]);
    let mut others = own.zip(same_place).filter(|&(&a, &b)| {
        tree.text_of(a) != tree.text_of(b) || only_number(context, a).is_some()
    });
    let (&number, &stays) = others.next().filter(|_| others.next().is_none())?;
    let sum = only_number(context, number)?.1.checked_add(only_number(context, stays)?.1)?;
    let mut edits = Edits::one(outer, Change::hoist(inner));
    let change = Change::replace_with(sum.to_string(), Some(tree.kind(stays)));
    let weight = tree.tokens(outer) - tree.tokens(inner);
    edits.add(stays, change).then(|| Item::new(edits, weight))
}
