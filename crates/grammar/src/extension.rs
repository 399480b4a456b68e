//! What is added to a grammar.

use crate::grammar::Grammar;
use crate::notation::{self, NotationError};
use crate::rule::{OLD, Rule};

impl Grammar {
    /// Applies an extension, a text in the notation of grammars. A rule of a name that there is
    /// already replaces that one, and `...` in it stands for the old one; other rules are added.
    /// The same holds for lists. `%without` names rules that go. Conflicts and precedences are
    /// added, and the name and the word replace those of the grammar.
    ///
    /// # Errors
    /// If the text is malformed, or a rule refers to an old one that there is not.
    pub fn extend(&mut self, extension: &str) -> Result<(), NotationError> {
        let extension = notation::read(extension)?;
        if !extension.name.is_empty() {
            self.name = extension.name;
        }
        self.word = extension.word.or(self.word.take());
        self.rules.retain(|(name, _)| !extension.without.contains(name));
        for (name, mut rule) in extension.rules {
            let old = self.rule_mut(&name);
            if rule.fill(old.as_deref()) && old.is_none() {
                return Err(NotationError::new(
                    &format!("{name} = {OLD}"),
                    "there is no such rule",
                ));
            }
            match old {
                Some(old) => *old = rule.normal(),
                None => self.rules.push((name, rule)),
            }
        }
        put(&mut self.extras, extension.extras);
        put(&mut self.externals, extension.externals);
        put(&mut self.inline, extension.inline);
        put(&mut self.supertypes, extension.supertypes);
        self.conflicts.extend(extension.conflicts);
        self.precedences.extend(extension.precedences);
        Ok(())
    }
}

/// Replaces a list, unless the new one is empty; `...` in it stands for the old one.
fn put<Part: IsOld>(old: &mut Vec<Part>, mut new: Vec<Part>) {
    if new.is_empty() {
        return;
    }
    if let Some(at) = new.iter().position(IsOld::is_old) {
        new.splice(at..=at, old.drain(..));
    }
    *old = new;
}

/// A part of a list, which may stand for the list that is replaced.
trait IsOld {
    fn is_old(&self) -> bool;
}

impl IsOld for String {
    fn is_old(&self) -> bool {
        self == OLD
    }
}

impl IsOld for Rule {
    fn is_old(&self) -> bool {
        matches!(self, Self::Symbol { name } if name == OLD)
    }
}
