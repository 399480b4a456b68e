//! Drops declarations, and empties bodies, that what the failure needs does not mention: by a graph
//! of all declarations, whatever namespaces they stand in. The coarsest cut in a text of many
//! headers.

use minirepro_syntax::{NodeId, Role};

use crate::framework::declaration_graph::DeclarationGraph;
use crate::framework::limits::FEW;
use crate::{PassContext, Proposal};

/// The pass's name.
pub(crate) const NAME: &str = "remove-unused";

/// Proposes all declarations and bodies, last first, as long as hardly any was proposed before.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let total = context.tree.tokens(NodeId::ROOT);
    if context.is_sweep() || !context.language.roles.is_played(Role::Namespace) {
        return None;
    }
    let proposal = DeclarationGraph::of(context).proposal(|item| context.was_refused(item));
    let weight: u32 = proposal.items.iter().map(|item| item.weight).sum();
    (proposal.items.len() > FEW && weight >= total / 2).then_some(proposal)
}
