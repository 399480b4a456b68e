//! The program `minirepro` without its terminal: shrinks an input that triggers a failure to a
//! small one that still triggers it, with tests that are closures, scripts or commands.
//!
//! ```
//! use minirepro_program::Reduction;
//!
//! # fn main() -> Result<(), minirepro_program::Error> {
//! let input = "int unused(void) { return 1; }\nint main(void) { crash(1, 2); }\n";
//! let crashes = |candidate: &[u8]| candidate.windows(6).any(|part| part == b"crash(");
//! let result = Reduction::new(input).language("c").run(&crashes)?;
//! assert_eq!(result.text().trim_ascii(), b"crash();");
//! assert!(result.certificate().is_some(), "no single further edit still crashes");
//! # Ok(())
//! # }
//! ```

pub mod batch;
pub mod compilers;
mod error;
mod fingerprint;
pub mod grammars;
mod isolate;
mod observer;
mod outcome;
mod passes;
pub mod paths;
mod reduce;
mod request;
mod run;
pub mod sources;
mod tester;
mod words;

pub use error::{
    BadRequest, DoesNotHold, Error, FlakyResult, Invocation, Overwritten, ReproduceCommand,
    Unreadable,
};
pub use grammars::{GrammarError, Languages};
pub use minirepro_circumstances::{align, archive};
pub use minirepro_engine::{
    Algorithm, AnswerSource, Budget, Certificate, Consultation, EditKind, Event, Findings, Gone,
    Granularity, Outcome, PassStats, Said, Scope, StopReason, Summary,
};
pub use minirepro_languages as languages;
pub use minirepro_runner::shell;
pub use minirepro_runner::{
    BaselineError, CancelToken, CommandError, Companion, Conditions, Controls, Digest, Failure,
    Fingerprint, JournalError, Limits, Observation, Oracle, OracleError, OtherCrash,
    Output as OutputFile, OutputError, Pattern, PreviousRun, Printed, Program, Proposer,
    ProposerProgram, Reliability, RetryPolicy, RunnerStats, ScriptError, Server, SetupError,
    Signature, Template, TestEnd, TestSpec, Workplace, overhear, unpack,
};
pub use minirepro_syntax::{FieldRole, Language, NodeId, Role, Tree};
pub use minirepro_workers::{Examined, serve as serve_as_agent};
pub use observer::{Observer, Over, RunEvent};
pub use outcome::{
    BaselineFacts, Difference, IsolationOutcome, Measured, OptionsOutcome, Reduced,
    ReductionOutcome, Verified,
};
pub use passes::{CheckedExample, PassInfo, check_rules, pass_in_words, passes};
pub use paths::Written;
pub use reduce::opened::{Look, Project, read_project};
pub use request::{
    Format, Isolation, JournalPlace, Journaling, LanguageChoice, Mode, OptionSearch, Reduction,
    Rules, Settings, TestLimits, Workers,
};
pub use tester::evidence::{Evidence, Exhibit, failure_on};
pub use tester::subject::{Subject, Test, Tester};
pub use words::{chosen, chosen_text};
