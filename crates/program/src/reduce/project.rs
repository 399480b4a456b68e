//! The language of a directory: each file by its own.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use minirepro_circumstances::archive::{Kind, entries};
use minirepro_languages::{FileForm, project, without_form};
use minirepro_syntax::Language;

use crate::error::{BadRequest, Error};
use crate::grammars::Languages;
use crate::reduce::language;
use crate::request::reduction::LanguageChoice;

/// In which form files are read that their language has a tree for in another one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In that other one.
    Canonical,
    /// As they stand, by what describes them then.
    AsItStands,
}

/// Returns the language of an archive, in which each file is read by the language that its name or
/// its text tells.
///
/// # Errors
/// If a grammar cannot be loaded.
pub fn language_of(
    languages: &Languages,
    archive: &[u8],
    form: Form,
) -> Result<Arc<Language>, Error> {
    parts_of(languages, archive, form).map(Arc::new)
}

/// Returns the same, for an archive that is part of something else.
///
/// # Errors
/// If a grammar cannot be loaded.
pub fn parts_of(languages: &Languages, archive: &[u8], form: Form) -> Result<Language, Error> {
    let mut loaded: HashMap<String, Arc<Language>> = HashMap::new();
    let mut load = |name: String| -> Result<Arc<Language>, Error> {
        if let Some(known) = loaded.get(&name) {
            return Ok(Arc::clone(known));
        }
        let language = Arc::new(languages.by_name(&name).map_err(BadRequest::from)?);
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
        let name = language::name(languages, &LanguageChoice::Guess, &path, entry.text)?;
        let mut language = load(name)?;
        if form == Form::AsItStands && language.parser.canonical_form(entry.text).is_some() {
            language = load(without_form(&path.to_string_lossy(), entry.text))?;
        }
        files.push((entry.path.to_vec(), FileForm::Text(language)));
    }
    Ok(project(files))
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
