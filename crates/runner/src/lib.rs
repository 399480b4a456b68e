//! Runs the user's test on candidates: processes, scratch directories, limits, and the result on
//! disk.
//!
//! It must not know languages, trees or passes: what is asked, and why, is decided by the engine.

mod journal;
mod mangled;
mod oracle;
mod output;
mod overhear;
mod process;
mod propose;
mod scratch;
mod signature;
mod spec;
pub mod system;

pub use journal::answer_store::AnswerStore;
pub use journal::format::any_path;
pub use journal::format::{Digest, End, Fingerprint, Header, Start};
pub use journal::journal::{Journal, JournalError, PreviousRun};
pub use journal::log::RecordLog;
pub use journal::recording_oracle::RecordingOracle;
pub use journal::recording_proposer::Heard;
pub use oracle::baseline::{
    Baseline, BaselineError, Reliability, baseline, in_words, reliability, reproduces, test,
};
pub use oracle::controls::{Controls, NOTICED_WITHIN};
pub use oracle::oracle::{ConsultError, Observation, Oracle, OracleError, WorkersError};
pub use oracle::rate::RetryPolicy;
pub use oracle::repeat::Repeat;
pub use oracle::retry_alone::{Alone, Gate};
pub use oracle::worker_pool::{DriveError, RunnerStats, Steering, drive, stop_reason};
pub use output::{Output, OutputError, Workshop, Writer, rescue};
pub use overhear::names::names as programs_of;
pub use overhear::{Called, HeardProgram, Overheard, Wish, can_overhear, overhear};
pub use process::cancel::CancelToken;
pub use process::helper::Helper;
pub use process::limits::Limits;
pub use process::server::Server;
pub use process::test_end::TestEnd;
pub use propose::Proposer;
pub use propose::program::ProposerProgram;
pub use scratch::checkout::unpack;
pub use scratch::companions::Companion;
pub use scratch::original::{Listed, Original};
pub use signature::other_crashes::{OtherCrash, OtherCrashes};
pub use signature::signature::{Signature, Signatures};
pub use spec::command::{CommandError, CommandTest};
pub use spec::conditions::{Conditions, ConditionsError};
pub use spec::description::{DescribedTest, Description};
pub use spec::launch::{SetupError, exchange};
pub use spec::listened::Listened;
pub use spec::printed::Printed;
pub use spec::script::{Script, ScriptError};
pub use spec::sent_test::SentTest;
pub use spec::shell;
pub use spec::template::{Template, TemplateError};
pub use spec::tools::{directories_of_programs, program, words_of_script};
pub use spec::warnings::Warnings;
pub use spec::workplace::Workplace;
