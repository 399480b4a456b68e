//! The test of the command line: a script, or a program that fails.

use std::ffi::OsString;
use std::path::Path;

#[cfg(feature = "browser")]
use minirepro_browser::PageTest;
use minirepro_program::{Error, Test, TestSpec, Unreadable, sources};

use crate::report::document::document::Reproduction;
use crate::report::terminal::shown;

/// What says whether the failure is there.
#[derive(Clone, Debug)]
pub enum GivenTest {
    /// A script, or a program that fails.
    Program(Box<TestSpec>),
    /// A page that a browser shows.
    #[cfg(feature = "browser")]
    Page(Box<PageTest>),
}

impl GivenTest {
    /// Returns it as the library takes it.
    pub fn as_test(&self) -> &dyn Test {
        match self {
            Self::Program(spec) => &**spec,
            #[cfg(feature = "browser")]
            Self::Page(page) => &**page,
        }
    }

    /// Returns the words that come before the input where a reduction is told of it, unless it is a
    /// command.
    pub fn words(&self) -> Vec<OsString> {
        match self {
            Self::Program(spec) => spec.file().map(OsString::from).into_iter().collect(),
            #[cfg(feature = "browser")]
            Self::Page(page) => page.options().into_iter().map(OsString::from).collect(),
        }
    }

    /// Returns the command that does the same; `@@` stands for the file.
    pub fn command(&self) -> Vec<OsString> {
        match self {
            Self::Program(spec) => match spec.file() {
                Some(script) => vec![script.into(), "@@".into()],
                None => spec.words().to_vec(),
            },
            #[cfg(feature = "browser")]
            Self::Page(page) => page.command().into_iter().map(OsString::from).collect(),
        }
    }

    /// Reads an input as the test takes it.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let unreadable = |error| Error::InputUnreadable(path.to_owned(), Unreadable::Io(error));
        self.as_test().read(path).map_err(unreadable)
    }

    /// Returns how a person can run it again; `@@` stands for the file.
    pub fn described(&self, file: &Path) -> Reproduction {
        let spec = match self {
            Self::Program(spec) => spec,
            #[cfg(feature = "browser")]
            Self::Page(page) => return Reproduction::Command(page.command()),
        };
        match spec.file() {
            Some(path) => {
                let text = sources::file(path).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                let name = path.file_name().unwrap_or(path.as_os_str());
                Reproduction::Script { name: shown(Path::new(name)), text }
            }
            None => {
                let word = |word: &OsString| match word == file.as_os_str() {
                    true => "@@".to_owned(),
                    false => word.to_string_lossy().into_owned(),
                };
                Reproduction::Command(spec.words().iter().map(word).collect())
            }
        }
    }
}
