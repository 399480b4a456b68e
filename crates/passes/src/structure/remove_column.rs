//! Drops what stands at the same place of neighbouring lists that have equally many elements: a
//! column of a table, of rows of values, of queries whose results are united, a name and its value
//! of `a, b = 1, 2`.

use std::collections::BTreeMap;

use minirepro_syntax::{Kind, NodeId, Role};

use crate::framework::limits::ENDING_TEXT;
use crate::{PassContext, Plan, Proposal};

/// Proposes one item per group of lists and place, last first. Lists belong together if they are of
/// one kind and length, or if the language says so, and have the same parent, or the same parent's
/// parent. In a short text, so do all lists of parameters and arguments.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let is_short = cx.is_sweep() || cx.tokens(NodeId::ROOT) <= ENDING_TEXT;
    let mut groups: BTreeMap<(NodeId, Option<Kind>, usize), Vec<NodeId>> = BTreeMap::new();
    for list in cx.ids().filter(|&id| !cx.is_leaf(id)) {
        let elements: Vec<NodeId> = cx.elements(list).collect();
        let [first, .., last] = elements[..] else { continue };
        let mut add = |around, kind| {
            groups.entry((around, kind, elements.len())).or_default().push(list);
        };
        if is_short && cx.is_any(&[Role::Parameters, Role::Arguments], list) {
            add(NodeId::ROOT, None);
        }
        let kind = (!cx.is(Role::Parallel, list)).then(|| cx.kind(list));
        // Elements of tables have signs between them; others only happen to be equally many.
        let is_sign = |&child: &NodeId| first < child && child < last && !cx.is_named(child);
        if kind.is_some() && cx.children(list).filter(is_sign).count() + 1 < elements.len() {
            continue;
        }
        cx.ancestors(list).take(2).for_each(|around| add(around, kind));
    }
    let groups = groups.into_iter().rev().filter(|(_, lists)| lists.len() > 1);
    let items = groups.flat_map(|((.., length), lists)| {
        let at = |list: &NodeId, place| cx.elements(*list).nth(place);
        let column = move |place| cx.drop_all(lists.iter().filter_map(|list| at(list, place)));
        (0..length).rev().map(column)
    });
    cx.proposal(items, Plan::EACH)
}
