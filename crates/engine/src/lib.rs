//! Sessions that minimise an input or isolate a difference, by asking an oracle about candidates.
//!
//! Two deciders (`reduce`, `isolate`) know which question comes next. One scheduler (`schedule`)
//! finds their answers: in its memory, or by tests that the caller runs.
//!
//! Sans-IO: must not use files, processes, threads, clocks, or tree-sitter. Time is an argument.

mod consultation;
mod event;
mod figures;
mod isolate;
mod offers;
mod plan;
mod reduce;
mod schedule;
mod stop_reason;

pub use consultation::{Consultation, Gone, Message, Said, Unreferenced, Whom};
pub use event::{AnswerSource, Event};
pub use figures::{
    Certificate, EditKind, Findings, LevelStats, PassStats, Summary, change, seconds,
};
pub use isolate::isolator::IsolationSession;
pub use isolate::plan::{Goal, IsolationPlan};
pub use minirepro_circumstances::archive;
pub use minirepro_passes::{
    EXAMPLES as PASS_EXAMPLES, LARGER_FORMS, Pass, insert_rules, of as passes_of, own as passes,
};
pub use minirepro_search::{Algorithm, Outcome};
pub use offers::{Offer, is_askable, offers, refused, without_blanks};
pub use plan::budget::Budget;
pub use plan::granularity::Granularity;
pub use plan::reduction::Plan;
pub use plan::scope::Scope;
pub use reduce::reducer::ReductionSession;
pub use schedule::answer_memory::Answers;
pub use schedule::session::{JobId, Session, Step};
pub use stop_reason::StopReason;
