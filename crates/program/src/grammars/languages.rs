//! The languages of a run: those of the program, and those that were named for it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use minirepro_languages::{self as builtin, Derived, Info, rule_file, rules_of};
use minirepro_syntax::{Kinds, Language};

use crate::error::BadRequest;
use crate::grammars::error::GrammarError;
use crate::grammars::loaded::Loaded;
use crate::grammars::package::find;
use crate::passes::passes;

/// The languages of a run. By default those of the program alone. One that was named for this run
/// counts before one of the program with the same name or suffix.
#[derive(Clone, Default)]
pub struct Languages {
    named: Vec<Arc<Loaded>>,
}

impl Languages {
    /// Loads the grammars of a path. What has to be compiled for that, `tell` is told before.
    ///
    /// # Errors
    /// If there is none, or one cannot be loaded or used.
    pub fn add(&mut self, path: &Path, tell: &mut dyn FnMut(&Path)) -> Result<(), GrammarError> {
        for found in find(path)? {
            self.named.push(Arc::new(Loaded::of(found, tell)?));
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Option<&Loaded> {
        self.named.iter().map(|named| &**named).find(|named| named.info.is_called(name))
    }

    /// Returns all languages, in the order in which they are shown.
    pub fn all(&self) -> Vec<Info> {
        let named: Vec<Info> = self.named.iter().map(|named| named.info.clone()).collect();
        let own = builtin::all().iter();
        let is_hidden = |info: &&Info| named.iter().any(|named| named.name == info.name);
        let own: Vec<Info> = own.filter(|info| !is_hidden(info)).cloned().collect();
        own.into_iter().chain(named).collect()
    }

    /// Returns the language of that name or alias, ready to parse.
    ///
    /// # Errors
    /// If there is none, or it cannot be loaded.
    pub fn by_name(&self, name: &str) -> Result<Language, BadRequest> {
        self.by_name_in(name, &mut Kinds::default())
    }

    /// Does the same for a language of a directory: its kinds are in the table of that.
    ///
    /// # Errors
    /// If there is none, or it cannot be loaded.
    pub fn by_name_in(&self, name: &str, kinds: &mut Kinds) -> Result<Language, BadRequest> {
        match self.find(name) {
            Some(named) => Ok(named.language(kinds)?),
            None => builtin::by_name_in(name, kinds).map_err(|error| match error {
                builtin::LanguageError::Unknown { name, .. } => {
                    let known = self.all().into_iter().map(|info| info.name).collect();
                    builtin::LanguageError::Unknown { name, known }.into()
                }
                error => error.into(),
            }),
        }
    }

    /// Returns the name of the language for a file: by its name, else by its text.
    pub fn guess(&self, file_name: &str, text: &[u8]) -> String {
        let named = self.named.iter().find(|named| named.info.is_of(file_name));
        named.map_or_else(|| builtin::guess(file_name, text), |named| named.info.name.clone())
    }

    /// Returns whether the name of a file tells its language.
    pub fn is_known(&self, file_name: &str) -> bool {
        builtin::is_known(file_name) || self.named.iter().any(|named| named.info.is_of(file_name))
    }

    /// Returns the name of the language for a file among those that were named for this run: the
    /// first if the file's name tells nothing. `None` if none was named.
    pub fn named_for(&self, file_name: &str) -> Option<&str> {
        let fits = self.named.iter().find(|named| named.info.is_of(file_name));
        fits.or(self.named.first()).map(|named| &*named.info.name)
    }

    /// Adds rewrites to a language, as [`add_rules`](minirepro_languages::add_rules) does.
    ///
    /// # Errors
    /// If a rule does not fit the language.
    pub fn add_rules(
        &self,
        language: &mut Language,
        origin: &str,
        text: &str,
    ) -> Result<(), BadRequest> {
        let own = rules_of(language).iter().map(|pass| pass.name);
        let mut known = passes().into_iter().map(|pass| pass.name).chain(own);
        let after = rule_file(origin, text)?.after;
        if let Some(after) = after.filter(|after| !known.any(|pass| pass == after)) {
            return Err(BadRequest::NoPass(origin.to_owned(), after));
        }
        match self.find(&language.name) {
            Some(Loaded { grammar, .. }) => Ok(grammar.add_rules(language, origin, text)?),
            None => Ok(builtin::add_rules(language, origin, text)?),
        }
    }

    /// Returns what tells a language apart from another version of it; `None` if it is part of the
    /// program.
    pub fn fingerprint(&self, name: &str) -> Option<&str> {
        Some(self.find(name)?.fingerprint.as_str())
    }

    /// Returns what is derived from the grammar of a language.
    ///
    /// # Errors
    /// If there is no such language, it has no grammar, or it cannot be loaded.
    pub fn derived(&self, name: &str) -> Result<Derived, BadRequest> {
        match self.find(name) {
            Some(named) => Ok(named.grammar.derived().map_err(GrammarError::of(name))?),
            None => Ok(builtin::derived(name)?),
        }
    }
}

impl fmt::Debug for Languages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.named.iter().map(|named| &named.info.name)).finish()
    }
}
