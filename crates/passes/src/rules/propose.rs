//! Proposals of passes that are rules.

use std::collections::HashSet;

use minirepro_syntax::{NodeId, RulePass, RuleSearch};

use crate::framework::sizes::SMALL_TEXT;
use crate::rules::elsewhere::Elsewhere;
use crate::rules::matching::{Match, Matching};
use crate::{Item, PassContext, Proposal, Strategy};

/// Proposes the matches of a pass that make nothing larger, last ones first. Linear in the nodes of
/// the kinds that the rules are about, and in what their paths lead to.
pub(crate) fn propose(context: &PassContext<'_>, pass: &RulePass) -> Option<Proposal> {
    if pass.late && context.tree.tokens(NodeId::ROOT) > SMALL_TEXT {
        return None;
    }
    let mut items = items(context, pass, |won| won >= 0);
    if pass.search == RuleSearch::Gallop {
        items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    }
    let strategy = match pass.search {
        RuleSearch::All => Strategy::All,
        RuleSearch::Halves => Strategy::Halves,
        RuleSearch::Gallop => Strategy::Gallop,
        RuleSearch::Single => Strategy::Single,
    };
    Proposal::new(context.untried(items), strategy)
}

/// Proposes the matches that make nothing smaller, of all passes that may grow.
pub(crate) fn propose_larger(context: &PassContext<'_>) -> Option<Proposal> {
    let passes = context.language.roles.rules.iter().filter(|pass| pass.grows);
    let items = passes.flat_map(|pass| items(context, pass, |won| won <= 0)).collect();
    Proposal::new(context.untried(items), Strategy::Single)
}

/// Returns the matches that win a wanted number of tokens, in the order of their nodes from the
/// last one.
fn items(context: &PassContext<'_>, pass: &RulePass, is_wanted: impl Fn(i64) -> bool) -> Vec<Item> {
    let tree = context.tree;
    let by_kind = pass.by_kind();
    let elsewhere = Elsewhere::default();
    let mut matchings: Vec<Matching<'_>> = pass
        .rules
        .iter()
        .map(|rule| Matching { context, rule, elsewhere: &elsewhere, seen: HashSet::new() })
        .collect();
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    for node in context.ids().rev().filter(|&node| node != NodeId::ROOT) {
        let Some(rules) = by_kind.get(&tree.kind(node)) else { continue };
        for &number in rules {
            let mut matches = Vec::new();
            matchings[number].at(node, &mut matches);
            let wanted = matches.into_iter().filter(|found: &Match| is_wanted(found.won));
            let before = items.len();
            for found in wanted {
                let item = found.item(&pass.rules[number]);
                if seen.insert(item.edits.clone()) {
                    items.push(item);
                }
            }
            if items.len() > before && pass.first_only && !context.is_sweep() {
                items.truncate(before + 1);
                break;
            }
        }
    }
    items
}
