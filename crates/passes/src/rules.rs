//! Passes that are data: matches of a language's rules become items.

use minirepro_rules::{Match, Refusal, RulePass, RuleSearch, Word, World, passes};
use minirepro_syntax::{Change, Edits, Kind, Language, NodeId, Role, Tree};

use crate::framework::limits::{FOLLOWED_MENTIONS, FOLLOWED_OF_A_NODE};
use crate::framework::mention_removal::{Extent, add_unit, least};
use crate::framework::slots::Place;
use crate::framework::views::{
    declared, declared_name, function_name, least_types, list_behind, lists_of_values, other_name,
    values,
};
use crate::markup::style_rules::looked_up;
use crate::names::normalize::short_name;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the matches of a pass that make nothing larger, last ones first.
pub(crate) fn propose(context: &PassContext<'_>, pass: &RulePass) -> Option<Proposal> {
    let mut items = items(context, pass, |won| won >= 0);
    let search = pass.file.search.unwrap_or_default();
    if search == RuleSearch::Gallop {
        items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    }
    let plan = match search {
        RuleSearch::All | RuleSearch::First => Plan::ALL,
        RuleSearch::Halves => Plan::HALVES,
        RuleSearch::Gallop => Plan::GALLOP,
        RuleSearch::Single => Plan::EACH,
    };
    Proposal::new(context.untried(items), plan)
}

/// Proposes the matches that make nothing smaller, of all passes that may grow.
pub(crate) fn propose_larger(context: &PassContext<'_>) -> Option<Proposal> {
    let passes = passes(context.language).iter().filter(|pass| pass.file.grows);
    let items = passes.flat_map(|pass| items(context, pass, |won| won <= 0));
    Proposal::new(context.untried(items), Plan::EACH)
}

/// Returns the parts that look as a rule of a pass wants them although the rule does not match.
pub(crate) fn refusals<'r>(context: &PassContext<'_>, pass: &'r RulePass) -> Vec<Refusal<'r>> {
    let mut refusals = Vec::new();
    pass.matches(context, true, |_| false, |refusal| refusals.push(refusal));
    refusals
}

fn items(context: &PassContext<'_>, pass: &RulePass, is_wanted: impl Fn(i64) -> bool) -> Vec<Item> {
    let matches = pass.matches(context, context.is_sweep(), is_wanted, drop);
    let item = |Match { edits, won, rule }| Item {
        rule: Some(rule),
        ..Item::new(edits, u32::try_from(won).unwrap_or(0))
    };
    matches.into_iter().map(item).collect()
}

impl World for PassContext<'_> {
    fn tree_and_language(&self) -> (&Tree, &Language) {
        (self.tree, self.language)
    }

    fn of_kinds(&self, kinds: &mut dyn Iterator<Item = Kind>) -> Vec<NodeId> {
        self.of_kinds(kinds)
    }

    fn mentions(&self, name: NodeId) -> &[NodeId] {
        self.mentions(name)
    }

    fn is_droppable(&self, node: NodeId) -> bool {
        self.is_droppable(node)
    }

    fn takes(&self, place: NodeId, kinds: &[Kind]) -> bool {
        Place::of(self, place).takes(kinds.iter().copied())
    }

    fn related(&self, word: Word, node: NodeId) -> Vec<NodeId> {
        match word {
            Word::Declared if self.is(Role::Parameters, node) => {
                Vec::from_iter(function_name(self, node))
            }
            Word::Declared => Vec::from_iter(declared_name(self, node)),
            Word::Members => declared(self, node),
            Word::Initials => values(self, node).collect(),
            Word::Implied if self.signs(node).implied_type => least_types(self, node).collect(),
            Word::List => match list_behind(self, node) {
                Some(list) => vec![list],
                None => {
                    let others = other_name(self, node).map_or(&[][..], |name| self.mentions(name));
                    let names = [node].into_iter().chain(others.iter().copied());
                    names.flat_map(|name| lists_of_values(self, name)).collect()
                }
            },
            Word::Uses => looked_up(self, node),
            _ => Vec::new(),
        }
    }

    fn remove(&self, mention: NodeId, edits: &mut Edits) -> bool {
        add_unit(self, mention, Extent::Narrow, edits)
    }

    fn least(&self, place: NodeId, number: usize) -> Option<Change> {
        least(self, place, number)
    }

    fn fresh(&self) -> Vec<u8> {
        let mut names = (0..).map(short_name);
        let name = names.find(|name| self.mentions_of(name).is_empty());
        name.expect("there are more names than nodes")
    }

    /// Where the same names are declared and mentioned again and again, all matches would take the
    /// square of that; the sweep takes it.
    fn most_followed(&self) -> usize {
        let most = FOLLOWED_MENTIONS.max(self.len() * FOLLOWED_OF_A_NODE);
        if self.is_sweep() { usize::MAX } else { most }
    }
}
