//! What a report says, as plain data.

use std::time::Duration;

use super::code::Word;
use super::steps::ShownStep;
use crate::args::FailureArgs;

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What the input is called.
    pub name: String,
    /// The failure in words, where it is known.
    pub failure: Option<String>,
    /// The test that decided.
    pub test: Reproduction,
    /// What counts as the failure of a command.
    pub conditions: FailureArgs,
    /// The time of a test, where it was given.
    pub timeout: Option<Duration>,
    /// The command that began the run, for a shell.
    pub started_with: String,
    /// The results.
    pub results: Vec<ReportText>,
    /// What the figures say, each a name and a value.
    pub figures: Vec<(String, String)>,
    /// What is certified, or why nothing is.
    pub certificate: Vec<String>,
    /// Files that every test finds beside its candidate.
    pub companions: Vec<ReportText>,
    /// The sizes on the way down: tests so far, tokens.
    pub curve: Vec<(u64, u64)>,
    /// Versions on the way down.
    pub steps: Vec<ShownStep>,
    /// The passes that won something.
    pub passes: Vec<PassLine>,
    /// Other failures that were met, each with its input.
    pub other_failures: Vec<(String, ReportText)>,
    /// Programs and their versions.
    pub programs: Vec<(String, String)>,
    /// The machine.
    pub surroundings: Vec<(String, String)>,
}

/// The test of a run, as a person can run it again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reproduction {
    /// It is not known.
    #[default]
    Unknown,
    /// A program and its arguments, in which `@@` stands for the file.
    Command(Vec<String>),
    /// A script with its name and text.
    Script {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
}

/// A text in a report.
#[derive(Clone, Debug, Default)]
pub struct ReportText {
    /// What it is called.
    pub name: String,
    /// The language of a fenced block that shows it: its suffix.
    pub suffix: String,
    /// How it is shown.
    pub body: Body,
    /// Its bytes.
    pub text: Vec<u8>,
}

/// How a text is shown.
#[derive(Clone, Debug)]
pub enum Body {
    /// As coloured code.
    Code(Vec<Word>),
    /// As a unified diff.
    Diff(String),
    /// It is not text.
    Binary,
}

impl Default for Body {
    fn default() -> Self {
        Self::Code(Vec::new())
    }
}

/// What a pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassLine {
    /// Its name.
    pub name: String,
    /// What its edits are.
    pub edits: String,
    /// Tests that it needed.
    pub tests: u64,
    /// Tokens that it removed.
    pub tokens: u64,
    /// Bytes that it removed, beyond what it added.
    pub bytes: i64,
}
