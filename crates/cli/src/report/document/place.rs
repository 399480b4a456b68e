//! Where a report goes.

use std::path::PathBuf;

use crate::error::CliError;
use crate::report::files;
use crate::report::terminal::{print_text, say, shown};

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
        files::check(&self.path, "a report", is_report)
    }

    /// Writes the report.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, text: &str) -> Result<(), CliError> {
        if self.is_printed() {
            return print_text(text).map(|_| ());
        }
        files::write(&self.path, text.as_bytes())?;
        if self.is_told {
            say!("  report: {}", shown(&self.path));
        }
        Ok(())
    }
}
