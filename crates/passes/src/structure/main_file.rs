//! Makes the file smaller that a preprocessed text was made of: what its author wrote stands behind all headers, and is
//! little beside them.
//!
//! What it does not use of them any more can go at once, whereas each of their parts takes tests for itself.

use minirepro_syntax::{NodeId, Role};

use crate::framework::headers::{LARGE, main_file};
use crate::structure::delete_and_hoist::{Entry, choices, drops, entries_from, with_needs};
use crate::{PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "reduce-main-file";

/// It must not hold more than one in so many tokens.
const LITTLE: u32 = 20;

/// A node that holds less than one in so many of its tokens is not replaced.
const LEAST: u32 = 10;

/// A list that does is left as it is.
const LEAST_LIST: u32 = 40;

/// Proposes to drop from the heaviest list, or to replace the heaviest node.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let total = tree.tokens(NodeId::ROOT);
    if context.is_sweep() || total < LARGE || !context.language.roles.is_played(Role::FileMarker) {
        return None;
    }
    let first = main_file(context)?;
    let items = tree.children(NodeId::ROOT).filter(|&child| child >= first);
    let own: u32 = items.map(|child| tree.tokens(child)).sum();
    if own > total / LITTLE {
        return None;
    }
    let all = drops(context, NodeId::ROOT).into_iter();
    let all = all.filter(|item| item.edits.iter().all(|(id, _)| id >= first)).collect();
    let [least, least_list] = [LEAST, LEAST_LIST].map(|part| (own / part).max(FEWEST));
    with_needs(context, context.untried(all)).or_else(|| {
        context.until(entries_from(context, first)).find_map(|entry| match entry {
            Entry::List(id) if tree.tokens(id) >= least_list => {
                with_needs(context, context.untried(drops(context, id)))
            }
            Entry::Node(id) if tree.tokens(id) >= least => {
                Proposal::new(context.untried(choices(context, id)), Strategy::Single)
            }
            _ => None,
        })
    })
}

/// What holds fewer tokens is left as it is, too.
const FEWEST: u32 = 4;
