//! Gives tokens their shortest usual form: names `a`, `b`, `c` …, the least text of literals.

use std::collections::{BTreeMap, HashSet};

use minirepro_syntax::{Change, Edits, NodeId, Space};

use crate::{Input, Item, Proposal, Reference, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "canonical";

/// Renames all mentions of a name at once; every literal on its own. Then names in parts of what had to
/// stay.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let mut items = names(input);
    items.extend(literals(input));
    if input.is_sweep() {
        items.extend(references(input));
        return Proposal::new(items, Strategy::Single);
    }
    Proposal::new(input.fresh(items), Strategy::All)
        .or_else(|| Proposal::new(references(input), Strategy::All))
}

fn names(input: &Input<'_>) -> Vec<Item> {
    let names = &input.index().names;
    let mut order: Vec<(&Vec<u8>, &Vec<NodeId>)> = names.iter().collect();
    order.sort_unstable_by_key(|(_, all)| all.first().copied());
    let used: HashSet<&[u8]> = names.keys().map(Vec::as_slice).collect();
    let mut free = (0u32..).map(short_name).filter(|n| !used.contains(n.as_slice()));
    let mut items = Vec::new();
    for (name, mentions) in order.into_iter().filter(|(name, _)| name.len() > 1) {
        let Some(new) = free.next() else { break };
        if new.len() >= name.len() {
            break;
        }
        let mut edits = Edits::none();
        let fits =
            mentions.iter().all(|&m| edits.add(m, Change::put(&new, Some(input.tree.kind(m)))));
        if fits {
            items.push(Item::new(edits, 1));
        }
    }
    items
}

/// Names in parts of leaves, each sort and each document by itself.
fn references(input: &Input<'_>) -> Vec<Item> {
    let mut spaces: BTreeMap<(NodeId, &Space), Vec<&Reference>> = BTreeMap::new();
    for reference in input.references() {
        spaces.entry((reference.document, &reference.space)).or_default().push(reference);
    }
    let mut items = Vec::new();
    for ((_, space), references) in spaces {
        let used: HashSet<&[u8]> = references.iter().map(|r| &r.name[..]).collect();
        let mut free = (0u32..).map(short_name).filter(|n| !used.contains(n.as_slice()));
        for reference in references {
            // Names that may be given twice, or else one that is not in use.
            let mut all: Vec<Vec<u8>> =
                space.short.iter().map(|n| n.clone().into_bytes()).collect();
            if space.short.is_empty() && reference.name.len() > 1 {
                all.extend(free.next());
            }
            all.retain(|new| new.len() < reference.name.len());
            let edits = all.iter().filter_map(|new| reference.renamed(input, new));
            let at_once = if input.is_sweep() { usize::MAX } else { 1 };
            let fresh = input.fresh(edits.map(|edits| Item::new(edits, 1)).collect());
            items.extend(fresh.into_iter().take(at_once));
        }
    }
    items
}

/// `a` … `z`, `ba`, `bb` … as a number in base 26.
fn short_name(number: u32) -> Vec<u8> {
    let mut name = Vec::new();
    let mut rest = number;
    loop {
        name.push(b'a' + u8::try_from(rest % 26).expect("below 26"));
        rest /= 26;
        if rest == 0 {
            break;
        }
    }
    name.reverse();
    name
}

fn literals(input: &Input<'_>) -> Vec<Item> {
    let tree = input.tree;
    let mut items = Vec::new();
    for id in tree.ids().filter(|&id| tree.tokens(id) == 1 && tree.is_named(id)) {
        if input.is_name(id) {
            continue;
        }
        let own = tree.text_of(id);
        let texts = input.language.roles.least.get(&tree.kind(id)).into_iter().flatten();
        let shorter = texts.filter(|(text, _)| (text.len(), &**text) < (own.len(), own));
        let all =
            shorter.map(|(text, kind)| Item::new(Edits::one(id, Change::put(text, *kind)), 1));
        // The next text has its turn when those before it were refused.
        let at_once = if input.is_sweep() { usize::MAX } else { 1 };
        items.extend(input.fresh(all.collect()).into_iter().take(at_once));
    }
    items
}
