//! The input of a command: a file, or standard input where `-` stands for it.

use std::path::{Path, PathBuf};

use minirepro_program::{Languages, sources};

use crate::commands::launch::Launch;
use crate::error::CliError;

/// The name that stands for standard input and standard output.
pub const STANDARD: &str = "-";

/// Where an input comes from.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name. Candidates get the same one, and its suffix tells the language.
    pub file: PathBuf,
    /// It is standard input, and no file has this name.
    pub is_standard: bool,
}

impl Source {
    /// Finds out what `file` stands for; `language` is what the user says of it.
    ///
    /// # Errors
    /// If standard input would be called like a file that is there, which tests would be compared
    /// with.
    pub fn named(
        file: PathBuf,
        language: Option<&str>,
        languages: &Languages,
    ) -> Result<Self, CliError> {
        if file.as_os_str() != STANDARD && file != Path::new("/dev/stdin") {
            return Ok(Self { file, is_standard: false });
        }
        let languages = languages.all();
        let info = languages.iter().find(|info| Some(&*info.name) == language);
        let suffix = info.and_then(|info| info.suffixes.first());
        let name = suffix.map_or("stdin".to_owned(), |suffix| format!("stdin.{suffix}"));
        let file = PathBuf::from(&name);
        if file.exists() {
            return Err(CliError::usage(format_args!(
                "standard input would be called {name}, but there is a file of this name"
            ))
            .advise("Name that file instead of `-`, or run this in another directory.\n"));
        }
        Ok(Self { file, is_standard: true })
    }

    /// Reads it, or for a run that is looked at again what it began with.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, launch: &Launch) -> Result<Vec<u8>, CliError> {
        let read = if self.is_standard { sources::standard_input } else { sources::file };
        // Standard input can be read only once.
        launch.input(self.is_standard, || Ok(read(&self.file)?))
    }
}

/// Returns a path that means the same in every directory.
pub fn absolute(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
