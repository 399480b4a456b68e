//! The test of the command line: a script, or a program that fails.

use std::ffi::OsString;
use std::path::Path;

#[cfg(feature = "browser")]
use minirepro_browser::PageTest;
use minirepro_program::{Program, Test, TestSpec, sources};

use crate::report::document::document::Reproduction;
use crate::report::terminal::shown;

/// The exit code of a script for candidates that do not show the failure but something else.
const WORTH_A_LOOK: i32 = 101;

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
    /// Lets a script mark candidates that are worth keeping.
    #[must_use]
    pub fn marking(mut self) -> Self {
        if let Self::Program(spec) = &mut self
            && let Program::Script { also_interesting, .. } = &mut spec.program
        {
            *also_interesting = Some(WORTH_A_LOOK);
        }
        self
    }

    /// Returns it as the library takes it.
    pub fn as_test(&self) -> &dyn Test {
        match self {
            Self::Program(spec) => &**spec,
            #[cfg(feature = "browser")]
            Self::Page(page) => &**page,
        }
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
