//! Proposals of passes that are rules.

use std::collections::HashSet;

use minirepro_syntax::{NodeId, RulePass, RuleSearch};

use crate::rules::elsewhere::Elsewhere;
use crate::rules::matching::{Match, Matching};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the matches of a pass that make nothing larger, last ones first. Linear in the nodes of
/// the kinds that the rules are about, and in what their paths lead to.
pub(crate) fn propose(context: &PassContext<'_>, pass: &RulePass) -> Option<Proposal> {
    let mut items = found(context, pass, |won| won >= 0).items;
    if pass.search == RuleSearch::Gallop {
        items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    }
    let strategy = match pass.search {
        RuleSearch::All => Plan::ALL,
        RuleSearch::Halves => Plan::HALVES,
        RuleSearch::Gallop => Plan::GALLOP,
        RuleSearch::Single => Plan::EACH,
    };
    Proposal::new(context.untried(items), strategy)
}

/// Proposes the matches that make nothing smaller, of all passes that may grow.
pub(crate) fn propose_larger(context: &PassContext<'_>) -> Option<Proposal> {
    let passes = context.language.roles.rules.iter().filter(|pass| pass.grows);
    let items = passes.flat_map(|pass| found(context, pass, |won| won <= 0).items).collect();
    Proposal::new(context.untried(items), Plan::EACH)
}

/// Returns the nodes that fit a rule of a pass although its edits cannot be made there.
pub(crate) fn unmade(context: &PassContext<'_>, pass: &RulePass) -> Vec<NodeId> {
    found(context, pass, |_| false).unmade
}

/// What the rules of a pass find in a text.
struct Found {
    items: Vec<Item>,
    unmade: Vec<NodeId>,
}

/// Returns the matches that win a wanted number of tokens, in the order of their nodes from the
/// last one.
fn found(context: &PassContext<'_>, pass: &RulePass, is_wanted: impl Fn(i64) -> bool) -> Found {
    let tree = context.tree;
    let elsewhere = Elsewhere::default();
    let mut matchings: Vec<Matching<'_>> = pass
        .rules
        .all()
        .iter()
        .map(|rule| Matching {
            context,
            rule,
            elsewhere: &elsewhere,
            seen: HashSet::new(),
            unmade: Vec::new(),
        })
        .collect();
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    let nodes = context.of_kinds(pass.rules.subjects());
    let nodes = context.until(nodes).rev().filter(|&node| node != NodeId::ROOT);
    for node in nodes.take_while(|_| context.may_follow()) {
        for &number in pass.rules.about(tree.kind(node)) {
            let mut matches = Vec::new();
            matchings[number].at(node, &mut matches);
            let wanted = matches.into_iter().filter(|found: &Match| is_wanted(found.won));
            let before = items.len();
            for found in wanted {
                let item = found.item(&pass.rules.all()[number]);
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
    Found { items, unmade: matchings.into_iter().flat_map(|of_rule| of_rule.unmade).collect() }
}
