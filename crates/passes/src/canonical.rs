//! Gives tokens their shortest usual form: names `a`, `b`, `c` …, the least text of literals.

use std::collections::HashSet;

use minirepro_syntax::{Change, Edits, NodeId};

use crate::{Input, Item, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "canonical";

/// Renames all mentions of a name at once; every literal on its own.
pub(crate) fn propose(input: &Input<'_>) -> Option<Proposal> {
    let mut items = names(input);
    items.extend(literals(input));
    let items = input.fresh(items);
    Proposal::new(items, Strategy::All)
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
