//! Makes the file smaller that a preprocessed text was made of: what its author wrote stands after
//! all headers, and is little beside them.
//!
//! What it does not use of them any more can go at once, whereas each of their parts takes tests
//! for itself.

use minirepro_syntax::{NodeId, Role};

use crate::framework::headers::main_file;
use crate::framework::limits::LARGE_TEXT;
use crate::framework::limits::{MAIN_FILE_LIST, MAIN_FILE_PART, MAIN_FILE_SHARE, MAIN_FILE_TOKENS};
use crate::structure::delete_and_hoist::{Entry, choices, drops, entries_from, with_needs};
use crate::{PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "reduce-main-file";

/// Proposes to drop from the heaviest list, or to replace the heaviest node.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let total = tree.tokens(NodeId::ROOT);
    if context.is_sweep()
        || total < LARGE_TEXT
        || !context.language.roles.is_played(Role::FileMarker)
    {
        return None;
    }
    let first = main_file(context)?;
    let items = tree.children(NodeId::ROOT).filter(|&child| child >= first);
    let own: u32 = items.map(|child| tree.tokens(child)).sum();
    if own > total / MAIN_FILE_SHARE {
        return None;
    }
    let all = drops(context, NodeId::ROOT).into_iter();
    let all = all.filter(|item| item.edits.iter().all(|(id, _)| id >= first)).collect();
    let [least, least_list] =
        [MAIN_FILE_PART, MAIN_FILE_LIST].map(|part| (own / part).max(MAIN_FILE_TOKENS));
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
