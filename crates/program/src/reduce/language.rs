//! The language of an input.

use std::path::Path;
use std::sync::Arc;

use minirepro_engine::Scope;
use minirepro_languages::{archive, by_name, guess_by_text, guess_records, members};
use minirepro_syntax::{Language, NodeId};
use regex::bytes::Regex;

use crate::error::{BadRequest, Error};
use crate::grammars::Languages;
use crate::reduce::language_name::{TEXT, name};
use crate::reduce::project::{self, Form};
use crate::request::reduction::LanguageChoice;
use crate::request::rules::Rules;

/// How other files without one are read.
pub const BYTES: &str = "bytes";

/// Returns the language that was chosen, or else the one that the name and the text tell.
///
/// # Errors
/// If there is no such language.
pub fn find(
    languages: &Languages,
    choice: &LanguageChoice,
    file: &Path,
    text: &[u8],
) -> Result<Arc<Language>, Error> {
    find_with(languages, choice, &[], file, text)
}

/// Returns whether only the text can tell the language, since nobody has chosen one and the name
/// does not tell.
pub fn is_by_text(languages: &Languages, choice: &LanguageChoice, file: &Path) -> bool {
    let base = file.file_name().unwrap_or_default().to_string_lossy();
    matches!(choice, LanguageChoice::Guess) && !languages.is_known(&base)
}

/// Returns the language that [`find`] returns, with these rules.
///
/// # Errors
/// If there is no such language, a rule is wrong, or the language was given and is shared.
pub fn find_with(
    languages: &Languages,
    choice: &LanguageChoice,
    rules: &[Rules],
    file: &Path,
    text: &[u8],
) -> Result<Arc<Language>, Error> {
    let mut language = match choice {
        LanguageChoice::Given(language) => Arc::clone(language),
        LanguageChoice::Named(_) | LanguageChoice::Guess => {
            let name = name(languages, choice, file, text)?;
            if let Some(members) = members(&name, text) {
                let members = project::language_of(languages, rules, &members, Form::AsItStands)?;
                return Ok(Arc::new(archive(&name, members)));
            }
            Arc::new(languages.by_name(&name).map_err(BadRequest::from)?)
        }
    };
    for Rules { origin, text } in rules {
        let own = Arc::get_mut(&mut language).ok_or(BadRequest::SharedLanguage)?;
        languages.add_rules(own, origin, text).map_err(BadRequest::from)?;
    }
    Ok(language)
}

/// A text of fewer tokens that does not get smaller may be as small as it gets.
const SHORT: u64 = 500;

/// Returns whether a text that does not get smaller may be none of its language: a long one.
pub fn may_be_misread(language: &Language, text: &[u8]) -> bool {
    let parsed = || language.parser.parse(text).tokens(NodeId::ROOT).into();
    language.reader.tokens(text).unwrap_or_else(parsed) >= SHORT
}

/// Returns the other ways in which a text can be read, the likeliest first.
pub fn other_readings(language: &Language, text: &[u8]) -> Vec<Arc<Language>> {
    // A text without errors is in its language.
    let is_doubtful = language.parser.errors(text) > 0;
    let by_text = is_doubtful.then(|| guess_by_text(text)).flatten().map(str::to_owned);
    let records = guess_records(text);
    let is_text = records.as_deref() == Some("lines");
    // A text of which the length or offsets matter has bytes that can be overwritten.
    let plain = [is_text.then_some(TEXT), Some(BYTES)].into_iter().flatten();
    let names = by_text.into_iter().chain(records).chain(plain.map(str::to_owned));
    let others = names.filter(|name| *name != language.name && name != "lines");
    others.filter_map(|name| by_name(&name).ok()).map(Arc::new).collect()
}

/// Checks that a language that was chosen exists, without an input.
///
/// # Errors
/// If there is no such language.
pub fn check_name(languages: &Languages, choice: &LanguageChoice) -> Result<(), Error> {
    match choice {
        LanguageChoice::Named(name) if name != "records:guess" => {
            languages.by_name(name).map_err(BadRequest::from)?;
        }
        LanguageChoice::Guess | LanguageChoice::Named(_) | LanguageChoice::Given(_) => {}
    }
    Ok(())
}

impl LanguageChoice {
    /// Returns the language that was chosen, or else the one that the name and the text of a file
    /// tell.
    ///
    /// # Errors
    /// If there is no such language.
    pub fn find(
        &self,
        languages: &Languages,
        file: &Path,
        text: &[u8],
    ) -> Result<Arc<Language>, Error> {
        find(languages, self, file, text)
    }

    /// Returns the same with more rules.
    ///
    /// # Errors
    /// If there is no such language, a rule is wrong, or the language was given and is shared.
    pub fn find_with(
        &self,
        languages: &Languages,
        rules: &[Rules],
        file: &Path,
        text: &[u8],
    ) -> Result<Arc<Language>, Error> {
        find_with(languages, self, rules, file, text)
    }
}

/// Returns the text in the form that the language has a tree for.
pub fn canonical(language: &Language, text: &[u8]) -> Option<Vec<u8>> {
    language.reader.canonical_form(text).filter(|text| !text.is_empty())
}

/// Refuses an expression for what must stay that matches none of these texts: it was meant
/// otherwise.
///
/// # Errors
/// If there is one.
pub fn check_scope(scope: &Scope, name: &str, texts: &[&[u8]]) -> Result<(), Error> {
    let matches = |regex: &Regex| texts.iter().any(|text| regex.is_match(text));
    match scope.kept.iter().find(|regex| !matches(regex)) {
        None => Ok(()),
        Some(regex) => {
            let pattern = regex.to_string();
            Err(BadRequest::NothingToPreserve { pattern, name: name.to_owned() }.into())
        }
    }
}
