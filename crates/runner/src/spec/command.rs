//! The oracle that runs a command: the first run, on the unchanged input, defines the failure.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use minirepro_engine::Outcome;

use crate::journal::format::Word;
use crate::overhear::names::names;
use crate::overhear::{Overheard, Wish};
use crate::process::process::Ended;
use crate::scratch::companions::{Content, Provided};
use crate::scratch::original::Original;
use crate::spec::description::{DescribedTest, FailureRecord, Program};
use crate::spec::launch::{
    CopyOf, Form, LaunchError, Launcher, Listening, SetupError, argument, last_lines,
};
use crate::spec::listened::Listened;
use crate::spec::printed::{Printed, collect_evidence};
use crate::spec::script::told;
use crate::spec::shell::{self, HERE, word_with_name};
use crate::spec::workplace::{Workplace, lexically_normal};
use crate::system::{LIMIT, read_limited};
use crate::{
    CancelToken, Companion, Conditions, Limits, Observation, Oracle, OracleError, OtherCrashes,
    Signature, Signatures, Template, TestEnd, Warnings,
};

/// The part of each output that counts, in bytes: half from its start, half from its end.
const KEEP: usize = 1 << 20;
/// A command that takes longer runs once only before its failure is known.
const SHORT: Duration = Duration::from_secs(10);

/// A command that fails on the input. It runs in an empty directory that holds the candidate,
/// which is also its standard input.
///
/// Fail: the same signature as the input has, or all of the user's conditions, and every guard
/// succeeds. Pass: the command succeeds. All else is Unresolved; other crashes are kept. Guards run
/// where the command fails as it should.
#[derive(Debug)]
pub struct CommandTest {
    words: Vec<OsString>,
    /// The same as the user has typed them.
    typed: Option<Vec<OsString>>,
    input: PathBuf,
    /// Where it runs, if that is within the candidate.
    workplace: Option<Workplace>,
    /// The candidate decides about the command itself.
    template: Option<Template>,
    /// It comes from another machine.
    is_sent: bool,
    guards: Vec<OsString>,
    guard_runs: AtomicU64,
    launcher: Launcher,
    /// The names of programs that it may run.
    names: OnceLock<Vec<OsString>>,
    signatures: Signatures,
    failure: Failure,
    finds: Option<OtherCrashes>,
}

/// The failure that tests look for.
#[derive(Debug)]
enum Failure {
    Conditions(Conditions),
    Signature(Signature),
    /// The command shows it by its exit code, as a test script does.
    Told,
    /// Not known yet.
    Unknown,
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
    /// Nothing can be run.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// What a test of a candidate has shown: its finding, how it failed, and what was heard.
type Look = (Observation, Option<Signature>, (Ended, Overheard));

impl CommandTest {
    /// Makes a test for a failure that is not known yet.
    ///
    /// In `words`, `@@` stands for the name of the candidate, which is that of `input`, or with
    /// another suffix if `@@.suffix` is written; a word that is the input's path stands for it
    /// too. `frames` is the precision of signatures.
    ///
    /// With a `workplace`, words mean what they mean there.
    ///
    /// # Errors
    /// If no test can be run at all.
    pub fn new(
        words: &[OsString],
        input: &Path,
        workplace: Option<&Workplace>,
        frames: usize,
        limits: Limits,
    ) -> Result<Self, CommandError> {
        let (name, typed, words) = match workplace {
            Some(workplace) => {
                let name = input.file_name().unwrap_or(OsStr::new("input")).to_owned();
                let meant = all_meant(words, &|path| workplace.own(path), None);
                (name, Some(words.to_vec()), meant)
            }
            None => {
                let name = name(words, input);
                // With another suffix the candidate is no file that the user has.
                let typed = (Some(&*name) == input.file_name()).then(|| words.to_vec());
                let candidate = argument(&name);
                let own = |path: &Path| {
                    let below = path.strip_prefix(input).ok()?;
                    Some(match below == Path::new("") {
                        true => candidate.clone(),
                        false => Path::new(&candidate).join(below).into_os_string(),
                    })
                };
                let meant = all_meant(words, &own, Some(&candidate));
                (name, typed, meant)
            }
        };
        let mut launcher = Launcher::new(input, &name, limits)?;
        launcher.within = workplace.map(|workplace| workplace.directory.clone());
        Ok(Self {
            typed,
            input: input.to_owned(),
            workplace: workplace.cloned(),
            ..Self::of(words, launcher, frames)
        })
    }

    /// Makes a test of words that are run as they are, for a failure that is not known yet.
    fn of(words: Vec<OsString>, launcher: Launcher, frames: usize) -> Self {
        Self {
            words,
            typed: None,
            input: PathBuf::new(),
            workplace: None,
            template: None,
            is_sent: false,
            guards: Vec::new(),
            guard_runs: AtomicU64::new(0),
            launcher,
            names: OnceLock::new(),
            signatures: Signatures::new(frames),
            failure: Failure::Unknown,
            finds: None,
        }
    }

    /// Makes a test in which the candidate is the command line itself, see [`Template`].
    ///
    /// # Errors
    /// If no test can be run at all.
    pub fn of_options(
        template: Template,
        frames: usize,
        limits: Limits,
    ) -> Result<Self, CommandError> {
        let mut launcher = Launcher::new(Path::new(""), OsStr::new("none"), limits)?;
        launcher.form = Form::Nothing;
        let words = template.all_words();
        Ok(Self { template: Some(template), ..Self::of(words, launcher, frames) })
    }

    /// Makes the same test of a command that comes from another machine.
    ///
    /// # Errors
    /// If a regular expression is wrong.
    pub(crate) fn sent(program: &Program, launcher: Launcher) -> Result<Self, String> {
        let Program::Command { words, template, guards, frames, failure } = program else {
            return Err("it is no command".to_owned());
        };
        let words: Vec<OsString> = words.iter().map(Word::to_os).collect();
        if words.is_empty() {
            return Err("the command has no words".to_owned());
        }
        let failure = match failure.as_ref() {
            FailureRecord::Conditions(record) => {
                Failure::Conditions(record.try_into().map_err(|error| format!("{error}"))?)
            }
            FailureRecord::Signature(signature) => Failure::Signature(signature.clone()),
            FailureRecord::ExitCode => Failure::Told,
        };
        let mut signatures = Signatures::new(*frames);
        if let Failure::Signature(wanted) = &failure {
            signatures.keep(&wanted.message);
            if wanted.place.is_some() {
                signatures = signatures.with_place(&launcher.name().to_string_lossy());
            }
        }
        Ok(Self {
            template: template.clone(),
            is_sent: true,
            guards: guards.iter().map(Word::to_os).collect(),
            signatures,
            failure,
            ..Self::of(words, launcher, *frames)
        })
    }

    /// Describes the test for agents; `None` as long as the failure is not known.
    ///
    /// # Errors
    /// If something beside candidates cannot be read.
    pub fn describe(&self) -> io::Result<Option<DescribedTest>> {
        let failure = match &self.failure {
            Failure::Conditions(conditions) => FailureRecord::Conditions(conditions.into()),
            Failure::Signature(signature) => FailureRecord::Signature(signature.clone()),
            Failure::Told => FailureRecord::ExitCode,
            Failure::Unknown => return Ok(None),
        };
        let all = |words: &[OsString]| words.iter().map(|word| Word::new(word)).collect();
        let program = Program::Command {
            words: all(&self.words),
            template: self.template.clone(),
            guards: all(&self.guards),
            frames: self.signatures.frames(),
            failure: Box::new(failure),
        };
        let mut surroundings = self.launcher.surroundings()?;
        if let Some((ground, elsewhere)) = self.template.as_ref().map(Template::ground) {
            let listed = ground.files.iter().map(|file| (ground.root.join(&file.path), &file.path));
            for (source, path) in
                listed.chain(elsewhere.iter().map(|(from, to)| (from.clone(), to)))
            {
                let data = std::fs::metadata(&source)?;
                let executable = data.permissions().mode() & 0o111 != 0;
                let content = Content::File { executable, text: read_limited(&source, LIMIT)? };
                surroundings.beside.push(Provided { path: path.clone(), content });
            }
        }
        DescribedTest::new(program, Vec::new(), surroundings).map(Some)
    }

    /// Adds commands for the shell that must succeed for a candidate to count, where the command
    /// fails as it should.
    #[must_use]
    pub fn with_guards(mut self, guards: &[String]) -> Self {
        let name = self.launcher.argument();
        let all = guards.iter().map(|guard| shell::with_name(OsStr::new(guard), &name));
        self.guards = all.collect();
        self
    }

    /// Lets the file and the line in the innermost function of a stack count as well.
    #[must_use]
    pub fn with_place(mut self, with_place: bool) -> Self {
        if with_place {
            let name = self.launcher.name().to_string_lossy().into_owned();
            self.signatures = self.signatures.with_place(&name);
        }
        self
    }

    /// Keeps other crashes there.
    #[must_use]
    pub fn with_finds(mut self, finds: OtherCrashes) -> Self {
        self.finds = Some(finds);
        self
    }

    /// Looks for a failure that satisfies these conditions.
    pub fn expect(&mut self, conditions: Conditions) {
        self.failure = Failure::Conditions(conditions);
    }

    /// Takes the command's exit code for the answer, by the rules for test scripts.
    pub fn use_exit_code(&mut self) {
        self.failure = Failure::Told;
    }

    /// Runs the command on the input and looks for its failure from now on. If `pinned` is given,
    /// the signature must be written like that.
    ///
    /// # Errors
    /// If the command cannot be run or does not fail like that.
    pub fn learn_failure(
        &mut self,
        input: &[u8],
        pinned: Option<&str>,
        stop: &CancelToken,
    ) -> Result<Signature, CommandError> {
        let ended = self.run(input, stop)?;
        let mut learnt = self.learn_from(&ended, input, pinned)?;
        if pinned.is_none() && ended.time < SHORT {
            let again = self.run(input, stop)?;
            if let Some(seen) = self.signatures.of(again.ending, &again.stdout, &again.stderr) {
                learnt.without_differences(&seen);
            }
            self.failure = Failure::Signature(learnt.clone());
        }
        Ok(learnt)
    }

    /// Runs the command on a copy of the original, looks for its failure from now on unless
    /// conditions are known, and returns which files of it were opened, if the system tells.
    ///
    /// # Errors
    /// As [`learn_failure`](Self::learn_failure).
    pub fn opened_of(
        &mut self,
        original: &Original,
        pinned: Option<&str>,
        stop: &CancelToken,
    ) -> Result<Option<BTreeSet<PathBuf>>, CommandError> {
        let command = self.command(b"");
        let program = PathBuf::from(command.get_program());
        let (ended, opened) = self
            .launcher
            .run_in_copy(command, &self.launcher.copy_of(original), KEEP, stop)
            .map_err(|error| started(error, program))?;
        if let Failure::Unknown = self.failure {
            self.learn_from(&ended, b"", pinned)?;
        }
        Ok(opened)
    }

    fn learn_from(
        &mut self,
        ended: &Ended,
        input: &[u8],
        pinned: Option<&str>,
    ) -> Result<Signature, CommandError> {
        match ended.ending {
            TestEnd::TimedOut => return Err(CommandError::TooSlow(self.launcher.limits.time)),
            TestEnd::Stopped => return Err(CommandError::Stopped),
            TestEnd::TooMuchOutput => return Err(CommandError::Exceeds),
            TestEnd::Exited(_) | TestEnd::Signaled(_) => {}
        }
        if let Some(pinned) = pinned {
            self.signatures.keep(pinned);
        }
        let Ended { ending, stdout, stderr, .. } = ended;
        let signature = match pinned {
            Some(_) => self.signatures.of(*ending, stdout, stderr),
            None => self.signatures.learn(*ending, stdout, stderr, input),
        };
        let mut signature =
            signature.ok_or_else(|| CommandError::Succeeds { output: last_lines(ended) })?;
        if let Some(pinned) = pinned.filter(|pinned| *pinned != signature.to_string()) {
            signature.pin(pinned);
            if pinned != signature.to_string() {
                return Err(CommandError::Other(Box::new(signature)));
            }
        }
        if pinned.is_none() && signature.is_about_a_missing_file() {
            return Err(CommandError::FileMissing(Box::new(signature)));
        }
        self.failure = Failure::Signature(signature.clone());
        Ok(signature)
    }

    /// Runs the command on an input once and returns how it ended and its signature, if it fails:
    /// that which [`learn_failure`](Self::learn_failure) would look for from now on.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn failure_of(
        &self,
        input: &[u8],
        stop: &CancelToken,
    ) -> Result<(TestEnd, Option<Signature>), OracleError> {
        let ended = self.run(input, stop)?;
        let Ended { ending, stdout, stderr, .. } = &ended;
        Ok((*ending, self.signatures.seen(*ending, stdout, stderr, input)))
    }

    /// Runs the command on the input; from now on, a candidate on which it prints a warning of a
    /// kind that it does not print there is unresolved. Returns the kinds of warnings there.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn reject_new_warnings(
        &mut self,
        input: &[u8],
        stop: &CancelToken,
    ) -> Result<&Warnings, CommandError> {
        let ended = self.run(input, stop)?;
        if ended.ending == TestEnd::Stopped {
            return Err(CommandError::Stopped);
        }
        Ok(self.launcher.allow_warnings_of(&ended))
    }

    /// Checks that no guard refuses the input.
    ///
    /// # Errors
    /// If one does, or cannot be run.
    pub fn check_guards(&self, input: &[u8], stop: &CancelToken) -> Result<(), CommandError> {
        for guard in &self.guards {
            let ended = self.run_guard(guard, input, KEEP, stop)?;
            match ended.ending {
                TestEnd::Exited(0) => {}
                TestEnd::Stopped => return Err(CommandError::Stopped),
                ending => {
                    let guard = guard.to_string_lossy().into_owned();
                    let output = last_lines(&ended);
                    return Err(CommandError::Refused { guard, ending, output });
                }
            }
        }
        Ok(())
    }

    /// Runs the command and returns what it prints. Pictures and texts that it puts into
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
        let ran = self.run_heard(input, Some(None), stop);
        collect_evidence(&mut self.launcher, None);
        let (ended, overheard) = ran?;
        Ok(Printed::new(&ended, &overheard, self.launcher.scratch()))
    }

    /// Lets every test find `companions` beside its candidate.
    ///
    /// # Errors
    /// If they cannot be copied.
    pub fn provide(&mut self, companions: &[Companion]) -> Result<(), SetupError> {
        self.launcher.provide(companions)
    }

    /// Runs the command as the user has typed it, in a copy of the directory where that was, and
    /// compares the failure with the one that tests look for, which must be known. Returns `false`
    /// where they cannot be compared: when the directory is too large to be copied, candidates get
    /// another suffix than the input has, the input is no file, or a limit ended the command.
    ///
    /// # Errors
    /// If the command does not fail there, or fails in another way.
    pub fn fails_as_typed(&self, stop: &CancelToken) -> Result<bool, CommandError> {
        let here =
            |error| CommandError::Oracle(OracleError::Scratch { path: PathBuf::from("."), error });
        // Each test of it runs in a copy.
        if self.template.is_some() {
            return Ok(true);
        }
        let (root, within) = match &self.workplace {
            Some(workplace) => (workplace.root.clone(), &*workplace.directory),
            None => (std::env::current_dir().map_err(here)?, Path::new("")),
        };
        let Some(typed) = &self.typed else { return Ok(false) };
        // The input may come from elsewhere, such as standard input.
        if !self.input.exists() {
            return Ok(false);
        }
        let is_within = self.workplace.is_some();
        let input = (!is_within).then(|| place_in_copy(&self.input, &root));
        let is_elsewhere = |place: &PathBuf| self.input.is_dir() && !root.join(place).exists();
        if input.as_ref().is_some_and(is_elsewhere) {
            return Ok(false);
        }
        let Some(original) = Original::small(&root) else { return Ok(false) };
        let command = match &input {
            Some(place) => self.typed_in_copy(typed, place, &root),
            None => self.command(b""),
        };
        let name = root.file_name().unwrap_or(OsStr::new("copy"));
        let place = input.as_deref();
        let input = place.filter(|_| self.input.is_file());
        let more: Vec<_> =
            input.iter().map(|place| (self.input.clone(), place.to_path_buf())).collect();
        let has_input = !more.is_empty();
        let copy = CopyOf { original: &original, name, within, more: &more, has_input };
        let program = PathBuf::from(command.get_program());
        let ended = self.launcher.run_in_copy(command, &copy, KEEP, stop);
        let (mut ended, _) = match ended {
            // Something there cannot be read.
            Err(LaunchError::Scratch(_)) => return Ok(false),
            ended => ended.map_err(|error| started(error, program))?,
        };
        match ended.ending {
            TestEnd::Stopped => return Err(CommandError::Stopped),
            // The first tests will say what is wrong.
            TestEnd::TooMuchOutput => return Ok(false),
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
        let is_same = match &self.failure {
            Failure::Conditions(conditions) => {
                conditions.hold(ended.ending, &ended.stdout, &ended.stderr)
            }
            Failure::Signature(wanted) => {
                seen.as_ref().is_some_and(|seen| wanted.is_shown_by(seen))
            }
            Failure::Told => told(ended.ending) == Outcome::Fail,
            Failure::Unknown => true,
        };
        if is_same {
            return Ok(true);
        }
        let in_test = match &self.failure {
            Failure::Signature(signature) => Some(Box::new(signature.clone())),
            Failure::Conditions(_) | Failure::Told | Failure::Unknown => None,
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

    /// Returns the command as it is run, and the candidate's name.
    pub fn words(&self) -> (&[OsString], &OsStr) {
        (&self.words, self.launcher.name())
    }

    /// Returns where it runs, if that is within the candidate.
    pub fn workplace(&self) -> Option<&Workplace> {
        self.workplace.as_ref()
    }

    /// Reads the other crashes of an interrupted run, which goes on.
    pub fn recall_finds(&self) {
        if let Some(finds) = &self.finds {
            finds.recall();
        }
    }

    /// Returns the other crashes so far.
    pub fn finds(&self) -> Vec<(Signature, crate::OtherCrash)> {
        self.finds.as_ref().map(OtherCrashes::all).unwrap_or_default()
    }

    fn run(&self, candidate: &[u8], stop: &CancelToken) -> Result<Ended, OracleError> {
        self.launch(self.command(candidate), candidate, KEEP, stop)
    }

    fn run_heard(
        &self,
        candidate: &[u8],
        listening: Option<Option<Wish>>,
        stop: &CancelToken,
    ) -> Result<(Ended, Overheard), OracleError> {
        let Some(wish) = listening.filter(|_| self.template.is_none()) else {
            return Ok((self.run(candidate, stop)?, Overheard::default()));
        };
        let own = self.launcher.argument();
        let others = self.words.iter().filter(|word| **word != own).cloned();
        let names = self.names.get_or_init(|| names(&[], &others.collect::<Vec<_>>()));
        let command = self.command(candidate);
        let program = PathBuf::from(command.get_program());
        let listening = Listening { names, wish, hears_itself: true };
        let ran = self.launcher.listen(command, candidate, listening, KEEP, stop);
        ran.map_err(|error| started(error, program))
    }

    fn command(&self, candidate: &[u8]) -> Command {
        if let Some(template) = &self.template {
            return template.command(candidate);
        }
        let program = Path::new(&self.words[0]);
        let is_own = self.workplace.is_some()
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

    fn launch(
        &self,
        command: Command,
        candidate: &[u8],
        keep: usize,
        stop: &CancelToken,
    ) -> Result<Ended, OracleError> {
        let program = PathBuf::from(command.get_program());
        let ran = match self.template.as_ref().map(Template::ground) {
            Some((original, more)) if !self.is_sent => {
                let name = original.root.file_name().unwrap_or(OsStr::new("copy"));
                let within = Path::new("");
                let copy = CopyOf { original, name, within, more, has_input: false };
                self.launcher.run_in_copy(command, &copy, keep, stop).map(|(ended, _)| ended)
            }
            _ => self.launcher.run(command, candidate, keep, stop),
        };
        ran.map_err(|error| started(error, program))
    }

    /// Returns the outcome, and how the program failed if it is another failure.
    fn outcome(&self, ended: &Ended) -> (Outcome, Option<Signature>) {
        let Ended { ending, stdout, stderr, .. } = ended;
        if let Failure::Told = self.failure {
            return (told(*ending), None);
        }
        let seen = self.signatures.of(*ending, stdout, stderr);
        let same = match &self.failure {
            Failure::Conditions(conditions) => conditions.hold(*ending, stdout, stderr),
            Failure::Signature(wanted) => {
                seen.as_ref().is_some_and(|seen| wanted.is_shown_by(seen))
            }
            Failure::Told | Failure::Unknown => false,
        };
        match seen {
            _ if same => (Outcome::Fail, None),
            None if *ending == TestEnd::Exited(0) => (Outcome::Pass, None),
            other => (Outcome::Unresolved, other),
        }
    }

    /// Keeps the candidate if its failure is a crash.
    pub fn keep_other(&self, failure: &Signature, candidate: &[u8]) {
        if failure.crash && !candidate.is_empty() {
            // A crash that cannot be kept is no reason to stop.
            let _ = self.finds.as_ref().map(|finds| finds.keep(failure, candidate));
        }
    }

    /// Returns how often a guard was run so far.
    pub fn guard_runs(&self) -> u64 {
        self.guard_runs.load(Ordering::Relaxed)
    }

    fn run_guard(
        &self,
        guard: &OsStr,
        candidate: &[u8],
        keep: usize,
        stop: &CancelToken,
    ) -> Result<Ended, OracleError> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(guard);
        self.launch(command, candidate, keep, stop)
    }

    /// Runs the guards until one refuses the candidate.
    fn is_refused(&self, candidate: &[u8], stop: &CancelToken) -> Result<bool, OracleError> {
        for guard in &self.guards {
            self.guard_runs.fetch_add(1, Ordering::Relaxed);
            let ended = self.run_guard(guard, candidate, 0, stop)?;
            if ended.ending != TestEnd::Exited(0) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl CommandTest {
    /// Tests a candidate; also returns how it failed if it is another failure.
    pub(crate) fn look(
        &self,
        candidate: &[u8],
        stop: &CancelToken,
    ) -> Result<(Observation, Option<Signature>), OracleError> {
        let (seen, failure, _) = self.look_heard(candidate, None, stop)?;
        Ok((seen, failure))
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
        let (seen, _, (ended, overheard)) = self.look_heard(candidate, Some(wish), stop)?;
        Ok(Listened::new(seen, &ended, overheard, self.launcher.name(), candidate))
    }

    /// Tests a candidate, and overhears its programs if there is a wish, or none but that.
    fn look_heard(
        &self,
        candidate: &[u8],
        listening: Option<Option<Wish>>,
        stop: &CancelToken,
    ) -> Result<Look, OracleError> {
        let (ended, overheard) = self.run_heard(candidate, listening, stop)?;
        if let (Failure::Told, TestEnd::Exited(code @ (126 | 127))) = (&self.failure, ended.ending)
        {
            return Err(OracleError::Broken { code, output: last_lines(&ended) });
        }
        let (mut outcome, failure) = self.outcome(&ended);
        if outcome == Outcome::Fail
            && (self.launcher.has_new_warnings(&ended) || self.is_refused(candidate, stop)?)
        {
            outcome = Outcome::Unresolved;
        }
        // The stop may have come while a guard was running.
        let ending = if stop.is_set() { TestEnd::Stopped } else { ended.ending };
        let seen = Observation { outcome, ending, time: ended.time };
        Ok((seen, failure, (ended, overheard)))
    }
}

impl Oracle for CommandTest {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let (seen, failure) = self.look(candidate, stop)?;
        if let Some(failure) = &failure {
            self.keep_other(failure, candidate);
        }
        Ok(seen)
    }

    fn explain(&self, candidate: &[u8], stop: &CancelToken) -> String {
        self.run(candidate, stop).map(|ended| last_lines(&ended)).unwrap_or_default()
    }
}

/// Returns why a program did not run.
fn started(error: LaunchError, program: PathBuf) -> OracleError {
    match error {
        LaunchError::Scratch(error) => error,
        LaunchError::Start(error) => OracleError::Start { program, error },
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
        let absolute: io::Result<PathBuf> = std::path::absolute(path);
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
