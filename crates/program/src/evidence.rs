//! What a report shows beside a result: what its test prints, and files that the test adds.

use std::fs;
use std::path::{Path, PathBuf};

use minirepro_runner::{CancelToken, Limits, Printed};

use crate::error::Error;
use crate::grammars::Languages;
use crate::sources::companions;
use crate::tester::command::{Command, with_named};
use crate::tester::script::Script;

/// The most files that a test may add to a report.
const MOST_FILES: usize = 20;
/// Larger files of a test are left out.
const MOST_BYTES: u64 = 4 << 20;

/// A result, and what its test needs.
#[derive(Clone, Copy, Debug)]
pub struct Exhibit<'a> {
    /// The path whose name candidates get; what stands beside it stands beside them.
    pub file: &'a Path,
    /// The result.
    pub text: &'a [u8],
    /// What the caller wants beside candidates.
    pub companions: &'a [PathBuf],
    /// The languages that there are.
    pub languages: &'a Languages,
    /// What a test may use.
    pub limits: Limits,
    /// A request to end.
    pub stop: &'a CancelToken,
}

/// What a test shows of a result.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// What it prints.
    pub printed: Printed,
    /// Files that it adds, by name.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Script {
    /// Runs the script on a result and returns what it shows.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn evidence(&self, exhibit: &Exhibit<'_>) -> Result<Evidence, Error> {
        let mut oracle = self.oracle(exhibit.file, exhibit.limits)?;
        oracle.provide(&companions::added(exhibit.companions, exhibit.file))?;
        collect(|directory| oracle.printed(exhibit.text, directory, exhibit.stop))
    }
}

impl Command {
    /// Runs the command on a result and returns what it shows.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn evidence(&self, exhibit: &Exhibit<'_>) -> Result<Evidence, Error> {
        let Exhibit { file, text, languages, limits, stop, .. } = *exhibit;
        let mut oracle = self.oracle(file, limits)?;
        let named = companions::named_by(languages, file, text, None, stop);
        oracle.provide(&with_named(companions::added(exhibit.companions, file), &named))?;
        collect(|directory| oracle.printed(text, directory, stop))
    }
}

/// Lets a test print, and returns that with the files that it has added.
fn collect(
    print: impl FnOnce(Option<&Path>) -> Result<Printed, minirepro_runner::OracleError>,
) -> Result<Evidence, Error> {
    let directory = tempfile::tempdir().ok();
    let place = directory.as_ref().map(tempfile::TempDir::path);
    let printed = print(place).map_err(|error| Error::TestBroken { error, reproduce: None })?;
    let mut files = Vec::new();
    let entries = place.and_then(|place| fs::read_dir(place).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let is_small_file = entry.file_type().is_ok_and(|kind| kind.is_file())
            && entry.metadata().is_ok_and(|data| data.len() <= MOST_BYTES);
        if let (true, Ok(text)) = (is_small_file, fs::read(entry.path())) {
            files.push((entry.file_name().to_string_lossy().into_owned(), text));
        }
    }
    files.sort();
    files.truncate(MOST_FILES);
    Ok(Evidence { printed, files })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::request::settings::TestLimits;

    fn shown<'a>(file: &'a Path, languages: &'a Languages, stop: &'a CancelToken) -> Exhibit<'a> {
        let limits = TestLimits::default().of_first_tests();
        Exhibit { file, text: b"crash\n", companions: &[], languages, limits, stop }
    }

    #[test]
    fn a_script_may_add_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.sh");
        let text = "#!/bin/sh\npwd\necho seen > \"$MINIREPRO_EVIDENCE/a.txt\"\n\
                    ln -s /etc/passwd \"$MINIREPRO_EVIDENCE/b\"\ngrep crash \"$1\"\n";
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let (languages, stop) = (Languages::default(), CancelToken::new().unwrap());
        let evidence =
            Script::new(&path).evidence(&shown(Path::new("a.c"), &languages, &stop)).unwrap();
        assert_eq!(evidence.printed.text, ".\ncrash\n");
        assert_eq!(evidence.files, [("a.txt".to_owned(), b"seen\n".to_vec())]);
    }
}
