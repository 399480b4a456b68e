//! Runs the user's test on candidates: processes, scratch directories, limits, and the result on
//! disk.
//!
//! It must not know languages, trees or passes: what is asked, and why, is decided by the engine.

mod journal;
mod oracle;
mod output;
mod overhear;
mod process;
mod propose;
mod scratch;
mod signature;
mod spec;
pub mod system;

pub use journal::answer_store::{AnswerStore, Heard};
pub use journal::format::any_path;
pub use journal::format::{Digest, End, Fingerprint, Header, Record, Start};
pub use journal::journal::{Journal, JournalError, PreviousRun};
pub use oracle::baseline::{BaselineError, Reliability, in_words, reliability, reproduces, test};
pub use oracle::oracle::{ConsultError, Observation, Oracle, OracleError, WorkersError};
pub use oracle::retry::{Alone, Gate, Repeat, RetryPolicy};
pub use oracle::worker_pool::{
    Controls, DriveError, NOTICED_WITHIN, RunnerStats, drive, stop_reason,
};
pub use output::{Output, OutputError, Workshop, Writer, rescue};
pub use overhear::names::names as programs_of;
pub use overhear::names::{directories_of_programs, program, words_of_script};
pub use overhear::{Called, HeardProgram, Overheard, Wish, can_overhear, overhear};
pub use process::cancel::CancelToken;
pub use process::helper::Helper;
pub use process::limits::{FLOOD, Limits};
pub use process::server::Server;
pub use process::test_end::TestEnd;
pub use propose::Proposer;
pub use propose::program::ProposerProgram;
pub use scratch::checkout::unpack;
pub use scratch::companions::Companion;
pub use scratch::original::{Listed, ListedForm, Original};
pub use signature::other_crashes::{OtherCrash, OtherCrashes};
pub use signature::signature::{Signature, Signatures};
pub use spec::launch::{SetupError, exchange};
pub use spec::lines::Lines;
pub use spec::listened::{LineMarker, Listened};
pub use spec::printed::Printed;
pub use spec::program_test::{CommandError, ProgramTest};
pub use spec::sent::SentTest;
pub use spec::shell;
pub use spec::spec::{Conditions, Failure, NoSignal, Pattern, Program, ScriptError, TestSpec};
pub use spec::template::{Template, TemplateError};
pub use spec::workplace::Workplace;
