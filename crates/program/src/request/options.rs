//! A request to find the words of a command line that a failure needs.

use crate::request::settings::Settings;
use crate::tester::command_line::CommandLine;

/// A request to find words of a command line.
///
/// ```
/// # fn main() -> Result<(), minirepro_program::Error> {
/// use minirepro_program::{OptionSearch, chosen};
///
/// let fails = |candidate: &[u8]| chosen(candidate).contains(&2);
/// let outcome = OptionSearch::new(["-O2", "-g", "-ffast-math", "-w"]).run(fails)?;
/// assert_eq!(outcome.sets, [[2]]);
/// assert_eq!(outcome.words[2], "-ffast-math");
/// # Ok(())
/// # }
/// ```
pub struct OptionSearch<'a> {
    /// The words in question.
    pub words: Vec<String>,
    /// Places of words that belong together, such as an option and its value.
    pub pairs: Vec<(usize, usize)>,
    /// The name of the journal's directory goes beside this path, if it is beside the result.
    pub output: Option<std::path::PathBuf>,
    /// What all kinds of runs share.
    pub settings: Settings<'a>,
}

impl OptionSearch<'_> {
    /// Makes a request to find words. Candidates for the test are made of the places of the words
    /// that are there, counted from 0; see [`chosen`](crate::chosen).
    pub fn new<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            pairs: Vec::new(),
            output: None,
            settings: Settings::default(),
        }
    }

    /// Makes a request to find the words of a command line that can be left out.
    pub fn of_command_line(line: &CommandLine) -> Self {
        Self { pairs: line.template.pairs(), ..Self::new(line.template.names()) }
    }
}
