//! The program `minirepro` without its terminal: shrinks an input that triggers a failure to a
//! small one that still triggers it, with tests that are closures, scripts or commands.
//!
//! ```
//! use minirepro_program::Reduction;
//!
//! # fn main() -> Result<(), minirepro_program::Error> {
//! let input = "int unused(void) { return 1; }\nint main(void) { crash(1, 2); }\n";
//! let crashes = |candidate: &[u8]| candidate.windows(6).any(|part| part == b"crash(");
//! let result = Reduction::new(input).language("c").run(crashes)?;
//! assert_eq!(result.text().trim_ascii(), b"crash();");
//! assert!(result.certificate().is_some(), "no single further edit still crashes");
//! # Ok(())
//! # }
//! ```

pub mod batch;
pub mod compilers;
mod error;
mod evidence;
mod fingerprint;
pub mod grammars;
mod isolate;
mod observer;
mod outcome;
mod passes;
pub mod paths;
mod reduce;
mod request;
mod rule_examples;
mod run;
pub mod sources;
mod tester;
mod words;
mod written;

pub use error::{
    BadRequest, DoesNotHold, Error, FlakyResult, Invocation, Overwritten, ReproduceCommand,
    Unreadable,
};
pub use evidence::{Evidence, Exhibit};
pub use grammars::{GrammarError, Languages, NoLanguage};
pub use minirepro_circumstances::{Grain, align, archive};
pub use minirepro_engine::{
    Algorithm, AnswerSource, Budget, Certificate, Consultation, EditKind, Event, Findings, Gone,
    Granularity, Outcome, PassStats, Said, Scope, StopReason, Summary,
};
pub use minirepro_languages as languages;
pub use minirepro_runner::shell;
pub use minirepro_runner::{
    BaselineError, CancelToken, CommandError, Companion, Conditions, ConditionsError, Controls,
    DescribedTest, Digest, Fingerprint, JournalError, Limits, Observation, Oracle, OracleError,
    OtherCrash, Output as OutputFile, OutputError, PreviousRun, Printed, Proposer, ProposerProgram,
    Reliability, RetryPolicy, RunnerStats, ScriptError, Server, SetupError, Signature, Template,
    TestEnd, Workplace, overhear, unpack,
};
pub use minirepro_syntax::{Language, NodeId, Role, Tree};
pub use minirepro_workers::Examined;
pub use observer::{Form, Observer, Over, RunEvent};
pub use outcome::{
    BaselineFacts, Difference, IsolationOutcome, Measured, OptionsOutcome, Reduced,
    ReductionOutcome, Verified,
};
pub use passes::{PassInfo, pass_in_words, passes};
pub use reduce::opened::{Look, Project, read_project};
pub use request::directory::DirectoryReduction;
pub use request::isolation::{Ends, Isolation};
pub use request::options::OptionSearch;
pub use request::reduction::{Format, LanguageChoice, Reduction};
pub use request::rules::Rules;
pub use request::settings::{JournalPlace, Journaling, Mode, Settings, TestLimits, Workers};
pub use rule_examples::{CheckedExample, check_rules};
pub use run::agent::serve_as_agent;
pub use tester::command::{Command, Criteria, ExpectedFailure};
pub use tester::command_line::CommandLine;
pub use tester::script::Script;
pub use tester::subject::{Subject, Test, Tester};
pub use words::search::chosen;
pub use written::Written;
