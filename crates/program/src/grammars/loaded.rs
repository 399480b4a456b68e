//! A grammar that was loaded, with all that decides what becomes of it.

use std::fs;
use std::path::{Path, PathBuf};

use minirepro_languages::{ForeignGrammar, Head};
use minirepro_runner::Digest;
use minirepro_syntax::{Kinds, Language};

use crate::grammars::compile::compiled;
use crate::grammars::error::GrammarError;
use crate::grammars::library::{LoadedParser, load};
use crate::grammars::package::{Code, Found};
use crate::grammars::places::{Places, check_named};

/// A grammar that was loaded.
pub(super) struct Loaded {
    pub(super) grammar: ForeignGrammar,
    /// The library that the parser was loaded from.
    pub(super) library: Vec<u8>,
    /// What tells it apart from another version of it.
    pub(super) fingerprint: Digest,
}

impl Loaded {
    /// Loads a grammar that was found, after it was compiled if it has to be.
    pub(super) fn of(
        found: &Found,
        places: &Places,
        tell: &mut dyn FnMut(&Path),
    ) -> Result<Self, GrammarError> {
        let library = match &found.code {
            Code::Library(path) => {
                check_named(path)?;
                path.clone()
            }
            Code::Sources(source) => {
                check_named(&source.join("parser.c"))?;
                compiled(source, places.compiled()?, tell)?
            }
        };
        Self::read(found, &library)
    }

    /// Loads the grammar of a library, with what was found beside it.
    pub(super) fn read(found: &Found, library: &Path) -> Result<Self, GrammarError> {
        let read = |path: &Path| {
            fs::read(path)
                .map_err(|error| GrammarError::Unreadable { path: path.to_owned(), error })
        };
        let text = |path: &Option<PathBuf>| {
            let text = path.as_deref().map(read).transpose()?;
            Ok::<_, GrammarError>(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
        };
        let (Code::Sources(path) | Code::Library(path)) = &found.code;
        let grammar_json = text(&found.grammar_json)?
            .ok_or_else(|| GrammarError::NoGrammarJson { path: path.clone() })?;
        let manifest = text(&found.manifest)?.unwrap_or_default();
        let rule = |path: &PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, String::from_utf8_lossy(&read(path)?).into_owned()))
        };
        let rules = found.rules.iter().map(rule).collect::<Result<Vec<_>, GrammarError>>()?;
        let mut head = found.head.clone();
        if head.name.is_empty() {
            head.name = name_in(&grammar_json).unwrap_or_default();
        }
        let wanted = Some(&*head.name).filter(|name| !name.is_empty());
        let LoadedParser { name, entry } = load(library, wanted)?;
        head.name = name;
        if head.description.is_empty() {
            head.description = format!("grammar {}", head.name);
        }
        let library = read(library)?;
        let mut all = library.clone();
        let rules_of = rules.iter().flat_map(|(name, text)| [name, text]);
        for text in [&grammar_json, &manifest].into_iter().chain(rules_of) {
            all.extend(text.len().to_le_bytes());
            all.extend(text.as_bytes());
        }
        let fingerprint = Digest::of(&all);
        let grammar = ForeignGrammar { parser: entry, grammar_json, head, manifest, rules };
        Ok(Self { grammar, library, fingerprint })
    }

    /// Makes a language of it.
    pub(super) fn language(&self, name: &str, kinds: &mut Kinds) -> Result<Language, GrammarError> {
        let wrong = |error| GrammarError::Foreign { name: name.to_owned(), error };
        self.grammar.language(kinds).map_err(wrong)
    }

    /// Returns what is known of it before it is loaded.
    pub(super) fn head(&self) -> &Head {
        &self.grammar.head
    }
}

/// Returns the name in a `grammar.json`.
fn name_in(grammar_json: &str) -> Option<String> {
    let grammar: serde_json::Value = serde_json::from_str(grammar_json).ok()?;
    grammar["name"].as_str().map(str::to_owned)
}
