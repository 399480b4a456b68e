//! Collects what only tests can say about a result: what the tool prints, and what a test adds,
//! such as pictures.

use std::path::{Path, PathBuf};

use minirepro_program::{CancelToken, Exhibit, Languages, Limits, sources};

use super::document::{Document, ReportText, Reproduction};
use super::machine_paths::MachinePaths;
use crate::commands::test::GivenTest;
use crate::report::baseline::ended;

/// Files that a command names are shown up to this length.
const LONGEST_FILE: usize = 32 << 10;

/// The file in which a test says in one line what the failure is.
const FAILURE: &str = "failure.txt";

/// What is needed to ask the test of a run once more.
#[derive(Clone)]
pub struct Witness {
    /// The test.
    pub test: GivenTest,
    /// The input.
    pub file: PathBuf,
    /// What stands beside candidates.
    pub companions: Vec<PathBuf>,
    /// What a test may use.
    pub limits: Limits,
    /// A request to end.
    pub stop: CancelToken,
}

impl Witness {
    /// Adds to a report what the test shows of `result`.
    pub fn testify(&self, document: &mut Document, result: &[u8], languages: &Languages) {
        let exhibit = Exhibit {
            file: &self.file,
            text: result,
            companions: &self.companions,
            languages,
            limits: self.limits,
            stop: &self.stop,
        };
        // That a report lacks this is no reason to lack the report.
        let Some(shown) = self.test.evidence(&exhibit) else { return };
        if !shown.printed.text.trim().is_empty() {
            document.printed = Some((shown.printed.text, ended(shown.printed.ending)));
        }
        for (name, text) in shown.files {
            let added = ReportText { name, text, is_diff: false };
            match added.text() {
                Some(text) if added.name == FAILURE => {
                    let line = text.lines().next().filter(|line| !line.is_empty());
                    document.failure = line.map(str::to_owned);
                }
                _ => document.attachments.push(added),
            }
        }
    }
}

/// Names the files of a command as they are named elsewhere, and adds those that are texts to the
/// files beside the candidate.
pub fn name_files_of_command(document: &mut Document, paths: &MachinePaths) {
    let Reproduction::Command(words) = &mut document.test else { return };
    for (at, word) in words.iter_mut().enumerate() {
        let path = Path::new(word.as_str());
        let names_file = path.is_file() && (word.contains('/') || path.extension().is_some());
        let name = if at == 0 || names_file { paths.file(word) } else { paths.hide(word) };
        let shown = name.trim_start_matches("./");
        // A program that the system has needs no copy.
        let is_wanted = names_file && paths.is_own(path) && (at > 0 || path.is_relative());
        let text = sources::file(path).ok().filter(|text| is_wanted && text.len() <= LONGEST_FILE);
        let part = text.map(|text| ReportText::new(shown, &text));
        if let Some(part) = part.filter(|part| part.text().is_some())
            && !document.companions.iter().any(|there| there.name == shown)
        {
            document.companions.push(part);
        }
        *word = name;
    }
}
