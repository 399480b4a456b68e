//! Gives tokens their shortest usual form: names `a`, `b`, `c` …, the least text of literals.

use std::collections::{BTreeMap, HashSet};

use minirepro_syntax::{Change, Namespace, NodeId, Role};

use crate::{Item, PassContext, Plan, Proposal, Reference};

/// Renames all mentions of a name at once; every literal on its own. Then names in parts of what
/// had to stay.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let items = [names(cx), literals(cx)].concat();
    if cx.is_sweep() {
        return Proposal::new([items, references(cx)].concat(), Plan::EACH);
    }
    cx.proposal(items, Plan::ALL).or_else(|| Proposal::new(references(cx), Plan::SORT))
}

fn names(cx: &PassContext<'_>) -> Vec<Item> {
    let mut scopes: BTreeMap<Option<NodeId>, Vec<(NodeId, &[NodeId])>> = BTreeMap::new();
    for mentions in cx.index().values() {
        let Some(&first) = mentions.first().filter(|&&first| !cx.signs(first).fixed_words) else {
            continue;
        };
        scopes.entry(cx.local_to(first)).or_default().push((first, mentions));
    }
    let mut items = Vec::new();
    for mut names in scopes.into_values() {
        names.sort_unstable_by_key(|&(first, _)| first);
        let mut free = free(names.iter().map(|&(first, _)| cx.bare_name(first)).collect());
        for (first, mentions) in names {
            let name = cx.bare_name(first);
            // A number between signs is no name.
            if name.len() <= 1 || cx.signs(first).sigils.is_some() && is_number(name) {
                continue;
            }
            let Some(new) = free.next().filter(|new| new.len() < name.len()) else { break };
            let renamed = mentions.iter().map(|&m| (m, cx.reworded(m, cx.renamed(m, &new))));
            items.extend(Item::of(renamed, 1));
        }
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
        let mut free = free(references.iter().map(|r| &r.name[..]).collect());
        for reference in references {
            // Names that may be given twice, or else one that is not in use.
            let own = namespace.short.iter().map(|name| name.clone().into_bytes());
            let is_other = namespace.short.is_empty() && reference.name.len() > 1;
            let other = is_other.then(|| free.next()).flatten();
            let shorter = own.chain(other).filter(|new| new.len() < reference.name.len());
            items.extend(cx.next_of(shorter.filter_map(|new| reference.renamed(cx.tree, &new))));
        }
    }
    items
}

fn literals(cx: &PassContext<'_>) -> Vec<Item> {
    let is_literal = |&id: &NodeId| cx.tokens(id) == 1 && cx.is_named(id) && !cx.is_name(id);
    let next = |id| {
        let own = cx.text_of(id);
        let texts = cx.placeholders(id).iter();
        let shorter = texts.filter(|(text, _)| (text.len(), &**text) < (own.len(), own));
        let item = |(text, kind): &_| Item::one(id, Change::replace_with(text, *kind), 1);
        // The next text has its turn when those before it were refused.
        cx.next_of(shorter.map(item))
    };
    cx.ids().filter(is_literal).flat_map(next).collect()
}

/// Proposes to give names to values that only have numbers (`%5` of LLVM): where numbers must be in
/// sequence, nothing can go before. In one item for each function all numbers become letters, of
/// which there never are more than there were digits.
pub(crate) fn name_numbers(cx: &PassContext<'_>) -> Option<Proposal> {
    if !cx.language.roles.is_played(Role::Local) {
        return None;
    }
    let mut functions: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for name in cx.names_in(NodeId::ROOT) {
        if let Some(function) = cx.local_to(name) {
            functions.entry(function).or_default().push(name);
        }
    }
    cx.proposal(functions.values().filter_map(|names| named_numbers(cx, names)), Plan::ALL)
}

fn named_numbers(cx: &PassContext<'_>, names: &[NodeId]) -> Option<Item> {
    let (numbers, others): (Vec<NodeId>, Vec<NodeId>) =
        names.iter().partition(|&&name| is_number(cx.bare_name(name)));
    let mut free = free(others.iter().map(|&name| cx.bare_name(name)).collect());
    // The first block has no text of its own: without parameters that are numbers it is the first
    // in sequence.
    let first = first_block(cx, &numbers).map(|number| (number, b"0".to_vec()));
    let mut new: BTreeMap<&[u8], Vec<u8>> = first.into_iter().collect();
    let renamed = numbers.iter().filter_map(|&mention| {
        let own = cx.bare_name(mention);
        let name = new.entry(own).or_insert_with(|| free.next().unwrap_or_default());
        (name != own).then(|| (mention, cx.reworded(mention, cx.renamed(mention, name))))
    });
    Item::of(renamed, 1).filter(|item| !item.edits.is_empty())
}

/// Returns the number of the block that begins a function, which follows those of the parameters,
/// unless something in the body declares it.
fn first_block<'a>(cx: &PassContext<'a>, numbers: &[NodeId]) -> Option<&'a [u8]> {
    let is_of_head = |&&id: &&NodeId| cx.is_in(Role::Parameters, id) && !cx.is_in(Role::Block, id);
    let parameters = numbers.iter().filter(is_of_head).map(|&id| cx.bare_name(id));
    let own = parameters.collect::<HashSet<&[u8]>>().len().to_string();
    let mut own = numbers.iter().filter(|&&id| cx.bare_name(id) == own.as_bytes()).peekable();
    let first = cx.bare_name(**own.peek()?);
    own.all(|&id| cx.parent_that(Role::Block, id).is_none()).then_some(first)
}

/// Returns `a` … `z`, `ba`, `bb` … without names that are used.
fn free(used: HashSet<&[u8]>) -> impl Iterator<Item = Vec<u8>> {
    (0..).map(short_name).filter(move |name| !used.contains(&name[..]))
}

/// Returns `a` … `z`, `ba`, `bb` …: the number in base 26.
pub(crate) fn short_name(number: u32) -> Vec<u8> {
    let digits = std::iter::successors(Some(number), |&rest| Some(rest / 26).filter(|&n| n > 0));
    let mut name: Vec<u8> = digits.map(|rest| b'a' + (rest % 26) as u8).collect();
    name.reverse();
    name
}

/// Returns whether a name is nothing but a number.
fn is_number(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(u8::is_ascii_digit)
}
