//! The test of the command line: a script, or a program that fails.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[cfg(feature = "browser")]
use minirepro_browser::PageTest;
use minirepro_program::{Command, Script, Test, Workplace, sources};

use crate::report::document::document::Reproduction;
use crate::report::terminal::shown;

/// The exit code of a script for candidates that do not show the failure but something else.
const WORTH_A_LOOK: i32 = 101;

/// A script, or a program that fails.
#[derive(Clone, Debug)]
pub enum GivenTest {
    /// A script that says whether the failure is there.
    Script(Script),
    /// A program whose failure is looked for.
    Command(Command),
    /// A page that a browser shows.
    #[cfg(feature = "browser")]
    Page(Box<PageTest>),
}

impl GivenTest {
    /// Returns that of a script, which may mark candidates that are worth keeping.
    pub fn of_script(path: PathBuf, workplace: Option<Workplace>) -> Self {
        let script = Script::new(path).also_interesting(Some(WORTH_A_LOOK));
        Self::Script(Script { workplace, ..script })
    }

    /// Returns it as the library takes it.
    pub fn as_test(&self) -> &dyn Test {
        match self {
            Self::Script(script) => script,
            Self::Command(command) => command,
            #[cfg(feature = "browser")]
            Self::Page(page) => &**page,
        }
    }

    /// Returns how a person can run it again; `@@` stands for the file.
    pub fn described(&self, file: &Path) -> Reproduction {
        match self {
            Self::Script(script) => {
                let text = sources::file(&script.path).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                let name = script.path.file_name().unwrap_or(script.path.as_os_str());
                Reproduction::Script { name: shown(Path::new(name)), text }
            }
            Self::Command(command) => {
                let word = |word: &OsString| match word == file.as_os_str() {
                    true => "@@".to_owned(),
                    false => word.to_string_lossy().into_owned(),
                };
                Reproduction::Command(command.words.iter().map(word).collect())
            }
            #[cfg(feature = "browser")]
            Self::Page(page) => Reproduction::Command(page.command()),
        }
    }
}
