//! What can go wrong in a run, as data that a program can match.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::grammars::GrammarError;
use crate::paths::Written;
use minirepro_engine::{Outcome, StopReason};
use minirepro_languages::LanguageError;
use minirepro_runner::system::LIMIT;
use minirepro_runner::{
    BaselineError, CommandError, JournalError, OracleError, OutputError, ScriptError, SetupError,
    TemplateError, Workplace,
};

/// The reason why a run has no result, or not the wanted one. `exit` is how the program ends then,
/// unless the request was wrong, and `message` what helps, if no more has to be known for that.
#[derive(Debug, thiserror::Error, strum::EnumProperty, strum::EnumMessage)]
#[non_exhaustive]
pub enum Error {
    /// The request makes no sense.
    #[error(transparent)]
    BadRequest(#[from] BadRequest),
    /// An input cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    InputUnreadable(PathBuf, Unreadable),
    /// In this repository a revision cannot be read, as git says.
    #[error("cannot read revision {} of {}: {}", .1, .0.display(), .2)]
    RevisionUnreadable(PathBuf, String, String),
    /// This command that preprocesses the input failed: what happened, and what it wrote.
    #[error("--preprocess '{0}': {1}")]
    #[strum(message = "Try it by hand in the directory of the file; for C, `cc -E -P` is usual.")]
    PreprocessingFailed(String, String),
    /// The test script cannot be used.
    #[error(transparent)]
    Script(ScriptError),
    /// The command shows no failure to look for.
    #[error("{error}")]
    #[strum(props(exit = "NotReproduced"))]
    Command {
        /// Why not.
        error: CommandError,
        /// How to try it by hand.
        reproduce: Option<Box<ReproduceCommand>>,
    },
    /// The tests before the search show that there is nothing to search for.
    #[error("{}{error}", .about.as_ref().map_or(String::new(), |name| format!("{name}: ")))]
    #[strum(props(exit = "NotReproduced"))]
    NotReproduced {
        /// What was tested, if there are several inputs.
        about: Option<String>,
        /// What the tests showed.
        error: BaselineError,
        /// Whether the failure shows on what should pass instead.
        are_swapped: bool,
        /// Files that the input names and that lie beside it, but not beside the candidate of a
        /// test.
        left_behind: Vec<PathBuf>,
        /// Whether an input was tested in another form than its own, the canonical form of its
        /// language.
        are_rewritten: bool,
        /// How to try it by hand.
        reproduce: Option<Box<ReproduceCommand>>,
    },
    /// The input shows the failure as it stands, but not in the form that its language has a tree
    /// for.
    #[error(
        "{name}: the failure is there, but not in the form in which the file is reduced as language {language} \
         (`minirepro tree --lang {language} FILE` shows it)"
    )]
    #[strum(props(exit = "NotReproduced"))]
    #[strum(
        message = "The failure depends on the text as it stands: reduce that with another --lang, or without."
    )]
    LostByCanonicalForm {
        /// What the input is called.
        name: String,
        /// The language.
        language: String,
    },
    /// What should pass does not.
    #[error("{}", passing_message(.passing, .failing, *.outcome))]
    #[strum(props(exit = "NotReproduced"))]
    PassingDoesNotPass {
        /// What should pass.
        passing: String,
        /// What fails.
        failing: String,
        /// What the test said instead.
        outcome: Outcome,
        /// The last lines that the test wrote.
        output: String,
        /// Whether the ends were tested in another form than their own.
        are_rewritten: bool,
    },
    /// The best result of an interrupted run does not reproduce any more.
    #[error("cannot continue: what failed when the run was interrupted does not fail any more")]
    #[strum(props(exit = "NotReproduced"))]
    #[strum(message = "The test is flaky, or a tool of it has changed. --fresh begins anew.")]
    NoLongerReproduces,
    /// The result did not reproduce when it was tested once more.
    #[error("the result did not reproduce when it was tested once more: the test is flaky")]
    #[strum(props(exit = "NotReproduced"))]
    ResultIsFlaky(FlakyResult),
    /// The time or the tests allowed were used up before the search began.
    #[error("the time is up before the search began")]
    #[strum(message = "Allow more with --max-time or --max-tests.", props(exit = "NotReproduced"))]
    NoTimeToBegin,
    /// The test cannot be run. The best result so far is written.
    #[error("{error}")]
    #[strum(props(exit = "BrokenTest"))]
    TestBroken {
        /// Why not.
        error: OracleError,
        /// How to try it by hand.
        reproduce: Option<Box<ReproduceCommand>>,
    },
    /// Nothing can be run here at all.
    #[error(transparent)]
    #[strum(props(exit = "BrokenTest"))]
    Setup(#[from] SetupError),
    /// The system refuses what every run needs, such as a file descriptor.
    #[error("the system refuses: {0}")]
    #[strum(props(exit = "BrokenTest"))]
    System(#[from] io::Error),
    /// A result could not be written where it should be.
    #[error("{error}{}", .rescued.as_ref().map_or(String::new(), |path| {
        format!("; the result is in {} instead", path.display())
    }))]
    #[strum(props(exit = "NotWritten"))]
    #[strum(message = "Name a file in a directory that you can write to with -o.")]
    ResultNotWritten {
        /// Where, and why not.
        error: OutputError,
        /// Where the result is instead.
        rescued: Option<PathBuf>,
        /// The result, if it is nowhere on disk.
        result: Option<std::sync::Arc<[u8]>>,
    },
    /// Something that the run writes would overwrite something else.
    #[error("{by} would overwrite {what}, {}", .path.display())]
    #[strum(message = "Name another file; -o names the result.")]
    WouldOverwrite {
        /// Where it should go.
        path: PathBuf,
        /// What should go there.
        by: Written,
        /// What is there.
        what: Overwritten,
    },
    /// The directory of a result would overwrite something that was there before.
    #[error("the result would overwrite {}, which is there already", .0.display())]
    #[strum(message = "Remove it, or name another place with -o.")]
    ResultExists(PathBuf),
    /// Two things that the run writes would be in the same place.
    #[error("{} would be both {} and {}", .0.display(), .1, .2)]
    #[strum(message = "Name different files.", props(exit = "BrokenTest"))]
    WrittenTwice(PathBuf, Written, Written),
    /// A journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A run cannot go on, or be decided again, since something has changed.
    #[error(
        "cannot {}: {} changed since the run began",
        if *.is_replay { "look at the run again" } else { "continue" },
        .changed.join(", ")
    )]
    CannotResume {
        /// The journal.
        journal: PathBuf,
        /// The facts that differ, by name.
        changed: Vec<String>,
        /// How the run was started.
        began_as: Invocation,
        /// Whether it should only be decided again, without tests.
        is_replay: bool,
    },
    /// The journal ends before the search began.
    #[error("{} ends before the search began", .0.display())]
    NothingToReplay(PathBuf),
    /// The journal does not lead to the result that it says.
    #[error(
        "the journal leads to {} after {tests} tests; the run, by minirepro {made_by}, ended after {expected}",
        if *.is_complete { "another result" } else { "a question without an answer" }
    )]
    #[strum(props(exit = "DoesNotHold"))]
    ReplayDiffers {
        /// Whether all questions had answers.
        is_complete: bool,
        /// Tests now.
        tests: u64,
        /// Tests then.
        expected: u64,
        /// The version that made the run.
        made_by: String,
    },
    /// A result that should be verified is not minimal, or was not found to be.
    #[error("{}", .why.of(.name, *.tests, *.took))]
    #[strum(props(exit = "DoesNotHold"))]
    DoesNotHold {
        /// What the result is called.
        name: String,
        /// What was found.
        why: DoesNotHold,
        /// Tests that decided something.
        tests: u64,
        /// How long it took.
        took: Duration,
    },
    /// The caller asked for the end before there was a result.
    #[error("interrupted before the search began")]
    #[strum(props(exit = "Interrupted"))]
    Interrupted,
}

/// A result that did not reproduce when it was tested once more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlakyResult {
    /// The size in bytes of the last accepted candidate that reproduces reliably, which is the
    /// result now; `None` if there is none, and the result stays.
    pub fallback: Option<usize>,
    /// Where the result is that did not reproduce, if it is on disk.
    pub unreliable: Option<PathBuf>,
}

/// What was found when a result was verified.
#[derive(Clone, Debug, PartialEq, Eq, strum::EnumProperty, strum::EnumMessage)]
pub enum DoesNotHold {
    /// A single further edit still reproduces.
    #[strum(message = "Reduce it again.")]
    Reducible {
        /// The pass that proposed the edit.
        pass: String,
        /// Tokens before and after.
        tokens: (u64, u64),
        /// Bytes before and after.
        bytes: (u64, u64),
    },
    /// The same search finds less.
    #[strum(message = "Search it again.")]
    SearchFindsLess,
    /// What failed does not fail any more.
    FailingPasses,
    /// What passed fails now.
    PassingFails,
    /// The search ended early.
    Stopped(StopReason),
}

/// Why an input cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It does not exist.
    #[error("there is no such file")]
    Missing,
    /// It is a directory where a file is needed.
    #[error("it is a directory; name one file in it")]
    IsDirectory,
    /// It has no end, or is larger than any file that is read.
    #[error("it has no end or more than {} GiB", LIMIT >> 30)]
    Endless,
    /// Its files have 4 GiB or more together.
    #[error("4 GiB and more are too large")]
    TooLarge,
    /// A file of a directory holds the text that keeps files apart in a packed one.
    #[error("a file holds the text that keeps files apart")]
    HoldsSeparator,
    /// The system refuses.
    #[error("{0}")]
    Io(io::Error),
}

/// Why a request makes no sense.
#[derive(Debug, thiserror::Error, strum::EnumProperty, strum::EnumMessage)]
#[non_exhaustive]
pub enum BadRequest {
    /// The input of this name is empty.
    #[error("{0} is empty: there is nothing to reduce")]
    EmptyInput(String),
    /// This directory holds no file.
    #[error("{}: there is no file in it", .0.display())]
    NoFiles(PathBuf),
    /// Both ends of an isolation are the same.
    #[error("{passing} and {failing} are equal")]
    #[strum(
        message = "Nothing differs between them. If the failure depends on something else (options, \
                other files, time), that must be what differs."
    )]
    EqualEnds {
        /// What should pass.
        passing: String,
        /// What should fail.
        failing: String,
    },
    /// There is no such language.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// A grammar that is not part of the program cannot be used.
    #[error(transparent)]
    Grammar(Box<GrammarError>),
    /// The example of rules with this title expects nothing.
    #[error("the example `{0}` says neither what comes `after` nor what may `never` come")]
    ExampleWithoutExpectation(String),
    /// The example of rules with this title is in no language.
    #[error("the example `{0}` does not say its `language`, and nor does `--lang`")]
    ExampleWithoutLanguage(String),
    /// A file of rules follows a pass that there is not.
    #[error("{0}: no pass is called `{1}`, which `after` names")]
    #[strum(message = "`minirepro passes` lists what may stand there.")]
    NoPass(String, String),
    /// Rules cannot be added to a language that somebody else uses, too.
    #[error("rules cannot be added to a language that is shared")]
    SharedLanguage,
    /// No known form of records fits the input of this name.
    #[error("no known form of records fits {0} to its end")]
    #[strum(
        message = "Say what a record is made of, like --lang 'records:skip:6 bytes:1 length:u16be \
                data' (see grammars/records/README.md), or reduce the file by bytes: --lang \
                bytes."
    )]
    NoRecords(String),
    /// This expression for text that must stay matches nothing in the input of this name.
    #[error("--preserve '{0}': nothing in {1} matches")]
    NothingToPreserve(String, String),
    /// A command line has no word that can be left out.
    #[error("no word can be left out")]
    #[strum(message = "Put words between `@{` and `}`: minirepro options -- gcc '@{-O2 -g}' a.c")]
    NoWords,
    /// Guards need a candidate that is a file.
    #[error("--require needs a candidate that is a file")]
    GuardWithoutFile,
    /// A test that is a part of this process cannot be sent to workers.
    #[error("--workers needs a test that is a script or a command")]
    TestForThisProcess,
    /// The words of a command line cannot be understood.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

/// What something that a run writes would overwrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Overwritten {
    /// The input, or one end of an isolation.
    #[strum(serialize = "the input")]
    Input,
    /// The test.
    #[strum(serialize = "the test")]
    Test,
    /// Something else that the run reads, such as a file beside candidates.
    #[strum(serialize = "what the run reads")]
    Read,
}

impl DoesNotHold {
    /// Says what was found of the result of this name.
    fn of(&self, name: &str, tests: u64, took: Duration) -> String {
        let plural = if tests == 1 { "" } else { "s" };
        let tests = format!("{tests} test{plural} in {:.1} s", took.as_secs_f64());
        match self {
            Self::Reducible { pass, tokens, bytes } => format!(
                "{name} is not 1-minimal: an edit of '{pass}' still reproduces with {} of its {} tokens, \
                 {} of its {} bytes ({tests})",
                tokens.1, tokens.0, bytes.1, bytes.0
            ),
            Self::SearchFindsLess => {
                format!("the result is not minimal: the same search finds less ({tests})")
            }
            Self::FailingPasses => "what failed does not fail any more".to_owned(),
            Self::PassingFails => "what passed fails now".to_owned(),
            Self::Stopped(why) => {
                let why = why.to_string().replace('-', " ");
                format!("{name} is not verified: {why} after {tests}")
            }
        }
    }
}

impl From<GrammarError> for BadRequest {
    fn from(error: GrammarError) -> Self {
        Self::Grammar(error.into())
    }
}

/// Says what is wrong with an end that should pass.
fn passing_message(passing: &str, failing: &str, outcome: Outcome) -> String {
    match outcome {
        Outcome::Fail => {
            format!("the test reproduces the failure on {passing} as well as on {failing}")
        }
        Outcome::Pass | Outcome::Unresolved => {
            format!("the test is unresolved on {passing}, so it does not count as passing")
        }
    }
}

/// The commands that do by hand what a test does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReproduceCommand {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The input and the name that candidates get; `None` if no file is needed.
    pub candidate: Option<(PathBuf, OsString)>,
    /// Where it runs, if that is within the candidate.
    pub workplace: Option<Workplace>,
    /// Whether the program is a test, whose exit code 0 means that the failure is there.
    pub is_test: bool,
}

/// How a run was started, for its journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The working directory.
    pub directory: PathBuf,
    /// The words after the program's name.
    pub arguments: Vec<OsString>,
}
