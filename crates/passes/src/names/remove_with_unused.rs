//! Drops a part that the test did not let go alone, together with the definitions that nothing else
//! uses.
//!
//! What succeeds is a lesson for the rest of the run: see [`Orphans`].

use std::collections::BTreeSet;

use minirepro_syntax::{Edits, NodeId};

use crate::framework::limits::{TEACHING_PARTS, TEACHING_SHARE};
use crate::framework::orphans::{Lesson, Orphans};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the heaviest parts: alone, or where that was refused, for each sort of definitions the
/// heaviest part with which such a definition loses its last use.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    if !cx.language.spacing.between_tokens {
        return None;
    }
    let least = (cx.tokens(NodeId::ROOT) / TEACHING_SHARE).max(2);
    let mut parts: Vec<NodeId> = cx
        .ids()
        .filter(|&id| cx.tokens(id) >= least && cx.is_named(id) && cx.is_droppable(id))
        .collect();
    parts.sort_by_key(|&id| std::cmp::Reverse(cx.tokens(id)));
    let alone = |id: NodeId| cx.drop(id);
    let mut orphans = None;
    let mut known: BTreeSet<BTreeSet<Lesson>> = BTreeSet::new();
    let mut items = Vec::new();
    for id in parts {
        let item = alone(id);
        if !cx.was_refused(&item) {
            items.push(item);
        } else {
            let orphans = orphans.get_or_insert_with(|| Orphans::of(cx));
            let all = orphans.with(cx.tree, &item.edits, |_| true);
            let lessons = orphans.lessons(&all, &item.edits);
            let item = Item::new(all, item.weight);
            // Of each sort one part at a time is enough.
            if !lessons.is_empty() && known.insert(lessons) && !cx.was_refused(&item) {
                items.push(item);
            }
        }
        if items.len() == TEACHING_PARTS {
            break;
        }
    }
    Proposal::new(items, Plan::EACH)
}

/// Returns what an accepted item of this pass teaches.
pub fn lessons(cx: &PassContext<'_>, item: &Item) -> BTreeSet<Lesson> {
    let heaviest = item.edits.iter().max_by_key(|&(id, _)| cx.tokens(id));
    let Some((part, _)) = heaviest else { return BTreeSet::new() };
    Orphans::of(cx).lessons(&item.edits, &Edits::drop(part))
}
