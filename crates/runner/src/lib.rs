//! Runs the user's test on candidates: processes, scratch directories, limits, and the result on
//! disk.
//!
//! Must not know languages, trees or passes; what is asked and why is the engine's.

mod ahead;
mod alone;
mod baseline;
mod cache;
mod cgroup;
mod checkout;
mod command;
mod conditions;
mod drive;
mod family;
mod finds;
mod journal;
mod launch;
mod limits;
mod log;
mod noted;
mod oracle;
mod output;
mod process;
mod rate;
mod recognisers;
mod recorded;
mod records;
mod repeat;
mod scratch;
mod script;
mod signature;
mod stop;
mod template;

pub use alone::Alone;
pub use baseline::{Baseline, BaselineError, Reliability, baseline, reliability, reproduces, test};
pub use cache::Cache;
pub use checkout::unpack;
pub use command::{CommandError, CommandTest};
pub use conditions::{Conditions, ConditionsError};
pub use drive::{DriveError, Tally, drive};
pub use finds::{Find, Finds};
pub use journal::{Journal, JournalError, Past};
pub use launch::{SetupError, exchange};
pub use limits::Limits;
pub use noted::{Noted, Notes};
pub use oracle::{Ending, Excess, Observation, Oracle, OracleError};
pub use output::{Output, OutputError, Workshop, Writer, rescue};
pub use rate::Patience;
pub use recorded::{Recalled, Recorded, replay};
pub use records::{Digest, End, Facts, Header, Start, Told};
pub use repeat::Repeat;
pub use script::{Script, ScriptError};
pub use signature::{Signature, Signatures};
pub use stop::Stop;
pub use template::{Template, TemplateError};
