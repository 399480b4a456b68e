//! What a user asks for: a reduction or an isolation, with its settings.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Algorithm, Budget, Scope};
use minirepro_runner::{CancelToken, Controls, Limits, Proposer, RetryPolicy};
use minirepro_syntax::Language;

use crate::error::Invocation;
use crate::grammars::Languages;
use crate::observer::Observer;

/// How the language of an input is found.
#[derive(Clone, Debug, Default)]
pub enum LanguageChoice {
    /// By the name and the content of the input.
    #[default]
    Guess,
    /// By its name, like `c`, `lines` or `records:png`.
    Named(String),
    /// It is this one.
    Given(Arc<Language>),
}

impl From<Language> for LanguageChoice {
    fn from(language: Language) -> Self {
        Self::Given(Arc::new(language))
    }
}

impl From<&str> for LanguageChoice {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

/// What becomes of the blank space of a result, as long as the result still reproduces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// It stays as the reduction left it.
    #[default]
    Keep,
    /// One line end or one space stands between tokens.
    Plain,
    /// Lines and indentation follow the structure.
    Layout,
    /// The same, unless the search ended early; nothing is said if the result does not reproduce
    /// so.
    Auto,
    /// This shell command does it, which gets the result as its standard input; else as `Layout`.
    Command(String),
}

/// A request to make an input small that shows a failure: a text, or with `files` the files of an
/// [`archive`](crate::archive).
///
/// ```
/// # fn main() -> Result<(), minirepro_program::Error> {
/// use minirepro_program::Reduction;
///
/// let fails = |candidate: &[u8]| candidate.contains(&b'7');
/// let outcome = Reduction::new("[1, {\"a\": 7}, 2]").language("json").run(&fails)?;
/// assert_eq!(outcome.text(), b"7");
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Reduction<'a> {
    /// The input.
    pub input: Arc<[u8]>,
    /// The name of the input, which candidates get; its suffix tells the language.
    pub file: PathBuf,
    /// If the input is an [`archive`](crate::archive) of a directory: the files in it that are
    /// reduced, if they are named one by one.
    pub files: Option<Vec<PathBuf>>,
    /// The language of the input; files of a directory have their own.
    pub language: LanguageChoice,
    /// Rules that are added to those of the language; a language that is given must not be shared
    /// then.
    pub rules: Vec<Rules>,
    /// Who is asked for candidates once no edit helps any more.
    pub proposers: Vec<Box<dyn Proposer>>,
    /// The order of passes and searches.
    pub algorithm: Algorithm,
    /// Which edits are tried.
    pub scope: Scope,
    /// What becomes of the blank space of a result.
    pub format: Format,
    /// Where the result goes; `None` keeps it in memory.
    pub output: Option<PathBuf>,
    /// What all kinds of runs share.
    pub settings: Settings<'a>,
}

impl Reduction<'_> {
    /// Makes a request to reduce `input`.
    pub fn new(input: impl AsRef<[u8]>) -> Self {
        Self { input: input.as_ref().into(), file: PathBuf::from("input"), ..Self::default() }
    }

    /// Sets the language of the input; by default it is guessed.
    #[must_use]
    pub fn language(mut self, language: impl Into<LanguageChoice>) -> Self {
        self.language = language.into();
        self
    }
}

/// The text of a file of rules, which are a pass of the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Where they stand, for messages.
    pub origin: String,
    /// The text.
    pub text: String,
}

/// A request to bring what passes and what fails as close to each other as possible.
///
/// ```
/// # fn main() -> Result<(), minirepro_program::Error> {
/// use minirepro_program::Isolation;
///
/// let fails = |candidate: &[u8]| String::from_utf8_lossy(candidate).contains("<= 5");
/// let isolation = Isolation::new("a(i < 5, b);", "x(i <= 5, d);");
/// let outcome = Isolation { language: Some("c".into()), ..isolation }.run(&fails)?;
/// let found = &outcome.difference;
/// let common = |text: &[u8]| String::from_utf8_lossy(text).replace("<=", "<");
/// assert_eq!(common(&found.passing), common(&found.failing));
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Isolation<'a> {
    /// The language of both texts; `None` if the ends are versions of several files, each an
    /// [`archive`](crate::archive).
    pub language: Option<LanguageChoice>,
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
    pub fn new(passing: impl AsRef<[u8]>, failing: impl AsRef<[u8]>) -> Self {
        Self {
            language: Some(LanguageChoice::Guess),
            passing: passing.as_ref().into(),
            failing: failing.as_ref().into(),
            passing_name: Some("what passes".to_owned()),
            failing_name: "what fails".to_owned(),
            file: PathBuf::from("input"),
            ..Self::default()
        }
    }
}

/// A request to find words of a command line.
///
/// ```
/// # fn main() -> Result<(), minirepro_program::Error> {
/// use minirepro_program::{OptionSearch, chosen};
///
/// let fails = |candidate: &[u8]| chosen(candidate).contains(&2);
/// let outcome = OptionSearch::new(["-O2", "-g", "-ffast-math", "-w"]).run(&fails)?;
/// assert_eq!(outcome.needed, [2]);
/// assert_eq!(outcome.words[2], "-ffast-math");
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct OptionSearch<'a> {
    /// The words in question.
    pub words: Vec<String>,
    /// Places of words that belong together, such as an option and its value.
    pub pairs: Vec<(usize, usize)>,
    /// The name of the journal's directory goes beside this path, if it is beside the result.
    pub output: Option<PathBuf>,
    /// What all kinds of runs share.
    pub settings: Settings<'a>,
}

impl OptionSearch<'_> {
    /// Makes a request to find words. Candidates for the test are made of the places of the words
    /// that are there, counted from 0; see [`chosen`](crate::chosen).
    pub fn new<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        Self { words: words.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

/// The time that a test of the unchanged input may take by default.
const FIRST_TESTS: Duration = Duration::from_secs(300);

/// What a test by a process may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestLimits {
    /// From its start to its end; by default 10 times as long as on the input, at least 5 s.
    pub time: Option<Duration>,
    /// Bytes of memory.
    pub memory: Option<u64>,
}

impl TestLimits {
    /// Returns what the first tests may use, before it is known how long they take.
    pub fn of_first_tests(&self) -> Limits {
        Limits { time: self.time.unwrap_or(FIRST_TESTS), memory: self.memory }
    }
}

/// Whether a run begins, goes on, or is looked at again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It begins, or goes on if its journal holds the same run.
    #[default]
    Begin,
    /// The run in this journal goes on.
    Resume(PathBuf),
    /// The run in this journal is decided again, without any test.
    Replay(PathBuf),
    /// The run in this journal is decided again, and then its results are searched again, with
    /// tests: are they minimal?
    Verify(PathBuf),
}

impl Mode {
    /// Returns whether the run is decided by a journal alone, at least at first.
    pub fn is_replay(&self) -> bool {
        matches!(self, Self::Replay(_) | Self::Verify(_))
    }
}

/// Where the journal of a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum JournalPlace {
    /// Nowhere: the run cannot go on.
    #[default]
    Nowhere,
    /// Beside the result, until the run is complete.
    BesideResult,
    /// In this directory, for good.
    At(PathBuf),
}

impl JournalPlace {
    /// Returns whether the journal of a complete run stays.
    pub(crate) fn is_for_good(&self) -> bool {
        matches!(self, Self::At(_))
    }
}

/// What a run keeps on disk besides its results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journaling {
    /// Whether the run begins or goes on.
    pub mode: Mode,
    /// Where its journal is.
    pub journal: JournalPlace,
    /// Begin anew even if the same run was interrupted before.
    pub fresh: bool,
    /// How the run was started, for messages of later runs.
    pub invocation: Invocation,
}

/// Commands that start agents on other machines, which run the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workers {
    /// The commands, for a shell: each connects its standard input and output to `minirepro agent`.
    pub commands: Vec<String>,
    /// How many tests this process runs itself beside them; possibly none.
    pub own_jobs: usize,
}

/// What all kinds of runs share.
#[derive(Default)]
pub struct Settings<'a> {
    /// How many tests run at the same time. The result does not depend on it.
    pub jobs: usize,
    /// The workers that run tests instead of this process. If there are any, `jobs` only
    /// counts for the last tests, which this process runs.
    pub workers: Workers,
    /// What a test by a process may use.
    pub limits: TestLimits,
    /// How often a candidate is tested before its answer counts.
    pub retry: RetryPolicy,
    /// When to stop early. The time is counted from the start of the run, its first tests included.
    pub budget: Budget,
    /// What is kept on disk besides the results.
    pub journaling: Journaling,
    /// Do not ask compilers of C and C++ in a test, with the arguments that they get there, for the
    /// syntax tree.
    pub no_compiler_runs: bool,
    /// Files and directories that every test finds beside its candidate. A
    /// command ([`TestSpec`](crate::TestSpec)) finds the files that its input names without being
    /// asked.
    pub companions: Vec<PathBuf>,
    /// The languages that there are.
    pub languages: Languages,
    /// Replace what is in the way of a result, even if it may not be a result of an earlier run.
    pub overwrite: bool,
    /// What the caller reads besides; the run does not write there.
    pub also_read: Vec<PathBuf>,
    /// What the caller writes besides, with names for messages; the run does not write there.
    pub also_written: Vec<(&'static str, PathBuf)>,
    /// A request of the caller to end the run.
    pub stop: Option<CancelToken>,
    /// Wishes of somebody who watches the run.
    pub controls: Option<Controls>,
    /// Gets all events.
    pub observer: Option<Box<dyn Observer + 'a>>,
}
