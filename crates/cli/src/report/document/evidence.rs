//! Collects what only tests can say about a result: what the tool prints, and what a test adds, such
//! as pictures.

use std::path::{Path, PathBuf};

use minirepro_program::{
    CancelToken, Exhibit, Failure, Languages, Limits, Program, TestEnd, evidence, fails_on, sources,
};

use super::document::{Attachment, Document, Printed, Reproduction};
use super::machine_paths::MachinePaths;
use super::part::code;
use crate::given::GivenTest;

/// Files that a command names are shown up to this length.
const LONGEST_FILE: usize = 32 << 10;

/// The file in which a test says in one line what the failure is.
const FAILURE: &str = "failure.txt";

/// What is needed to ask the test of a run once more.
#[derive(Clone, Debug)]
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
    /// Adds to a report what the test shows of `result`, the first result.
    pub fn testify(&self, document: &mut Document, result: &[u8], languages: &Languages) {
        let name = document.results.first().map_or_else(String::new, |part| part.name.clone());
        let as_result = self.file.with_file_name(&name);
        let exhibit = Exhibit {
            file: &self.file,
            text: result,
            companions: &self.companions,
            languages,
            limits: self.limits,
            stop: &self.stop,
        };
        let shown = match &self.test {
            #[cfg(feature = "browser")]
            GivenTest::Page(page) => page.evidence(&exhibit),
            // Scripts may ask for the file by its own name.
            GivenTest::Program(script) if script.file().is_some() => evidence(script, &exhibit),
            GivenTest::Program(command) => {
                let mut command = command.clone();
                if let Program::Command(words) = &mut command.program {
                    let names_file = words.iter_mut().filter(|word| **word == self.file);
                    names_file.for_each(|word| *word = "@@".into());
                }
                if let (Failure::Learn, Some(failure)) = (&command.failure, &document.failure) {
                    command.failure = Failure::Written(failure.clone());
                }
                let renamed = Exhibit { file: &as_result, ..exhibit };
                let exhibit = match self.file.is_dir() || name.is_empty() {
                    true => exhibit,
                    false if fails_on(&command, &renamed) => renamed,
                    // A compiler may not bear another dot in the name of a file.
                    false => {
                        if let (Some(part), Some(own)) =
                            (document.results.first_mut(), self.file.file_name())
                        {
                            part.name = own.to_string_lossy().into_owned();
                        }
                        exhibit
                    }
                };
                evidence(&command, &exhibit)
            }
        };
        // That a report lacks this is no reason to lack the report.
        let Ok(shown) = shown else { return };
        if !shown.printed.text.trim().is_empty() {
            document.printed =
                Some(Printed { text: shown.printed.text, ending: ended(shown.printed.ending) });
        }
        for (name, bytes) in shown.files {
            let added = Attachment { name, bytes };
            match added.text() {
                Some(text) if added.name == FAILURE => {
                    let line = text.lines().next().map(str::to_owned);
                    document.failure = line.filter(|line| !line.is_empty());
                }
                _ => document.attachments.push(added),
            }
        }
    }
}

/// Says how a test ended.
fn ended(ending: TestEnd) -> String {
    match ending {
        TestEnd::Exited(code) => format!("exit code {code}"),
        TestEnd::Signaled(signal) => format!("signal {signal}"),
        TestEnd::TimedOut => "it does not end".to_owned(),
        TestEnd::TooMuchOutput => "it goes beyond its limits".to_owned(),
        TestEnd::Stopped => "interrupted".to_owned(),
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
        let text = sources::file(path).ok().filter(|text| {
            text.len() <= LONGEST_FILE && std::str::from_utf8(text).is_ok() && !text.contains(&0)
        });
        // A program that the system has needs no copy.
        let is_installed = at == 0 && path.is_absolute();
        if let (Some(text), true, false) = (text, names_file && paths.is_own(path), is_installed) {
            let shown = name.trim_start_matches("./").to_owned();
            if !document.companions.iter().any(|part| part.name == shown) {
                document.companions.push(code(&shown, &text, None));
            }
        }
        *word = name;
    }
}
