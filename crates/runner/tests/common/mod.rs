//! A small reduction with a real test script, a journal and a result on disk.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Event, JobId, Outcome, Said, Session, Step, StopReason};
use minirepro_runner::{
    AnswerStore, CancelToken, Companion, Digest, End, Fingerprint, Header, Journal, Limits, Output,
    ProgramTest, Record, Start, TestSpec, Writer, drive, reproduces,
};

/// What the run begins with. The failure is there as long as the second line is.
pub const INPUT: &[u8] = b"one\ntwo\nthree\nfour\n";
/// What it ends with.
pub const MINIMAL: &[u8] = b"two\n";

/// The files of a run.
pub struct Files {
    place: tempfile::TempDir,
}

impl Files {
    pub fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let files = Self { place };
        fs::write(files.script(), "#!/bin/sh\ngrep -q two \"$1\"\n").unwrap();
        fs::set_permissions(files.script(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(files.input(), INPUT).unwrap();
        files
    }

    pub fn script(&self) -> PathBuf {
        self.place.path().join("test.sh")
    }

    pub fn input(&self) -> PathBuf {
        self.place.path().join("input.txt")
    }

    /// Returns the directory of all that a run writes.
    pub fn results(&self) -> PathBuf {
        self.place.path().join("results")
    }

    pub fn result(&self) -> PathBuf {
        self.results().join("out.txt")
    }

    pub fn journal(&self) -> PathBuf {
        self.results().join("out.txt.minirepro")
    }
}

/// Drops one line after the other.
struct Lines {
    best: Vec<Arc<[u8]>>,
    next: usize,
    asked: u64,
    is_running: bool,
    writer: Option<Writer>,
    events: Vec<Event>,
}

impl Lines {
    fn new(input: &[u8], writer: Writer) -> Self {
        let best = input.split_inclusive(|&b| b == b'\n').map(Arc::from).collect();
        Self {
            best,
            next: 0,
            asked: 0,
            is_running: false,
            writer: Some(writer),
            events: Vec::new(),
        }
    }

    fn without(&self, left_out: usize) -> Arc<[u8]> {
        let lines = self.best.iter().enumerate().filter(|(at, _)| *at != left_out);
        lines.flat_map(|(_, line)| line.iter().copied()).collect()
    }
}

impl Session for Lines {
    fn poll(&mut self, _now: Duration) -> Step {
        if self.next >= self.best.len() {
            return Step::Done;
        }
        if std::mem::replace(&mut self.is_running, true) {
            return Step::Wait;
        }
        Step::Start { id: JobId(self.asked), candidate: self.without(self.next) }
    }

    fn report(&mut self, _id: JobId, outcome: Outcome) {
        self.asked += 1;
        self.is_running = false;
        if outcome == Outcome::Fail {
            let candidate = self.without(self.next);
            self.writer.as_ref().unwrap().offer(candidate);
            self.best.remove(self.next);
        } else {
            self.next += 1;
        }
    }

    fn cancelled_jobs(&mut self) -> Vec<JobId> {
        Vec::new()
    }

    fn stop(&mut self, _why: StopReason) {
        self.next = usize::MAX;
    }

    fn take_events(&mut self) -> std::vec::Drain<'_, Event> {
        self.events.drain(..)
    }
}

/// Reduces the input as a driver does; goes on with a journal that is there.
pub fn reduce(files: &Files) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let stop = CancelToken::new().map_err(|e| text(&e))?;
    let output = Output::new(&files.result(), &files.input());
    output.check().map_err(|e| text(&e))?;
    output.clean();
    let limits = Limits::new(Duration::from_secs(100));
    let mut script = ProgramTest::new(TestSpec::script(files.script()), &files.input(), limits)
        .map_err(|e| text(&e))?;
    let companion = Companion { path: "beside/input".into(), source: files.input() };
    script.provide(&[companion]).map_err(|e| text(&e))?;
    let facts = Fingerprint::new();
    let header = Header::new("1", Path::new("/"), &[], INPUT, facts.clone(), facts);
    let (mut journal, past) = Journal::open(&files.journal()).map_err(|e| text(&e))?;
    if past.is_none() {
        reproduces(&script, INPUT, &stop).map_err(|e| text(&e))?;
        journal.begin(header, INPUT).map_err(|e| text(&e))?;
        journal.add(&Record::Start(Start { time_limit: 100.0, ..Start::default() }));
    }
    let mut session = Lines::new(INPUT, Writer::new(output).map_err(|e| text(&e))?);
    let answers = AnswerStore::new(past.as_ref(), Some(journal));
    let (_, driven) = drive(
        &mut session,
        &answers.oracle(&script),
        1,
        &stop,
        None,
        &mut |_| Ok(Said::Candidates(Vec::new())),
        &mut |_, _| {},
    );
    let written = session.writer.take().unwrap().finish();
    driven.map_err(|e| text(&e))?;
    written.map_err(|e| text(&e))?;
    let tests = session.asked;
    let result = Digest::of(MINIMAL);
    let Some(mut journal) = answers.into_journal() else { return Ok(()) };
    journal.add(&Record::End(End { stopped: None, result, bytes: MINIMAL.len() as u64, tests }));
    journal.remove();
    Ok(())
}
