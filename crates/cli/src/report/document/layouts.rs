//! Reports in the layouts that issue trackers ask for.

use std::ffi::OsStr;

use minirepro_program::shell;

use super::document::{Document, Reproduction};
use super::markdown::{block, details, fenced};
use crate::args::Tracker;
use crate::report::shell::quote_all;

/// A part of a report.
#[derive(Clone, Copy, Debug)]
enum Piece {
    /// The results.
    Code,
    /// How to run the test, with what stands beside the candidate.
    Steps,
    /// What the test prints and adds.
    Output,
    /// What should happen.
    Expected,
    /// What the program says about its version.
    Version,
    /// Programs and the machine.
    Machine,
    /// Addresses at which others can try it.
    Links,
}

/// The form of a tracker: headings, and what stands below each.
struct Layout {
    /// Whether the tracker shows Markdown.
    is_markdown: bool,
    /// What stands before the failure in the title.
    title: &'static str,
    sections: &'static [(&'static str, Piece)],
}

fn layout(tracker: Tracker) -> Layout {
    use Piece::{Code, Expected, Links, Machine, Output, Steps, Version};
    let (is_markdown, title, sections): (_, _, &'static [(&'static str, Piece)]) = match tracker {
        // Crash reports: what to run, the file, and the stack.
        Tracker::Llvm => (
            true,
            "",
            &[
                ("Reproducer", Code),
                ("", Links),
                ("Command", Steps),
                ("Stack dump", Output),
                ("Version", Version),
            ],
        ),
        // https://gcc.gnu.org/bugs/ lists what is wanted; Bugzilla shows plain text.
        Tracker::Gcc => (
            false,
            "",
            &[
                ("Version and configuration", Version),
                ("System", Machine),
                ("Command line", Steps),
                ("Compiler output", Output),
                ("Preprocessed source", Code),
                ("", Links),
            ],
        ),
        Tracker::Rust => (
            true,
            "ICE: ",
            &[
                ("Code", Code),
                ("", Links),
                ("Meta", Version),
                ("Error output", Output),
                ("To reproduce", Steps),
            ],
        ),
        Tracker::Chromium => (
            false,
            "",
            &[
                ("Steps to reproduce the problem", Steps),
                ("The page", Code),
                ("What is the expected behavior?", Expected),
                ("What went wrong?", Output),
                ("Version and OS", Machine),
            ],
        ),
        Tracker::Mozilla => (
            true,
            "",
            &[
                ("Steps to reproduce", Steps),
                ("The page", Code),
                ("Actual results", Output),
                ("Expected results", Expected),
                ("Version and OS", Machine),
            ],
        ),
        Tracker::Github => (
            true,
            "",
            &[
                ("What happens", Output),
                ("To reproduce", Steps),
                ("", Code),
                ("", Links),
                ("Expected", Expected),
                ("Environment", Machine),
            ],
        ),
    };
    Layout { is_markdown, title, sections }
}

/// Writes a report in the layout of a tracker: the title in the first line, then the text.
pub fn for_tracker(document: &Document, tracker: Tracker) -> String {
    let Layout { is_markdown, title, sections } = layout(tracker);
    let writer = Writer { document, is_markdown };
    let failure = document.failure.as_deref().unwrap_or(&document.name);
    let mut text = format!("{title}{failure}\n");
    for &(heading, piece) in sections {
        let body = writer.piece(piece);
        if body.trim().is_empty() {
            continue;
        }
        text.push('\n');
        if !heading.is_empty() {
            text += &match is_markdown {
                true => format!("### {heading}\n\n"),
                false => format!("{heading}:\n\n"),
            };
        }
        text += body.trim_end();
        text.push('\n');
    }
    if let Some(certificate) = document.certificate.first() {
        text += &format!("\nReduced by minirepro {}: {certificate}.\n", env!("CARGO_PKG_VERSION"));
    }
    text
}

struct Writer<'a> {
    document: &'a Document,
    is_markdown: bool,
}

impl Writer<'_> {
    fn piece(&self, piece: Piece) -> String {
        let document = self.document;
        match piece {
            Piece::Code => {
                let parts = document.results.iter().map(|part| match self.is_markdown {
                    true => format!("`{}`:\n\n{}\n", part.name, block(part)),
                    false => format!("{}:\n{}\n", part.name, String::from_utf8_lossy(&part.text)),
                });
                parts.collect()
            }
            Piece::Steps => self.steps(),
            Piece::Output => self.output(),
            Piece::Expected => match &document.failure {
                Some(_) => "It does not fail so.\n".to_owned(),
                None => String::new(),
            },
            Piece::Version => match &document.long_version {
                Some(version) => self.code("", version),
                None => self.piece(Piece::Machine),
            },
            Piece::Machine => {
                let rows = document.programs.iter().chain(&document.surroundings);
                let bullet = if self.is_markdown { "- " } else { "" };
                rows.map(|(name, value)| format!("{bullet}{name}: {value}\n")).collect()
            }
            Piece::Links => {
                let links = document.links.iter().map(|(name, link)| match self.is_markdown {
                    true => format!("[{name}]({link})\n"),
                    false => format!("{name}: {link}\n"),
                });
                links.collect()
            }
        }
    }

    fn steps(&self) -> String {
        let document = self.document;
        let file = document.results.first().map_or("FILE", |part| &part.name);
        let mut text = match &document.test {
            Reproduction::Unknown => String::new(),
            Reproduction::Command(words) => {
                let words = shell::words_with_name(words, OsStr::new(file));
                self.code("sh", &format!("{}\n", quote_all(&words)))
            }
            Reproduction::Script { name, text } => format!(
                "{name}, run in a directory that holds only {}, with this name as its argument, \
                 exits with 0 if the failure is there:\n\n{}",
                document.name,
                self.code("sh", text)
            ),
        };
        for part in &document.companions {
            let shown = match self.is_markdown {
                true => details(&format!("Beside it: {}", part.name), &block(part)),
                false => {
                    format!("Beside it, {}:\n{}\n", part.name, String::from_utf8_lossy(&part.text))
                }
            };
            text += &format!("\n{shown}");
        }
        text
    }

    fn output(&self) -> String {
        let document = self.document;
        let mut text = match &document.printed {
            Some(printed) => self.code("", &printed.text),
            None => document.failure.clone().unwrap_or_default() + "\n",
        };
        for added in &document.attachments {
            text += &match (added.is_picture(), added.text()) {
                (true, _) => format!("\n{}: see the attached {}\n", added.title(), added.name),
                (false, Some(shown)) => format!("\n{}:\n\n{}", added.title(), self.code("", shown)),
                (false, None) => String::new(),
            };
        }
        text
    }

    fn code(&self, language: &str, text: &str) -> String {
        if self.is_markdown { fenced(language, text) } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;
    use crate::report::document::document::{Printed, ReportText};

    #[test]
    fn each_tracker_gets_what_it_asks_for() {
        let document = Document {
            name: "a.cc".into(),
            failure: Some("assertion: x > 0".into()),
            test: Reproduction::Command(vec!["g++".into(), "-O2".into(), "@@".into()]),
            printed: Some(Printed { text: "g++: x > 0\n".into(), ending: "exit code 1".into() }),
            long_version: Some("gcc version 12.2.0\n".into()),
            surroundings: vec![("System".into(), "Debian".into())],
            results: vec![ReportText {
                name: "a.min.cc".into(),
                suffix: "cc".into(),
                text: b"int a;\n".to_vec(),
                ..ReportText::default()
            }],
            certificate: vec!["1-minimal".into()],
            ..Document::default()
        };
        for tracker in Tracker::value_variants() {
            let text = for_tracker(&document, *tracker);
            for needed in ["assertion: x > 0\n", "g++ -O2 a.min.cc\n", "g++: x > 0\n", "int a;\n"] {
                assert!(text.contains(needed), "{tracker:?} lacks {needed}: {text}");
            }
        }
        expect_test::expect![[r"
            assertion: x > 0

            Version and configuration:

            gcc version 12.2.0

            System:

            System: Debian

            Command line:

            g++ -O2 a.min.cc

            Compiler output:

            g++: x > 0

            Preprocessed source:

            a.min.cc:
            int a;

            Reduced by minirepro 0.1.0: 1-minimal.
        "]]
        .assert_eq(&for_tracker(&document, Tracker::Gcc));
    }
}
