//! Grammars that are not part of the program: what a caller has loaded becomes a language like any
//! other.
//!
//! Must not know where a grammar comes from. Loading native code is the caller's, and its alone.

use minirepro_syntax::{FactsError, Kinds, Language};
use tree_sitter::{LANGUAGE_VERSION, MIN_COMPATIBLE_LANGUAGE_VERSION};

use crate::derive::{DeriveError, Derived, derive};
use crate::manifest::error::ManifestError;
use crate::manifest::schema::Manifest;
use crate::registry::{Grammar, Info, LanguageError, describe};

/// A grammar that is not part of the program: its parser, and the texts that lie beside it.
#[derive(Clone)]
pub struct ForeignGrammar {
    /// Its parser: what the function `tree_sitter_NAME` of a library returns.
    pub parser: tree_sitter::Language,
    /// The text of its `grammar.json`, from which all is derived.
    pub grammar_json: String,
    /// What is known before it is loaded.
    pub head: Info,
    /// The text of a manifest that overrides what is derived, in the form of
    /// `grammars/*/language.toml` with nothing required; empty if there is none.
    pub manifest: String,
    /// Its files of rules: the name of each pass, and the text.
    pub rules: Vec<(String, String)>,
}

/// Kinds are numbers of 16 bits, and facts and manifests may add some.
const MOST_KINDS: usize = 50_000;

/// Fields are numbers of 12 bits.
const MOST_FIELDS: usize = 4_000;

impl ForeignGrammar {
    /// Makes a language of it, whose kinds are added to a table: that of a directory, or a new one.
    ///
    /// # Errors
    /// If its parser is of another generation, or what lies beside it is wrong.
    pub fn language(&self, kinds: &mut Kinds) -> Result<Language, ForeignError> {
        let parser = self.checked_parser()?;
        let Derived { facts, manifest } = derive(&self.grammar_json)?;
        let manifest = self.read(&manifest)?;
        let grammar = Grammar { codec: None, facts: &facts, parsers: vec![parser] };
        Ok(describe(&grammar, manifest, kinds)?)
    }

    /// Adds rewrites to a language that was made of it, as [`add_rules`](crate::add_rules) does.
    ///
    /// # Errors
    /// If a rule does not fit it.
    pub fn add_rules(
        &self,
        language: &mut Language,
        origin: &str,
        text: &str,
    ) -> Result<(), LanguageError> {
        let manifest = derive(&self.grammar_json).ok().map(|derived| self.read(&derived.manifest));
        let manifest = manifest.expect("a language was made of it");
        let wrong = |source| LanguageError::Rules { origin: origin.to_owned(), source };
        manifest.and_then(|own| own.add_file(language, origin, text)).map_err(wrong)
    }

    /// Returns what is derived from it, and what the manifest makes of that.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn derived(&self) -> Result<Derived, ForeignError> {
        self.checked_parser()?;
        Ok(derive(&self.grammar_json)?)
    }

    /// Returns its parser, if that is of our generation.
    fn checked_parser(&self) -> Result<tree_sitter::Language, ForeignError> {
        let parser = self.parser.clone();
        let found = parser.abi_version();
        let (least, most) = (MIN_COMPATIBLE_LANGUAGE_VERSION, LANGUAGE_VERSION);
        if !(least..=most).contains(&found) {
            return Err(ForeignError::Abi { found, least, most });
        }
        let sizes = [
            ("kinds of nodes", parser.node_kind_count(), MOST_KINDS),
            ("fields", parser.field_count(), MOST_FIELDS),
        ];
        match sizes.into_iter().find(|(_, count, most)| count > most) {
            Some((what, count, most)) => Err(ForeignError::TooLarge { what, count, most }),
            None => Ok(parser),
        }
    }

    /// Reads its manifest over what was derived.
    fn read(&self, derived: &str) -> Result<Manifest, ManifestError> {
        let mut base: toml::Table = toml::from_str(derived)?;
        base.insert("name".to_owned(), self.head.name.clone().into());
        let rules: Vec<(&str, &str)> =
            self.rules.iter().map(|(name, text)| (&**name, &**text)).collect();
        Manifest::read_over(base, &self.manifest, &rules)
    }
}

/// Why a foreign grammar cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// The parser was generated for another generation of tree-sitter.
    #[error(
        "its parser has version {found} of tree-sitter's interface (ABI); {least} to {most} can be used: \
         generate it with another version of tree-sitter, or use another release of it"
    )]
    Abi {
        /// The version of the parser.
        found: usize,
        /// The oldest that can be used.
        least: usize,
        /// The newest that can be used.
        most: usize,
    },
    /// Its parser has more kinds or fields than can be numbered.
    #[error("its parser has {count} {what}; {most} can be used")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// Its `grammar.json` is wrong.
    #[error("grammar.json: {0}")]
    Derive(#[from] DeriveError),
    /// What was derived from its `grammar.json` cannot be used.
    #[error("grammar.json: {0}")]
    Facts(#[from] FactsError),
    /// Its manifest is wrong.
    #[error("minirepro.toml: {0}")]
    Manifest(#[from] ManifestError),
}
