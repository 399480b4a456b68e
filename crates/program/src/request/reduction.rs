//! A request to reduce a file or bytes.

use std::path::PathBuf;
use std::sync::Arc;

use minirepro_engine::{Algorithm, Scope};
use minirepro_runner::Proposer;
use minirepro_syntax::Language;

use crate::request::settings::Settings;

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
    /// A formatter that the users of the language use does it, if one is in the path; else as
    /// `Layout`.
    Tools,
    /// This shell command does it, which gets the result as its standard input; else as `Layout`.
    Command(String),
}

/// A request to make an input small that shows a failure.
///
/// ```
/// # fn main() -> Result<(), minirepro_program::Error> {
/// use minirepro_program::Reduction;
///
/// let fails = |candidate: &[u8]| candidate.contains(&b'7');
/// let outcome = Reduction::new("[1, {\"a\": 7}, 2]").language("json").run(fails)?;
/// assert_eq!(outcome.text(), b"7");
/// # Ok(())
/// # }
/// ```
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
        Self {
            input: input.as_ref().into(),
            file: PathBuf::from("input"),
            files: None,
            language: LanguageChoice::Guess,
            rules: Vec::new(),
            proposers: Vec::new(),
            algorithm: Algorithm::default(),
            scope: Scope::default(),
            format: Format::default(),
            output: None,
            settings: Settings::default(),
        }
    }

    /// Makes a request to reduce the files of an [`archive`](crate::archive).
    ///
    /// ```
    /// # fn main() -> Result<(), minirepro_program::Error> {
    /// use minirepro_program::Reduction;
    /// use minirepro_program::archive::{Kind, entries, pack};
    ///
    /// let files: [(Kind, &[u8], &[u8]); 3] = [
    ///     (Kind::Plain, b"main.c", b"#include \"lib.h\"\nint main(void) { return lib(1, 2); }\n"),
    ///     (Kind::Plain, b"lib.h", b"int lib(int, int);\n"),
    ///     (Kind::Plain, b"notes.txt", b"nothing\n"),
    /// ];
    /// let fails = |candidate: &[u8]| {
    ///     entries(candidate).iter().any(|file| String::from_utf8_lossy(file.text).contains("lib("))
    /// };
    /// let outcome = Reduction::of_directory(pack(files).expect("plain texts")).run(fails)?;
    /// let left = entries(&outcome.result.text);
    /// assert_eq!(left.len(), 1);
    /// assert_eq!(left[0].text.trim_ascii(), b"lib();");
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_directory(archive: impl AsRef<[u8]>) -> Self {
        Self { files: Some(Vec::new()), ..Self::new(archive) }
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
