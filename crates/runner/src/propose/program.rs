//! A program that proposes candidates: a process a text, which gets a line of JSON and answers with
//! a line of JSON a candidate. What cannot be understood is passed over.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Command, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minirepro_engine::{Consultation, Gone, Said};
use serde::{Deserialize, Serialize};

use crate::process::children::{self, Kind};
use crate::process::descendants::Descendants;
use crate::process::process::{Bounds, Ended, wait};
use crate::propose::Proposer;
use crate::scratch::scratch::Scratch;
use crate::{CancelToken, TestEnd};

/// What a program may do before it is ended.
const BOUNDS: Bounds = Bounds {
    time: Duration::from_secs(600),
    stopped: Duration::from_secs(10),
    written: 16 << 20,
    kept: 16 << 20,
};

/// A program that proposes candidates.
#[derive(Debug)]
pub struct ProposerProgram {
    command: OsString,
    /// What its last process wrote to its standard error.
    last_words: Vec<u8>,
}

/// What a program gets.
#[derive(Serialize)]
struct Question<'a> {
    text: Option<&'a str>,
    /// The same in base64.
    content: String,
    language: &'a str,
}

/// A candidate, in one of three forms.
#[derive(Deserialize)]
struct Candidate {
    content: Option<String>,
    text: Option<String>,
    edits: Option<Vec<Replacement>>,
}

/// A span of the text, and what to put there.
#[derive(Deserialize)]
struct Replacement {
    from: usize,
    to: usize,
    #[serde(default)]
    text: String,
}

impl ProposerProgram {
    /// Names the program by a command for a shell.
    pub fn new(command: impl Into<OsString>) -> Self {
        Self { command: command.into(), last_words: Vec::new() }
    }

    /// Runs it where the user is.
    fn run(&self, question: &[u8], stop: &CancelToken) -> io::Result<Ended> {
        let scratch = Scratch::new(&std::env::temp_dir())?;
        let descendants = Descendants::new(scratch.path(), Kind::Helper)?;
        let place = scratch.fresh()?;
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(&self.command).env("TMPDIR", place.tmp());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let children = children::lock();
        command.stdin(place.put(OsStr::new("question"), question, false)?);
        let (child, start) = descendants.start(children, &mut command, place.path())?;
        wait(child, start, &descendants, place.path(), &BOUNDS, stop)
    }
}

impl Proposer for ProposerProgram {
    fn name(&self) -> String {
        self.command.to_string_lossy().into_owned()
    }

    fn consult(&mut self, consultation: &Consultation, stop: &CancelToken) -> Option<Said> {
        let text = &*consultation.text;
        let question = Question {
            text: str::from_utf8(text).ok(),
            content: STANDARD.encode(text),
            language: &consultation.language,
        };
        // Strings only: writing them to memory cannot fail.
        let question = serde_json::to_vec(&question).unwrap_or_default();
        let Ok(ended) = self.run(&[&question[..], b"\n"].concat(), stop) else {
            return Some(Said::Gone(Gone::NotStarted));
        };
        let lines = ended.stdout.split(|&byte| byte == b'\n');
        let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
        let candidates: Vec<_> = lines.iter().filter_map(|line| candidate(line, text)).collect();
        self.last_words = ended.stderr;
        Some(match ended.ending {
            TestEnd::Stopped => return None,
            TestEnd::TimedOut => Said::Gone(Gone::Silent),
            TestEnd::Exited(0) if lines.is_empty() => Said::Candidates(candidates),
            _ if candidates.is_empty() => Said::Gone(Gone::Unclear),
            _ => Said::Candidates(candidates),
        })
    }

    fn last_words(&mut self) -> String {
        String::from_utf8_lossy(&self.last_words).into_owned()
    }
}

/// Reads a line of a program that works on `text`; `None` if it has no known form.
fn candidate(line: &[u8], text: &[u8]) -> Option<std::sync::Arc<[u8]>> {
    let candidate: Candidate = serde_json::from_slice(line).ok()?;
    let bytes = match (candidate.content, candidate.text) {
        (Some(content), _) => STANDARD.decode(content).ok()?,
        (None, Some(whole)) => whole.into_bytes(),
        (None, None) => edited(text, candidate.edits?)?,
    };
    Some(bytes.into())
}

/// Replaces spans by texts; `None` if they overlap or lie outside.
fn edited(text: &[u8], mut edits: Vec<Replacement>) -> Option<Vec<u8>> {
    edits.sort_by_key(|edit| (edit.from, edit.to));
    let mut made = Vec::with_capacity(text.len());
    let mut end = 0;
    for edit in edits {
        made.extend_from_slice(text.get(end..edit.from)?);
        text.get(edit.from..edit.to)?;
        made.extend_from_slice(edit.text.as_bytes());
        end = edit.to;
    }
    made.extend_from_slice(text.get(end..)?);
    Some(made)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use minirepro_engine::Whom;

    use super::*;

    #[test]
    fn lines_are_read_in_every_form() {
        for (said, read_as) in [
            (r#"{"content": "YWI="}"#, Some("ab")),
            (r#"{"text": "ab", "why": "because"}"#, Some("ab")),
            (
                r#"{"edits": [{"from": 4, "to": 5, "text": "X"}, {"from": 0, "to": 2}]}"#,
                Some("23X5"),
            ),
            (r#"{"edits": []}"#, Some("012345")),
            (r#"{"edits": [{"from": 0, "to": 3}, {"from": 2, "to": 4}]}"#, None),
            (r#"{"edits": [{"from": 3, "to": 2}]}"#, None),
            (r#"{"edits": [{"from": 0, "to": 7}]}"#, None),
            (r#"{"edits": [{"from": -1, "to": 1}]}"#, None),
            (r#"{"content": "?"}"#, None),
            ("{}", None),
            ("Sure! Here is a smaller program:", None),
        ] {
            let read = candidate(said.as_bytes(), b"012345");
            assert_eq!(read.as_deref(), read_as.map(str::as_bytes), "{said}");
        }
    }

    #[test]
    fn a_program_is_asked_again_only_if_it_has_answered() {
        let stop = CancelToken::new().unwrap();
        let text: Arc<[u8]> = b"x".as_slice().into();
        let consultation =
            Consultation { whom: Whom::Proposer(0), text: Arc::clone(&text), language: "c".into() };
        let gone = Said::Gone(Gone::Unclear);
        for (command, expected) in [
            ("cat; echo Sure", Said::Candidates(vec![text])),
            ("exit 0", Said::Candidates(Vec::new())),
            ("exit 3", gone.clone()),
            ("echo Sure", gone),
        ] {
            let said = ProposerProgram::new(command).consult(&consultation, &stop);
            assert_eq!(said, Some(expected), "{command}");
        }
    }
}
