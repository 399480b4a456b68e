//! Runs the user's test on candidates: processes, scratch directories, limits, and the result on
//! disk.
//!
//! Must not know languages, trees or passes; what is asked and why is the engine's.

mod baseline;
mod drive;
mod family;
mod oracle;
mod output;
mod process;
mod scratch;
mod script;
mod stop;

pub use baseline::{Baseline, BaselineError, baseline};
pub use drive::{DriveError, Session, Tally, drive};
pub use oracle::{Ending, Observation, Oracle, OracleError};
pub use output::{Output, OutputError, Writer, rescue};
pub use script::{Script, ScriptError};
pub use stop::Stop;
