//! The language of an input; of a directory, each file has its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use minirepro_circumstances::archive::{Kind, entries};
use minirepro_engine::Scope;
use minirepro_languages::{
    FileForm, absent, archive, by_name, guess_by_text, guess_records, members, project,
    project_kinds, without_form,
};
use minirepro_syntax::{Language, NodeId};
use regex::bytes::Regex;

use crate::error::{BadRequest, Error};
use crate::grammars::Languages;
use crate::request::{LanguageChoice, Rules};

/// How other files without one are read.
pub const BYTES: &str = "bytes";

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

impl LanguageChoice {
    /// Returns the language that was chosen, or else the one that the name and the text of a file
    /// tell, with more rules.
    ///
    /// # Errors
    /// If there is no such language, a rule is wrong, or the language was given and is shared.
    pub fn find(
        &self,
        languages: &Languages,
        rules: &[Rules],
        file: &Path,
        text: &[u8],
    ) -> Result<Arc<Language>, Error> {
        let mut language = match self {
            Self::Given(language) => Arc::clone(language),
            Self::Named(_) | Self::Guess => {
                let name = name(languages, self, file, text)?;
                if let Some(members) = members(&name, text) {
                    let members = language_of(languages, rules, &members, true)?;
                    return Ok(Arc::new(archive(&name, members)));
                }
                Arc::new(languages.by_name(&name)?)
            }
        };
        for Rules { origin, text } in rules {
            let own = Arc::get_mut(&mut language).ok_or(BadRequest::SharedLanguage)?;
            languages.add_rules(own, origin, text)?;
        }
        Ok(language)
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
        Some(kept) => Err(BadRequest::NothingToPreserve(kept.to_string(), name.to_owned()).into()),
    }
}

/// How text without a language is read.
pub const TEXT: &str = "text";

/// Returns the name of the language that was chosen, or else of the one that the name and the text
/// of a file tell.
///
/// # Errors
/// If the records of the text were to be guessed, and nobody can.
pub fn name(
    languages: &Languages,
    choice: &LanguageChoice,
    file: &Path,
    text: &[u8],
) -> Result<String, BadRequest> {
    Ok(match choice {
        LanguageChoice::Given(language) => language.name.clone(),
        LanguageChoice::Named(name) if name == "records:guess" => {
            let name = file.display().to_string();
            guess_records(text).ok_or(BadRequest::NoRecords(name))?
        }
        LanguageChoice::Named(name) => name.clone(),
        LanguageChoice::Guess => {
            let base = file.file_name().unwrap_or_default().to_string_lossy();
            match languages.guess(&base, text) {
                // The grammar of a neighbour reads such a text badly.
                name if name != TEXT || absent(&base, text).is_some() => name,
                name => guess_by_text(text).map_or(name, str::to_owned),
            }
        }
    })
}

/// Returns the language of an archive, in which each file is read by the language that its name or
/// its text tells; those that their language has a tree for in another form only are read by what
/// describes them `as_they_stand`, if that is wanted. A file of rules belongs to each of these
/// languages whose nodes it names.
///
/// # Errors
/// If a grammar cannot be loaded, or rules belong to none of the languages.
pub fn language_of(
    languages: &Languages,
    rules: &[Rules],
    archive: &[u8],
    as_they_stand: bool,
) -> Result<Language, Error> {
    let mut loaded: HashMap<String, Arc<Language>> = HashMap::new();
    // Whether each file of rules belongs to a language, or why to none so far.
    let mut belongs: Vec<Option<Result<(), Error>>> = rules.iter().map(|_| None).collect();
    let mut kinds = project_kinds();
    let mut load = |name: String| -> Result<Arc<Language>, Error> {
        if let Some(known) = loaded.get(&name) {
            return Ok(Arc::clone(known));
        }
        let mut language = kinds.within(&name, |kinds| languages.by_name_in(&name, kinds))?;
        for (belongs, Rules { origin, text }) in belongs.iter_mut().zip(rules) {
            let added = languages.add_rules(&mut language, origin, text);
            if !matches!(belongs, Some(Ok(()))) {
                *belongs = Some(added.map_err(Error::from));
            }
        }
        let language = Arc::new(language);
        loaded.insert(name, Arc::clone(&language));
        Ok(language)
    };
    let mut files = Vec::new();
    for entry in entries(archive) {
        if entry.kind == Kind::Link {
            files.push((entry.path.to_vec(), FileForm::Link(entry.text.to_vec())));
            continue;
        }
        let path = PathBuf::from(String::from_utf8_lossy(entry.path).into_owned());
        let mut name = name(languages, &LanguageChoice::Guess, &path, entry.text)?;
        if members(&name, entry.text).is_some() {
            // An archive in an archive is one file.
            name = without_form(&path.to_string_lossy(), entry.text);
        }
        let mut language = load(name)?;
        if as_they_stand && language.reader.canonical_form(entry.text).is_some() {
            language = load(without_form(&path.to_string_lossy(), entry.text))?;
        }
        files.push((entry.path.to_vec(), FileForm::Text(language)));
    }
    belongs.into_iter().flatten().collect::<Result<(), Error>>()?;
    Ok(project(kinds, files))
}

/// Returns how many files an archive holds, and how many bytes they have.
pub fn size(archive: &[u8]) -> (u64, u64) {
    let all = entries(archive);
    (all.len() as u64, all.iter().map(|entry| entry.text.len() as u64).sum())
}
