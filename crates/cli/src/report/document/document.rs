//! What a report says, as plain data, and in which sections.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use minirepro_program::{Test, TestSpec, shell, sources};

use super::steps::ShownStep;
use crate::report::numbers::counted;
use crate::report::shell::quote_all;
use crate::report::terminal::shown;

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What the input is called.
    pub name: String,
    /// The failure in words, where it is known.
    pub failure: Option<String>,
    /// The test that decided.
    pub test: Reproduction,
    /// What the test prints on the first result, and how it ends.
    pub printed: Option<(String, String)>,
    /// Files that the test adds, such as pictures.
    pub attachments: Vec<ReportText>,
    /// The command that began the run, for a shell.
    pub started_with: String,
    /// The results.
    pub results: Vec<ReportText>,
    /// What the figures say, each a name and a value.
    pub figures: Vec<(&'static str, String)>,
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

impl Reproduction {
    /// Returns how a person can run the test of this file again.
    pub fn of(test: &dyn Test, file: &Path) -> Self {
        if let Some(path) = test.spec().and_then(TestSpec::file) {
            let text = sources::file(path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            let name = path.file_name().unwrap_or(path.as_os_str());
            return Self::Script { name: shown(Path::new(name)), text };
        }
        let word = |word: &OsString| match word == file.as_os_str() {
            true => "@@".to_owned(),
            false => word.to_string_lossy().into_owned(),
        };
        Self::Command(test.command().iter().map(word).collect())
    }
}

/// A text or a picture in a report.
#[derive(Clone, Debug, Default)]
pub struct ReportText {
    /// What it is called; its suffix tells its language.
    pub name: String,
    /// Its bytes.
    pub text: Vec<u8>,
    /// Whether it is a unified diff.
    pub is_diff: bool,
}

/// A section of a report.
pub struct Section<'a> {
    /// Its heading.
    pub title: &'a str,
    /// What stands beside the heading, or nothing.
    pub note: String,
    /// What it says.
    pub blocks: Vec<Block<'a>>,
}

/// A part of a section.
pub enum Block<'a> {
    /// A sentence.
    Words(String),
    /// A text, and its language.
    Text(String, &'a str),
    /// A unified diff.
    Diff(&'a str),
    /// A picture, and its title.
    Picture(&'a ReportText),
    /// Names and values.
    Table(&'a [(String, String)]),
    /// A part that is shown on demand, by its heading.
    Folded(String, Box<Self>),
}

impl ReportText {
    /// Makes a part of a report.
    pub fn new(name: &str, text: &[u8]) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), is_diff: false }
    }

    /// Returns whether it is a picture that every browser shows.
    pub fn is_picture(&self) -> bool {
        self.name.ends_with(".png") && self.text.starts_with(b"\x89PNG")
    }

    /// Returns its text if it is one.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.text).ok().filter(|text| !text.contains('\0'))
    }

    /// Returns its name for a heading: without what stands before it, and without its suffix.
    pub fn title(&self) -> String {
        let stem = self.name.rsplit_once('.').map_or(&self.name[..], |(stem, _)| stem);
        stem.rsplit('.').next().unwrap_or(stem).replace('-', " ")
    }

    /// Returns how it is shown.
    pub fn block(&self) -> Block<'_> {
        match self.text() {
            Some(diff) if self.is_diff => Block::Diff(diff),
            Some(text) => {
                let suffix = Path::new(&self.name).extension().and_then(OsStr::to_str);
                Block::Text(text.to_owned(), suffix.unwrap_or_default())
            }
            None => Block::Words(format!("{} that are not text.", self.size())),
        }
    }

    fn size(&self) -> String {
        counted(self.text.len() as u64, "byte")
    }
}

impl Document {
    /// Returns what it says, apart from the way to the results.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let mut all = Vec::new();
        let mut section = |title, note, blocks: Vec<_>| {
            if !blocks.is_empty() {
                all.push(Section { title, note, blocks });
            }
        };
        for part in &self.results {
            section(&part.name, part.size(), vec![part.block()]);
        }
        let file = self.results.first().map_or("FILE", |part| &part.name);
        let mut blocks = match &self.test {
            Reproduction::Unknown => Vec::new(),
            Reproduction::Command(words) => {
                let words = shell::words_with_name(words, OsStr::new(file));
                vec![Block::Text(quote_all(&words), "sh")]
            }
            Reproduction::Script { name, text } => vec![
                Block::Words(format!(
                    "{name}, run in a directory that holds only the file, whose name it gets, exits with 0 if \
                     the failure is there."
                )),
                Block::Text(text.clone(), "sh"),
            ],
        };
        let folded = |title: String, block| Block::Folded(title, Box::new(block));
        for part in &self.companions {
            blocks.push(folded(format!("Beside it: {}", part.name), part.block()));
        }
        let command = Block::Text(self.started_with.clone(), "sh");
        blocks.push(folded("The command that reduced it".to_owned(), command));
        section("To reproduce", String::new(), blocks);
        if let Some((text, ending)) = &self.printed {
            section("What it prints", ending.clone(), vec![Block::Text(text.clone(), "")]);
        }
        let mut blocks = Vec::new();
        for added in &self.attachments {
            if added.is_picture() {
                blocks.push(Block::Picture(added));
            } else if let Some(text) = added.text() {
                let title = Block::Words(format!("{}:", added.title()));
                blocks.extend([title, Block::Text(text.to_owned(), "")]);
            }
        }
        section("What one sees", String::new(), blocks);
        let others = self.other_failures.iter();
        let others = others.map(|(failure, part)| folded(failure.clone(), part.block())).collect();
        section("Other failures met on the way", String::new(), others);
        section("The machine", String::new(), vec![Block::Table(&self.surroundings)]);
        all
    }
}
