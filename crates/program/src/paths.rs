//! The names of results and of what is kept beside them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use minirepro_runner::system::shortened;

/// Returns `dir/a.WORD.c` for `dir/a.c`.
pub fn with_word(base: &Path, word: &str) -> PathBuf {
    let suffix_length = base.extension().map_or(0, |suffix| suffix.len() + 1);
    let room = word.len() + 1 + suffix_length;
    let mut name = shortened(base.file_stem().unwrap_or_default(), room);
    name.push(".");
    name.push(word);
    if let Some(suffix) = base.extension() {
        name.push(".");
        name.push(suffix);
    }
    base.with_file_name(name)
}

/// Returns where the result of a reduction of `input` goes by default: `dir/a.min.c`.
pub fn default_result(input: &Path) -> PathBuf {
    with_word(input, "min")
}

/// Returns where a result goes that did not reproduce once more: `a.min.flaky.c`, or the first of
/// `a.min.flaky2.c` and so on that is free.
/// A directory goes to `project.min.flaky` and so on.
pub fn flaky(base: &Path, is_directory: bool) -> PathBuf {
    first_free(|nth| match is_directory {
        true => with_suffix(base, &format!(".flaky{nth}")),
        false => with_word(base, &format!("flaky{nth}")),
    })
}

/// Returns where a result that is a directory goes if somebody has changed it:
/// `project.min.edited`, or the first of `project.min.edited2` and so on that is free.
pub fn edited_directory(base: &Path) -> PathBuf {
    first_free(|nth| with_suffix(base, &format!(".edited{nth}")))
}

/// Returns the first of the paths for "", "2", "3" and so on at which there is nothing.
fn first_free(name: impl Fn(&str) -> PathBuf) -> PathBuf {
    let mut path = name("");
    let mut nth = 1;
    while path.symlink_metadata().is_ok() {
        nth += 1;
        path = name(&nth.to_string());
    }
    path
}

/// Returns where the journal of a run goes that writes `result`: `OUT.minirepro`.
pub fn journal_beside(result: &Path) -> PathBuf {
    with_suffix(result, ".minirepro")
}

/// Returns the directory for inputs that show other failures: `OUT.finds`.
pub fn finds_beside(result: &Path) -> PathBuf {
    let mut name = shortened(result.file_stem().unwrap_or_default(), ".finds".len());
    name.push(".finds");
    result.with_file_name(name)
}

/// Returns `dir/aSUFFIX` for `dir/a`, with a shorter name if that would be too long for the system.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = shortened(path.file_name().unwrap_or_default(), suffix.len());
    name.push(suffix);
    path.with_file_name(name)
}

/// Returns whether two paths name the same file or directory, which need not be there yet. What can
/// be written to at any time (a terminal, a pipe) is not one.
pub fn are_same(a: &Path, b: &Path) -> bool {
    let data = |path| fs::metadata(path).ok();
    match (data(a), data(b)) {
        (Some(a), Some(b)) => {
            (a.is_file() || a.is_dir()) && (a.dev(), a.ino()) == (b.dev(), b.ino())
        }
        (None, None) => resolved(a) == resolved(b),
        _ => false,
    }
}

/// Returns whether a path names something in this directory, at any depth.
pub fn is_within(path: &Path, directory: &Path) -> bool {
    let (path, directory) = (resolved(path), resolved(directory));
    path != directory && path.starts_with(directory)
}

/// Returns a path without links; what it names need not be there yet.
fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // The kernel follows as many links.
    for _ in 0..40 {
        if let Ok(path) = fs::canonicalize(&path) {
            return path;
        }
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let name = path.file_name().map(ToOwned::to_owned);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match (fs::canonicalize(parent.unwrap_or(Path::new("."))), name) {
        (Ok(parent), Some(name)) => parent.join(name),
        // Where there is no directory, nothing can be written.
        _ => path,
    }
}

/// Something that a run writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A result, of the first cause or of another one.
    Result,
    /// The journal.
    Journal,
    /// The directory for inputs that show other failures.
    Finds,
    /// Something that the caller writes, by the name that `Settings::also_written` gives.
    ByCaller(&'static str),
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Result => "the result",
            Self::Journal => "the journal",
            Self::Finds => "the directory of other failures",
            Self::ByCaller(name) => name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_go_beside_the_input() {
        for (input, output) in [
            ("a.c", "a.min.c"),
            ("/x/a.tar.gz", "/x/a.tar.min.gz"),
            ("Makefile", "Makefile.min"),
            (".profile", ".profile.min"),
        ] {
            assert_eq!(default_result(Path::new(input)), Path::new(output));
        }
        let longest = PathBuf::from("x".repeat(253) + ".c");
        let result = default_result(&longest);
        let names = [&result, &journal_beside(&result), &finds_beside(&result)];
        assert!(names.iter().all(|name| name.as_os_str().len() <= 255), "{names:?}");
    }
}
