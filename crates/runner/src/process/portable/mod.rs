//! The same as in `linux` with what POSIX offers, for macOS and the BSDs.
//!
//! A test is a process group. What this form cannot promise:
//!
//! - A process that leaves the group of its test (`setsid`, a daemon) is not found. It goes on
//!   running after the test.
//! - The end of a process is noticed up to ten milliseconds late.
//! - What a killed run left running is ended by its watchdog, and not looked for again by the next
//!   run.
//! - Which files a test opens is not known.
//! - Two directories change places in three steps, and a crash in between leaves one of them under
//!   its spare name.

mod opened;
mod orphans;
mod system;

pub(crate) use crate::process::repeated_look::RepeatedLook as ExitWatch;
pub(crate) use opened::OpenedFiles;
pub(crate) use orphans::{Orphans, kill_abandoned};
pub(crate) use system::{AFTERMATH, exchange};
