//! What a test may use. Knows how to tell the kernel, not what the test is.

use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, prlimit};

/// What one test may use. Memory and file sizes hold for each of its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its end.
    pub time: Duration,
    /// Bytes of address space; programs built with AddressSanitizer need terabytes of it.
    pub memory: Option<u64>,
    /// Bytes of one file. A process that writes more is killed (`SIGXFSZ`).
    pub file: Option<u64>,
}

impl Limits {
    /// Only the time is limited.
    pub fn new(time: Duration) -> Self {
        Self { time, memory: None, file: None }
    }

    /// Lets the kernel enforce the limits for a process that has just started and for all that it
    /// starts from now on. A limit below the one that holds already changes nothing.
    pub(crate) fn apply(&self, process: Pid) {
        let limits = [(Resource::As, self.memory), (Resource::Fsize, self.file)];
        for (resource, limit) in limits.into_iter().filter(|(_, limit)| limit.is_some()) {
            // The process may be dead already; raising a hard limit is refused.
            let _ = prlimit(Some(process), resource, Rlimit { current: limit, maximum: limit });
        }
    }
}
