//! The oracle that is a user's test script: what it gets, and what its exit codes mean
//! (DESIGN.md §5).

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use minirepro_engine::Outcome;

use crate::family::{Family, MARK, Mark, StartError, kill_abandoned};
use crate::process::{Ended, wait};
use crate::scratch::{Scratch, TestDirectory, remove_abandoned};
use crate::{Ending, Observation, Oracle, OracleError, Stop};

/// How much of each output is kept for an error message, in bytes.
const KEEP: usize = 64 * 1024;
/// How many lines of it are shown.
const LINES: usize = 12;

/// A test script. It runs in a fresh directory that holds the candidate under the input's own
/// name, gets that name as its only argument, and the candidate as standard input as well.
///
/// Exit code 0 is Fail (reproduced), 125 Unresolved, 124 Unresolved (a timeout, as of `timeout`),
/// 126 and 127 are errors of the script, everything else, death by a signal too, is Pass.
#[derive(Debug)]
pub struct Script {
    script: PathBuf,
    name: OsString,
    executable: bool,
    limit: Duration,
    // Before `scratch`, so that everything that still runs dies before its directory goes.
    family: Family,
    scratch: Scratch,
}

/// Why a file cannot be a test script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// There is no such file.
    #[error("there is no test script {}: {error}", .script.display())]
    Missing {
        /// As it was given.
        script: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is a directory or something else that cannot be run.
    #[error("the test script {} is not a file", .0.display())]
    NoFile(PathBuf),
    /// It may not be executed.
    #[error("the test script {path} is not executable; run `chmod +x {path}`", path = .0.display())]
    NotExecutable(PathBuf),
    /// There is no place to run it.
    #[error("cannot make a scratch directory in {}: {error}", .parent.display())]
    Scratch {
        /// Where it should have been.
        parent: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The system does not let us look after processes.
    #[error("cannot watch over processes: {0}")]
    Processes(io::Error),
}

impl Script {
    /// Checks the script and makes a scratch directory in the system's directory for temporary
    /// files. Scratch directories and processes of dead runs are removed first.
    ///
    /// `input` is the file to reduce: its base name and whether it is executable are kept. `limit`
    /// is the time that a test may take.
    ///
    /// # Errors
    /// When the script is no executable file, or there is no scratch directory.
    pub fn new(script: &Path, input: &Path, limit: Duration) -> Result<Self, ScriptError> {
        let missing = |error| ScriptError::Missing { script: script.to_owned(), error };
        let data = fs::metadata(script).map_err(missing)?;
        if !data.is_file() {
            return Err(ScriptError::NoFile(script.to_owned()));
        }
        if data.permissions().mode() & 0o111 == 0 {
            return Err(ScriptError::NotExecutable(script.to_owned()));
        }
        // The test runs in another directory.
        let script = std::path::absolute(script).map_err(missing)?;
        let parent = std::env::temp_dir();
        remove_abandoned(&parent, kill_abandoned);
        let scratch =
            Scratch::new(&parent).map_err(|error| ScriptError::Scratch { parent, error })?;
        let family = Family::new().map_err(ScriptError::Processes)?;
        let name = input.file_name().unwrap_or(OsStr::new("input")).to_owned();
        let executable = fs::metadata(input).is_ok_and(|d| d.permissions().mode() & 0o111 != 0);
        Ok(Self { script, name, executable, limit, family, scratch })
    }

    /// The time that a test may take.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// Changes the time that a test may take.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    fn run(&self, candidate: &[u8], keep: usize, stop: &Stop) -> Result<Ended, OracleError> {
        let scratch = |error| OracleError::Scratch { path: self.scratch.path().into(), error };
        let directory = self.scratch.fresh().map_err(scratch)?;
        let mark = self.mark(&directory);
        let child = self
            .family
            .start(
                || directory.put(&self.name, candidate, self.executable),
                |file| self.command(&directory, file, &mark, keep > 0),
            )
            .map_err(|error| match error {
                StartError::Files(error) => scratch(error),
                StartError::Spawn(error) => self.not_started(error),
            })?;
        let mark = Mark { variable: &format!("{MARK}={mark}"), directory: directory.path() };
        wait(child, &self.family, &mark, self.limit, keep, stop)
            .map_err(|error| OracleError::Start { script: self.script.clone(), error })
    }

    fn mark(&self, directory: &TestDirectory<'_>) -> String {
        let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
        format!("{}/{}", name(self.scratch.path()), name(directory.path()))
    }

    fn command(&self, place: &TestDirectory<'_>, input: File, mark: &str, read: bool) -> Command {
        let output = || if read { Stdio::piped() } else { Stdio::null() };
        let mut command = Command::new(&self.script);
        command
            .arg(&self.name)
            .current_dir(place.work())
            .env("PWD", place.work())
            .env("TMPDIR", place.tmp())
            .env(MARK, mark)
            .stdin(input)
            .stdout(output())
            .stderr(output());
        command
    }

    fn not_started(&self, error: io::Error) -> OracleError {
        let script = self.script.clone();
        match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
            Some(rustix::io::Errno::NOEXEC) => OracleError::NoInterpreterLine { script },
            Some(rustix::io::Errno::NOENT) if script.exists() => {
                let interpreter = interpreter(&script);
                OracleError::NoInterpreter { script, interpreter }
            }
            _ => OracleError::Start { script, error },
        }
    }
}

impl Oracle for Script {
    fn test(&self, candidate: &[u8], stop: &Stop) -> Result<Observation, OracleError> {
        let ended = self.run(candidate, 0, stop)?;
        let outcome = match ended.ending {
            Ending::Exited(0) => Outcome::Fail,
            Ending::Exited(code @ (126 | 127)) => {
                return Err(OracleError::Broken { code, output: self.explain(candidate, stop) });
            }
            Ending::Exited(124 | 125) | Ending::TimedOut | Ending::Stopped => Outcome::Unresolved,
            Ending::Exited(_) | Ending::Signaled(_) => Outcome::Pass,
        };
        Ok(Observation { outcome, ending: ended.ending, time: ended.time })
    }

    fn explain(&self, candidate: &[u8], stop: &Stop) -> String {
        let Ok(ended) = self.run(candidate, KEEP, stop) else { return String::new() };
        let [stdout, stderr] = [ended.stdout, ended.stderr].map(|text| last_lines(&text));
        [stdout, stderr].concat()
    }
}

/// The last lines of what a test wrote, without anything that would upset a terminal.
fn last_lines(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[lines.len().saturating_sub(LINES)..].iter();
    shown
        .map(|line| {
            let line = line.chars().take(300).map(|c| if c.is_control() { ' ' } else { c });
            line.collect::<String>() + "\n"
        })
        .collect()
}

/// What stands behind `#!`, with `\r` made visible.
fn interpreter(script: &Path) -> String {
    let mut line = Vec::new();
    let file =
        File::open(script).map(|file| BufReader::new(file.take(256)).read_until(b'\n', &mut line));
    let text = String::from_utf8_lossy(line.strip_prefix(b"#!").unwrap_or(&line)).into_owned();
    if file.is_err() {
        return "an interpreter".into();
    }
    text.trim_end_matches('\n').trim_start().replace('\r', "\\r")
}
