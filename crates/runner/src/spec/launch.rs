//! The common part of all tests that are programs: a directory that holds the candidate, limits,
//! and the certainty that no process and no file of a test stays.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::overhear::{Overheard, Wish, ear};
use crate::process::children::{self, Kind};
use crate::process::descendants::Descendants;
use crate::process::limits::{FLOOD, set_variables};
use crate::process::opened::OpenedFiles;
use crate::process::process::{Bounds, Ended, wait};
use crate::scratch::companions::{Companion, Companions};
use crate::scratch::original::Original;
use crate::scratch::scratch::{Scratch, TestDirectory, remove_abandoned};
use crate::system::files;
use crate::{CancelToken, Limits, OracleError};

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

/// Runs programs on candidates.
#[derive(Debug)]
pub(crate) struct Launcher {
    /// The candidate's name in the working directory.
    pub name: OsString,
    pub form: Form,
    pub executable: bool,
    /// The directory of the candidate, relative to it, in which programs run; without one, they run
    /// beside it.
    pub within: Option<PathBuf>,
    pub limits: Limits,
    /// Variables that programs get, or do not get.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// Whether tests are told that they confirm a result.
    pub confirms: AtomicBool,
    // Declared before `scratch`, so that every process dies before its directory goes.
    descendants: Descendants,
    pub companions: Option<Companions>,
    pub scratch: Scratch,
}

/// The surroundings of a program.
pub(crate) enum Scene<'a> {
    /// A fresh directory that holds a candidate and its companions; a file is also the standard
    /// input.
    Candidate(&'a [u8]),
    /// A fresh directory that holds a copy of one of the user's.
    Copy(CopyOf<'a>),
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
        Ok(Self {
            name: name.to_owned(),
            form,
            executable,
            within: None,
            limits,
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

    /// Puts the files of an archive beside the candidate in every test.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn provide_unpacked(&mut self, archive: &[u8]) -> io::Result<()> {
        if !archive.is_empty() {
            self.companions = Some(Companions::unpacked(self.scratch.path(), archive)?);
        }
        Ok(())
    }

    /// Returns the candidate's name as an argument, which must not look like an option.
    pub fn argument(&self) -> OsString {
        argument(&self.name)
    }

    /// Returns a directory as candidates' programs find it.
    pub fn copy_of<'a>(&'a self, original: &'a Original) -> CopyOf<'a> {
        let within = self.within.as_deref().unwrap_or(Path::new(".."));
        CopyOf { original, name: &self.name, within, more: &[], has_input: false }
    }

    /// Runs one program, and overhears the programs that it runs if that is wanted. Of each output,
    /// at most `keep` bytes are kept.
    ///
    /// # Errors
    /// If there is no place for the candidate, or the program cannot be started.
    pub fn launch(
        &self,
        mut command: Command,
        scene: &Scene<'_>,
        listening: Option<Listening<'_>>,
        keep: usize,
        stop: &CancelToken,
    ) -> Result<Launched, OracleError> {
        let program = PathBuf::from(command.get_program());
        let scratch = |error| OracleError::Scratch { path: self.scratch.path().into(), error };
        let place = self.scratch.fresh().map_err(scratch)?;
        if let Some(Listening { names, wish, hears_itself }) = listening {
            let wish = wish.map(|wish| (wish, &*self.name));
            command =
                ear::listen(place.path(), names, wish, hears_itself, command).map_err(scratch)?;
        }
        let mut command = self.limits.wrap(command);
        let directory = match scene {
            Scene::Candidate(_) => self.working_directory(&place),
            Scene::Copy(copy) if copy.within == Path::new("..") => place.work(),
            Scene::Copy(copy) => place.work().join(copy.name).join(copy.within),
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
        let variables = self.environment.iter();
        set_variables(&mut command, variables.map(|(name, value)| (&**name, value.as_deref())));
        let mut opened = None;
        let children = children::lock();
        let input = match scene {
            Scene::Candidate(candidate) => self.put(&place, candidate, stop),
            Scene::Copy(copy) => self.copy(&place, copy, &directory, &mut opened, stop),
        };
        match input {
            Ok(input) => command.stdin(input),
            Err(_) if stop.is_set() => {
                let (ended, overheard) = (Ended::before_its_start(), Overheard::default());
                return Ok(Launched { ended, opened: None, overheard });
            }
            Err(error) => return Err(scratch(error)),
        };
        let started = self.descendants.start(children, &mut command, place.path());
        let (child, start) = started.map_err(|error| not_started(program.clone(), error))?;
        let time = self.limits.time;
        let bounds = Bounds { time, stopped: MOST_STOPPED, written: FLOOD, kept: keep };
        let ended = wait(child, start, &self.descendants, place.path(), &bounds, stop)
            .map_err(|error| OracleError::Start { program, error })?;
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

    /// Puts a copy of a directory there, in which programs run in `directory`; returns their
    /// standard input.
    fn copy(
        &self,
        place: &TestDirectory<'_>,
        copy: &CopyOf<'_>,
        directory: &Path,
        opened: &mut Option<OpenedFiles>,
        stop: &CancelToken,
    ) -> io::Result<File> {
        let top = place.work().join(copy.name);
        let directories = copy.original.copy_to(&top, &self.scratch.private, stop)?;
        // Where the system does not tell, all of them may have been.
        *opened = OpenedFiles::watch(&top, directories).ok();
        self.provide_in(directory)?;
        for (source, below) in copy.more {
            let place = top.join(below);
            if fs::symlink_metadata(&place).is_err() {
                files::create_parents(&place)?;
                let mode = fs::metadata(source)?.permissions().mode();
                files::copy_to_new(source, &place, mode)?;
            }
        }
        match copy.more.first().filter(|_| copy.has_input) {
            Some((_, below)) => files::open(&top.join(below)),
            None => files::null(),
        }
    }
}

/// Says why a program could not be started.
fn not_started(program: PathBuf, error: io::Error) -> OracleError {
    match Errno::from_io_error(&error) {
        Some(Errno::NOEXEC) => OracleError::NoInterpreterLine { script: program },
        Some(Errno::NOENT) if program.is_absolute() && program.exists() => {
            let interpreter = interpreter(&program);
            OracleError::NoInterpreter { script: program, interpreter }
        }
        _ => OracleError::Start { program, error },
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
