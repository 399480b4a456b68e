//! The oracle that runs a user's test script: the script's input, and the meaning of its exit
//! codes.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use minirepro_engine::Outcome;
use rustix::io::Errno;

use crate::journal::format::Word;
use crate::overhear::names::names;
use crate::overhear::{Overheard, Wish};
use crate::process::process::Ended;
use crate::scratch::original::Original;
use crate::spec::description::{DescribedTest, Program};
use crate::spec::launch::{LaunchError, Launcher, Listening, SetupError, last_lines};
use crate::spec::listened::Listened;
use crate::spec::printed::{Printed, collect_evidence};
use crate::spec::workplace::Workplace;
use crate::system::files;
use crate::system::{LIMIT, read_limited};
use crate::{
    CancelToken, Companion, Limits, Observation, Oracle, OracleError, Signatures, TestEnd, Warnings,
};

/// The part of each output that is kept for an error message, in bytes.
const KEEP: usize = 64 * 1024;

/// How many frames of a stack tell ends of a script from each other.
const FRAMES: usize = 3;

/// The part in which warnings are looked for: half from its start, half from its end.
const KEEP_FOR_WARNINGS: usize = 1 << 20;

/// A test script. It runs in an empty directory that holds the candidate under the input's own
/// name, gets that name as its only argument, and the candidate as standard input as well.
///
/// Exit code 0 is Fail (reproduced), 125 Unresolved, 124 Unresolved (a timeout, as of `timeout`),
/// 126 and 127 are errors of the script, everything else, death by a signal too, is Pass.
#[derive(Debug)]
pub struct Script {
    script: PathBuf,
    arguments: Vec<OsString>,
    launcher: Launcher,
    /// The names of programs that it may run.
    names: OnceLock<Vec<OsString>>,
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
    /// No test can be run.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Script {
    /// Checks the script and makes a scratch directory.
    ///
    /// `input` is the file to reduce: candidates get its base name, and are executable if it is.
    /// `limits` are those of a test. With a `workplace`, it runs there, and gets the names of its
    /// files.
    ///
    /// # Errors
    /// If the script is no executable file, or there is no scratch directory.
    pub fn new(
        script: &Path,
        input: &Path,
        workplace: Option<&Workplace>,
        limits: Limits,
    ) -> Result<Self, ScriptError> {
        Self::check(script)?;
        let missing = |error| ScriptError::Missing { script: script.to_owned(), error };
        // The test runs in another directory.
        let script = std::path::absolute(script).map_err(missing)?;
        let name = input.file_name().unwrap_or(OsStr::new("input"));
        let mut launcher = Launcher::new(input, name, limits)?;
        launcher.within = workplace.map(|workplace| workplace.directory.clone());
        let arguments = match workplace {
            Some(workplace) => workplace.arguments(),
            None => vec![launcher.argument()],
        };
        Ok(Self { script, arguments, launcher, names: OnceLock::new() })
    }

    /// Checks that a file can be run.
    ///
    /// # Errors
    /// If it is no executable file.
    pub fn check(script: &Path) -> Result<(), ScriptError> {
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

    /// Makes the same test of a script that comes from another machine. Where a file with this name
    /// and content is here as well, that is run, since a script may look for what lies beside it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn sent(
        path: &Path,
        text: &[u8],
        arguments: Vec<OsString>,
        launcher: Launcher,
    ) -> io::Result<Self> {
        let is_same =
            Self::check(path).is_ok() && read_limited(path, LIMIT).is_ok_and(|there| there == text);
        if path.is_absolute() && is_same {
            let script = path.to_owned();
            return Ok(Self { script, arguments, launcher, names: OnceLock::new() });
        }
        let directory = launcher.scratch().join("script");
        files::create_private_directory(&directory)?;
        let script = directory.join(path.file_name().unwrap_or(OsStr::new("test")));
        files::write_at(&files::create_new(&script, 0o700)?, text, 0)?;
        Ok(Self { script, arguments, launcher, names: OnceLock::new() })
    }

    /// Describes the test for agents.
    ///
    /// # Errors
    /// If the script, or something beside candidates, cannot be read.
    pub fn describe(&self) -> io::Result<DescribedTest> {
        let text = read_limited(&self.script, LIMIT)?;
        let path = Word::new(self.script.as_os_str());
        let arguments = self.arguments.iter().map(|word| Word::new(word)).collect();
        let program = Program::Script { path, arguments, bytes: text.len() as u64 };
        DescribedTest::new(program, text, self.launcher.surroundings()?)
    }

    /// Lets every test find `companions` beside its candidate.
    ///
    /// # Errors
    /// If they cannot be copied.
    pub fn provide(&mut self, companions: &[Companion]) -> Result<(), SetupError> {
        self.launcher.provide(companions)
    }

    /// Runs the script on the input; from now on, a candidate on which it prints a warning of a
    /// kind that it does not print there is unresolved. Returns the kinds of warnings there.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn reject_new_warnings(
        &mut self,
        input: &[u8],
        stop: &CancelToken,
    ) -> Result<&Warnings, OracleError> {
        let ended = self.run(input, KEEP_FOR_WARNINGS, stop)?;
        Ok(self.launcher.allow_warnings_of(&ended))
    }

    /// Runs the script once and returns how it ended, and by what in its output that could be told
    /// from other ends.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn seen(
        &self,
        candidate: &[u8],
        stop: &CancelToken,
    ) -> Result<(TestEnd, String), OracleError> {
        let Ended { ending, stdout, stderr, .. } = self.run(candidate, KEEP, stop)?;
        let signature = Signatures::new(FRAMES).seen(ending, &stdout, &stderr, candidate);
        let known = signature.filter(|seen| !seen.message.is_empty() || !seen.frames.is_empty());
        let said = match known {
            Some(signature) => signature.to_string(),
            None => {
                let stderr = String::from_utf8_lossy(&stderr);
                let last = stderr.lines().map(str::trim).rfind(|line| !line.is_empty());
                last.unwrap_or_default().to_owned()
            }
        };
        Ok((ending, said))
    }

    /// Runs the script and returns what it prints. Pictures and texts that it puts into
    /// `directory`, which a variable names, belong in a report.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn printed(
        &mut self,
        input: &[u8],
        directory: Option<&Path>,
        stop: &CancelToken,
    ) -> Result<Printed, OracleError> {
        collect_evidence(&mut self.launcher, directory);
        let ran = self.overheard(input, None, stop);
        collect_evidence(&mut self.launcher, None);
        let (ended, overheard) = ran?;
        Ok(Printed::new(&ended, &overheard, self.launcher.scratch()))
    }

    /// Returns the arguments that the script gets: the candidate's name, or those of its files,
    /// never ones like options.
    pub fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// Runs the script on a copy of the original, and returns which files of it were opened, if the
    /// system tells.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn opened_of(
        &self,
        original: &Original,
        stop: &CancelToken,
    ) -> Result<Option<BTreeSet<PathBuf>>, OracleError> {
        let mut command = Command::new(&self.script);
        command.args(&self.arguments);
        let copy = self.launcher.copy_of(original);
        let ran = self.launcher.run_in_copy(command, &copy, 0, stop);
        ran.map(|(_, opened)| opened).map_err(|error| self.refused(error))
    }

    /// Returns the heavy directories whose private copies tests have damaged so far.
    pub fn mended(&self) -> Vec<PathBuf> {
        self.launcher.mended()
    }

    /// Returns the limits of a test.
    pub fn limits(&self) -> Limits {
        self.launcher.limits
    }

    /// Tells all tests from now on, by a variable, that they confirm a result.
    pub fn begin_confirmation(&self) {
        self.launcher.begin_confirmation();
    }

    /// Changes the limits of a test.
    pub fn set_limits(&mut self, limits: Limits) {
        self.launcher.limits = limits;
    }

    /// Tests a candidate, and returns what its programs say as well.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn listen(
        &self,
        candidate: &[u8],
        wish: Option<Wish>,
        stop: &CancelToken,
    ) -> Result<Listened, OracleError> {
        let (ended, overheard) = self.overheard(candidate, wish, stop)?;
        let seen = self.observation(&ended);
        Ok(Listened::new(seen, &ended, overheard, self.launcher.name(), candidate))
    }

    fn overheard(
        &self,
        candidate: &[u8],
        wish: Option<Wish>,
        stop: &CancelToken,
    ) -> Result<(Ended, Overheard), OracleError> {
        let names = self.names.get_or_init(|| names(std::slice::from_ref(&self.script), &[]));
        let mut command = Command::new(&self.script);
        command.args(&self.arguments);
        let ran = self.launcher.listen(
            command,
            candidate,
            Listening { names, wish, hears_itself: false },
            KEEP_FOR_WARNINGS,
            stop,
        );
        ran.map_err(|error| self.refused(error))
    }

    fn observation(&self, ended: &Ended) -> Observation {
        let outcome = match told(ended.ending) {
            Outcome::Fail if self.launcher.has_new_warnings(ended) => Outcome::Unresolved,
            outcome => outcome,
        };
        Observation { outcome, ending: ended.ending, time: ended.time }
    }

    fn run(&self, candidate: &[u8], keep: usize, stop: &CancelToken) -> Result<Ended, OracleError> {
        self.launch(Command::new(&self.script), candidate, keep, stop)
    }

    fn launch(
        &self,
        mut command: Command,
        candidate: &[u8],
        keep: usize,
        stop: &CancelToken,
    ) -> Result<Ended, OracleError> {
        command.args(&self.arguments);
        self.launcher.run(command, candidate, keep, stop).map_err(|error| self.refused(error))
    }

    fn refused(&self, error: LaunchError) -> OracleError {
        match error {
            LaunchError::Scratch(error) => error,
            LaunchError::Start(error) => self.not_started(error),
        }
    }

    fn not_started(&self, error: io::Error) -> OracleError {
        let script = self.script.clone();
        match Errno::from_io_error(&error) {
            Some(Errno::NOEXEC) => OracleError::NoInterpreterLine { script },
            Some(Errno::NOENT) if script.exists() => {
                let interpreter = interpreter(&script);
                OracleError::NoInterpreter { script, interpreter }
            }
            _ => OracleError::Start { program: script, error },
        }
    }
}

impl Oracle for Script {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let keep = if self.launcher.warnings.is_some() { KEEP_FOR_WARNINGS } else { 0 };
        let ended = self.run(candidate, keep, stop)?;
        if let TestEnd::Exited(code @ (126 | 127)) = ended.ending {
            return Err(OracleError::Broken { code, output: self.explain(candidate, stop) });
        }
        Ok(self.observation(&ended))
    }

    fn explain(&self, candidate: &[u8], stop: &CancelToken) -> String {
        // A script may then say which of its steps decided, as those of the guide do.
        let mut command = Command::new(&self.script);
        command.env("MINIREPRO_EXPLAIN", "1");
        let ended = self.launch(command, candidate, KEEP, stop);
        ended.map(|ended| last_lines(&ended)).unwrap_or_default()
    }
}

/// Returns the outcome that the end of a test script stands for.
pub(crate) fn told(ending: TestEnd) -> Outcome {
    match ending {
        TestEnd::Exited(0) => Outcome::Fail,
        TestEnd::Exited(124 | 125)
        | TestEnd::TimedOut
        | TestEnd::TooMuchOutput
        | TestEnd::Stopped => Outcome::Unresolved,
        TestEnd::Exited(_) | TestEnd::Signaled(_) => Outcome::Pass,
    }
}

/// Returns the text behind `#!`, with `\r` made visible.
fn interpreter(script: &Path) -> String {
    let mut line = Vec::new();
    let read = File::open(script)
        .and_then(|file| BufReader::new(file.take(256)).read_until(b'\n', &mut line));
    if read.is_err() {
        return "an interpreter".into();
    }
    let text = String::from_utf8_lossy(line.strip_prefix(b"#!").unwrap_or(&line)).into_owned();
    text.trim_end_matches('\n').trim_start().replace('\r', "\\r")
}
