//! What a report says, as plain data.

use super::code::Word;
use super::steps::ShownStep;

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What the input is called.
    pub name: String,
    /// The failure in words, where it is known.
    pub failure: Option<String>,
    /// The test that decided.
    pub test: Reproduction,
    /// What the test prints on the first result.
    pub printed: Option<Printed>,
    /// Files that the test adds, such as pictures.
    pub attachments: Vec<Attachment>,
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

/// The output of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// What it printed.
    pub text: String,
    /// How it ended.
    pub ending: String,
}

/// A file that a test adds to a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Attachment {
    /// Returns whether it is a picture that every browser shows.
    pub fn is_picture(&self) -> bool {
        self.name.ends_with(".png") && self.bytes.starts_with(b"\x89PNG")
    }

    /// Returns its text if it is one.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|text| !text.contains('\0'))
    }

    /// Returns its name for a heading: without what stands before it, and without its suffix.
    pub fn title(&self) -> String {
        let stem = self.name.rsplit_once('.').map_or(&self.name[..], |(stem, _)| stem);
        let last = stem.rsplit('.').next().unwrap_or(stem);
        last.replace('-', " ")
    }
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
