//! The graph of a text without a grammar: its uppermost lines and blocks, and whose names they
//! mention.

use std::collections::BTreeSet;

use minirepro_syntax::{NodeId, Role};

use crate::graph::holders::number;
use crate::{PassContext, Plan, Proposal};

/// Proposes the uppermost lines and blocks, last first; `None` where few of them need each other.
/// Linear in the text, times a logarithm.
pub(crate) fn graph(cx: &PassContext<'_>) -> Option<Proposal> {
    let names = cx.references();
    if names.is_empty() || cx.language.roles.is_played(Role::Identifier) {
        return None;
    }
    let units = units(cx);
    let place = |leaf| units.partition_point(|&unit| unit > leaf);
    let mut needs = vec![Vec::new(); units.len()];
    let mut needed = BTreeSet::new();
    for name in names {
        let Some(said) = name.said(cx.tree).map(|mention| place(mention.leaf)) else { continue };
        for at in name.mentions.iter().map(|mention| place(mention.leaf)).filter(|&at| at != said) {
            needs[at].push(number(said));
            needed.insert(said);
        }
    }
    let items = units.iter().map(|&id| cx.drop(id)).collect();
    // The first beginnings are short, so that some refusals are to be expected.
    let plan = Plan { patience: |_| Some([16, 10]), ..Plan::CLOSURES };
    let proposal = Proposal { needs: [needs, Vec::new(), Vec::new()], ..Proposal::of(items, plan) };
    (needed.len() * NEEDED >= units.len()).then_some(proposal)
}

/// The graph is worth its questions if one in n of its parts is needed by others.
const NEEDED: usize = 8;

/// Returns the uppermost lines, and blocks with their heads, the last one first.
fn units(cx: &PassContext<'_>) -> Vec<NodeId> {
    let held = cx.references().iter().flat_map(|name| &name.mentions).map(|mention| mention.leaf);
    let held: BTreeSet<NodeId> = held.collect();
    let is_one =
        |&at: &NodeId| held.range(at..cx.subtree_end(at)).next().is_none_or(|&first| first == at);
    let mut units: Vec<NodeId> = cx.outermost(cx.ids().skip(1).filter(is_one)).collect();
    units.reverse();
    units
}
