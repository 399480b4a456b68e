//! The declarations of a whole text as a graph: which of them mention which.

use minirepro_syntax::{Edits, Role};

use crate::framework::declaration_parts::{Part, owners, parts};
use crate::framework::digraph::number;
use crate::framework::uses::{Needs, Uses};
use crate::{Item, PassContext, Proposal, Strategy};

/// The declarations that are visible from everywhere (outermost, or in a namespace), and the bodies
/// of their functions.
pub(crate) struct DeclarationGraph {
    /// First an item without edits, which stands for all text that is no item: without it a
    /// question may leave names that nothing declares. Then last first: uses before definitions. A
    /// body becomes the least one, a declaration goes.
    items: Vec<Item>,
    /// The items that each one cannot do without: a body needs its function, and both need the
    /// declarations of the names that they mention.
    needs: Vec<Vec<u32>>,
    /// What the text that is no item needs.
    rest: Vec<Vec<u32>>,
    /// A function of a record is needed where the record and its name are both kept, a function
    /// that gives a sign a meaning where the sign and its type are. Names and signs are items
    /// without edits, after all others.
    together: Vec<[u32; 3]>,
    /// The bodies of each declaration's functions: a compiler may want them where a function is
    /// used.
    bodies: Vec<Vec<u32>>,
}

impl DeclarationGraph {
    /// Returns the graph of a text. Linear in the tree, times a small constant for overloads.
    pub(crate) fn of(context: &PassContext<'_>) -> Self {
        let tree = context.tree;
        let parts = parts(context);
        let owners = owners(context, &parts);
        let uses = Uses::of(context, &parts, &owners);
        let names = uses.names();
        let Needs { of_holders: mut needs, of_rest, together, .. } =
            uses.needs(&owners, parts.len());
        let weight = |part: &Part| match context.is(Role::FileMarker, part.node) {
            true => part.edits.iter().map(|(id, _)| tree.tokens(id)).sum(),
            false => tree.tokens(part.node),
        };
        let mut weights: Vec<u32> = parts.iter().map(weight).collect();
        let mut bodies = vec![Vec::new(); parts.len()];
        for (at, (part, needs)) in parts.iter().zip(&mut needs).enumerate() {
            needs.extend(part.header.map(number));
            if let Some(outer) = part.outer {
                needs.push(number(outer));
                if part.is_body {
                    bodies[outer].push(number(at));
                }
                weights[outer] = weights[outer].saturating_sub(tree.tokens(part.node));
            }
        }
        let count = number(parts.len());
        let place = |part: u32| if part < count { count - part } else { part + 1 };
        let places = |mut parts: Vec<u32>| {
            parts.sort_unstable();
            parts.dedup();
            parts.into_iter().rev().map(place).collect()
        };
        // The rest of the text comes first.
        let mut rest = vec![Vec::new(); needs.len()];
        rest.push(of_rest);
        needs.push(Vec::new());
        bodies.push(Vec::new());
        let parts = parts.into_iter().zip(weights).rev();
        let items = parts.map(|(part, weight)| Item::new(part.edits, weight));
        let of_names = std::iter::repeat_n(Vec::new(), names);
        let names = std::iter::repeat_n(Item::new(Edits::none(), 1), names);
        let together = together.into_iter().map(|all| all.map(place)).collect();
        Self {
            items: std::iter::once(Item::new(Edits::none(), 0)).chain(items).chain(names).collect(),
            together,
            needs: needs.into_iter().rev().chain(of_names).map(places).collect(),
            rest: rest.into_iter().rev().map(places).collect(),
            bodies: bodies.into_iter().rev().map(places).collect(),
        }
    }

    /// Proposes the items that were not refused. What was refused may still be there only because
    /// the graph knew too little: then nothing counts as needed by what is no item.
    pub(crate) fn proposal(self, is_refused: impl Fn(&Item) -> bool) -> Proposal {
        let Self { items, needs, rest, together, bodies } = self;
        let count = items.len();
        let proposal = Proposal::of(items, Strategy::Closures);
        let mut proposal =
            Proposal { needs, probable: rest, possible: bodies, together, ..proposal };
        proposal.retain(|item| item.edits.is_empty() || !is_refused(item));
        if proposal.items.len() < count {
            proposal.probable.clear();
            return proposal.searched(Strategy::ProbeClosures);
        }
        proposal
    }
}
