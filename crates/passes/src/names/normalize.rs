//! Gives tokens their shortest usual form: names `a`, `b`, `c` …, the least text of literals.

use std::collections::{BTreeMap, HashSet};

use minirepro_syntax::{Change, Edits, Namespace, NodeId};

use crate::{Item, PassContext, Plan, Proposal, Reference};

/// Renames all mentions of a name at once; every literal on its own. Then names in parts of what
/// had to stay.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let mut items = literals(cx);
    items.splice(..0, names(cx));
    if cx.is_sweep() {
        items.extend(references(cx));
        return Proposal::new(items, Plan::EACH);
    }
    cx.proposal(items, Plan::ALL).or_else(|| Proposal::new(references(cx), Plan::ALL))
}

fn names(cx: &PassContext<'_>) -> Vec<Item> {
    let mut scopes: BTreeMap<Option<NodeId>, Vec<&[NodeId]>> = BTreeMap::new();
    let may_change = |mentions: &&Vec<NodeId>| {
        mentions.first().is_none_or(|&first| !cx.signs(first).fixed_words)
    };
    for mentions in cx.index().values().filter(may_change) {
        let scope = mentions.first().and_then(|&first| cx.local_to(first));
        scopes.entry(scope).or_default().push(mentions);
    }
    scopes.into_values().flat_map(|names| in_scope(cx, names)).collect()
}

/// The names of one scope, by their mentions.
fn in_scope(cx: &PassContext<'_>, mut names: Vec<&[NodeId]>) -> Vec<Item> {
    names.sort_unstable_by_key(|all| all.first().copied());
    let bare = |all: &[NodeId]| all.first().map_or(&[][..], |&first| cx.bare_name(first));
    let used: HashSet<&[u8]> = names.iter().map(|all| bare(all)).collect();
    let mut free = (0u32..).map(short_name).filter(|n| !used.contains(n.as_slice()));
    let mut items = Vec::new();
    for mentions in names {
        let name = bare(mentions);
        let has_sigils = mentions.first().is_some_and(|&first| cx.signs(first).sigils.is_some());
        // A number between signs is no name.
        if name.len() <= 1 || has_sigils && is_number(name) {
            continue;
        }
        let Some(new) = free.next() else { break };
        if new.len() >= name.len() {
            break;
        }
        let renamed = mentions.iter().map(|&m| (m, cx.reworded(m, cx.renamed(m, &new))));
        items.extend(Item::of(renamed, 1));
    }
    items
}

/// Names in parts of leaves, each sort and each document by itself.
fn references(cx: &PassContext<'_>) -> Vec<Item> {
    let mut namespaces: BTreeMap<(NodeId, &Namespace), Vec<&Reference>> = BTreeMap::new();
    for reference in cx.references() {
        namespaces.entry((reference.document, &reference.namespace)).or_default().push(reference);
    }
    let mut items = Vec::new();
    for ((_, namespace), references) in namespaces {
        let used: HashSet<&[u8]> = references.iter().map(|r| &r.name[..]).collect();
        let mut free = (0u32..).map(short_name).filter(|n| !used.contains(n.as_slice()));
        for reference in references {
            // Names that may be given twice, or else one that is not in use.
            let mut all: Vec<Vec<u8>> =
                namespace.short.iter().map(|n| n.clone().into_bytes()).collect();
            if namespace.short.is_empty() && reference.name.len() > 1 {
                all.extend(free.next());
            }
            all.retain(|new| new.len() < reference.name.len());
            items.extend(cx.next_of(all.iter().filter_map(|new| reference.renamed(cx.tree, new))));
        }
    }
    items
}

const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";

/// Returns `a` … `z`, `ba`, `bb` …: the number in base 26.
pub(crate) fn short_name(number: u32) -> Vec<u8> {
    let digits = std::iter::successors(Some(number), |&rest| Some(rest / 26).filter(|&n| n > 0));
    let mut name: Vec<u8> = digits.map(|rest| LETTERS[(rest % 26) as usize]).collect();
    name.reverse();
    name
}

fn literals(cx: &PassContext<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    let is_literal = |&id: &NodeId| cx.tokens(id) == 1 && cx.is_named(id) && !cx.is_name(id);
    for id in cx.ids().filter(is_literal) {
        let own = cx.text_of(id);
        let texts = cx.placeholders(id).iter();
        let shorter = texts.filter(|(text, _)| (text.len(), &**text) < (own.len(), own));
        let all = shorter
            .map(|(text, kind)| Item::new(Edits::one(id, Change::replace_with(text, *kind)), 1));
        // The next text has its turn when those before it were refused.
        items.extend(cx.next_of(all));
    }
    items
}

/// Returns whether a name is nothing but a number.
pub(crate) fn is_number(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(u8::is_ascii_digit)
}
