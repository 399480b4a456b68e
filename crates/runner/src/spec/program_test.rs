//! The test that runs a program: a script, or a command whose failure is known by its signature or
//! by conditions.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use minirepro_engine::Outcome;

use crate::journal::format::Digest;
use crate::overhear::names::names;
use crate::overhear::{Overheard, Wish};
use crate::process::process::Ended;
use crate::scratch::original::Original;
use crate::spec::launch::{
    CopyOf, Form, Launched, Launcher, Listening, Scene, SetupError, argument, last_lines,
};
use crate::spec::listened::Listened;
use crate::spec::printed::{Printed, collect_evidence};
use crate::spec::shell::{self, HERE, word_with_name};
use crate::spec::spec::{Failure, Program, TestSpec};
use crate::spec::workplace::lexically_normal;
use crate::{
    CancelToken, Companion, Limits, Observation, Oracle, OracleError, OtherCrash, OtherCrashes,
    Signature, Signatures, TestEnd,
};

/// The part of each output that counts, in bytes: half from its start, half from its end.
const KEEP: usize = 1 << 20;

/// A command that takes longer runs once only before its failure is known.
const SHORT: Duration = Duration::from_secs(10);

/// A program that runs on candidates. It runs in an empty directory that holds the candidate, which
/// is also its standard input.
///
/// Fail: the same signature as the input has, or all of the user's conditions, and every guard
/// succeeds. Pass: the program succeeds. All else is Unresolved; other crashes are kept. Guards run
/// where the program fails as it should. A script, and whatever else says it by its exit code,
/// decides itself.
#[derive(Debug)]
pub struct ProgramTest {
    /// As it was described; its failure is known once it is learnt.
    pub(super) spec: TestSpec,
    /// The words that are run.
    pub(super) words: Vec<OsString>,
    /// The same as the user has typed them, where that can be run for comparison.
    typed: Option<Vec<OsString>>,
    input: PathBuf,
    /// It comes from another machine.
    pub(super) is_sent: bool,
    guard_runs: AtomicU64,
    pub(super) launcher: Launcher,
    /// The names of programs that it may run.
    names: OnceLock<Vec<OsString>>,
    pub(super) signatures: Signatures,
    finds: Option<OtherCrashes>,
}

/// The error for a command that is no test.
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
    #[error("the command writes or needs more on the unchanged input than it may")]
    Exceeds,
    /// It fails otherwise than the user says.
    #[error("the failure on the unchanged input is another one: {0}")]
    Other(Box<Signature>),
    /// A guard refuses the unchanged input.
    #[error("what must succeed as well does not succeed on the unchanged input: {guard}")]
    Refused {
        /// The guard.
        guard: String,
        /// How it ended.
        ending: TestEnd,
        /// The last lines that it wrote.
        output: String,
    },
    /// It fails in the directory of a test, but not so in the user's own.
    #[error(
        "{}: {}",
        .in_test.as_ref().map_or(
            "in this directory, the command does not fail as it should".to_owned(),
            |failure| format!(
                "the command fails in the directory of a test ('{failure}'), but not so in this one"
            )
        ),
        .as_typed.as_ref().map_or("it shows no failure".to_owned(), |failure| format!("'{failure}'"))
    )]
    FailsOnlyInTests {
        /// How it fails in the directory of a test, if that was learnt.
        in_test: Option<Box<Signature>>,
        /// How it fails in the user's directory, if it does.
        as_typed: Option<Box<Signature>>,
        /// The last lines that it wrote there.
        output: String,
    },
    /// All that it says is that a file is missing.
    #[error("the command only fails because a file is missing: {0}")]
    FileMissing(Box<Signature>),
    /// The stop was set.
    #[error("interrupted before the search began")]
    Stopped,
    /// It cannot be run.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// What a test of a candidate has shown.
struct Look {
    seen: Observation,
    /// How it failed, if not as it should.
    failure: Option<Signature>,
    ended: Ended,
    overheard: Overheard,
}

impl ProgramTest {
    /// Gets ready to run a test on candidates that have the name and the permissions of `input`;
    /// the name has another suffix if the command says so (`@@.suffix`). A word that is the input's
    /// path stands for the candidate as well.
    ///
    /// # Errors
    /// If no test can be run at all.
    pub fn new(spec: TestSpec, input: &Path, limits: Limits) -> Result<Self, SetupError> {
        let own_name = input.file_name().unwrap_or(OsStr::new("input")).to_owned();
        let mut typed = None;
        let (name, words) = match (&spec.program, &spec.workplace) {
            (Program::Line(template), _) => ("none".into(), template.all_words()),
            (Program::Script { path, .. }, workplace) => {
                // It runs in another directory.
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                let arguments = match workplace {
                    Some(workplace) => workplace.arguments(),
                    None => vec![argument(&own_name)],
                };
                (own_name, [vec![path.into_os_string()], arguments].concat())
            }
            (Program::Command(words), Some(workplace)) => {
                typed = Some(words.clone());
                (own_name, all_meant(words, &|path| workplace.own(path), None))
            }
            (Program::Command(words), None) => {
                let name = name(words, input);
                // With another suffix the candidate is no file that the user has.
                typed = (name == own_name).then(|| words.clone());
                let candidate = argument(&name);
                let own = |path: &Path| {
                    let below = path.strip_prefix(input).ok()?;
                    Some(match below == Path::new("") {
                        true => candidate.clone(),
                        false => Path::new(&candidate).join(below).into_os_string(),
                    })
                };
                let meant = all_meant(words, &own, Some(&candidate));
                (name, meant)
            }
        };
        let launcher = match &spec.program {
            Program::Line(_) => Launcher::of_form(Form::Nothing, false, &name, limits)?,
            Program::Script { .. } | Program::Command(_) => Launcher::new(input, &name, limits)?,
        };
        Ok(Self { typed, input: input.to_owned(), ..Self::of(spec, words, launcher) })
    }

    /// Makes a test of words that are run as they are.
    pub(super) fn of(spec: TestSpec, words: Vec<OsString>, mut launcher: Launcher) -> Self {
        launcher.within = spec.workplace.as_ref().map(|workplace| workplace.directory.clone());
        let candidate = spec.place.then(|| launcher.name.to_string_lossy().into_owned());
        Self {
            signatures: Signatures::new(spec.frames, candidate),
            spec,
            words,
            typed: None,
            input: PathBuf::new(),
            is_sent: false,
            guard_runs: AtomicU64::new(0),
            launcher,
            names: OnceLock::new(),
            finds: None,
        }
    }

    /// Keeps other crashes, and candidates that a script marks, there.
    pub fn keep_finds(&mut self, finds: OtherCrashes) {
        self.finds = Some(finds);
    }

    /// Returns the test as it was described, with the failure once it is known.
    pub fn spec(&self) -> &TestSpec {
        &self.spec
    }

    /// Returns whether it is a script.
    pub fn is_script(&self) -> bool {
        self.spec.file().is_some()
    }

    /// Runs the command on the input and looks for its failure from now on, which must be written
    /// as the description says, if it says so.
    ///
    /// # Errors
    /// If the command cannot be run or does not fail like that.
    pub fn learn_failure(
        &mut self,
        input: &[u8],
        stop: &CancelToken,
    ) -> Result<Signature, CommandError> {
        let is_pinned = matches!(self.spec.failure, Failure::Written(_));
        let ended = self.run(input, KEEP, stop)?;
        let mut learnt = self.learn_from(&ended, input)?;
        if !is_pinned && ended.time < SHORT {
            let again = self.run(input, KEEP, stop)?;
            if let Some(seen) = self.signatures.of(again.ending, &again.stdout, &again.stderr) {
                learnt.without_differences(&seen);
            }
            self.spec.failure = Failure::Signature(learnt.clone());
        }
        Ok(learnt)
    }

    /// Runs it on a copy of the original, looks for its failure from now on unless that is known,
    /// and returns which files of it were opened, if the system tells.
    ///
    /// # Errors
    /// As [`learn_failure`](Self::learn_failure).
    pub fn opened_of(
        &mut self,
        original: &Original,
        stop: &CancelToken,
    ) -> Result<Option<BTreeSet<PathBuf>>, CommandError> {
        let scene = Scene::Copy(self.launcher.copy_of(original));
        let Launched { ended, opened, .. } =
            self.launcher.launch(self.command(b""), &scene, None, KEEP, stop)?;
        if matches!(self.spec.failure, Failure::Learn | Failure::Written(_)) {
            self.learn_from(&ended, b"")?;
        }
        Ok(opened)
    }

    fn learn_from(&mut self, ended: &Ended, input: &[u8]) -> Result<Signature, CommandError> {
        match ended.ending {
            TestEnd::TimedOut => return Err(CommandError::TooSlow(self.launcher.limits.time)),
            TestEnd::Stopped => return Err(CommandError::Stopped),
            TestEnd::TooMuchOutput => return Err(CommandError::Exceeds),
            TestEnd::Exited(_) | TestEnd::Signaled(_) => {}
        }
        let Ended { ending, stdout, stderr, .. } = ended;
        let succeeds = || CommandError::Succeeds { output: last_lines(ended) };
        let signature = match &self.spec.failure {
            Failure::Written(pinned) => {
                self.signatures.keep(pinned);
                let signature = self.signatures.of(*ending, stdout, stderr);
                let mut signature = signature.ok_or_else(succeeds)?;
                if *pinned != signature.to_string() {
                    signature.pin(pinned);
                }
                if *pinned != signature.to_string() {
                    return Err(CommandError::Other(Box::new(signature)));
                }
                signature
            }
            _ => {
                let signature = self.signatures.learn(*ending, stdout, stderr, input);
                let signature = signature.ok_or_else(succeeds)?;
                if signature.is_about_a_missing_file() {
                    return Err(CommandError::FileMissing(Box::new(signature)));
                }
                signature
            }
        };
        self.spec.failure = Failure::Signature(signature.clone());
        Ok(signature)
    }

    /// Runs it on an input once and returns how it ended and its signature, if it fails: that which
    /// [`learn_failure`](Self::learn_failure) would look for from now on.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn failure_of(
        &self,
        input: &[u8],
        stop: &CancelToken,
    ) -> Result<(TestEnd, Option<Signature>), OracleError> {
        let Ended { ending, stdout, stderr, .. } = self.run(input, KEEP, stop)?;
        Ok((ending, self.signatures.seen(ending, &stdout, &stderr, input)))
    }

    /// Runs it once and returns how it ended, and what in its output tells that from other ends.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn seen(
        &self,
        candidate: &[u8],
        stop: &CancelToken,
    ) -> Result<(TestEnd, String), OracleError> {
        let Ended { ending, stdout, stderr, .. } = self.run(candidate, KEEP, stop)?;
        let signature = self.signatures.seen(ending, &stdout, &stderr, candidate);
        let known = signature.filter(|seen| !seen.message.is_empty() || !seen.frames.is_empty());
        let said = known.map_or_else(
            || {
                let stderr = String::from_utf8_lossy(&stderr);
                let last = stderr.lines().map(str::trim).rfind(|line| !line.is_empty());
                last.unwrap_or_default().to_owned()
            },
            |signature| signature.to_string(),
        );
        Ok((ending, said))
    }

    /// Checks that no guard refuses the input.
    ///
    /// # Errors
    /// If one does, or cannot be run.
    pub fn check_guards(&self, input: &[u8], stop: &CancelToken) -> Result<(), CommandError> {
        for guard in &self.spec.guards {
            let ended = self.run_guard(guard, input, KEEP, stop)?;
            match ended.ending {
                TestEnd::Exited(0) => {}
                TestEnd::Stopped => return Err(CommandError::Stopped),
                ending => {
                    let (guard, output) = (guard.clone(), last_lines(&ended));
                    return Err(CommandError::Refused { guard, ending, output });
                }
            }
        }
        Ok(())
    }

    /// Runs it and returns what it prints. Pictures and texts that it puts into `directory`, which a
    /// variable names, belong in a report.
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
        let ran = self.launch(self.command(input), input, Some(None), KEEP, stop);
        collect_evidence(&mut self.launcher, None);
        let Launched { ended, overheard, .. } = ran?;
        Ok(Printed::new(&ended, &overheard, self.launcher.scratch.path()))
    }

    /// Lets every test find `companions` beside its candidate.
    ///
    /// # Errors
    /// If they cannot be copied.
    pub fn provide(&mut self, companions: &[Companion]) -> Result<(), SetupError> {
        self.launcher.provide(companions)
    }

    /// Runs the command as the user has typed it, in a copy of the directory where that was, and
    /// compares the failure with the one that tests look for, which must be known. Does nothing
    /// where they cannot be compared: when the directory is too large to be copied, candidates get
    /// another suffix than the input has, or the input is no file. A script decides for itself, and
    /// each test of a command line runs in a copy anyway.
    ///
    /// # Errors
    /// If the command does not fail there, or fails in another way.
    pub fn fails_as_typed(&self, stop: &CancelToken) -> Result<(), CommandError> {
        let here =
            |error| CommandError::Oracle(OracleError::Scratch { path: PathBuf::from("."), error });
        // The input may come from elsewhere, such as standard input.
        let Some(typed) = self.typed.as_ref().filter(|_| self.input.exists()) else {
            return Ok(());
        };
        let (root, within) = match &self.spec.workplace {
            Some(workplace) => (workplace.root.clone(), &*workplace.directory),
            None => (std::env::current_dir().map_err(here)?, Path::new("")),
        };
        let place = match &self.spec.workplace {
            Some(_) => None,
            None => Some(place_in_copy(&self.input, &root)),
        };
        let is_elsewhere = |place: &PathBuf| self.input.is_dir() && !root.join(place).exists();
        if place.as_ref().is_some_and(is_elsewhere) {
            return Ok(());
        }
        let Some(original) = Original::small(&root) else { return Ok(()) };
        let command = match &place {
            Some(place) => self.typed_in_copy(typed, place, &root),
            None => self.command(b""),
        };
        let name = root.file_name().unwrap_or(OsStr::new("copy"));
        let input = place.iter().filter(|_| self.input.is_file());
        let more: Vec<_> = input.map(|place| (self.input.clone(), place.clone())).collect();
        let has_input = !more.is_empty();
        let copy = CopyOf { original: &original, name, within, more: &more, has_input };
        let mut ended = match self.launcher.launch(command, &Scene::Copy(copy), None, KEEP, stop) {
            // Something there cannot be read.
            Err(OracleError::Scratch { .. }) => return Ok(()),
            launched => launched?.ended,
        };
        match ended.ending {
            TestEnd::Stopped => return Err(CommandError::Stopped),
            // The first tests will say what is wrong.
            TestEnd::TooMuchOutput => return Ok(()),
            TestEnd::TimedOut | TestEnd::Exited(_) | TestEnd::Signaled(_) => {}
        }
        // Messages name the file as it was typed; in tests, by its name alone.
        let name = self.launcher.argument();
        if let Some(place) = place {
            for text in [&mut ended.stdout, &mut ended.stderr] {
                *text = with_name(text, place.as_os_str().as_bytes(), name.as_bytes());
            }
        }
        let seen = self.signatures.of(ended.ending, &ended.stdout, &ended.stderr);
        if self.shows(&ended, seen.as_ref()) {
            return Ok(());
        }
        let in_test = match &self.spec.failure {
            Failure::Signature(signature) => Some(Box::new(signature.clone())),
            _ => None,
        };
        let as_typed = seen.map(Box::new);
        Err(CommandError::FailsOnlyInTests { in_test, as_typed, output: last_lines(&ended) })
    }

    /// Returns the command for a copy of the directory where the user typed it.
    fn typed_in_copy(&self, typed: &[OsString], place: &Path, root: &Path) -> Command {
        let name = argument(place.as_os_str());
        let own = |path: &Path| {
            if path == self.input {
                return Some(name.clone());
            }
            let absolute = lexically_normal(&root.join(path));
            let below = absolute.strip_prefix(root).ok().filter(|_| path.exists())?;
            Some(if path.is_absolute() { Path::new(".").join(below).into() } else { path.into() })
        };
        let words = all_meant(typed, &own, Some(&name));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }

    /// Returns the heavy directories whose private copies tests have damaged so far.
    pub fn mended(&self) -> Vec<PathBuf> {
        self.launcher.scratch.private.mended()
    }

    /// Changes how long a test may take.
    pub fn set_time(&mut self, time: Duration) {
        self.launcher.limits.time = time;
    }

    /// Returns the words as they are run, and the candidate's name.
    pub fn words(&self) -> (&[OsString], &OsStr) {
        (&self.words, &self.launcher.name)
    }

    /// Reads the other crashes of an interrupted run, which goes on.
    pub fn recall_finds(&self) {
        self.finds.iter().for_each(OtherCrashes::recall);
    }

    /// Returns the other crashes so far.
    pub fn finds(&self) -> Vec<(Signature, OtherCrash)> {
        self.finds.as_ref().map(OtherCrashes::all).unwrap_or_default()
    }

    /// Returns how often a guard was run so far.
    pub fn guard_runs(&self) -> u64 {
        self.guard_runs.load(Ordering::Relaxed)
    }

    fn command(&self, candidate: &[u8]) -> Command {
        if let Program::Line(template) = &self.spec.program {
            return template.command(candidate);
        }
        let program = Path::new(&self.words[0]);
        let is_own = self.spec.workplace.is_some()
            && program.is_relative()
            && program.parent() != Some(Path::new(""));
        if is_own {
            // A candidate may lack it: then this says so by its exit code.
            let mut command = Command::new("env");
            command.args(&self.words);
            return command;
        }
        let mut command = Command::new(program);
        command.args(&self.words[1..]);
        command
    }

    fn run(&self, candidate: &[u8], keep: usize, stop: &CancelToken) -> Result<Ended, OracleError> {
        self.launch(self.command(candidate), candidate, None, keep, stop).map(|ran| ran.ended)
    }

    /// Runs a command on a candidate; its programs are overheard if there is a wish, or none but
    /// that.
    fn launch(
        &self,
        command: Command,
        candidate: &[u8],
        wish: Option<Option<Wish>>,
        keep: usize,
        stop: &CancelToken,
    ) -> Result<Launched, OracleError> {
        let scene = match &self.spec.program {
            Program::Line(template) if !self.is_sent => {
                let (original, more) = template.ground();
                let name = original.root.file_name().unwrap_or(OsStr::new("copy"));
                let within = Path::new("");
                Scene::Copy(CopyOf { original, name, within, more, has_input: false })
            }
            _ => Scene::Candidate(candidate),
        };
        let names = || match &self.spec.program {
            Program::Script { .. } => names(&[PathBuf::from(&self.words[0])], &[]),
            Program::Command(_) | Program::Line(_) => {
                let own = self.launcher.argument();
                let others = self.words.iter().filter(|word| **word != own).cloned();
                names(&[], &others.collect::<Vec<_>>())
            }
        };
        let wish = wish.filter(|_| !matches!(self.spec.program, Program::Line(_)));
        let listening = wish.map(|wish| {
            let names = self.names.get_or_init(names);
            Listening { names, wish, hears_itself: !self.is_script() }
        });
        self.launcher.launch(command, &scene, listening, keep, stop)
    }

    /// Returns whether a run shows the failure, which has this signature if it has one.
    fn shows(&self, ended: &Ended, seen: Option<&Signature>) -> bool {
        match &self.spec.failure {
            Failure::Conditions(conditions) => {
                conditions.hold(ended.ending, &ended.stdout, &ended.stderr)
            }
            Failure::Signature(wanted) => seen.is_some_and(|seen| wanted.is_shown_by(seen)),
            Failure::ExitCode => told(ended.ending) == Outcome::Fail,
            Failure::Learn | Failure::Written(_) => false,
        }
    }

    /// Returns the outcome, and how the program failed if it is another failure.
    fn outcome(&self, ended: &Ended) -> (Outcome, Option<Signature>) {
        if let Failure::ExitCode = self.spec.failure {
            return (told(ended.ending), None);
        }
        let seen = self.signatures.of(ended.ending, &ended.stdout, &ended.stderr);
        match seen {
            seen if self.shows(ended, seen.as_ref()) => (Outcome::Fail, None),
            None if ended.ending == TestEnd::Exited(0) => (Outcome::Pass, None),
            other => (Outcome::Unresolved, other),
        }
    }

    /// Keeps a candidate that is worth it: one with another crash, or one that a script marks by how
    /// it ends.
    pub fn keep(&self, candidate: &[u8], ending: TestEnd, failure: Option<&Signature>) {
        let Some(finds) = &self.finds else { return };
        // A candidate that cannot be kept is no reason to stop.
        match (&self.spec.program, failure) {
            (_, Some(failure)) if failure.crash && !candidate.is_empty() => {
                let _ = finds.keep(failure, candidate);
            }
            (Program::Script { also_interesting: Some(code), .. }, _)
                if ending == TestEnd::Exited(*code) =>
            {
                let digest = Digest::of(candidate);
                let message = format!("by the test, {}", &digest.as_str()[..8]);
                let marked = Signature {
                    message,
                    ..Signature::bare("marked", &format!("exit code {code}"))
                };
                let _ = finds.keep(&marked, candidate);
            }
            _ => {}
        }
    }

    fn run_guard(
        &self,
        guard: &str,
        candidate: &[u8],
        keep: usize,
        stop: &CancelToken,
    ) -> Result<Ended, OracleError> {
        let guard = shell::with_name(OsStr::new(guard), &self.launcher.argument());
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(guard);
        self.launch(command, candidate, None, keep, stop).map(|ran| ran.ended)
    }

    /// Runs the guards until one refuses the candidate.
    fn is_refused(&self, candidate: &[u8], stop: &CancelToken) -> Result<bool, OracleError> {
        for guard in &self.spec.guards {
            self.guard_runs.fetch_add(1, Ordering::Relaxed);
            if self.run_guard(guard, candidate, 0, stop)?.ending != TestEnd::Exited(0) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tests a candidate; also returns how it failed if it is another failure.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn look(
        &self,
        candidate: &[u8],
        stop: &CancelToken,
    ) -> Result<(Observation, Option<Signature>), OracleError> {
        self.look_heard(candidate, None, stop).map(|look| (look.seen, look.failure))
    }

    /// Tests a candidate, and returns what it and its programs say as well.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn listen(
        &self,
        candidate: &[u8],
        wish: Option<Wish>,
        stop: &CancelToken,
    ) -> Result<Listened, OracleError> {
        let Look { seen, ended, overheard, .. } = self.look_heard(candidate, Some(wish), stop)?;
        Ok(Listened::new(seen, &ended, overheard, &self.launcher.name, candidate))
    }

    /// Tests a candidate, and overhears its programs if there is a wish, or none but that.
    fn look_heard(
        &self,
        candidate: &[u8],
        wish: Option<Option<Wish>>,
        stop: &CancelToken,
    ) -> Result<Look, OracleError> {
        let is_told = matches!(self.spec.failure, Failure::ExitCode);
        // Nobody reads what a script writes.
        let is_read = !is_told || wish.is_some();
        let keep = if is_read { KEEP } else { 0 };
        let command = self.command(candidate);
        let Launched { ended, overheard, .. } =
            self.launch(command, candidate, wish, keep, stop)?;
        if let (true, TestEnd::Exited(code @ (126 | 127))) = (is_told, ended.ending) {
            return Err(OracleError::Broken { code, output: self.explain(candidate, stop) });
        }
        let (mut outcome, failure) = self.outcome(&ended);
        if outcome == Outcome::Fail && self.is_refused(candidate, stop)? {
            outcome = Outcome::Unresolved;
        }
        // The stop may have come while a guard was running.
        let is_stopped = !self.spec.guards.is_empty() && stop.is_set();
        let ending = if is_stopped { TestEnd::Stopped } else { ended.ending };
        let seen = Observation { outcome, ending, time: ended.time };
        Ok(Look { seen, failure, ended, overheard })
    }
}

impl Oracle for ProgramTest {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let (seen, failure) = self.look(candidate, stop)?;
        self.keep(candidate, seen.ending, failure.as_ref());
        Ok(seen)
    }

    fn explain(&self, candidate: &[u8], stop: &CancelToken) -> String {
        let mut command = self.command(candidate);
        if let Failure::ExitCode = self.spec.failure {
            // A script may then say which of its steps decided, as those of the guide do.
            command.env("MINIREPRO_EXPLAIN", "1");
        }
        let ran = self.launch(command, candidate, None, KEEP, stop);
        ran.map(|ran| last_lines(&ran.ended)).unwrap_or_default()
    }

    fn begin_confirmation(&self) {
        self.launcher.confirms.store(true, Ordering::Relaxed);
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

/// Replaces a path in a program's output by the name of the candidate. Linear in the text.
fn with_name(text: &[u8], path: &[u8], name: &[u8]) -> Vec<u8> {
    if path.is_empty() || path == name {
        return text.to_vec();
    }
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, path) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(name);
        rest = &rest[at + path.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}

/// Returns the place of the input in a copy of a directory: where it is, or else at the top.
fn place_in_copy(input: &Path, directory: &Path) -> PathBuf {
    let place = lexically_normal(&directory.join(input));
    match place.strip_prefix(directory) {
        Ok(below) => below.to_owned(),
        Err(_) => PathBuf::from(input.file_name().unwrap_or(OsStr::new("input"))),
    }
}

/// Returns the name of the candidate: that of the input, with the suffix that the command asks for.
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

/// Returns words as they must be in another working directory: the candidate's `own` parts by their
/// names there, other paths absolute, `@@` replaced by the `name` of a single file.
fn all_meant(
    words: &[OsString],
    own: &dyn Fn(&Path) -> Option<OsString>,
    name: Option<&OsStr>,
) -> Vec<OsString> {
    let words: Vec<&OsStr> = words.iter().map(OsString::as_os_str).collect();
    (0..words.len()).map(|at| meant(&words[..at], words[at], own, name)).collect()
}

/// Returns a word as it must be there after these words.
fn meant(
    before: &[&OsStr],
    word: &OsStr,
    own: &dyn Fn(&Path) -> Option<OsString>,
    name: Option<&OsStr>,
) -> OsString {
    let path = Path::new(word);
    // Only what looks like a path and is one: a word like `test` may mean anything.
    let looks_like_path = word.as_bytes().contains(&b'/') || is_script(before, path);
    if let Some(own) = own(path) {
        let is_same = Path::new(&own) == path;
        return if is_same { word.to_owned() } else { own };
    }
    if path.is_relative() && looks_like_path && path.exists() {
        let absolute = std::path::absolute(path);
        return absolute.map_or_else(|_| word.to_owned(), PathBuf::into_os_string);
    }
    name.map_or_else(|| word.to_owned(), |name| word_with_name(before, word, name))
}

/// Returns whether a word without a directory is the script of the program before it: the first
/// one that is no option, with a suffix.
pub(crate) fn is_script(before: &[&OsStr], word: &Path) -> bool {
    let Some((_, options)) = before.split_first() else { return false };
    let all_are_options = options.iter().all(|option| option.as_bytes().starts_with(b"-"));
    let is_output = options.last().is_some_and(|option| option.as_bytes().starts_with(b"-o"));
    all_are_options && !is_output && word.extension().is_some() && word.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which words a command gets for an input.
    fn check_words(input: &str, words: &str, expected: &str) {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let input = Path::new(input);
        let name = argument(&name(&words, input));
        let own = |path: &Path| (path == input).then(|| name.clone());
        let meant: Vec<_> = words
            .iter()
            .map(|word| meant(&[], word, &own, Some(&name)).into_string().unwrap())
            .collect();
        assert_eq!(meant.join(" "), expected);
    }

    #[test]
    fn the_script_of_a_program_is_found_without_its_directory() {
        let here = std::env::current_dir().unwrap();
        let check = |words: &str, expected: &str| {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let all = all_meant(&words, &|_| None, Some(OsStr::new("in.sql")));
            let script = here.join("Cargo.toml");
            let expected = expected.replace("HERE", &script.to_string_lossy());
            assert_eq!(all.join(OsStr::new(" ")).to_string_lossy(), expected);
        };
        check("python3 Cargo.toml @@", "python3 HERE in.sql");
        check("python3 -u Cargo.toml @@", "python3 -u HERE in.sql");
        check("cc -o Cargo.toml @@", "cc -o Cargo.toml in.sql");
        check("cc in.sql Cargo.toml", "cc in.sql Cargo.toml");
        check("python3 no-such.py @@", "python3 no-such.py in.sql");
    }

    #[test]
    fn a_candidate_is_never_taken_for_an_option() {
        check_words("dir/-x.c", "cc -c @@", "cc -c ./-x.c");
        check_words("./-x.c", "cc -c @@.i ./-x.c", "cc -c ./-x.i ./-x.i");
        check_words("./x-.c", "cc -c @@", "cc -c x-.c");
    }

    #[test]
    fn the_candidate_stands_where_the_command_wants_it() {
        let check = |words: &str, expected: &str| check_words("dir/crash.i", words, expected);
        check("cc -c @@", "cc -c crash.i");
        check("cc -c @@.c -o @@.o", "cc -c crash.c -o crash.c.o");
        check("cc --in=@@ dir/crash.i", "cc --in=crash.i crash.i");
        check("cat", "cat");
        check("cc -x @@. ./no/such/file", "cc -x crash.i. ./no/such/file");
    }
}
