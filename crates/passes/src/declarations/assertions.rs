//! Drops what only demands that something holds (`static_assert`), all at once.
//!
//! It mentions much that nothing else needs, and has to be compiled: it would keep that alive while other passes look for what
//! the failure needs. So this comes first.

use minirepro_syntax::{Edits, NodeId, Role};

use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "remove-assertions";

/// Proposes all that can be dropped.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let is_assertion = |&id: &NodeId| context.is(Role::Assertion, id) && context.is_droppable(id);
    if context.is_sweep() || !context.language.roles.is_played(Role::Assertion) {
        return None;
    }
    let all = context.ids().filter(is_assertion);
    let items = all.map(|id| Item::new(Edits::drop(id), context.tree.tokens(id))).collect();
    Proposal::new(context.untried(items), Strategy::All)
}
