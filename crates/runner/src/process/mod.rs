//! Processes of tests: how one is started, limited and waited for, and how all that it has started
//! is ended.
//!
//! What only Linux offers stands in `linux`; `portable` does the same with what POSIX offers, and
//! its face says what it cannot promise. Both have the same items, and this is the one place that
//! chooses. The feature `portable` chooses the portable form on Linux, too.

pub(crate) mod cancel;
pub(crate) mod descendants;
pub(crate) mod helper;
pub(crate) mod limits;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) mod linux;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
pub(crate) mod portable;
pub(crate) mod process;
mod repeated_look;
pub(crate) mod server;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) use linux as platform;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
pub(crate) use portable as platform;
