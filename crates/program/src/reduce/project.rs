//! The language of a directory: each file by its own.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use minirepro_circumstances::archive::{Kind, entries};
use minirepro_languages::{FileForm, members, project, project_kinds, without_form};
use minirepro_syntax::Language;

use crate::error::{BadRequest, Error};
use crate::grammars::Languages;
use crate::reduce::language_name;
use crate::request::reduction::LanguageChoice;
use crate::request::rules::Rules;

/// In which form files are read that their language has a tree for in another one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In that other one.
    Canonical,
    /// As they stand, by what describes them then.
    AsItStands,
}

/// Returns the language of an archive, in which each file is read by the language that its name or
/// its text tells. A file of rules belongs to each of these languages whose nodes it names.
///
/// # Errors
/// If a grammar cannot be loaded, or rules belong to none of the languages.
pub fn language_of(
    languages: &Languages,
    rules: &[Rules],
    archive: &[u8],
    form: Form,
) -> Result<Language, Error> {
    let mut loaded: HashMap<String, Arc<Language>> = HashMap::new();
    // Why each file of rules belongs to no language so far.
    let mut refused: Vec<Option<Error>> = rules.iter().map(|_| None).collect();
    let mut belongs = vec![false; rules.len()];
    let mut kinds = project_kinds();
    let mut load = |name: String| -> Result<Arc<Language>, Error> {
        if let Some(known) = loaded.get(&name) {
            return Ok(Arc::clone(known));
        }
        let language = kinds.within(&name, |kinds| languages.by_name_in(&name, kinds));
        let mut language = language.map_err(BadRequest::from)?;
        for (at, Rules { origin, text }) in rules.iter().enumerate() {
            match languages.add_rules(&mut language, origin, text) {
                Ok(()) => belongs[at] = true,
                Err(error) => refused[at] = Some(BadRequest::from(error).into()),
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
        let mut name = language_name::name(languages, &LanguageChoice::Guess, &path, entry.text)?;
        if members(&name, entry.text).is_some() {
            // An archive in an archive is one file.
            name = without_form(&path.to_string_lossy(), entry.text);
        }
        let mut language = load(name)?;
        if form == Form::AsItStands && language.reader.canonical_form(entry.text).is_some() {
            language = load(without_form(&path.to_string_lossy(), entry.text))?;
        }
        files.push((entry.path.to_vec(), FileForm::Text(language)));
    }
    let in_vain = refused.into_iter().zip(belongs).find(|(_, belongs)| !belongs);
    if let Some((Some(error), _)) = in_vain {
        return Err(error);
    }
    Ok(project(kinds, files))
}

/// The size of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveSize {
    /// Files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

/// Returns how many files an archive holds, and how many bytes they have.
pub fn size(archive: &[u8]) -> ArchiveSize {
    let all = entries(archive);
    let bytes = all.iter().map(|entry| entry.text.len() as u64).sum();
    ArchiveSize { files: all.len() as u64, bytes }
}
