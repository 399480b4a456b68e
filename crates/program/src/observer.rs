//! Events of a run, for whoever wants to show or record what happens.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Event, Findings, Gone};
use minirepro_runner::{Companion, OtherCrash, Signature, TestEnd};
use minirepro_workers::Examined;
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::outcome::{
    BaselineFacts, Difference, IsolationOutcome, Measured, OptionsOutcome, Reduced,
    ReductionOutcome, Verified,
};
use crate::request::Format;

/// Gets the events of a run as they happen, on the thread that drives it.
pub trait Observer {
    /// Takes an event.
    fn event(&mut self, event: &RunEvent<'_>);
}

impl<F: FnMut(&RunEvent<'_>)> Observer for F {
    fn event(&mut self, event: &RunEvent<'_>) {
        self(event);
    }
}

/// Something that happened in a run. The form for other programs is version 2 of what `--progress
/// json` writes: its `event` is the kind. Events that only help people have none.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RunEvent<'a> {
    /// The command is run on the unchanged input, to learn its failure.
    #[serde(skip)]
    Learning {
        /// How long each run may take.
        limit: Duration,
    },
    /// The failure of the command on the unchanged input is known.
    #[serde(rename = "failure")]
    FailureLearnt {
        /// The file; `None` for a command line without one.
        file: Option<&'a Path>,
        /// The failure.
        #[serde(serialize_with = "text")]
        signature: &'a Signature,
    },
    /// Every test finds these files beside its candidate.
    #[serde(skip)]
    CompanionsProvided {
        /// The files and directories.
        companions: &'a [Companion],
        /// Files that the input names, but that do not lie below its directory, so that no test can
        /// find them beside its candidate.
        elsewhere: &'a [PathBuf],
    },
    /// A run that was interrupted goes on.
    Resuming {
        /// Its journal.
        journal: &'a Path,
        /// How many answers it holds.
        answers: usize,
        /// Whether the caller asked for this, and did not just start the same run again.
        requested: bool,
    },
    /// A journal holds another run, which is given up for this one.
    #[serde(skip)]
    OtherRunReplaced {
        /// The journal.
        journal: &'a Path,
        /// The facts that differ, by name.
        changed: &'a [String],
    },
    /// The run has no journal and cannot be resumed.
    #[serde(skip)]
    NoJournal {
        /// What the system says.
        error: &'a str,
    },
    /// A proposer cannot be asked again.
    #[serde(skip)]
    ProposerGone {
        /// What it is called.
        name: &'a str,
        /// Why.
        why: Gone,
        /// The last of what it has written to explain itself.
        last_words: &'a str,
    },
    /// The test is not the one that the verified run had.
    #[serde(skip)]
    TestChanged,
    /// The unchanged input is tested.
    TestingInput {
        /// How long each test may take; a test that is not a program has no limit.
        #[serde(skip)]
        limit: Option<Duration>,
    },
    /// The test says of a text that is nothing of any kind that it reproduces: any failure will do
    /// for it.
    #[serde(skip)]
    NonsenseAccepted {
        /// The text.
        text: &'a [u8],
    },
    /// Tests have changed their copies of what is heavy in a project; the copies were made good.
    #[serde(skip)]
    CopiesMended {
        /// What was copied.
        originals: &'a [PathBuf],
    },
    /// A program of the test says something else of a result than of the input: the script may have
    /// accepted another failure.
    #[serde(skip)]
    OtherMessage {
        /// How it fails on the input.
        input: &'a Signature,
        /// How it fails on the result, if it does.
        result: Option<&'a Signature>,
    },
    /// What passes, of a difference that was found, does not end as what passed before the search:
    /// the test may call something else a pass.
    #[serde(skip)]
    PassesOtherwise {
        /// How what passed before the search ended, and with what.
        before: (TestEnd, &'a str),
        /// How what passes now ends, and with what.
        now: (TestEnd, &'a str),
    },
    /// The tests before the search are done.
    #[serde(rename = "input-tested")]
    BaselineDone(&'a BaselineFacts),
    /// The commands of workers are started.
    #[serde(skip)]
    StartingWorkers {
        /// The commands.
        commands: &'a [String],
    },
    /// All workers have shown whether they can be used.
    #[serde(skip)]
    WorkersReady {
        /// All of them, also those that are refused.
        workers: &'a [Examined],
        /// How many tests run at the same time.
        jobs: usize,
    },
    /// A worker was lost; others run its tests.
    #[serde(skip)]
    WorkerLost {
        /// Its command.
        command: &'a str,
        /// Why nothing is heard of it any more.
        why: &'a str,
    },
    /// A text is reduced from now on.
    #[serde(rename = "reduction")]
    ReductionBegins {
        /// What the text is called; of a directory, the path of the file in it.
        name: &'a str,
        /// As it is at the beginning.
        #[serde(skip)]
        text: &'a Arc<[u8]>,
        /// Its size in tokens.
        tokens: u64,
        /// Its size in bytes.
        bytes: u64,
    },
    /// Circumstances are isolated or minimized from now on.
    #[serde(rename = "isolation")]
    IsolationBegins,
    /// Something happened in the session.
    #[serde(skip)]
    Step {
        /// The event.
        event: &'a Event,
        /// The time since the session began.
        now: Duration,
        /// Answers so far in this run that needed no test since they were known.
        reused: u64,
    },
    /// A candidate failed in another way, which is kept; these are all kept so far, with the place
    /// of the smallest input of each.
    #[serde(rename = "other-failures")]
    OtherCrashes {
        /// All of them.
        #[serde(serialize_with = "failures")]
        found: &'a [(Signature, OtherCrash)],
    },
    /// The session is over.
    #[serde(skip)]
    SessionEnds,
    /// A text is read in another way from now on.
    #[serde(skip)]
    ReadAs {
        /// How it was read, if nothing could go.
        in_vain: Option<&'a str>,
        /// How it is read.
        now: &'a str,
    },
    /// A text was reduced.
    Reduced(&'a Reduced),
    /// A result got another form and still reproduces.
    #[serde(skip)]
    Formatted {
        /// Its form.
        form: &'a Format,
        /// Bytes before.
        from: usize,
        /// Bytes now.
        to: usize,
    },
    /// A result keeps its blank space, since without it the test does not reproduce.
    #[serde(skip)]
    FormatRefused,
    /// A search among circumstances has ended.
    #[serde(skip)]
    Narrowed(&'a Measured<Findings>),
    /// A difference is complete and on disk, if it should be.
    #[serde(skip)]
    DifferenceFound(&'a Difference),
    /// A set of words was found that is enough.
    #[serde(rename = "words")]
    WordsFound {
        /// The set, by places in `words`.
        set: &'a [usize],
        /// All words in question.
        words: &'a [String],
    },
    /// A result is on disk.
    #[serde(rename = "result")]
    ResultWritten {
        /// Where.
        path: &'a Path,
    },
    /// Somebody has changed a result during the run; what they made of it stays under another name.
    #[serde(rename = "edited")]
    EditedResultKept {
        /// The place of the result.
        result: &'a Path,
        /// Where it is now.
        kept: &'a Path,
    },
    /// The run ended early, and its journal is complete.
    #[serde(rename = "resumable")]
    CanGoOn {
        /// The journal.
        journal: &'a Path,
    },
    /// The journal that was asked for stays.
    #[serde(skip)]
    JournalKept {
        /// The journal.
        journal: &'a Path,
    },
    /// Not everything could be written to the journal.
    #[serde(skip)]
    JournalIncomplete {
        /// The journal.
        journal: &'a Path,
        /// What the system says.
        error: &'a str,
        /// Whether the run ended early, so that it matters for going on.
        can_go_on: bool,
    },
    /// A result holds.
    #[serde(skip)]
    Verified(&'a Verified),
    /// The run is over.
    #[serde(rename = "end")]
    Over(Over<'a>),
}

/// The outcome of a run of any kind. It comes before errors that concern the result, such as a test
/// that broke.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Over<'a> {
    /// Of a file or bytes.
    Reduction(&'a ReductionOutcome),
    /// Of a difference.
    Isolation(&'a IsolationOutcome),
    /// Of words of a command line.
    Options(&'a OptionsOutcome),
}

/// Writes something as people read it.
fn text<S: Serializer>(shown: &impl fmt::Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(shown)
}

/// Writes other failures, each with the file of its smallest input.
fn failures<S: Serializer>(found: &&[(Signature, OtherCrash)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(found.iter().map(|(signature, OtherCrash { bytes, path, .. })| {
        let (signature, path) = (signature.to_string(), path.to_string_lossy());
        json!({ "signature": signature, "bytes": bytes, "path": path })
    }))
}
