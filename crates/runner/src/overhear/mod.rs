//! Overhears the programs that a test runs, so that their messages are known although the test
//! throws them away: links with their names stand in front of `PATH` and lead to this program,
//! which runs the real one and keeps a copy of what it writes. Nothing runs that the test does not
//! run.

pub(crate) mod ear;
pub mod names;
mod passed;
mod program;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::TestEnd;
use crate::journal::format::{any_path, any_words};

pub use program::overhear;

/// The directory of a test in which the links are.
const LINKS: &str = "overheard";

/// The directory of a test in which there is what was heard.
const HEARD: &str = "heard";

/// The file in there that says what is wished besides.
const WISH: &str = "wish";

/// This executable, if it can be called by the names of others.
static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();

/// Returns whether programs of tests can be overheard: only if this one knows what to do when it is
/// called by their names.
pub fn can_overhear() -> bool {
    EXECUTABLE.get().is_some()
}

/// What a compiler is asked for besides, with the arguments that it gets in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wish {
    /// What it compiles, with all that is included.
    Preprocessed,
    /// The syntax tree of that.
    Tree,
}

/// A program that a test has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeardProgram {
    /// Its path and its arguments.
    pub words: Vec<OsString>,
    /// How it ended.
    pub ending: TestEnd,
    /// What it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error.
    pub stderr: Vec<u8>,
}

/// What was heard in a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overheard {
    /// The programs, in the order in which they were started.
    pub programs: Vec<HeardProgram>,
    /// The command that granted the wish; what was wished for is its standard output.
    pub granted: Option<HeardProgram>,
}

/// A program that is about to run, for whoever knows how to make the command that grants a wish.
#[derive(Debug)]
pub struct Called<'a> {
    /// The wish.
    pub wish: Wish,
    /// Its path and its arguments.
    pub words: &'a [OsString],
    /// The name of the candidate.
    pub candidate: &'a std::ffi::OsStr,
    /// A directory in which files can be made for the command.
    pub place: &'a std::path::Path,
}

/// The beginning of a file about a program that was heard: it is followed by its outputs.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    #[serde(with = "any_words")]
    words: Vec<OsString>,
    ending: TestEnd,
    stdout: usize,
}

/// A wish, with the name of the candidate.
#[derive(Debug, Serialize, Deserialize)]
struct Wished {
    wish: Wish,
    #[serde(with = "any_path")]
    candidate: OsString,
}
