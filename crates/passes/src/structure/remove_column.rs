//! Drops what stands at the same place of neighbouring lists that have equally many elements: a
//! column of a table, of rows of values, of queries whose results are united, a name and its value
//! of `a, b = 1, 2`.

use std::collections::BTreeMap;

use minirepro_syntax::{Change, FieldRole, Kind, NodeId, Role};

use crate::framework::limits::ENDING_TEXT;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes one item per group of lists and place, last first. Lists belong together if they are of
/// one kind and length and have the same parent, or the same parent's parent; or if the language
/// says so. In a short text, so do all lists of parameters and arguments, and of these all that are
/// not those of functions: parameters of templates, and arguments for them.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let is_short = cx.is_sweep() || cx.tokens(NodeId::ROOT) <= ENDING_TEXT;
    let mut groups: BTreeMap<(Group, usize), Vec<NodeId>> = BTreeMap::new();
    for list in cx.ids().filter(|&id| !cx.is_leaf(id)) {
        let elements: Vec<NodeId> = cx.elements(list).collect();
        let [first, .., last] = elements[..] else { continue };
        let length = elements.len();
        let mut add = |group| groups.entry((group, length)).or_default().push(list);
        if let Some(around) = cx.parent(list).filter(|_| cx.is(Role::Parallel, list)) {
            add(Group::Below(around, None));
        }
        let is_of_function = cx.is(Role::Parameters, list) || cx.is(Role::Arguments, list);
        if is_short && (is_of_function || is_of_parameters(cx, list)) {
            add(Group::Parameters);
            if !is_of_function {
                add(Group::NotOfFunctions);
            }
        }
        // Elements of tables have signs between them; others only happen to be equally many.
        let is_sign = |&child: &NodeId| first < child && child < last && !cx.is_named(child);
        if cx.children(list).filter(is_sign).count() + 1 < length {
            continue;
        }
        for around in cx.ancestors(list).take(2) {
            add(Group::Below(around, Some(cx.kind(list))));
        }
    }
    let groups = groups.into_iter().rev().filter(|(_, lists)| lists.len() > 1);
    let items = groups.flat_map(|((_, length), lists)| {
        (0..length).rev().filter_map(move |place| item(cx, &lists, place))
    });
    cx.proposal(items, Plan::EACH)
}

/// What lists have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// Where they stand, and their kind.
    Below(NodeId, Option<Kind>),
    /// That they hold parameters, or arguments for them.
    Parameters,
    /// The same, but not those of functions.
    NotOfFunctions,
}

/// Returns whether a list holds parameters, or arguments for them.
fn is_of_parameters(cx: &PassContext<'_>, list: NodeId) -> bool {
    let roles = [FieldRole::Parameters, FieldRole::Arguments];
    cx.parent(list).is_some_and(|at| roles.iter().any(|&role| cx.part(at, role) == Some(list)))
}

/// Returns what drops one place of all lists.
fn item(cx: &PassContext<'_>, lists: &[NodeId], place: usize) -> Option<Item> {
    let column = lists.iter().map(|&list| cx.elements(list).nth(place));
    let column = column.collect::<Option<Vec<NodeId>>>()?;
    let weight = column.iter().map(|&element| cx.tokens(element)).sum();
    Item::of(column.into_iter().map(|element| (element, Change::drop())), weight)
}
