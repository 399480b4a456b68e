//! Joins what takes room. Of two neighbours with a number each one goes, and its number is added to
//! that of the other: `int a : 10, b : 13;` becomes `int a : 23;`. Neighbours that nothing else
//! mentions become one array: `int a, b, c;` becomes `int a[3];`.
//!
//! Where only the room that they take together matters, no part can go alone.

use minirepro_syntax::{Edits, NodeId, Role};

use crate::expressions::reduce_numbers::number;
use crate::{Item, PassContext, Plan, Proposal};

/// The tokens that make an array of a name.
const ARRAY: u32 = 3;

/// Proposes for every two neighbours with numbers either of them, with the sum or with the next
/// power of two; for each run of names all as one, then each half.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let lists = cx.until(cx.tree.ids().rev()).filter(|&id| !cx.is_leaf(id));
    let mut items: Vec<Item> = lists.flat_map(|list| items(cx, list)).collect();
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    cx.proposal(items, Plan::EACH)
}

/// A part of a list that takes room.
struct Part {
    /// The nodes that go together.
    nodes: Vec<NodeId>,
    /// How much room it takes; 1 without a number.
    number: Option<NodeId>,
    size: u64,
    /// Whether it is a name, or an array, that nothing mentions.
    is_idle: bool,
}

fn items(cx: &PassContext<'_>, list: NodeId) -> Vec<Item> {
    let parts = parts(cx, list);
    let kinds = |part: &Part| part.nodes.iter().map(|&id| cx.kind(id)).collect::<Vec<_>>();
    let mut items = Vec::new();
    for pair in parts.windows(2).rev() {
        let [Some(first), Some(second)] = pair else { continue };
        let are_numbers = first.number.is_some() && second.number.is_some();
        let Some(sum) = first.size.checked_add(second.size) else { continue };
        if are_numbers && sum > 0 && kinds(first) == kinds(second) {
            let rounded = sum.checked_next_power_of_two().filter(|&rounded| rounded != sum);
            for size in [sum].into_iter().chain(rounded) {
                items.extend(joined(cx, first, &[second], size));
                items.extend(joined(cx, second, &[first], size));
            }
        }
    }
    let is_idle = |part: &Option<Part>| part.as_ref().is_some_and(|part| part.is_idle);
    let is_declaration = cx.is(Role::Joinable, list);
    for run in parts.split(|part| !is_idle(part)).filter(|_| is_declaration) {
        let run: Vec<&Part> = run.iter().flatten().collect();
        let (first, second) = run.split_at(run.len() / 2);
        for all in [&run[..], first, second] {
            let Some((stays, go)) = all.split_first() else { continue };
            let size = all.iter().try_fold(0u64, |sum, part| sum.checked_add(part.size));
            items.extend(size.and_then(|size| joined(cx, stays, go, size)));
        }
    }
    items
}

/// Returns the parts of a list: each alone, or with the name before it, whose width it is.
fn parts(cx: &PassContext<'_>, list: NodeId) -> Vec<Option<Part>> {
    let mut parts: Vec<Option<Part>> = Vec::new();
    let mut before: Option<NodeId> = None;
    for node in cx.elements(list) {
        let number = only_number(cx, node);
        let belongs = |&before: &NodeId| {
            cx.is_name(before) && (!cx.is_droppable(node) || cx.field(before) != cx.field(node))
        };
        let name = before.replace(node).filter(belongs).filter(|_| number.is_some());
        if name.is_some() {
            parts.pop();
        }
        let alone = cx.is_name(node) && !cx.is(Role::Type, node);
        let mut names = cx.names_in(node);
        let idle = names.next().filter(|_| names.next().is_none() && name.is_none());
        let is_idle = idle.is_some_and(|id| cx.mentions(id).len() == 1);
        parts.push((number.is_some() || alone).then(|| Part {
            nodes: name.into_iter().chain([node]).collect(),
            number: number.map(|(leaf, _)| leaf),
            size: number.map_or(1, |(_, size)| size),
            is_idle,
        }));
    }
    parts
}

/// Returns the number in a node that holds no other one.
fn only_number(cx: &PassContext<'_>, id: NodeId) -> Option<(NodeId, u64)> {
    let is_number = |&id: &NodeId| cx.text_of(id).first().is_some_and(u8::is_ascii_digit);
    let mut numbers = cx.leaves_in(id).filter(is_number);
    let only = numbers.next().filter(|_| numbers.next().is_none())?;
    Some((only, number(cx, only)?))
}

/// Returns the item that lets one part have the size of several, if that is shorter.
fn joined(cx: &PassContext<'_>, stays: &Part, go: &[&Part], size: u64) -> Option<Item> {
    let gone = || go.iter().flat_map(|part| part.nodes.iter().copied());
    let signs = u32::try_from(go.len()).ok()?;
    let won = gone().map(|id| cx.tokens(id)).sum::<u32>() + signs;
    let mut edits = Edits::drop_all(gone());
    let at = stays.number.unwrap_or(stays.nodes[0]);
    let (text, added) = match stays.number {
        Some(_) => (size.to_string(), 0),
        None => (format!("{}[{size}]", String::from_utf8_lossy(cx.text_of(at))), ARRAY),
    };
    let weight = won.checked_sub(added).filter(|&won| won > 0)?;
    edits.add(at, cx.reworded(at, text)).then(|| Item::new(edits, weight))
}
