//! What a report shows beside a result: what its test prints, files that the test adds, and the
//! words of a command that the failure needs.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minirepro_engine::{Budget, Outcome};
use minirepro_runner::{CancelToken, CommandTest, Limits, Oracle, Printed};

use crate::error::Error;
use crate::grammars::Languages;
use crate::request::options::OptionSearch;
use crate::request::settings::Settings;
use crate::sources::companions;
use crate::tester::command::{Command, ExpectedFailure, with_named};
use crate::tester::script::Script;
use crate::words::search::chosen;

/// The most files that a test may add to a report.
const MOST_FILES: usize = 20;
/// Larger files of a test are left out.
const MOST_BYTES: u64 = 4 << 20;
/// How long the search for needless words may take.
const LONGEST_SEARCH: Duration = Duration::from_secs(30);

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
        let mut oracle = self.on(exhibit)?;
        collect(|directory| oracle.printed(exhibit.text, directory, exhibit.stop))
    }

    /// Returns the command without the options, and their values, that the failure does not need;
    /// `None` if it needs all. What is no option stays, since it may say what the program does.
    pub fn without_needless_options(&self, exhibit: &Exhibit<'_>) -> Option<Vec<OsString>> {
        let options = options(&self.words, exhibit.file);
        let fails = |kept: &[Vec<usize>]| {
            let is_kept = |at: usize| {
                !options.iter().any(|option| option.contains(&at))
                    || kept.iter().any(|option| option.contains(&at))
            };
            let words = (0..self.words.len()).filter(|&at| is_kept(at));
            let words = words.map(|at| self.words[at].clone()).collect();
            let line = Self { words, ..self.clone() };
            line.fails_on(exhibit).then_some(line.words)
        };
        if options.is_empty() || exhibit.stop.is_set() {
            return None;
        }
        if let Some(words) = fails(&[]) {
            return Some(words);
        }
        let of = |places: &[usize]| -> Vec<Vec<usize>> {
            places.iter().map(|&place| options[place].clone()).collect()
        };
        let test = |candidate: &[u8]| match fails(&of(&chosen(candidate))) {
            Some(_) => Outcome::Fail,
            None => Outcome::Pass,
        };
        let budget = Budget { max_time: Some(LONGEST_SEARCH), ..Budget::default() };
        let names = options.iter().map(|option| {
            let words = option.iter().map(|&at| self.words[at].to_string_lossy());
            words.collect::<Vec<_>>().join(" ")
        });
        let stop = Some(exhibit.stop.clone());
        let settings = Settings { budget, stop, ..Settings::default() };
        let search = OptionSearch { settings, ..OptionSearch::new(names) };
        let found = search.run(test).ok()?;
        let kept = of(found.sets.first()?);
        fails(&kept).filter(|words| words.len() < self.words.len())
    }

    fn on(&self, exhibit: &Exhibit<'_>) -> Result<CommandTest, Error> {
        let Exhibit { file, text, languages, limits, stop, .. } = *exhibit;
        let mut oracle = self.oracle(file, limits)?;
        let named = companions::named_by(languages, file, text, None, stop);
        oracle.provide(&with_named(companions::added(exhibit.companions, file), &named))?;
        Ok(oracle)
    }

    /// Returns whether the command shows its failure on a result; it must be said already which one
    /// counts.
    pub fn fails_on(&self, exhibit: &Exhibit<'_>) -> bool {
        let Ok(mut oracle) = self.on(exhibit) else { return false };
        let Exhibit { text, stop, .. } = *exhibit;
        match &self.criteria.expected {
            ExpectedFailure::Conditions(conditions) => oracle.expect(conditions.clone()),
            ExpectedFailure::ExitCode => oracle.use_exit_code(),
            ExpectedFailure::Signature(wanted) => {
                if oracle.learn_failure(text, Some(wanted), stop).is_err() {
                    return false;
                }
                if self.criteria.guards.is_empty() {
                    return true;
                }
            }
            ExpectedFailure::Learn => return false,
        }
        oracle.test(text, stop).is_ok_and(|seen| seen.outcome == Outcome::Fail)
    }
}

/// Returns the options of a command, each with the place of its value where that is a word of its
/// own.
fn options(words: &[OsString], file: &Path) -> Vec<Vec<usize>> {
    let is_candidate = |word: &OsStr| {
        word == file.as_os_str() || word.as_bytes().windows(2).any(|part| part == b"@@")
    };
    let is_option =
        |word: &OsStr| word.len() > 1 && word.as_bytes().starts_with(b"-") && !is_candidate(word);
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut options = Vec::new();
    let mut at = 1;
    while at < end {
        if is_option(&words[at]) {
            let value = words[..end].get(at + 1);
            let has_value = value.is_some_and(|word| !is_option(word) && !is_candidate(word));
            let last = if has_value { at + 1 } else { at };
            options.push((at..=last).collect());
            at = last;
        }
        at += 1;
    }
    options
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
    fn options_have_their_values() {
        let words: Vec<OsString> =
            ["cc", "-O2", "-I", "a b", "check", "-c", "@@", "-x@@", "--", "-y"]
                .map(Into::into)
                .into();
        assert_eq!(options(&words, Path::new("f")), [vec![1], vec![2, 3], vec![5]]);
    }

    #[test]
    fn only_the_options_that_matter_stay() {
        let directory = tempfile::tempdir().unwrap();
        let tool = directory.path().join("tool");
        let text = "#!/bin/sh\ncase \"$*\" in *-deep*name\\ x*) \
                    echo 'a.txt: Assertion failed: depth' >&2; exit 3;; esac\n";
        fs::write(&tool, text).unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        let words: Vec<OsString> = vec![
            tool.into(),
            "-v".into(),
            "-deep".into(),
            "-n".into(),
            "name x".into(),
            "-q".into(),
            "@@".into(),
        ];
        let mut command = Command::new(words.clone());
        let (languages, stop) = (Languages::default(), CancelToken::new().unwrap());
        let file = directory.path().join("a.txt");
        let exhibit = shown(&file, &languages, &stop);
        let learnt = command.failure_on(&file, exhibit.text, &[], exhibit.limits, &stop).unwrap();
        command.criteria.expected = ExpectedFailure::Signature(learnt.to_string());
        let left = command.without_needless_options(&exhibit).unwrap();
        let expected = [0, 2, 3, 4, 6].map(|at| words[at].clone());
        assert_eq!(left, expected);
        let printed = command.evidence(&exhibit).unwrap().printed;
        assert_eq!(printed.text, "a.txt: Assertion failed: depth\n");
        // All that is left is needed.
        command.words = left;
        assert_eq!(command.without_needless_options(&exhibit), None);
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
