//! Drops whole headers from a preprocessed text, each with what includes or mentions it. Coarser than the graph of
//! declarations: a compiler mostly accepts what is left.

use std::collections::BTreeSet;

use minirepro_syntax::{Edits, NodeId};

use crate::framework::declaration_graph::DeclarationGraph;
use crate::framework::headers::{Header, headers};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "remove-headers";

/// Fewer headers are searched as fast as declarations.
const FEW: usize = 4;

/// Proposes all headers, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.is_sweep() {
        return None;
    }
    let headers = headers(context);
    if headers.len() < FEW {
        return None;
    }
    let tree = context.tree;
    // The header of each node; the file itself is no header.
    let mut header_of = vec![None; tree.len()];
    for (number, header) in headers.iter().enumerate() {
        for &id in &header.own {
            header_of[id.0 as usize..tree.subtree_end(id).0 as usize].fill(Some(number));
        }
    }
    let mut needs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); headers.len()];
    let mut of_file = BTreeSet::new();
    for (part, need) in DeclarationGraph::of(context).edges() {
        let header = |id: NodeId| header_of[id.0 as usize];
        match (part.and_then(header), header(need)) {
            // What a header needs comes before it.
            (Some(part), Some(need)) if need < part => drop(needs[part].insert(need)),
            (None, Some(need)) => drop(of_file.insert(need)),
            _ => {}
        }
    }
    // The file itself stays, and comes first. What it needs it may need for nothing.
    let count = headers.len();
    let number = |header: usize| u32::try_from(count - header).expect("trees have fewer nodes");
    let numbers = |needs: &BTreeSet<usize>| needs.iter().map(|&need| number(need)).collect();
    let mut proposal = Proposal {
        items: vec![Item::new(Edits::none(), 0)],
        strategy: Strategy::Closures,
        needs: vec![Vec::new()],
        probable: vec![Vec::new(); count + 1],
        possible: Vec::new(),
    };
    proposal.probable[0] = numbers(&of_file);
    proposal.items.extend(headers.iter().rev().map(|header| item(context, header)));
    proposal.needs.extend(needs.iter().rev().map(numbers));
    proposal.retain(|item| item.edits.is_empty() || !context.was_refused(item));
    (proposal.items.len() == count + 1).then_some(proposal)
}

/// Returns what takes the own text of a header away.
fn item(context: &PassContext<'_>, header: &Header) -> Item {
    let tree = context.tree;
    let all = header.own.iter().copied().filter(|&id| context.is_droppable(id));
    let weight = all.clone().map(|id| tree.tokens(id)).sum();
    Item::new(Edits::drop_all(all), weight)
}
