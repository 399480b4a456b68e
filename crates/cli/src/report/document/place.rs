//! Where a report goes, and how it is written there.

use std::path::PathBuf;

use minirepro_program::{OutputFile, RunEvent};

use super::html::page;
use super::markdown::markdown;
use super::recorder::Recorder;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::sinks::Sink;
use crate::report::stats;
use crate::report::terminal::{print, say, shown};

/// Where a report goes, and how it is made.
#[derive(Clone, Debug)]
pub struct ReportPlace {
    /// The file; `-` is standard output.
    pub path: PathBuf,
    /// Whether it is Markdown, not a page.
    pub is_markdown: bool,
    /// Whether the test may be asked what it prints.
    pub runs_programs: bool,
    /// Whether the user is told where it is.
    pub is_told: bool,
    /// Where the result is now, if that is elsewhere than the run has put it.
    pub result: Option<PathBuf>,
}

impl ReportPlace {
    /// Returns the place of a report of one's own run; its suffix tells the form.
    pub fn of(path: PathBuf) -> Self {
        let is_markdown = path.extension().is_some_and(|suffix| suffix == "md");
        Self { path, is_markdown, runs_programs: true, is_told: true, result: None }
    }

    /// Returns whether it goes to standard output.
    pub fn is_printed(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Checks that the report can be written and that nothing else is lost by it.
    ///
    /// # Errors
    /// If it cannot be written, or something else is there.
    pub fn check(&self) -> Result<(), CliError> {
        if self.is_printed() {
            return Ok(());
        }
        let is_report = |there: &[u8]| String::from_utf8_lossy(there).contains("minirepro");
        stats::check(&self.path, "a report", is_report)
    }
}

/// Writes a report of a run that has a result.
#[derive(Debug)]
pub struct Report {
    /// Collects what it says.
    pub recorder: Recorder,
    /// Where it goes.
    pub place: ReportPlace,
}

impl Sink for Report {
    fn event(&mut self, event: &RunEvent<'_>) {
        self.recorder.event(event);
    }

    fn finish(self: Box<Self>, has_result: bool) -> Result<(), CliError> {
        if !has_result {
            return Ok(());
        }
        let Self { recorder, place } = *self;
        let not_written = |error| CliError::new(Exit::NotWritten, error);
        let mut document = recorder.finish(place.runs_programs);
        if place.is_markdown {
            let stem = place.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for added in &mut document.attachments {
                added.name = format!("{stem}.{}", added.name);
            }
        }
        let text = if place.is_markdown { markdown(&document) } else { page(&document) };
        if place.is_printed() {
            return print(|to| to.write_all(text.as_bytes())).map(|_| ());
        }
        OutputFile::new(&place.path, &place.path).write(text.as_bytes()).map_err(not_written)?;
        // A page holds its pictures; a text names them.
        let pictures = document.attachments.iter().filter(|added| added.is_picture());
        for added in pictures.filter(|_| place.is_markdown) {
            let path = place.path.with_file_name(&added.name);
            OutputFile::new(&path, &path).write(&added.bytes).map_err(not_written)?;
        }
        if place.is_told {
            say!("  report: {}", shown(&place.path));
        }
        Ok(())
    }
}
