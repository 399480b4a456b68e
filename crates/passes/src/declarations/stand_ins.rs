//! Puts a stand-in into the place of a class: only what it can do is left of it, without bases and
//! without the bodies of its functions, wherever they are defined. With them goes what only they
//! need.
//!
//! None of the bodies may dominate much, since each two of them call the same helpers, but together
//! they do.

use minirepro_syntax::NodeId;

use crate::declarations::remove_dominated::{best, item, large_graph};
use crate::framework::element_graph::Loss;
use crate::framework::limits::{CLASSES, DOMINATED_SHARE};
use crate::{PassContext, Proposal};

/// The pass's name.
pub(crate) const NAME: &str = "stand-ins";

/// Proposes a stand-in for each of the classes with whose insides most goes, in very large texts.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let graph = large_graph(context)?;
    let least = context.tree.tokens(NodeId::ROOT) / DOMINATED_SHARE;
    let classes = graph.insides_of_classes().into_iter().take(CLASSES);
    let losses = context.until(classes).filter_map(|class| graph.loss_of_all(&class));
    let items = losses.filter(|loss| loss.weight >= least);
    best(context.untried(items.map(|Loss { of, edits, weight }| item(of, edits, weight)).collect()))
}
