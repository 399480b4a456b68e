//! Gives names to values that only have numbers (`%5` of LLVM): where numbers must be in sequence,
//! nothing can go before.

use std::collections::{BTreeMap, HashSet};

use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::names::normalize::{is_number, short_name};
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes one item for each function: all its numbers become letters, of which there never are
/// more than there were digits.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if !context.language.roles.is_played(Role::Local) {
        return None;
    }
    let mut functions: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for name in context.ids().filter(|&id| context.is_name(id)) {
        if let Some(function) = context.local_to(name) {
            functions.entry(function).or_default().push(name);
        }
    }
    let items = functions.values().filter_map(|names| item(context, names)).collect();
    Proposal::new(context.untried(items), Strategy::All)
}

fn item(context: &PassContext<'_>, names: &[NodeId]) -> Option<Item> {
    let tree = context.tree;
    let (numbers, others): (Vec<NodeId>, Vec<NodeId>) =
        names.iter().partition(|&&name| is_number(context.bare_name(name)));
    let taken: HashSet<&[u8]> = others.iter().map(|&name| context.bare_name(name)).collect();
    let mut free = (0u32..).map(short_name).filter(|name| !taken.contains(name.as_slice()));
    let mut new: BTreeMap<&[u8], Vec<u8>> = BTreeMap::new();
    if let Some(number) = first_block(context, &numbers) {
        // It has no text of its own: without parameters that are numbers it is the first in
        // sequence.
        new.insert(number, b"0".to_vec());
    }
    let mut edits = Edits::none();
    for &mention in &numbers {
        let name = new
            .entry(context.bare_name(mention))
            .or_insert_with(|| free.next().expect("there are as many letters as numbers"));
        if name != context.bare_name(mention) {
            let text = context.renamed(mention, name);
            let change = Change::replace_with(&text, Some(tree.kind(mention)));
            edits.add(mention, change).then_some(())?;
        }
    }
    (!edits.is_empty()).then(|| Item::new(edits, 1))
}

/// Returns the number of the block that begins a function, which follows those of the parameters,
/// unless something in the body declares it.
fn first_block<'a>(context: &PassContext<'a>, numbers: &[NodeId]) -> Option<&'a [u8]> {
    let tree = context.tree;
    let around = |id: NodeId, role: Role| tree.ancestors(id).any(|above| context.is(role, above));
    let parameters: HashSet<&[u8]> = numbers
        .iter()
        .filter(|&&id| around(id, Role::Parameters) && !around(id, Role::Block))
        .map(|&id| context.bare_name(id))
        .collect();
    let own = parameters.len().to_string();
    let is_own = |id: &&NodeId| context.bare_name(**id) == own.as_bytes();
    let first = numbers.iter().find(is_own)?;
    let declares =
        |id: &NodeId| tree.parent(*id).is_some_and(|above| context.is(Role::Block, above));
    let is_declared = numbers.iter().filter(is_own).any(declares);
    (!is_declared).then(|| context.bare_name(*first))
}
