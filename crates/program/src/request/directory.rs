//! A request to reduce a directory.

use std::path::PathBuf;
use std::sync::Arc;

use minirepro_engine::{Algorithm, Scope};

use crate::request::rules::Rules;
use crate::request::settings::Settings;

/// A request to make a directory small that shows a failure.
///
/// ```
/// # fn main() -> Result<(), minirepro_program::Error> {
/// use minirepro_program::DirectoryReduction;
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
/// let outcome = DirectoryReduction::new(pack(files).expect("plain texts")).run(fails)?;
/// let left = entries(&outcome.result.text);
/// assert_eq!(left.len(), 1);
/// assert_eq!(left[0].text.trim_ascii(), b"lib();");
/// # Ok(())
/// # }
/// ```
pub struct DirectoryReduction<'a> {
    /// The files, packed; see [`archive`](crate::archive).
    pub input: Arc<[u8]>,
    /// The name of the directory, which candidates get.
    pub directory: PathBuf,
    /// The files that it is made of, if they are named one by one.
    pub files: Vec<PathBuf>,
    /// The order of passes and searches within a file.
    pub algorithm: Algorithm,
    /// Which edits are tried.
    pub scope: Scope,
    /// Rules that are tried in addition to those of the languages of the files.
    pub rules: Vec<Rules>,
    /// Where the result goes; `None` keeps it in memory.
    pub output: Option<PathBuf>,
    /// What all kinds of runs share.
    pub settings: Settings<'a>,
}

impl DirectoryReduction<'_> {
    /// Makes a request to reduce the files of an [`archive`](crate::archive).
    pub fn new(archive: impl AsRef<[u8]>) -> Self {
        Self {
            input: archive.as_ref().into(),
            directory: PathBuf::from("input"),
            files: Vec::new(),
            algorithm: Algorithm::default(),
            scope: Scope::default(),
            rules: Vec::new(),
            output: None,
            settings: Settings::default(),
        }
    }
}
