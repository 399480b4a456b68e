//! Events of a run, for whoever wants to show or record what happens.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Event, Findings, Gone};
use minirepro_runner::{Companion, OtherCrash, Signature, TestEnd};
use minirepro_workers::Examined;

use crate::outcome::{
    BaselineFacts, Cause, Difference, IsolationOutcome, Measured, MinimizedContext, OptionsOutcome,
    Reduced, ReductionOutcome, Replayed, Verified,
};

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

/// A session that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind<'a> {
    /// A text is reduced.
    Reduction {
        /// What the text is called; of a directory, the path of the file in it.
        name: &'a str,
        /// As it is at the beginning.
        text: &'a Arc<[u8]>,
        /// Its size in tokens.
        tokens: u64,
        /// Its size in bytes.
        bytes: u64,
    },
    /// Circumstances are isolated or minimized.
    Isolation,
}

/// A form of a result's blank space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form<'a> {
    /// Elements, rules and statements stand in lines of their own.
    Layout,
    /// One line end or one space stands between tokens.
    Plain,
    /// It is what this shell command made of it.
    Tool(&'a str),
}

/// Why no further cause is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMoreCauses {
    /// The rest of the input does not fail any more.
    RestDoesNotFail,
    /// The cause that was found cannot be taken out of what fails.
    CannotTakeOut,
    /// Without the difference that was found, the failure is not there.
    WithoutCausePasses,
    /// Without the records found, whose number this is, the failure is gone.
    FailureGone {
        /// How many were found.
        found: usize,
    },
    /// All words were found.
    NoWordsLeft,
    /// With the words that are left, the failure is not there, or does not go away.
    WordsDecideNothing {
        /// How many are left.
        left: usize,
        /// Whether words were sought that keep the failure away.
        blockers: bool,
        /// Whether the test gave no clear answer.
        unresolved: bool,
    },
}

/// Something that happened in a run.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RunEvent<'a> {
    /// The command is run on the unchanged input, to learn its failure.
    Learning {
        /// How long each run may take.
        limit: Duration,
    },
    /// The failure of the command on the unchanged input is known.
    FailureLearnt {
        /// The file; `None` for a command line without one.
        file: Option<&'a Path>,
        /// The failure.
        signature: &'a Signature,
    },
    /// Every test finds these files beside its candidate.
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
    OtherRunReplaced {
        /// The journal.
        journal: &'a Path,
        /// The facts that differ, by name.
        changed: &'a [String],
    },
    /// The run has no journal and cannot be resumed.
    NoJournal {
        /// What the system says.
        error: &'a str,
    },
    /// A proposer cannot be asked again.
    ProposerGone {
        /// What it is called.
        name: &'a str,
        /// Why.
        why: Gone,
        /// The last of what it has written to explain itself.
        last_words: &'a str,
    },
    /// The test is not the one that the verified run had.
    TestChanged,
    /// The unchanged input is tested.
    TestingInput {
        /// How long each test may take; a test that is not a program has no limit.
        limit: Option<Duration>,
    },
    /// The test says of a text that is nothing of any kind that it reproduces: any failure will do
    /// for it.
    NonsenseAccepted {
        /// The text.
        text: &'a [u8],
    },
    /// Tests have changed their copies of what is heavy in a project; the copies were made good.
    CopiesMended {
        /// What was copied.
        originals: &'a [PathBuf],
    },
    /// A program of the test says something else of a result than of the input: the script may have
    /// accepted another failure.
    OtherMessage {
        /// How it fails on the input.
        input: &'a Signature,
        /// How it fails on the result, if it does.
        result: Option<&'a Signature>,
    },
    /// What passes, of a difference that was found, does not end as what passed before the search:
    /// the test may call something else a pass.
    PassesOtherwise {
        /// How what passed before the search ended, and with what.
        before: (TestEnd, &'a str),
        /// How what passes now ends, and with what.
        now: (TestEnd, &'a str),
    },
    /// The tests before the search are done.
    BaselineDone(&'a BaselineFacts),
    /// The commands of workers are started.
    StartingWorkers {
        /// The commands.
        commands: &'a [String],
    },
    /// All workers have shown whether they can be used.
    WorkersReady {
        /// All of them, also those that are refused.
        workers: &'a [Examined],
        /// How many tests run at the same time.
        jobs: usize,
    },
    /// A worker was lost; others run its tests.
    WorkerLost {
        /// Its command.
        command: &'a str,
        /// Why nothing is heard of it any more.
        why: &'a str,
    },
    /// A session begins.
    SessionBegins(SessionKind<'a>),
    /// Something happened in the session.
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
    OtherCrashes(&'a [(Signature, OtherCrash)]),
    /// The session is over.
    SessionEnds,
    /// A text is read in another way from now on.
    ReadAs {
        /// How it was read, if nothing could go.
        in_vain: Option<&'a str>,
        /// How it is read.
        now: &'a str,
    },
    /// A text was reduced.
    Reduced(&'a Reduced),
    /// A result got another form and still reproduces.
    Formatted {
        /// Its form.
        form: Form<'a>,
        /// Bytes before.
        from: usize,
        /// Bytes now.
        to: usize,
    },
    /// A result keeps its blank space, since without it the test does not reproduce.
    FormatRefused,
    /// No second version of a result is made, since the run has ended early.
    NotMadeReadable,
    /// A second version of a result is made, which is easier to read.
    MakingReadable,
    /// That version is on disk, or is no other than the result itself.
    MadeReadable {
        /// Where it is; `None` if there is nothing to improve.
        path: Option<&'a Path>,
        /// Its size in bytes.
        bytes: usize,
        /// The tests that it took.
        tests: u64,
    },
    /// A difference was isolated; comes before its context is made small.
    Narrowed(&'a Measured<Findings>),
    /// What both sides of a difference have in common was made small.
    ContextMinimized {
        /// What the failing side is called.
        name: &'a str,
        /// The figures.
        minimized: &'a MinimizedContext,
    },
    /// A difference is complete and on disk, if it should be.
    DifferenceFound(&'a Difference),
    /// A search for words has ended.
    WordSearchEnded(&'a Measured<Findings>),
    /// A set of words was found that is enough.
    WordsFound {
        /// The set, by places in `words`.
        set: &'a [usize],
        /// All words in question.
        words: &'a [String],
        /// Whether this is the set that is wanted, not one among several to choose from.
        is_result: bool,
    },
    /// A difference between words was isolated.
    WordDifferenceFound {
        /// All words in question.
        words: &'a [String],
        /// The words with which it passes.
        passing: &'a [usize],
        /// The words with which it fails.
        failing: &'a [usize],
        /// The words that make the difference.
        difference: &'a [usize],
    },
    /// A result is on disk.
    ResultWritten {
        /// Where.
        path: &'a Path,
    },
    /// No further cause is looked for.
    NoMoreCauses(NoMoreCauses),
    /// Several causes were looked for; these were found.
    CausesFound {
        /// All of them.
        causes: &'a [Cause],
        /// How many of them differ.
        different: usize,
        /// The place of the smallest in `causes`.
        smallest: usize,
        /// Whether only the smallest stays. Its result is then at the place of the first.
        only_smallest: bool,
    },
    /// Somebody has changed a result during the run; what they made of it stays under another name.
    EditedResultKept {
        /// The place of the result.
        result: &'a Path,
        /// Where it is now.
        kept: &'a Path,
    },
    /// The run ended early, and its journal is complete.
    CanGoOn {
        /// The journal.
        journal: &'a Path,
    },
    /// The journal that was asked for stays.
    JournalKept {
        /// The journal.
        journal: &'a Path,
    },
    /// Not everything could be written to the journal.
    JournalIncomplete {
        /// The journal.
        journal: &'a Path,
        /// What the system says.
        error: &'a str,
        /// Whether the run ended early, so that it matters for going on.
        can_go_on: bool,
    },
    /// A run was decided again by its journal.
    Replayed(Replayed),
    /// A result holds.
    Verified(&'a Verified),
    /// The run is over.
    Over(Over<'a>),
}

/// The outcome of a run of any kind. It comes before errors that concern the result, such as a test
/// that broke.
#[derive(Clone, Copy, Debug)]
pub enum Over<'a> {
    /// Of a file or bytes.
    Reduction(&'a ReductionOutcome),
    /// Of a difference.
    Isolation(&'a IsolationOutcome),
    /// Of words of a command line.
    Options(&'a OptionsOutcome),
}
