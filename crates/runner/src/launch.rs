//! What all tests that are programs have in common: a directory that holds the candidate, a time
//! limit, and the certainty that nothing of them stays. Knows not what an answer means.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::cgroup::{Group, Groups};
use crate::family::{Family, MARK, Mark, StartError, kill_abandoned};
use crate::process::{Ended, wait};
use crate::scratch::{Scratch, TestDirectory, remove_abandoned};
use crate::{Ending, Excess, Limits, OracleError, Stop};

/// Why no test can be run.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// There is no place to run it.
    #[error("cannot make a scratch directory in {}: {error}; set TMPDIR to another place", .parent.display())]
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

/// What a candidate is to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    name: OsString,
    pub form: Form,
    executable: bool,
    pub limits: Limits,
    /// Where there are control groups, and they are needed.
    groups: Option<Groups>,
    tests: AtomicU64,
    // Before `scratch`, so that everything that still runs dies before its directory goes.
    family: Family,
    scratch: Scratch,
}

/// Why a program did not run.
pub(crate) enum LaunchError {
    /// There was no place for the candidate.
    Scratch(OracleError),
    /// The program could not be started.
    Start(io::Error),
}

impl Launcher {
    /// Makes a scratch directory in the system's directory for temporary files. Those of dead
    /// runs, and their processes, are removed first. Candidates get the name `name`, and are
    /// executable if `input` is.
    ///
    /// If `input` is a directory, candidates are archives and become directories.
    pub fn new(input: &Path, name: &OsStr, limits: Limits) -> Result<Self, SetupError> {
        let parent = std::env::temp_dir();
        remove_abandoned(&parent, |run| {
            kill_abandoned(run);
            Groups::remove_abandoned(run);
        });
        let scratch =
            Scratch::new(&parent).map_err(|error| SetupError::Scratch { parent, error })?;
        let family = Family::new().map_err(SetupError::Processes)?;
        let data = fs::metadata(input);
        let executable = data.as_ref().is_ok_and(|d| d.permissions().mode() & 0o111 != 0);
        let form = if data.is_ok_and(|d| d.is_dir()) { Form::Directory } else { Form::File };
        let root = scratch.path().file_name().unwrap_or_default().to_string_lossy();
        let groups = limits.need_groups().then(|| Groups::new(&root)).flatten();
        let (name, tests) = (name.to_owned(), AtomicU64::new(1));
        Ok(Self { name, form, executable, limits, groups, tests, family, scratch })
    }

    /// While a test runs: frees what earlier ones left, writes files that may be the next candidate.
    pub fn prepare(&self, candidates: &[Arc<[u8]>]) {
        let files = if self.form == Form::File { candidates } else { &[] };
        self.scratch.prepare(files, self.executable);
    }

    /// The candidate's name in the working directory.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Runs one program in an empty directory that holds the candidate, which is also its standard
    /// input. Of each output, so many bytes are kept.
    pub fn run(
        &self,
        command: Command,
        candidate: &[u8],
        keep: usize,
        stop: &Stop,
    ) -> Result<Ended, LaunchError> {
        let scratch = |error| {
            LaunchError::Scratch(OracleError::Scratch { path: self.scratch.path().into(), error })
        };
        let place = self.scratch.fresh().map_err(scratch)?;
        let mark = self.mark(&place);
        let group = self.group().map_err(scratch)?;
        let mut command = self.limits.wrap(command, group.as_ref(), self.are_limits_of_groups());
        command
            .current_dir(place.work())
            .env("PWD", place.work())
            .env("TMPDIR", place.tmp())
            .env(MARK, &mark)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = self.family.start(
            || match self.form {
                Form::File => place.put(&self.name, candidate, self.executable),
                Form::Directory => {
                    place.check_out(&self.name, candidate)?;
                    File::open("/dev/null")
                }
                Form::Nothing => File::open("/dev/null"),
            },
            |file| {
                command.stdin(file);
                command
            },
        );
        let child = child.map_err(|error| match error {
            StartError::Files(error) => scratch(error),
            StartError::Spawn(error) => LaunchError::Start(error),
        })?;
        let mark = Mark { variable: &format!("{MARK}={mark}"), directory: place.path() };
        let amounts = (keep, self.limits.output);
        let mut ended = wait(child, &self.family, &mark, self.limits.time, amounts, stop)
            .map_err(LaunchError::Start)?;
        if group.is_some_and(|group| group.ran_out_of_memory()) && ended.ending != Ending::Stopped {
            ended.ending = Ending::Exceeded(Excess::Memory);
        }
        Ok(ended)
    }

    /// Whether control groups limit memory and processes.
    pub fn are_limits_of_groups(&self) -> bool {
        self.groups.as_ref().is_some_and(|groups| groups.limits)
    }

    /// A control group for a test.
    fn group(&self) -> io::Result<Option<Group>> {
        let Some(groups) = &self.groups else { return Ok(None) };
        let group = groups.fresh(self.tests.fetch_add(1, Ordering::Relaxed))?;
        if groups.limits {
            self.limits.memory.map_or(Ok(()), |bytes| group.limit_memory(bytes))?;
            self.limits.processes.map_or(Ok(()), |number| group.limit_processes(number))?;
        }
        Ok(Some(group))
    }

    fn mark(&self, place: &TestDirectory<'_>) -> String {
        let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
        format!("{}/{}", name(self.scratch.path()), name(place.path()))
    }
}

/// Lets two directories change places, in one step where the file system can do that.
///
/// # Errors
/// When it cannot be done.
pub fn exchange(a: &Path, b: &Path, spare: &Path) -> io::Result<()> {
    if renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok() {
        return Ok(());
    }
    fs::rename(a, spare)?;
    fs::rename(b, a)?;
    fs::rename(spare, b)
}

/// How many lines of an output are shown.
const LINES: usize = 12;

/// The last lines of what a program wrote, without anything that would upset a terminal.
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
