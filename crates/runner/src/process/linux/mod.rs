//! What only Linux offers: orphans that come to us, processes as file descriptors, `/proc`,
//! the files that programs open, and two directories that change places in one step.

mod exit_watch;
mod opened;
mod orphans;
mod proc;
mod system;

pub(crate) use exit_watch::ExitWatch;
pub(crate) use opened::OpenedFiles;
pub(crate) use orphans::{Orphans, kill_abandoned};
pub(crate) use system::{AFTERMATH, exchange};
