//! Passes that are data: matches of a language's rules become items.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use minirepro_rules::{Match, Refusal, RulePass, RuleSearch, Word, World, passes};
use minirepro_syntax::{Edits, Kind, Language, NodeId, Role, Tree};

use crate::framework::limits::NAMES_OFFERED;
use crate::framework::mention_removal::{Extent, add_unit};
use crate::framework::slots::Place;
use crate::framework::views::{
    ListBehind, declared, declared_name, function_name, least_types, lists_of_values, other_name,
    values,
};
use crate::markup::style_rules::{Rule, looked_up, unquoted};
use crate::names::normalize::short_name;
use crate::{Item, PassContext, Plan, Proposal, Reference};

/// Proposes the matches of a pass that make nothing larger, last ones first.
pub(crate) fn propose(context: &PassContext<'_>, pass: &RulePass) -> Option<Proposal> {
    let mut items = items(context, pass, |won| won >= 0);
    if pass.search == RuleSearch::Gallop {
        items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    }
    let plan = match pass.search {
        RuleSearch::All | RuleSearch::First => Plan::ALL,
        RuleSearch::Halves => Plan::HALVES,
        RuleSearch::Gallop => Plan::GALLOP,
        RuleSearch::Single => Plan::EACH,
    };
    Proposal::new(context.untried(items), plan)
}

/// Proposes the matches that make nothing smaller, of all passes that may grow.
pub(crate) fn propose_larger(context: &PassContext<'_>) -> Option<Proposal> {
    let passes = passes(context.language).iter().filter(|pass| pass.grows);
    let items = passes.flat_map(|pass| items(context, pass, |won| won <= 0));
    Proposal::new(context.untried(items), Plan::EACH)
}

/// Returns the parts that look as a rule of a pass wants them although the rule does not match.
pub(crate) fn refusals(context: &PassContext<'_>, pass: &RulePass) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    pass.matches(&Seen::of(context), true, |_| false, Some(&mut refusals));
    refusals
}

fn items(context: &PassContext<'_>, pass: &RulePass, is_wanted: impl Fn(i64) -> bool) -> Vec<Item> {
    let matches = pass.matches(&Seen::of(context), context.is_sweep(), is_wanted, None);
    let item = |Match { edits, won, rule }| Item {
        rule: Some(rule),
        ..Item::new(edits, u32::try_from(won).unwrap_or(0))
    };
    matches.into_iter().map(item).collect()
}

/// A text as rules see it, with what is found when it is asked for the first time.
struct Seen<'a> {
    context: &'a PassContext<'a>,
    style_rules: OnceCell<Vec<Rule>>,
    /// The first names of each namespace.
    names: RefCell<HashMap<String, Vec<Vec<Vec<u8>>>>>,
}

impl<'a> Seen<'a> {
    fn of(context: &'a PassContext<'a>) -> Self {
        Self { context, style_rules: OnceCell::new(), names: RefCell::default() }
    }
}

impl World for Seen<'_> {
    fn tree(&self) -> &Tree {
        self.context.tree
    }

    fn language(&self) -> &Language {
        self.context.language
    }

    fn of_kinds(&self, kinds: &mut dyn Iterator<Item = Kind>) -> Vec<NodeId> {
        self.context.of_kinds(kinds)
    }

    fn mentions(&self, name: NodeId) -> &[NodeId] {
        self.context.mentions(name)
    }

    fn is_droppable(&self, node: NodeId) -> bool {
        self.context.is_droppable(node)
    }

    fn takes(&self, place: NodeId, kind: Kind) -> bool {
        Place::of(self.context, place).takes([kind])
    }

    fn related(&self, word: Word, node: NodeId) -> Vec<NodeId> {
        let context = self.context;
        let one = |found: Option<NodeId>| found.into_iter().collect();
        match word {
            Word::Declared => match context.is(Role::Parameters, node) {
                true => one(function_name(context, node)),
                false => one(declared_name(context, node)),
            },
            Word::Members => declared(context, node),
            Word::Initials => values(context, node).collect(),
            Word::Implied if context.signs(node).implied_type => {
                least_types(context, node).collect()
            }
            Word::List => one(ListBehind::of(context, node).map(|behind| behind.list)),
            Word::Values => {
                let names = other_name(context, node).map(|name| context.mentions(name));
                let names = [node].into_iter().chain(names.unwrap_or_default().iter().copied());
                names.flat_map(|name| lists_of_values(context, name)).collect()
            }
            Word::LookedUp => looked_up(context, node),
            _ => Vec::new(),
        }
    }

    fn remove(&self, mention: NodeId, edits: &mut Edits) -> bool {
        add_unit(self.context, mention, Extent::Narrow, edits)
    }

    fn fresh(&self) -> Vec<u8> {
        let mut names = (0..).map(short_name);
        let name = names.find(|name| self.context.mentions_of(name).is_empty());
        name.expect("there are more names than nodes")
    }

    /// Names that are mentioned most come first.
    fn texts(&self, namespace: &str, class: Option<NodeId>) -> Vec<Vec<Vec<u8>>> {
        if let Some(class) = class {
            let class = [b".", unquoted(self.context.tree.text_of(class))].concat();
            let all = self.style_rules.get_or_init(|| Rule::all(self.context)).iter();
            let own = all.filter(|rule| rule.subjects.iter().flatten().any(|word| *word == class));
            let quoted = |text: &[u8]| [b"'", text, b"'"].concat();
            return own.flat_map(Rule::declared).map(|all| all.map(quoted).to_vec()).collect();
        }
        let find = || {
            let is_one = |r: &&Reference| r.namespace.name == *namespace && r.is_given();
            let given = self.context.references().iter().filter(is_one);
            let mut names: Vec<&[u8]> = given.map(|reference| &reference.name[..]).collect();
            names.retain(|name| is_word(name));
            names.sort_by_key(|name| std::cmp::Reverse(self.context.mentions_of(name).len()));
            names.into_iter().take(NAMES_OFFERED).map(|name| vec![name.to_vec()]).collect()
        };
        self.names.borrow_mut().entry(namespace.to_owned()).or_insert_with(find).clone()
    }

    fn has_followed(&self, mentions: usize) {
        self.context.has_followed(mentions);
    }

    fn may_follow(&self) -> bool {
        self.context.may_follow()
    }
}

/// Returns whether a text can be a name of a program.
fn is_word(name: &[u8]) -> bool {
    name.first().is_some_and(|byte| !byte.is_ascii_digit())
        && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
