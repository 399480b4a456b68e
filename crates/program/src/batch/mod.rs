//! Many failing inputs become the bugs that they show.
//!
//! Each input is run twice, in an order that mixes all runs, and sorted by its signature. Failures
//! with the same message in the same innermost function are a *family*; those of a family that
//! also have the same callers and the same line are a *variant*. The smallest input of each variant
//! is reduced to its end, and so is what it became once more, with any caller and any line allowed.
//! Two variants whose ends fail alike, or have the same shape, are one bug; others are two,
//! although the message is one. Further inputs of a variant are not reduced: the line in the stack
//! says that they are the same. Only where nothing is known but a signal, they are reduced until
//! they contain the result.
//!
//! All of it is a function of what is on disk (`run_log` and the records of `job`), so a batch that
//! was killed goes on with the same command.

mod driver;
mod error;
mod family;
mod inputs;
mod job;
mod request;
mod results;
mod run_log;
mod runs;

pub use driver::BatchOutcome;
pub use error::BatchError;
pub use job::{JobKind, JobPlan, Record};
pub use request::{Batch, BatchEvent, STATE};
pub use results::{Bug, BugInput, BugSignature, Bugs};
