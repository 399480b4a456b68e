//! Drops everything of one sort all over the text, in one question: comments, annotations,
//! assertions, calls that only log, attributes of one name. There may be hundreds, each of them
//! light and in a list of its own, so that list by list each would take a question.

use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{Edits, Kind, NodeId};

use crate::framework::limits::{FEW, NODES_BEFORE_A_WORD, SORT_SHARE, SORTS_IN_VAIN};
use crate::{Item, PassContext, Proposal, Strategy};

/// What parts of a sort have in common: their kind, and perhaps the first word in them.
type Sort<'a> = (Kind, &'a [u8]);

/// Proposes the heaviest sort with enough parts that were not tried. As long as one list holds most
/// of the text, its halves win more than a sort does: then only comments, of which hardly one
/// matters.
///
/// Linear in the nodes, times a logarithm.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let all_count = !is_flat(context);
    let counts = |all: &Vec<NodeId>| all_count || context.tree.flags(all[0]).extra;
    let sorts = sorts(context).into_values().filter(counts);
    let mut sorts: Vec<(u64, Vec<NodeId>)> =
        sorts.filter_map(|all| scattered(context, all)).collect();
    sorts.sort_by(|(a, all), (b, other)| b.cmp(a).then_with(|| all.cmp(other)));
    let mut in_vain = 0;
    for (_, all) in sorts {
        let drop = |&id: &NodeId| Item::new(Edits::drop(id), context.tree.tokens(id));
        let items = context.untried(all.iter().rev().map(drop).collect());
        if items.len() >= FEW {
            return Proposal::new(items, Strategy::Sort);
        }
        in_vain += u32::from(items.is_empty());
        if in_vain == SORTS_IN_VAIN {
            break;
        }
    }
    None
}

/// Returns whether one list holds at least half of the text in parts that are lighter than that.
fn is_flat(context: &PassContext<'_>) -> bool {
    let tree = context.tree;
    let half = tree.tokens(NodeId::ROOT) / 2;
    let mut at = NodeId::ROOT;
    while let Some(heavy) = tree.children(at).find(|&child| tree.tokens(child) > half) {
        at = heavy;
    }
    tree.children(at).filter(|&child| context.is_droppable(child)).nth(FEW).is_some()
}

/// Returns the parts of each sort that can go, in document order.
fn sorts<'a>(context: &PassContext<'a>) -> BTreeMap<Sort<'a>, Vec<NodeId>> {
    let tree = context.tree;
    let mut sorts: BTreeMap<Sort<'a>, Vec<NodeId>> = BTreeMap::new();
    for id in context.ids().skip(1) {
        let says_something = tree.tokens(id) > 0 || tree.flags(id).extra;
        if !tree.is_named(id) || !says_something || !context.is_droppable(id) {
            continue;
        }
        sorts.entry((tree.kind(id), b"")).or_default().push(id);
        if let Some(word) = first_word(context, id) {
            sorts.entry((tree.kind(id), word)).or_default().push(id);
        }
    }
    sorts
}

/// Returns the first word in a part, unless it is the whole part.
fn first_word<'a>(context: &PassContext<'a>, id: NodeId) -> Option<&'a [u8]> {
    let tree = context.tree;
    let leaves =
        tree.subtree(id).skip(1).take(NODES_BEFORE_A_WORD).filter(|&leaf| tree.is_leaf(leaf));
    let is_word =
        |text: &&[u8]| text.first().is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_');
    leaves.map(|leaf| tree.text_of(leaf)).find(is_word)
}

/// Returns what the uppermost parts of a sort weigh together, and these parts, if they are heavy
/// and stand in many lists, none of which holds most of them. Comments have no tokens: their bytes
/// count, and hardly one matters, wherever they stand.
fn scattered(context: &PassContext<'_>, all: Vec<NodeId>) -> Option<(u64, Vec<NodeId>)> {
    let tree = context.tree;
    let mut end = NodeId(0);
    let mut upper = all;
    upper.retain(|&id| {
        let is_upper = id >= end;
        end = end.max(tree.subtree_end(id));
        is_upper
    });
    let is_extra = tree.flags(*upper.first()?).extra;
    let weigh = |id| match is_extra {
        true => tree.span(id).len() as u64,
        false => tree.tokens(id).into(),
    };
    let weight: u64 = upper.iter().map(|&id| weigh(id)).sum();
    let is_heavy = weight * u64::from(SORT_SHARE) >= weigh(NodeId::ROOT);
    let lists: BTreeSet<_> = upper.iter().map(|&id| tree.parent(id)).collect();
    let is_scattered = lists.len() >= FEW && 2 * lists.len() >= upper.len();
    (is_heavy && (is_extra || is_scattered)).then_some((weight, upper))
}
