//! A test as it is described: what is run, and which failure counts. The command line fills it,
//! [`ProgramTest`](crate::ProgramTest) runs it, agents on other machines get it.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fs, io};

use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use signal_hook::low_level::signal_name;

use crate::journal::format::any_path;
use crate::overhear::names::names;
use crate::overhear::names::words_of_script;
use crate::{Signature, Template, TestEnd, Workplace};

/// A test that runs a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestSpec {
    /// What is run.
    pub program: Program,
    /// Which failure counts.
    pub failure: Failure,
    /// How many stack frames belong to the signature of a crash.
    pub frames: usize,
    /// Whether the file and the line in the innermost function of a stack belong to the signature.
    pub place: bool,
    /// Shell commands that must succeed as well, where the program fails as it should.
    pub guards: Vec<String>,
    /// Where it runs, if that is within the candidate, which is a directory.
    pub workplace: Option<Workplace>,
}

/// What is run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// A script that says by its exit code whether a candidate shows the failure: 0 if it does, 125
    /// or 124 if nothing can be said, 126 or 127 if it is broken, another one if it does not.
    ///
    /// It gets the candidate's name as its argument, or the names of its files.
    Script {
        /// The script or program.
        #[serde(with = "any_path")]
        path: PathBuf,
        /// The exit code by which it marks candidates that do not show the failure but are worth
        /// keeping.
        also_interesting: Option<i32>,
    },
    /// A program that fails, and its arguments. `@@` stands for the name of the candidate, `@@.c`
    /// gives it this suffix.
    Command(Vec<OsString>),
    /// A command line that fails; the candidates are choices of its words.
    Line(Template),
}

/// Which failure counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// That of the unchanged input: how it ends, its message, its stack.
    Learn,
    /// That of the unchanged input, whose signature must be written like this.
    Written(String),
    /// The one with this signature.
    Signature(Signature),
    /// Whatever satisfies these conditions.
    Conditions(Conditions),
    /// The program says so by its exit code, as a script does.
    ExitCode,
}

/// The error for a file that cannot be a test script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// There is no such file.
    #[error("there is no test script {}: {error}", .script.display())]
    Missing {
        /// The path as it was given.
        script: PathBuf,
        /// The reason that the system gives.
        error: io::Error,
    },
    /// It is a directory or something else that cannot be run.
    #[error("the test script {} is not a file", .0.display())]
    NoFile(PathBuf),
    /// It may not be executed.
    #[error("the test script {path} is not executable; run `chmod +x {path}`", path = .0.display())]
    NotExecutable(PathBuf),
}

impl TestSpec {
    fn new(program: Program, failure: Failure) -> Self {
        Self { program, failure, frames: 3, place: false, guards: Vec::new(), workplace: None }
    }

    /// Makes a test of the script in this file.
    pub fn script(path: impl Into<PathBuf>) -> Self {
        let program = Program::Script { path: path.into(), also_interesting: None };
        Self::new(program, Failure::ExitCode)
    }

    /// Makes a test of a program with its arguments, whose failure on the input is learnt.
    pub fn command<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> Self {
        let words = words.into_iter().map(Into::into).collect();
        Self::new(Program::Command(words), Failure::Learn)
    }

    /// Makes a test of a command line, whose failure is learnt.
    pub fn line(template: Template) -> Self {
        Self::new(Program::Line(template), Failure::Learn)
    }

    /// Returns the test script, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.program {
            Program::Script { path, .. } => Some(path),
            Program::Command(_) | Program::Line(_) => None,
        }
    }

    /// Checks that its script can be run.
    ///
    /// # Errors
    /// If that is no executable file.
    pub fn check(&self) -> Result<(), ScriptError> {
        self.file().map_or(Ok(()), check_script)
    }

    /// Returns the words of its command, or of its script, in which nothing is understood.
    pub fn words(&self) -> Vec<OsString> {
        match &self.program {
            Program::Script { path, .. } => {
                let text = fs::read(path).unwrap_or_default();
                words_of_script(&text).map(|word| OsString::from_vec(word.to_vec())).collect()
            }
            Program::Command(words) => words.clone(),
            Program::Line(template) => template.all_words(),
        }
    }

    /// Returns the names of the programs that it may run.
    pub fn programs(&self) -> Vec<OsString> {
        match &self.program {
            Program::Script { path, .. } => names(std::slice::from_ref(path), &[]),
            Program::Command(words) => {
                words.first().cloned().into_iter().chain(names(&[], words)).collect()
            }
            Program::Line(_) => Vec::new(),
        }
    }
}

pub(super) fn check_script(script: &Path) -> Result<(), ScriptError> {
    let data = fs::metadata(script)
        .map_err(|error| ScriptError::Missing { script: script.to_owned(), error })?;
    if !data.is_file() {
        return Err(ScriptError::NoFile(script.to_owned()));
    }
    if data.permissions().mode() & 0o111 == 0 {
        return Err(ScriptError::NotExecutable(script.to_owned()));
    }
    Ok(())
}

/// Conditions as the user wrote them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// The program ends with this exit code, or is killed by this signal (or a shell says so by its
    /// exit code).
    pub ending: Option<TestEnd>,
    /// Standard output contains a match of each.
    pub stdout: Vec<Pattern>,
    /// Standard error contains a match of each.
    pub stderr: Vec<Pattern>,
    /// The program does not end in time.
    pub timeout: bool,
}

/// A regular expression in which `^` and `$` stand for the ends of lines.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(pub Regex);

impl FromStr for Pattern {
    type Err = regex::Error;

    /// Reads one as users write it.
    fn from_str(text: &str) -> Result<Self, regex::Error> {
        RegexBuilder::new(text).multi_line(true).build().map(Self)
    }
}

impl TryFrom<String> for Pattern {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Self, regex::Error> {
        text.parse()
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.as_str().to_owned()
    }
}

/// The error for a signal of this name, which there is not.
#[derive(Debug, thiserror::Error)]
#[error("no signal `{0}`; write a name like SEGV, or an exit code")]
pub struct NoSignal(String);

impl Conditions {
    /// Returns whether there is no condition.
    pub fn is_empty(&self) -> bool {
        let Self { ending, stdout, stderr, timeout } = self;
        ending.is_none() && [stdout, stderr].iter().all(|list| list.is_empty()) && !timeout
    }

    /// Returns whether a run satisfies all of them. A run that did not end in time does so only if
    /// that is a condition.
    pub fn hold(&self, ending: TestEnd, stdout: &[u8], stderr: &[u8]) -> bool {
        let in_time = match ending {
            TestEnd::TimedOut => self.timeout,
            TestEnd::TooMuchOutput | TestEnd::Stopped => false,
            TestEnd::Exited(_) | TestEnd::Signaled(_) => !self.timeout,
        };
        let all = |list: &[Pattern], text| list.iter().all(|pattern| pattern.0.is_match(text));
        in_time
            && self.ending.is_none_or(|wanted| match wanted {
                TestEnd::Signaled(signal) => {
                    [wanted, TestEnd::Exited(128 + signal)].contains(&ending)
                }
                _ => ending == wanted,
            })
            && all(&self.stdout, stdout)
            && all(&self.stderr, stderr)
    }

    /// Reads an exit code, or the name of a signal (`SEGV`, `SIGSEGV`).
    ///
    /// # Errors
    /// If there is no such signal.
    pub fn ending(text: &str) -> Result<TestEnd, NoSignal> {
        let name = format!("SIG{}", text.to_ascii_uppercase().trim_start_matches("SIG"));
        let signal = || (1..=64).find(|&number| signal_name(number) == Some(&*name));
        let code = text.parse().ok().map(TestEnd::Exited);
        code.or_else(|| signal().map(TestEnd::Signaled)).ok_or_else(|| NoSignal(text.to_owned()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Learn | Self::ExitCode => Ok(()),
            Self::Written(text) => f.write_str(text),
            Self::Signature(signature) => signature.fmt(f),
            Self::Conditions(conditions) => conditions.fmt(f),
        }
    }
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ending, stdout, stderr, timeout } = self;
        let mut all = Vec::new();
        all.extend(match ending {
            Some(TestEnd::Exited(code)) => Some(format!("exit code {code}")),
            Some(TestEnd::Signaled(signal)) => Some(format!("signal {signal}")),
            _ => None,
        });
        all.extend(timeout.then(|| "it does not end".to_owned()));
        all.extend(stdout.iter().map(|Pattern(regex)| format!("standard output matches {regex}")));
        all.extend(stderr.iter().map(|Pattern(regex)| format!("standard error matches {regex}")));
        f.write_str(&all.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_conditions_must_hold() {
        let pattern = |text: &str| vec![text.parse().unwrap()];
        let ends =
            |text| Conditions { ending: Conditions::ending(text).ok(), ..Conditions::default() };
        let (code, crash) = (ends("1"), ends("SEGV"));
        let says = Conditions { stderr: pattern("^bad$"), ..ends("1") };
        let slow = Conditions { timeout: true, ..Conditions::default() };
        let all = [&code, &crash, &says, &slow];
        let held = |ending, stderr: &[u8]| all.map(|c| u8::from(c.hold(ending, b"", stderr)));
        assert_eq!(held(TestEnd::Exited(1), b"x\nbad\ny"), [1, 0, 1, 0]);
        assert_eq!(held(TestEnd::Exited(1), b"bad other"), [1, 0, 0, 0]);
        assert_eq!(held(TestEnd::Signaled(11), b""), [0, 1, 0, 0]);
        assert_eq!(held(TestEnd::Exited(139), b""), [0, 1, 0, 0]);
        assert_eq!(held(TestEnd::TimedOut, b"bad"), [0, 0, 0, 1]);
        assert_eq!(held(TestEnd::Stopped, b""), [0; 4]);
    }

    #[test]
    fn signals_have_names() {
        let ends = ["SEGV", "sigabrt", "9"].map(|text| Conditions::ending(text).unwrap());
        assert_eq!(ends, [TestEnd::Signaled(11), TestEnd::Signaled(6), TestEnd::Exited(9)]);
        assert!(["", "FOO", "1x"].iter().all(|text| Conditions::ending(text).is_err()));
    }
}
