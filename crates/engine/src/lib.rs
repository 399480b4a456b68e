//! A reduction session: order of passes to a fixpoint, memory of answers, speculation, budget,
//! events, certificate.
//!
//! Sans-IO: must not know files, processes, threads, clocks, or tree-sitter. Time is an argument.

mod algorithm;
mod engine;
mod estimate;
mod event;
mod experiment;
mod findings;
mod futures;
mod granularity;
mod kept;
mod memory;
mod pass_run;
mod plan;
mod quest;
mod scope;
mod session;
mod transaction;
mod walk;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use engine::Engine;
pub use event::{Answered, Certificate, EditKind, Event, PassStats, Summary};
pub use experiment::{Answers, Experiment, Trial};
pub use findings::{Findings, LevelStats};
pub use granularity::{Granularity, UnknownGranularity};
pub use minirepro_circumstances::archive;
pub use minirepro_passes::{Pass, own as passes};
pub use minirepro_search::{Algorithm as Search, Outcome};
pub use plan::{Budget, Plan};
pub use quest::Goal;
pub use scope::Scope;
pub use session::{JobId, Report, Session, Step};
