//! The name of the language of an input.

use std::path::Path;

use minirepro_languages::{elsewhere, guess_by_text, guess_records};

use crate::error::BadRequest;
use crate::grammars::Languages;
use crate::request::reduction::LanguageChoice;

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
            guess_records(text).ok_or(BadRequest::NoRecords { name })?
        }
        LanguageChoice::Named(name) => name.clone(),
        LanguageChoice::Guess => {
            let base = file.file_name().unwrap_or_default().to_string_lossy();
            match languages.guess(&base, text) {
                name if name != TEXT || elsewhere(&base).is_some() => name,
                name => guess_by_text(text).map_or(name, str::to_owned),
            }
        }
    })
}
