//! Runs one pass alone and looks at each of its edits: for checks of rules, and for tests. Must not
//! depend on the order of passes, on searches or on outcomes.

use std::collections::HashSet;
use std::sync::Arc;

use minirepro_passes::{Gate, Item, Pass, PassContext, Refusal};
use minirepro_syntax::{Edits, Language, Rendered, Tree, close, rendered};

use crate::reduce::current::Current;

/// One edit of a pass, gone through the gate of its pass.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What the pass proposed.
    pub item: Item,
    /// The text after it, with what the closure of the edits took along.
    pub rendered: Rendered,
    /// Whether the grammar facts alone said that the text is fine.
    pub certain: bool,
    /// Whether the final sweep tries it, so that the certificate stands for it.
    pub swept: bool,
    /// Whether every change takes a node away and puts nothing in its place.
    pub drops: bool,
}

/// Returns every edit that the pass offers for the text: those of its rounds, each proposal refused
/// before the next, then those of the final sweep. Infeasible ones are left out.
/// Linear in the proposals times the size of the text.
pub fn offers(language: &Language, pass: &Pass, tree: &Tree) -> Vec<Offer> {
    let mut refused = HashSet::new();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let facts = Arc::default();
    loop {
        let input = PassContext::new(tree, language, pass.gate, &refused).sharing(&facts);
        let Some(proposal) = pass.propose(&input) else { break };
        let keys: Vec<u64> = proposal.items.iter().map(|item| input.fingerprint(item)).collect();
        let is_new = keys.iter().all(|key| !refused.contains(key));
        debug_assert!(is_new, "{} proposes what was refused", pass.name);
        found.extend(proposal.each(tree));
        refused.extend(keys);
    }
    let input = PassContext::new(tree, language, pass.gate, &refused).sharing(&facts);
    let sweep = pass
        .propose(&input.proposing_again(true))
        .map(|proposal| proposal.each(tree))
        .unwrap_or_default();
    let swept: HashSet<Edits> = sweep.iter().map(|item| item.edits.clone()).collect();
    found.extend(sweep);
    found.retain(|item| seen.insert(item.edits.clone()));
    let offers = found.into_iter().filter_map(|item| offer(language, pass.gate, tree, item));
    offers.map(|o| Offer { swept: swept.contains(&o.item.edits), ..o }).collect()
}

/// Returns the parts of a text that look as a rule of the pass wants them although nothing comes of
/// it: a condition does not hold, or what the rule makes of them cannot be tried.
pub fn refused<'r>(language: &'r Language, pass: &Pass, tree: &Tree) -> Vec<Refusal<'r>> {
    let nothing = HashSet::new();
    let context = PassContext::new(tree, language, pass.gate, &nothing).proposing_again(true);
    let mut all = pass.refusals(&context, language);
    for item in pass.propose(&context).into_iter().flat_map(|proposal| proposal.items) {
        let part = item.edits.iter().next().map(|(part, _)| part);
        let Some((part, rule)) = part.zip(item.rule.clone()) else { continue };
        let why = match offer(language, pass.gate, tree, item) {
            None => "the grammar does not let what it makes stand there",
            Some(offer) if is_askable(language, pass, tree, &offer.rendered) => continue,
            Some(_) => "what it makes does not parse, or is not smaller",
        };
        all.push(Refusal { part, rule, why });
    }
    all
}

fn offer(language: &Language, gate: Gate, tree: &Tree, item: Item) -> Option<Offer> {
    let (mut edits, mut certain) = (item.edits.clone(), false);
    if gate != Gate::Reparse {
        let closed = close(tree, language, edits)?;
        (edits, certain) = (closed.edits, closed.certain);
    }
    let rendered = rendered(tree, language, &edits);
    let drops = edits.iter().all(|(_, change)| change.is_drop());
    Some(Offer { item, rendered, certain, drops, swept: false })
}

/// Returns whether the engine would ask the oracle about a candidate of this pass: it is smaller
/// than the text it comes from, unless the pass may grow, and parses no worse.
pub fn is_askable(language: &Language, pass: &Pass, before: &Tree, candidate: &Rendered) -> bool {
    let before = Current::new(language, before.clone());
    before.reads_well(language, pass, candidate, None)
        && (pass.gate == Gate::Pump || before.is_beaten_by(language, candidate))
}

/// Returns the text without the blank space that keeps no two tokens apart.
pub fn without_blanks(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut plain = String::new();
    for part in text.split_whitespace() {
        if let (Some(last), Some(first)) = (plain.chars().last(), part.chars().next())
            && (last == first || is_word(last) && is_word(first))
        {
            plain.push(' ');
        }
        plain.push_str(part);
    }
    plain
}
