//! A request to find the records of a log that a failure needs.

use std::path::PathBuf;
use std::sync::Arc;

use minirepro_circumstances::Reading;

use crate::request::settings::{Causes, Settings};

/// A request to make a log small that shows a failure when it is replayed.
///
/// ```
/// # fn main() -> Result<(), minirepro_program::Error> {
/// use minirepro_program::LogReduction;
///
/// let log = "open a\nopen b\nwrite a\nclose b\nclose a\n";
/// let fails = |candidate: &[u8]| String::from_utf8_lossy(candidate).contains("write");
/// let outcome = LogReduction::new(log).run(fails)?;
/// assert_eq!(*outcome.results[0].text, *b"write a\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct LogReduction<'a> {
    /// The log.
    pub input: Arc<[u8]>,
    /// The name of the log, which candidates get.
    pub file: PathBuf,
    /// How the log is split into records, and which of them can go.
    pub reading: Reading,
    /// Whether to isolate the difference between a log that fails and one that does not.
    pub isolate: bool,
    /// Whether to look for further records that make it fail.
    pub causes: Causes,
    /// Where the result goes; `None` keeps it in memory.
    pub output: Option<PathBuf>,
    /// What all kinds of runs share.
    pub settings: Settings<'a>,
}

impl LogReduction<'_> {
    /// Makes a request to reduce a log whose records are its lines.
    pub fn new(input: impl AsRef<[u8]>) -> Self {
        Self {
            input: input.as_ref().into(),
            file: PathBuf::from("input"),
            reading: Reading::default(),
            isolate: false,
            causes: Causes::default(),
            output: None,
            settings: Settings::default(),
        }
    }
}
