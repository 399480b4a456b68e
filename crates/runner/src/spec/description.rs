//! The description of a test, by which an agent runs it as the run itself would: nothing but
//! programs has to be on the agent's machine.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use crate::journal::format::Word;
use crate::scratch::companions::{Content, Provided};
use crate::spec::launch::{Form, Surroundings};
use crate::system::LIMIT;
use crate::{Conditions, Limits, Signature, Template, Warnings};

/// A test, apart from the contents of its files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Description {
    pub(crate) program: Program,
    /// The name of a candidate.
    pub(crate) name: Word,
    pub(crate) form: Form,
    /// Whether candidates are executable.
    pub(crate) executable: bool,
    /// The directory of the candidate in which programs run, if they do not run beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) within: Option<Word>,
    pub(crate) limits: Limits,
    /// The kinds of warnings that a candidate may have, if it may not have all.
    #[serde(default)]
    pub(crate) warnings: Option<Warnings>,
    /// What stands beside every candidate.
    pub(crate) beside: Vec<FileRecord>,
    /// The variables that choose the language of messages, as they are where the run is.
    pub(crate) locale: Vec<(Word, Word)>,
}

/// What is run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Program {
    /// A test script.
    Script {
        /// Where it is, in the machine of the run.
        path: Word,
        /// What it gets.
        arguments: Vec<Word>,
        /// Its length: it is the first part of the body.
        bytes: u64,
    },
    /// A command that fails.
    Command {
        words: Vec<Word>,
        /// If the candidate decides about the words.
        template: Option<Template>,
        /// Shell commands that must succeed as well.
        guards: Vec<Word>,
        /// Stack frames of a signature.
        frames: usize,
        failure: Box<FailureRecord>,
    },
}

/// The failure that tests look for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FailureRecord {
    Conditions(ConditionsRecord),
    Signature(Signature),
    ExitCode,
}

/// [`Conditions`] as they are sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ConditionsRecord {
    exit_code: Option<i32>,
    signal: Option<i32>,
    stdout: Vec<String>,
    stderr: Vec<String>,
    no_stderr: Vec<String>,
    timeout: bool,
}

/// A file that is a part of the body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub path: Word,
    pub kind: FileKind,
    /// Its length.
    #[serde(default)]
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FileKind {
    File,
    Executable,
    Directory,
}

/// A test as it is sent to agents.
#[derive(Clone, Debug)]
pub struct DescribedTest {
    /// The test apart from the contents of its files.
    pub description: Description,
    /// The contents of its files, one after the other.
    pub body: Vec<u8>,
}

impl DescribedTest {
    /// Puts a description together.
    ///
    /// # Errors
    /// If a file cannot be read, or all together are too large.
    pub(crate) fn new(
        program: Program,
        script: Vec<u8>,
        surroundings: Surroundings,
    ) -> io::Result<Self> {
        let mut body = script;
        let mut beside = Vec::new();
        for Provided { path, content } in surroundings.beside {
            let (kind, text) = match content {
                Content::Directory => (FileKind::Directory, Vec::new()),
                Content::File { executable: false, text } => (FileKind::File, text),
                Content::File { executable: true, text } => (FileKind::Executable, text),
            };
            let path = Word::new(path.as_os_str());
            beside.push(FileRecord { path, kind, bytes: text.len() as u64 });
            body.extend_from_slice(&text);
            if body.len() as u64 > LIMIT {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
        let locale = locale().map(|(name, value)| (Word::new(&name), Word::new(&value)));
        let description = Description {
            program,
            name: Word::new(&surroundings.name),
            form: surroundings.form,
            executable: surroundings.executable,
            within: surroundings.within.map(|within| Word::new(within.as_os_str())),
            limits: surroundings.limits,
            warnings: surroundings.warnings,
            beside,
            locale: locale.collect(),
        };
        Ok(Self { description, body })
    }

    /// Returns how long the test of one candidate may take, with all that is run for it and once
    /// more to explain it.
    pub fn longest(&self) -> Duration {
        let guards = match &self.description.program {
            Program::Command { guards, .. } => guards.len(),
            Program::Script { .. } => 0,
        };
        let programs = u32::try_from(2 + guards).unwrap_or(u32::MAX);
        self.description.limits.time.saturating_mul(programs)
    }
}

impl Description {
    /// Splits the body into the script and what stands beside candidates.
    ///
    /// # Errors
    /// If it is shorter or longer than the description says.
    pub(crate) fn unpack<'b>(&self, body: &'b [u8]) -> io::Result<(&'b [u8], Vec<Provided>)> {
        let mut rest = body;
        let mut take = |bytes: u64| {
            let length = usize::try_from(bytes).ok();
            let parts = length.and_then(|length| rest.split_at_checked(length));
            let (part, behind) = parts.ok_or(io::ErrorKind::UnexpectedEof)?;
            rest = behind;
            Ok::<_, io::Error>(part)
        };
        let script = match &self.program {
            Program::Script { bytes, .. } => take(*bytes)?,
            Program::Command { .. } => &[],
        };
        let mut beside = Vec::new();
        for FileRecord { path, kind, bytes } in &self.beside {
            let text = take(*bytes)?.to_owned();
            let content = match kind {
                FileKind::Directory => Content::Directory,
                FileKind::File => Content::File { executable: false, text },
                FileKind::Executable => Content::File { executable: true, text },
            };
            beside.push(Provided { path: PathBuf::from(path.to_os()), content });
        }
        if rest.is_empty() { Ok((script, beside)) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    /// Returns the changes of the environment that make messages those of the run's machine.
    pub fn environment(&self) -> Vec<(OsString, Option<OsString>)> {
        let own = locale().map(|(name, _)| (name, None));
        let wanted = self.locale.iter().map(|(name, value)| (name.to_os(), Some(value.to_os())));
        own.chain(wanted).collect()
    }
}

/// Returns the variables by which programs choose the language and the time zone of their messages.
fn locale() -> impl Iterator<Item = (OsString, OsString)> {
    let decides = |name: &OsStr| {
        let name = name.as_bytes();
        [&b"LANG"[..], b"LANGUAGE", b"TZ"].contains(&name) || name.starts_with(b"LC_")
    };
    std::env::vars_os().filter(move |(name, _)| decides(name))
}

impl From<&Conditions> for ConditionsRecord {
    fn from(conditions: &Conditions) -> Self {
        let Conditions { exit_code, signal, stdout, stderr, no_stderr, timeout } = conditions;
        let texts = |list: &[Regex]| list.iter().map(|regex| regex.as_str().to_owned()).collect();
        Self {
            exit_code: *exit_code,
            signal: *signal,
            stdout: texts(stdout),
            stderr: texts(stderr),
            no_stderr: texts(no_stderr),
            timeout: *timeout,
        }
    }
}

impl TryFrom<&ConditionsRecord> for Conditions {
    type Error = regex::Error;

    fn try_from(record: &ConditionsRecord) -> Result<Self, regex::Error> {
        let list = |texts: &[String]| -> Result<Vec<Regex>, regex::Error> {
            texts.iter().map(|text| Regex::new(text)).collect()
        };
        Ok(Self {
            exit_code: record.exit_code,
            signal: record.signal,
            stdout: list(&record.stdout)?,
            stderr: list(&record.stderr)?,
            no_stderr: list(&record.no_stderr)?,
            timeout: record.timeout,
        })
    }
}
