//! The common part of all tests that are programs: a directory that holds the candidate, limits,
//! and the certainty that no process and no file of a test stays.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::overhear::{Overheard, Wish, ear};
use crate::process::children::{self, Kind};
use crate::process::descendants::Descendants;
use crate::process::opened::OpenedFiles;
use crate::process::process::{Bounds, Ended, wait};
use crate::scratch::companions::{Companion, Companions, Provided};
use crate::scratch::original::Original;
use crate::scratch::scratch::{Scratch, TestDirectory, remove_abandoned};
use crate::system::files;
use crate::{CancelToken, Limits, OracleError, Warnings};

/// Tells a test that its candidate is a result, which is tested for the last time: what is too dear
/// for every candidate, such as a fresh server, may be worth it now.
const CONFIRMS: &str = "MINIREPRO_CONFIRMS";

/// How long a test may be stopped by a signal before it counts as ended by that.
const MOST_STOPPED: Duration = Duration::from_secs(10);

/// The error for a system on which no test can be run.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// There is no place to run it.
    #[error("cannot make a scratch directory in {}: {error}; set TMPDIR to another place", .parent.display())]
    Scratch {
        /// The directory in which it should have been.
        parent: PathBuf,
        /// The reason that the system gives.
        error: io::Error,
    },
    /// The system does not let us look after processes.
    #[error("cannot watch over processes: {0}")]
    Processes(io::Error),
    /// A file that should stand beside the candidate cannot be copied.
    #[error("cannot copy what should stand beside the candidate: {0}")]
    Companions(io::Error),
}

/// The form in which a program gets a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    /// A file in the working directory, and standard input.
    File,
    /// An archive that becomes a directory in the working directory.
    Directory,
    /// Nothing that the program sees: it is the program's own command line.
    Nothing,
}

/// The part of a description that a launcher knows.
pub(crate) struct Surroundings {
    pub name: OsString,
    pub form: Form,
    pub executable: bool,
    pub within: Option<PathBuf>,
    pub limits: Limits,
    pub warnings: Option<Warnings>,
    pub beside: Vec<Provided>,
}

/// Runs programs on candidates.
#[derive(Debug)]
pub(crate) struct Launcher {
    name: OsString,
    pub form: Form,
    executable: bool,
    /// The directory of the candidate, relative to it, in which programs run; without one, they run
    /// beside it.
    pub within: Option<PathBuf>,
    pub limits: Limits,
    /// The kinds of warnings that a candidate may have, if it may not have all.
    pub warnings: Option<Warnings>,
    /// Variables that programs get, or do not get.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// Whether tests are told that they confirm a result.
    confirms: AtomicBool,
    // Declared before `scratch`, so that every process dies before its directory goes.
    descendants: Descendants,
    companions: Option<Companions>,
    scratch: Scratch,
}

/// The surroundings of a program.
enum Scene<'a> {
    /// A fresh directory that holds a candidate.
    Candidate(&'a [u8]),
    /// A fresh directory that holds a copy of one of the user's.
    Copy(&'a CopyOf<'a>),
}

/// A directory of the user's, as programs see it that run in a copy.
pub(crate) struct CopyOf<'a> {
    pub original: &'a Original,
    /// The name of the copy.
    pub name: &'a OsStr,
    /// Where programs run in it.
    pub within: &'a Path,
    /// Files of the user's that are copied as well, and their places in the copy.
    pub more: &'a [(PathBuf, PathBuf)],
    /// Whether the first of them is their standard input.
    pub has_input: bool,
}

/// How programs are overheard.
#[derive(Clone, Copy)]
pub(crate) struct Listening<'a> {
    /// Their names.
    pub names: &'a [OsString],
    pub wish: Option<Wish>,
    /// Whether the test is itself a program that may have messages.
    pub hears_itself: bool,
}

/// A program that has run.
pub(crate) struct Launched {
    pub ended: Ended,
    /// Which files of a copy were opened, if the system tells.
    pub opened: Option<BTreeSet<PathBuf>>,
    pub overheard: Overheard,
}

/// The error for a program that did not run.
pub(crate) enum LaunchError {
    /// There was no place for the candidate.
    Scratch(OracleError),
    /// The program could not be started.
    Start(io::Error),
}

impl Launcher {
    /// Makes a scratch directory in the system's directory for temporary files, after it has
    /// removed those of dead runs and their processes. Candidates get the name `name`, and are
    /// executable if `input` is.
    ///
    /// If `input` is a directory, candidates are archives and become directories.
    pub fn new(input: &Path, name: &OsStr, limits: Limits) -> Result<Self, SetupError> {
        let data = fs::metadata(input);
        let executable = data.as_ref().is_ok_and(|d| d.permissions().mode() & 0o111 != 0);
        let form = if data.is_ok_and(|d| d.is_dir()) { Form::Directory } else { Form::File };
        Self::of_form(form, executable, name, limits)
    }

    /// Makes one for candidates of this form, which are executable or not.
    pub fn of_form(
        form: Form,
        executable: bool,
        name: &OsStr,
        limits: Limits,
    ) -> Result<Self, SetupError> {
        let parent = std::env::temp_dir();
        remove_abandoned(&parent);
        let scratch =
            Scratch::new(&parent).map_err(|error| SetupError::Scratch { parent, error })?;
        let descendants =
            Descendants::new(scratch.path(), Kind::Test).map_err(SetupError::Processes)?;
        let name = name.to_owned();
        Ok(Self {
            name,
            form,
            executable,
            within: None,
            limits,
            warnings: None,
            environment: Vec::new(),
            confirms: AtomicBool::new(false),
            descendants,
            companions: None,
            scratch,
        })
    }

    /// Puts `companions` beside the candidate in every test.
    ///
    /// # Errors
    /// If they cannot be copied.
    pub fn provide(&mut self, companions: &[Companion]) -> Result<(), SetupError> {
        if !companions.is_empty() {
            let copied = Companions::new(self.scratch.path(), companions, &self.scratch.private);
            self.companions = Some(copied.map_err(SetupError::Companions)?);
        }
        Ok(())
    }

    /// Puts files beside the candidate in every test.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn provide_contents(&mut self, provided: &[Provided]) -> io::Result<()> {
        if !provided.is_empty() {
            self.companions = Some(Companions::written(self.scratch.path(), provided)?);
        }
        Ok(())
    }

    /// Returns what another launcher needs to run the same tests.
    ///
    /// # Errors
    /// If something that stands beside candidates cannot be read.
    pub fn surroundings(&self) -> io::Result<Surroundings> {
        let beside = self.companions.as_ref().map_or(Ok(Vec::new()), Companions::contents)?;
        Ok(Surroundings {
            name: self.name.clone(),
            form: self.form,
            executable: self.executable,
            within: self.within.clone(),
            limits: self.limits,
            warnings: self.warnings.clone(),
            beside,
        })
    }

    /// Lets candidates have only the warnings that a run on the unchanged input has printed.
    pub fn allow_warnings_of(&mut self, ended: &Ended) -> &Warnings {
        self.warnings.insert(Warnings::of(&ended.stdout).with(Warnings::of(&ended.stderr)))
    }

    /// Returns whether a run has printed a warning of a kind that the unchanged input does not
    /// print, if that counts.
    pub fn has_new_warnings(&self, ended: &Ended) -> bool {
        let known = |output: &[u8]| {
            self.warnings.as_ref().is_none_or(|known| Warnings::of(output).are_among(known))
        };
        !known(&ended.stdout) || !known(&ended.stderr)
    }

    /// Tells all tests from now on that they confirm a result.
    pub fn begin_confirmation(&self) {
        self.confirms.store(true, Ordering::Relaxed);
    }

    /// Returns the heavy directories whose private copies tests have damaged so far.
    pub fn mended(&self) -> Vec<PathBuf> {
        self.scratch.private.mended()
    }

    /// Returns the scratch directory of the run.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Returns the candidate's name in the working directory.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Returns the candidate's name as an argument, which must not look like an option.
    pub fn argument(&self) -> OsString {
        argument(&self.name)
    }

    /// Runs one program in a directory that holds the candidate, which is also its standard input,
    /// and nothing else but its companions. Of each output, at most `keep` bytes are kept.
    pub fn run(
        &self,
        command: Command,
        candidate: &[u8],
        keep: usize,
        stop: &CancelToken,
    ) -> Result<Ended, LaunchError> {
        let scene = Scene::Candidate(candidate);
        self.launch(command, &scene, None, keep, stop).map(|ran| ran.ended)
    }

    /// Runs one program on a candidate, and overhears the programs that it runs.
    pub fn listen(
        &self,
        command: Command,
        candidate: &[u8],
        listening: Listening<'_>,
        keep: usize,
        stop: &CancelToken,
    ) -> Result<(Ended, Overheard), LaunchError> {
        let scene = Scene::Candidate(candidate);
        let ran = self.launch(command, &scene, Some(listening), keep, stop)?;
        Ok((ran.ended, ran.overheard))
    }

    /// Runs one program in a copy of a directory. Also returns which of its files were opened, if
    /// the system tells.
    pub fn run_in_copy(
        &self,
        command: Command,
        copy: &CopyOf<'_>,
        keep: usize,
        stop: &CancelToken,
    ) -> Result<(Ended, Option<BTreeSet<PathBuf>>), LaunchError> {
        let ran = self.launch(command, &Scene::Copy(copy), None, keep, stop)?;
        Ok((ran.ended, ran.opened))
    }

    /// Returns a directory as candidates' programs find it.
    pub fn copy_of<'a>(&'a self, original: &'a Original) -> CopyOf<'a> {
        let within = self.within.as_deref().unwrap_or(Path::new(".."));
        CopyOf { original, name: &self.name, within, more: &[], has_input: false }
    }

    fn launch(
        &self,
        command: Command,
        scene: &Scene<'_>,
        listening: Option<Listening<'_>>,
        keep: usize,
        stop: &CancelToken,
    ) -> Result<Launched, LaunchError> {
        let scratch = |error| {
            LaunchError::Scratch(OracleError::Scratch { path: self.scratch.path().into(), error })
        };
        let place = self.scratch.fresh().map_err(scratch)?;
        let mut path = None;
        let command = match listening {
            Some(Listening { names, wish, hears_itself }) => {
                let wish = wish.map(|wish| (wish, &*self.name));
                let heard = ear::listen(place.path(), names, wish, hears_itself, command);
                let command = heard.map_err(scratch)?;
                let path_of = |(name, path)| (name == "PATH").then_some(path)?;
                path = command.get_envs().find_map(path_of).map(OsStr::to_owned);
                command
            }
            None => command,
        };
        let mut command = self.limits.wrap(command);
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let directory = match scene {
            Scene::Candidate(_) => self.working_directory(&place),
            Scene::Copy(copy) => match copy.within == Path::new("..") {
                true => place.work(),
                false => place.work().join(copy.name).join(copy.within),
            },
        };
        command
            .current_dir(&directory)
            .env("PWD", &directory)
            .env("TMPDIR", place.tmp())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.confirms.load(Ordering::Relaxed) {
            command.env(CONFIRMS, "1");
        }
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let mut opened = None;
        let children = children::lock();
        let mut files = || -> io::Result<File> {
            match scene {
                Scene::Candidate(candidate) => self.put(&place, candidate, stop),
                Scene::Copy(CopyOf { original, name, more, has_input, .. }) => {
                    let top = place.work().join(name);
                    let directories = original.copy_to(&top, &self.scratch.private, stop)?;
                    // Where the system does not tell, all of them may have been.
                    opened = OpenedFiles::watch(&top, directories).ok();
                    self.provide_in(&directory)?;
                    for (source, below) in *more {
                        let place = top.join(below);
                        if fs::symlink_metadata(&place).is_err() {
                            files::create_parents(&place)?;
                            let mode = fs::metadata(source)?.permissions().mode();
                            files::copy_to_new(source, &place, mode)?;
                        }
                    }
                    match more.first().filter(|_| *has_input) {
                        Some((_, below)) => files::open(&top.join(below)),
                        None => files::null(),
                    }
                }
            }
        };
        match files() {
            Ok(input) => command.stdin(input),
            Err(_) if stop.is_set() => {
                let (ended, overheard) = (Ended::before_its_start(), Overheard::default());
                return Ok(Launched { ended, opened: None, overheard });
            }
            Err(error) => return Err(scratch(error)),
        };
        let (child, start) = self
            .descendants
            .start(children, &mut command, place.path())
            .map_err(LaunchError::Start)?;
        let Limits { time, output: written, .. } = self.limits;
        let bounds = Bounds { time, stopped: MOST_STOPPED, written, kept: keep };
        let ended = wait(child, start, &self.descendants, place.path(), &bounds, stop)
            .map_err(LaunchError::Start)?;
        let overheard = listening.map_or_else(Overheard::default, |_| ear::heard(place.path()));
        Ok(Launched { ended, opened: opened.and_then(OpenedFiles::finish), overheard })
    }

    /// Returns where programs run.
    fn working_directory(&self, place: &TestDirectory<'_>) -> PathBuf {
        match &self.within {
            Some(within) => place.work().join(&self.name).join(within),
            None => place.work(),
        }
    }

    /// Makes sure that programs have a directory to run in, also where the candidate has no file
    /// there, and find what stands beside candidates.
    fn provide_in(&self, directory: &Path) -> io::Result<()> {
        files::create_directories(directory)?;
        self.companions.as_ref().map_or(Ok(()), |companions| companions.provide(directory))
    }

    /// Puts a candidate and its companions into the directory of a test; returns its standard
    /// input.
    fn put(
        &self,
        place: &TestDirectory<'_>,
        candidate: &[u8],
        stop: &CancelToken,
    ) -> io::Result<File> {
        let input = match self.form {
            Form::File => place.put(&self.name, candidate, self.executable)?,
            Form::Directory => {
                place.check_out(&self.name, candidate, stop)?;
                files::null()?
            }
            Form::Nothing => files::null()?,
        };
        self.provide_in(&self.working_directory(place))?;
        Ok(input)
    }
}

/// Lets two directories change places, in one step where the file system can do that.
///
/// # Errors
/// If it cannot be done.
pub fn exchange(a: &Path, b: &Path, spare: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    files::rename(a, spare)?;
    files::rename(b, a)?;
    files::rename(spare, b)
}

/// The number of lines of an output that are shown.
const LINES: usize = 12;

/// Returns the last lines of a program's output, without control characters, which would upset a
/// terminal.
pub(crate) fn last_lines(ended: &Ended) -> String {
    [&ended.stdout, &ended.stderr].map(|text| last_lines_of(text)).concat()
}

fn last_lines_of(text: &[u8]) -> String {
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
/// Returns `./-x.c` for `-x.c`, which a program would take for an option, and other names as they
/// are.
pub(crate) fn argument(name: &OsStr) -> OsString {
    if !name.as_bytes().starts_with(b"-") {
        return name.to_owned();
    }
    let mut argument = OsString::from("./");
    argument.push(name);
    argument
}
