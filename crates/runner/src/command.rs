//! The oracle that is a command: the first run shows what «the failure» is (DESIGN.md §5).

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use minirepro_engine::Outcome;

use crate::launch::{Form, LaunchError, Launcher, SetupError, last_lines};
use crate::process::Ended;
use crate::script::told;
use crate::{
    Conditions, Ending, Finds, Limits, Observation, Oracle, OracleError, Signature, Signatures,
    Stop, Template,
};

/// How much of each output is looked at, in bytes: half from its start, half from its end.
const KEEP: usize = 1 << 20;
/// What stands for the candidate in a command.
const HERE: &[u8] = b"@@";

/// A command that fails on the input. It runs in an empty directory that holds the candidate,
/// which is also its standard input.
///
/// Fail: the same signature as the input has, or all of the user's conditions, and every guard
/// succeeds. Pass: the command succeeds. All else is Unresolved; other crashes are kept.
#[derive(Debug)]
pub struct CommandTest {
    words: Vec<OsString>,
    /// The candidate decides about the command itself.
    template: Option<Template>,
    guards: Vec<OsString>,
    guard_runs: AtomicU64,
    launcher: Launcher,
    signatures: Signatures,
    failure: Failure,
    finds: Option<Finds>,
}

/// What counts as the failure.
#[derive(Debug)]
enum Failure {
    Conditions(Conditions),
    Signature(Signature),
    /// The command says so by its exit code, as a test script does.
    Told,
    /// Not learnt yet.
    Unknown,
}

/// Why a command is no test.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It does not fail.
    #[error("the command does not fail on the unchanged input: it ended with exit code 0")]
    Succeeds {
        /// The last lines that it wrote.
        output: String,
    },
    /// It takes too long.
    #[error("the command took more than {} s on the unchanged input", .0.as_secs_f32())]
    TooSlow(Duration),
    /// It writes too much, or needs too much memory.
    #[error(
        "the command writes or needs more on the unchanged input than --output-size and --memory allow"
    )]
    Exceeds,
    /// It fails otherwise than the user says.
    #[error("the failure on the unchanged input is another one: {0}")]
    Other(Signature),
    /// The stop was set.
    #[error("interrupted before the search began")]
    Stopped,
    /// It cannot be run.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// Nothing can be run.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl CommandTest {
    /// A test that knows its command, but not yet what failure to look for.
    ///
    /// In `words`, `@@` stands for the name of the candidate, which is that of `input`, or with
    /// another suffix if `@@.suffix` is written; a word that is the input's path stands for it
    /// too. `frames` is the precision of signatures.
    ///
    /// # Errors
    /// When no test can be run at all.
    pub fn new(
        words: &[OsString],
        input: &Path,
        frames: usize,
        limits: Limits,
    ) -> Result<Self, CommandError> {
        let name = name(words, input);
        let words = words.iter().map(|word| meant(word, input, &name)).collect();
        Ok(Self {
            words,
            template: None,
            guards: Vec::new(),
            guard_runs: AtomicU64::new(0),
            launcher: Launcher::new(input, &name, limits)?,
            signatures: Signatures::new(frames),
            failure: Failure::Unknown,
            finds: None,
        })
    }

    /// A test in which the candidate is the command line itself, see [`Template`].
    ///
    /// # Errors
    /// When no test can be run at all.
    pub fn of_options(
        template: Template,
        frames: usize,
        limits: Limits,
    ) -> Result<Self, CommandError> {
        let mut launcher = Launcher::new(Path::new(""), OsStr::new("none"), limits)?;
        launcher.form = Form::Nothing;
        Ok(Self {
            words: template.all_words(),
            template: Some(template),
            guards: Vec::new(),
            guard_runs: AtomicU64::new(0),
            launcher,
            signatures: Signatures::new(frames),
            failure: Failure::Unknown,
            finds: None,
        })
    }

    /// Further commands, for the shell, that must succeed for a candidate to count.
    #[must_use]
    pub fn with_guards(mut self, guards: &[String]) -> Self {
        let name = self.launcher.name();
        self.guards = guards.iter().map(|guard| filled(OsStr::new(guard), name)).collect();
        self
    }

    /// Where other crashes go.
    #[must_use]
    pub fn with_finds(mut self, finds: Finds) -> Self {
        self.finds = Some(finds);
        self
    }

    /// Lets the failure be what satisfies these conditions.
    pub fn look_for(&mut self, conditions: Conditions) {
        self.failure = Failure::Conditions(conditions);
    }

    /// Lets the failure be what the command's exit code says, by the rules for test scripts.
    pub fn believe(&mut self) {
        self.failure = Failure::Told;
    }

    /// Runs the command on the input and lets its failure be the one to look for. If `pinned` is
    /// given, the signature must be written like that.
    ///
    /// # Errors
    /// When the command cannot be run or does not fail like that.
    pub fn learn(
        &mut self,
        input: &[u8],
        pinned: Option<&str>,
        stop: &Stop,
    ) -> Result<Signature, CommandError> {
        let ended = self.run(input, stop)?;
        match ended.ending {
            Ending::TimedOut => return Err(CommandError::TooSlow(self.launcher.limits.time)),
            Ending::Stopped => return Err(CommandError::Stopped),
            Ending::Exceeded(_) => return Err(CommandError::Exceeds),
            Ending::Exited(_) | Ending::Signaled(_) => {}
        }
        let signature = self.signatures.of(ended.ending, &ended.stdout, &ended.stderr);
        let signature =
            signature.ok_or_else(|| CommandError::Succeeds { output: last_lines(&ended) })?;
        if pinned.is_some_and(|pinned| pinned != signature.to_string()) {
            return Err(CommandError::Other(signature));
        }
        self.failure = Failure::Signature(signature.clone());
        Ok(signature)
    }

    /// Runs the command once more and says by which words of its output its failure can be known.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn evidence(&self, input: &[u8], stop: &Stop) -> Result<Option<String>, CommandError> {
        let ended = self.run(input, stop)?;
        Ok(self.signatures.evidence(ended.ending, &ended.stdout, &ended.stderr))
    }

    /// What a test may use.
    pub fn limits(&self) -> Limits {
        self.launcher.limits
    }

    /// Whether control groups limit memory and processes, not limits of each process.
    pub fn is_limited_by_groups(&self) -> bool {
        self.launcher.are_limits_of_groups()
    }

    /// Changes what a test may use.
    pub fn set_limits(&mut self, limits: Limits) {
        self.launcher.limits = limits;
    }

    /// The command as it is run, and the candidate's name.
    pub fn words(&self) -> (&[OsString], &OsStr) {
        (&self.words, self.launcher.name())
    }

    /// The run goes on: what it has met before counts as met.
    pub fn recall_finds(&self) {
        self.finds.iter().for_each(Finds::recall);
    }

    /// Other crashes that were met.
    pub fn finds(&self) -> Vec<(Signature, crate::Find)> {
        self.finds.as_ref().map(Finds::all).unwrap_or_default()
    }

    fn run(&self, candidate: &[u8], stop: &Stop) -> Result<Ended, OracleError> {
        let command = match &self.template {
            Some(template) => template.command(candidate),
            None => {
                let mut command = Command::new(&self.words[0]);
                command.args(&self.words[1..]);
                command
            }
        };
        self.launch(command, candidate, KEEP, stop)
    }

    fn launch(
        &self,
        command: Command,
        candidate: &[u8],
        keep: usize,
        stop: &Stop,
    ) -> Result<Ended, OracleError> {
        let program = PathBuf::from(command.get_program());
        self.launcher.run(command, candidate, keep, stop).map_err(|error| match error {
            LaunchError::Scratch(error) => error,
            LaunchError::Start(error) => OracleError::Start { program, error },
        })
    }

    fn outcome(&self, ended: &Ended, candidate: &[u8]) -> Outcome {
        let Ended { ending, stdout, stderr, .. } = ended;
        if let Failure::Told = self.failure {
            return told(*ending);
        }
        let seen = self.signatures.of(*ending, stdout, stderr);
        let same = match &self.failure {
            Failure::Conditions(conditions) => conditions.hold(*ending, stdout, stderr),
            Failure::Signature(wanted) => seen.as_ref() == Some(wanted),
            Failure::Told | Failure::Unknown => false,
        };
        match seen {
            _ if same => Outcome::Fail,
            None if *ending == Ending::Exited(0) => Outcome::Pass,
            Some(other) if other.crash && !candidate.is_empty() => {
                // A find that cannot be kept is no reason to stop.
                let _ = self.finds.as_ref().map(|finds| finds.keep(&other, candidate));
                Outcome::Unresolved
            }
            _ => Outcome::Unresolved,
        }
    }

    /// How often a guard was run so far.
    pub fn guard_runs(&self) -> u64 {
        self.guard_runs.load(Ordering::Relaxed)
    }

    /// Whether all guards accept the candidate.
    fn is_guarded(&self, candidate: &[u8], stop: &Stop) -> Result<bool, OracleError> {
        for guard in &self.guards {
            let mut command = Command::new("/bin/sh");
            command.arg("-c").arg(guard);
            self.guard_runs.fetch_add(1, Ordering::Relaxed);
            if self.launch(command, candidate, 0, stop)?.ending != Ending::Exited(0) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Oracle for CommandTest {
    fn test(&self, candidate: &[u8], stop: &Stop) -> Result<Observation, OracleError> {
        let ended = self.run(candidate, stop)?;
        if let (Failure::Told, Ending::Exited(code @ (126 | 127))) = (&self.failure, ended.ending) {
            return Err(OracleError::Broken { code, output: last_lines(&ended) });
        }
        let mut outcome = self.outcome(&ended, candidate);
        if outcome == Outcome::Fail && !self.is_guarded(candidate, stop)? {
            outcome = Outcome::Unresolved;
        }
        // The stop may have come while a guard was running.
        let ending = if stop.is_set() { Ending::Stopped } else { ended.ending };
        Ok(Observation { outcome, ending, time: ended.time })
    }

    fn prepare(&self, candidates: &[Arc<[u8]>]) {
        self.launcher.prepare(candidates);
    }

    fn explain(&self, candidate: &[u8], stop: &Stop) -> String {
        self.run(candidate, stop).map(|ended| last_lines(&ended)).unwrap_or_default()
    }
}

/// The name of the candidate: that of the input, with the suffix that the command asks for.
fn name(words: &[OsString], input: &Path) -> OsString {
    let suffix = words.iter().find_map(|word| {
        let bytes = word.as_bytes();
        let at = bytes.windows(2).position(|w| w == HERE)?;
        let suffix = bytes[at + 2..].strip_prefix(b".")?;
        let length = suffix.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        (length > 0).then(|| OsString::from_vec(suffix[..length].to_vec()))
    });
    let name = Path::new(input.file_name().unwrap_or(OsStr::new("input")));
    match suffix {
        Some(suffix) => name.with_extension(suffix).into_os_string(),
        None => name.as_os_str().to_owned(),
    }
}

/// A word as it must be in another working directory: `@@` replaced, paths absolute.
fn meant(word: &OsStr, input: &Path, name: &OsStr) -> OsString {
    let path = Path::new(word);
    if path == input {
        return name.to_owned();
    }
    // Only what looks like a path and is one: a word like `test` may mean anything.
    if path.is_relative() && word.as_bytes().contains(&b'/') && path.exists() {
        let absolute: io::Result<PathBuf> = std::path::absolute(path);
        return absolute.map_or_else(|_| word.to_owned(), PathBuf::into_os_string);
    }
    filled(word, name)
}

/// Puts the candidate's name in the place of `@@` and `@@.suffix`.
fn filled(word: &OsStr, name: &OsStr) -> OsString {
    let suffix = Path::new(name).extension().map(OsStr::as_bytes).unwrap_or_default();
    let mut rest = word.as_bytes();
    let mut filled = Vec::new();
    while let Some(at) = rest.windows(2).position(|w| w == HERE) {
        filled.extend_from_slice(&rest[..at]);
        filled.extend_from_slice(name.as_bytes());
        rest = &rest[at + 2..];
        let behind = rest.strip_prefix(b".").and_then(|r| r.strip_prefix(suffix));
        rest = behind.filter(|_| !suffix.is_empty()).unwrap_or(rest);
    }
    filled.extend_from_slice(rest);
    OsString::from_vec(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_candidate_stands_where_the_command_wants_it() {
        let check = |words: &str, expected: &str| {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let input = Path::new("dir/crash.i");
            let name = name(&words, input);
            let meant: Vec<_> =
                words.iter().map(|word| meant(word, input, &name).into_string().unwrap()).collect();
            assert_eq!(meant.join(" "), expected);
        };
        check("cc -c @@", "cc -c crash.i");
        check("cc -c @@.c -o @@.o", "cc -c crash.c -o crash.c.o");
        check("cc --in=@@ dir/crash.i", "cc --in=crash.i crash.i");
        check("cat", "cat");
        check("cc -x @@. ./no/such/file", "cc -x crash.i. ./no/such/file");
    }
}
