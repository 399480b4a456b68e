//! The passes of a language that are rules, and where a language keeps them.

use std::any::Any;
use std::sync::Arc;

use minirepro_syntax::Language;

use crate::compile::Rule;
use crate::file::{RuleGate, RuleSearch};

/// A pass whose items are the matches of rules.
#[derive(Clone, Debug)]
pub struct RulePass {
    /// Its name: that of the file.
    pub name: &'static str,
    /// The edits that it tries, in words for the certificate.
    pub edits: &'static str,
    /// The pass that it follows in the order of a round.
    pub after: &'static str,
    /// The search over the matches.
    pub search: RuleSearch,
    /// How the edits are checked before a test.
    pub gate: RuleGate,
    /// Whether it waits until the text is small, since other passes win more before.
    pub late: bool,
    /// Whether forms that are not smaller are tried, too, as long as something smaller comes of
    /// them.
    pub grows: bool,
    pub(crate) rules: Vec<Rule>,
}

/// How a rule is displayed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleName {
    /// The file, or the language whose directory has the rule.
    pub origin: String,
    /// What it makes of what.
    pub form: String,
}

impl RulePass {
    /// Returns the names of its rules.
    pub fn names(&self) -> impl Iterator<Item = &RuleName> {
        self.rules.iter().map(|rule| &*rule.name)
    }
}

/// Adds a pass to others, or its rules to those of the pass that has the same name.
pub fn add(passes: &mut Vec<RulePass>, new: RulePass) {
    match passes.iter_mut().find(|pass| pass.name == new.name) {
        Some(pass) => pass.rules.extend(new.rules),
        None if new.rules.is_empty() => {}
        None => passes.push(new),
    }
}

/// Adds the passes of a language.
pub fn adopt(all: &mut Vec<RulePass>, language: &Language) {
    passes(language).iter().for_each(|pass| add(all, pass.clone()));
}

/// Returns passes as a language keeps them.
pub fn packed(passes: Vec<RulePass>) -> Arc<dyn Any + Send + Sync> {
    Arc::new(passes)
}

/// Returns the passes of a language that are rules, in the order of a round as far as they follow
/// each other.
pub fn passes(language: &Language) -> &[RulePass] {
    language.rules.downcast_ref::<Vec<RulePass>>().map_or(&[], Vec::as_slice)
}
