//! The input of a command: a file, or standard input where `-` stands for it.

use std::path::{Path, PathBuf};

use minirepro_program::{Error, Languages, Mode, sources};

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
        // It can be read only once, and nothing can stand beside it.
        let is_standard = file.as_os_str() == STANDARD || file == Path::new("/dev/stdin");
        let file = if is_standard { name_of_standard_input(language, languages)? } else { file };
        Ok(Self { file, is_standard })
    }

    /// Reads it, or for a run that is looked at again what it began with.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, launch: &Launch) -> Result<Vec<u8>, Error> {
        match (&launch.mode, self.is_standard) {
            (Mode::Begin | Mode::Resume(_), false) => sources::file(&self.file),
            _ => launch.recorded().unwrap_or_else(|| sources::standard_input(&self.file)),
        }
    }
}

fn name_of_standard_input(
    language: Option<&str>,
    languages: &Languages,
) -> Result<PathBuf, CliError> {
    let languages = languages.all();
    let info = languages.iter().find(|info| Some(&*info.name) == language);
    let file = match info.and_then(|info| info.suffixes.first()) {
        Some(suffix) => PathBuf::from(format!("stdin.{suffix}")),
        None => PathBuf::from("stdin"),
    };
    match file.exists() {
        true => Err(CliError::usage(format_args!(
            "standard input would be called {}, but there is a file of this name",
            file.display()
        ))
        .advise("Name that file instead of `-`, or run this in another directory.\n")),
        false => Ok(file),
    }
}

/// Refuses `-` for a file that cannot be standard input, and says why.
///
/// # Errors
/// If `file` is `-`.
pub fn refuse_standard_input(file: &Path, why: &str) -> Result<(), CliError> {
    match file.as_os_str() == STANDARD {
        true => Err(CliError::usage(format_args!("standard input cannot be used here: {why}"))),
        false => Ok(()),
    }
}
