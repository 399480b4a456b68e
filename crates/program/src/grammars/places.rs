//! Where added languages and compiled grammars are kept.

use std::env;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use crate::grammars::error::GrammarError;

/// Where added languages and compiled grammars are kept. By default where the XDG Base Directory
/// Specification says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The directory of added languages.
    pub languages: Option<PathBuf>,
    /// The directory of compiled grammars.
    pub compiled: Option<PathBuf>,
}

impl Places {
    /// Returns the places of the user: `minirepro/languages` in `$XDG_CONFIG_HOME` or `~/.config`,
    /// and `minirepro/grammars` in `$XDG_CACHE_HOME` or `~/.cache`.
    pub fn of_user() -> Self {
        let below = |variable: &str, in_home: &str, last: &str| {
            let absolute = |path: &PathBuf| path.is_absolute();
            let named = env::var_os(variable).map(PathBuf::from).filter(absolute);
            let home = || env::var_os("HOME").map(PathBuf::from).filter(absolute);
            let base = named.or_else(|| Some(home()?.join(in_home)))?;
            Some(base.join("minirepro").join(last))
        };
        Self {
            languages: below("XDG_CONFIG_HOME", ".config", "languages"),
            compiled: below("XDG_CACHE_HOME", ".cache", "grammars"),
        }
    }

    /// Returns the directory of added languages.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn languages(&self) -> Result<&Path, GrammarError> {
        let (what, variable) = ("added languages", "XDG_CONFIG_HOME");
        self.languages.as_deref().ok_or(GrammarError::NoPlace { what, variable })
    }

    /// Returns the directory of compiled grammars.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn compiled(&self) -> Result<&Path, GrammarError> {
        let (what, variable) = ("compiled grammars", "XDG_CACHE_HOME");
        self.compiled.as_deref().ok_or(GrammarError::NoPlace { what, variable })
    }
}

/// Makes a directory that only the user can enter, and those above it.
///
/// # Errors
/// If it cannot be made, or is somebody else's.
pub(super) fn make_own(directory: &Path) -> Result<(), GrammarError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| GrammarError::Unwritable { path: directory.to_owned(), error })?;
    check_own(directory)
}

/// Checks that nobody else can put anything into a directory from which native code is loaded.
///
/// # Errors
/// If somebody can, or it cannot be looked at.
pub(super) fn check_own(directory: &Path) -> Result<(), GrammarError> {
    let path = directory.to_owned();
    match fs::metadata(directory) {
        Ok(data) if data.uid() == geteuid().as_raw() && data.mode() & 0o022 == 0 => Ok(()),
        Ok(_) => Err(GrammarError::NotOwn { path }),
        Err(error) => Err(GrammarError::Unreadable { path, error }),
    }
}
