//! Processes of tests: how one is started, limited and waited for, and how all that it has started
//! is ended.
//!
//! What only Linux offers is used where it is: orphans that come to us, processes as file
//! descriptors, `/proc`, and messages about files that are opened. Without it, a process that
//! leaves the group of its test (`setsid`, a daemon) is not found, the end of a process is noticed
//! up to ten milliseconds late, and which files a test opens is not known.

pub(crate) mod cancel;
pub(crate) mod children;
pub(crate) mod descendants;
pub(crate) mod exit_watch;
pub(crate) mod helper;
pub(crate) mod kept;
pub(crate) mod limits;
pub(crate) mod opened;
mod orphans;
pub(crate) mod process;
pub(crate) mod server;
pub(crate) mod test_end;
pub(crate) mod time_limit;
mod watchdog;
