//! A request to isolate the difference between what passes and what fails.

use std::path::PathBuf;
use std::sync::Arc;

use minirepro_circumstances::Grain;

use crate::request::reduction::LanguageChoice;
use crate::request::settings::Settings;

/// What the two ends of an isolation are.
#[derive(Clone, Debug)]
pub enum Ends {
    /// Two texts.
    Texts {
        /// The language of both.
        language: LanguageChoice,
    },
    /// Two versions of several files, each an [`archive`](crate::archive).
    Versions {
        /// What counts as one change.
        grain: Grain,
    },
}

/// A request to bring what passes and what fails as close to each other as possible.
///
/// ```
/// # fn main() -> Result<(), minirepro_program::Error> {
/// use minirepro_program::Isolation;
///
/// let fails = |candidate: &[u8]| String::from_utf8_lossy(candidate).contains("<= 5");
/// let outcome = Isolation::of_texts("a(i < 5, b);", "x(i <= 5, d);").language("c").run(fails)?;
/// let found = &outcome.difference;
/// let common = |text: &[u8]| String::from_utf8_lossy(text).replace("<=", "<");
/// assert_eq!(common(&found.passing), common(&found.failing));
/// # Ok(())
/// # }
/// ```
pub struct Isolation<'a> {
    /// What the ends are.
    pub ends: Ends,
    /// The end that passes.
    pub passing: Arc<[u8]>,
    /// The end that fails.
    pub failing: Arc<[u8]>,
    /// What the passing end is called; `None` if it was not given and is just empty.
    pub passing_name: Option<String>,
    /// What the failing end is called.
    pub failing_name: String,
    /// Where the ends are on disk; no result may go there.
    pub sources: Vec<PathBuf>,
    /// The file or directory whose name and permissions candidates get.
    pub file: PathBuf,
    /// Results go to this path with `.pass` and `.fail` before its suffix; `None` keeps them in
    /// memory.
    pub output: Option<PathBuf>,
    /// What all kinds of runs share.
    pub settings: Settings<'a>,
}

impl Isolation<'_> {
    /// Makes a request to isolate the difference between two texts.
    pub fn of_texts(passing: impl AsRef<[u8]>, failing: impl AsRef<[u8]>) -> Self {
        let ends = Ends::Texts { language: LanguageChoice::Guess };
        Self::new(ends, passing.as_ref().into(), failing.as_ref().into())
    }

    /// Makes a request to isolate the changes between two versions of several files, each an
    /// [`archive`](crate::archive).
    pub fn of_versions(passing: impl AsRef<[u8]>, failing: impl AsRef<[u8]>) -> Self {
        let ends = Ends::Versions { grain: Grain::Hunk };
        Self::new(ends, passing.as_ref().into(), failing.as_ref().into())
    }

    fn new(ends: Ends, passing: Arc<[u8]>, failing: Arc<[u8]>) -> Self {
        Self {
            ends,
            passing,
            failing,
            passing_name: Some("what passes".to_owned()),
            failing_name: "what fails".to_owned(),
            sources: Vec::new(),
            file: PathBuf::from("input"),
            output: None,
            settings: Settings::default(),
        }
    }

    /// Sets the language of two texts; by default it is guessed. Versions ignore it.
    #[must_use]
    pub fn language(mut self, choice: impl Into<LanguageChoice>) -> Self {
        if let Ends::Texts { language, .. } = &mut self.ends {
            *language = choice.into();
        }
        self
    }
}
