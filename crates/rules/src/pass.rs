//! The passes of a language that are rules, and where a language keeps them.

use std::sync::Arc;

use minirepro_syntax::Language;

use crate::compile::Rule;
use crate::file::RuleFile;

/// A pass whose items are the matches of rules.
#[derive(Clone, Debug)]
pub struct RulePass {
    /// Its name: that of the file.
    pub name: &'static str,
    /// What the file says of it.
    pub file: RuleFile,
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

/// Adds passes to a language, or their rules to those of the passes that have the same names.
pub(crate) fn add(language: &mut Language, new: Vec<RulePass>) {
    let mut all = passes(language).to_vec();
    for pass in new {
        match all.iter_mut().find(|known| known.name == pass.name) {
            Some(known) => known.rules.extend(pass.rules),
            None => all.extend(Some(pass).filter(|pass| !pass.rules.is_empty())),
        }
    }
    language.rules = Arc::new(all);
}

/// Adds the passes of a language inside.
pub fn adopt(language: &mut Language, inner: &Language) {
    add(language, passes(inner).to_vec());
}

/// Returns the passes of a language that are rules, in the order of a round as far as they follow
/// each other.
pub fn passes(language: &Language) -> &[RulePass] {
    language.rules.downcast_ref::<Vec<RulePass>>().map_or(&[], Vec::as_slice)
}
