//! Drops every qualifier of one spelling at once, all over the text. Of longer ones only the
//! beginning counts.
//!
//! Seldom is any needed, and some tie things together that could go apart (a `static` function goes
//! with its last call), so this comes first. While the text is large, there is one question about
//! all of them.

use std::collections::BTreeMap;

use minirepro_syntax::{NodeId, Role};

use crate::framework::limits::{LONGEST_QUALIFIER, QUALIFIED_TEXT};
use crate::{PassContext, Plan, Proposal};

/// Proposes one item per spelling: a word, or a sign with the word after it.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let leaves = if cx.tokens(NodeId::ROOT) > QUALIFIED_TEXT && !cx.is_sweep() { 0 } else { 2 };
    let mut spellings: BTreeMap<Vec<&[u8]>, Vec<NodeId>> = BTreeMap::new();
    let is_short = |id: NodeId| (1..=LONGEST_QUALIFIER).contains(&cx.tokens(id));
    let may_go = |&id: &NodeId| is_short(id) && cx.is_droppable(id);
    // What stands in another one goes with it.
    for id in cx.outermost(cx.playing(Role::Qualifier).into_iter().filter(may_go)) {
        let beginning = cx.leaves_in(id).take(leaves).map(|leaf| cx.text_of(leaf));
        spellings.entry(beginning.collect()).or_default().push(id);
    }
    cx.proposal(spellings.into_values().map(|all| cx.drop_all(all)), Plan::ALL)
}
