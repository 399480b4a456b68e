//! A grammar that was loaded, with all that decides what becomes of it.

use std::fs;
use std::path::{Path, PathBuf};

use minirepro_languages::ForeignGrammar;
use minirepro_runner::Digest;
use minirepro_syntax::{Kinds, Language};
use serde::Deserialize;

use crate::grammars::compile::compiled;
use crate::grammars::error::GrammarError;
use crate::grammars::library::load;
use crate::grammars::ownership::check_named;
use crate::grammars::package::{Code, Found};

/// A grammar that was loaded.
pub(super) struct Loaded {
    pub(super) grammar: ForeignGrammar,
    /// What tells it apart from another version of it.
    pub(super) fingerprint: Digest,
}

/// What a `grammar.json` says of its grammar.
#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Loaded {
    /// Loads a grammar that was found, after it was compiled if it has to be.
    pub(super) fn of(found: Found, tell: &mut dyn FnMut(&Path)) -> Result<Self, GrammarError> {
        let Found { mut head, code, grammar_json: path, manifest, rules } = found;
        let library = match code {
            Code::Library(path) => {
                check_named(&path)?;
                path
            }
            Code::Sources(source) => {
                check_named(&source.join("parser.c"))?;
                compiled(&source, tell)?
            }
        };
        let read = |path: &Path| {
            fs::read(path)
                .map_err(|error| GrammarError::Unreadable { path: path.to_owned(), error })
        };
        let text = |path: &Path| Ok(String::from_utf8_lossy(&read(path)?).into_owned());
        let grammar_json = text(&path)?;
        let wrong = |error: serde_json::Error| GrammarError::Form {
            path: path.clone(),
            message: error.to_string(),
        };
        Named { name: head.name } = serde_json::from_str(&grammar_json).map_err(wrong)?;
        let manifest = manifest.as_deref().map(text).transpose()?.unwrap_or_default();
        let rule = |path: &PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, text(path)?))
        };
        let rules = rules.iter().map(rule).collect::<Result<Vec<_>, GrammarError>>()?;
        let parser = load(&library, &head.name)?;
        if head.description.is_empty() {
            head.description = format!("grammar {}", head.name);
        }
        let mut all = read(&library)?;
        let of_rules = rules.iter().flat_map(|(name, text)| [name, text]);
        for text in [&grammar_json, &manifest].into_iter().chain(of_rules) {
            all.extend(text.len().to_le_bytes());
            all.extend(text.as_bytes());
        }
        let fingerprint = Digest::of(&all);
        let grammar = ForeignGrammar { parser, grammar_json, head, manifest, rules };
        Ok(Self { grammar, fingerprint })
    }

    /// Makes a language of it.
    pub(super) fn language(&self, name: &str, kinds: &mut Kinds) -> Result<Language, GrammarError> {
        let wrong = |error| GrammarError::Foreign { name: name.to_owned(), error };
        self.grammar.language(kinds).map_err(wrong)
    }
}
