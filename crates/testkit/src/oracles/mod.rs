//! Stand-ins for programs under test: they look at a text and tell whether it shows the failure.
//!
//! They need nothing installed and always answer the same. They must not depend on how candidates
//! are made.

mod c;
mod compiler;
mod html;
mod logs;
mod oracle;
mod records;
mod stand_in;

pub use oracle::Oracle;
pub use stand_in::StandIn;
