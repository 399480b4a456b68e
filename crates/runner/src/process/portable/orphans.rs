//! Orphans of tests. Here they become children of the first process of the system, and only the
//! members of a process group are known.

use std::time::Duration;
use std::{io, thread};

use rustix::process::{Pid, test_kill_process_group};

use crate::process::descendants::Children;
use crate::process::descendants::Mark;

/// How often we look whether a killed group is gone, a millisecond apart.
const LOOKS: usize = 200;

/// The orphans of our tests, of which nothing is known.
#[derive(Debug)]
pub(crate) struct Orphans;

impl Orphans {
    /// Does nothing.
    ///
    /// # Errors
    /// If the system refuses, which it never does here.
    pub fn adopt() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits until nothing of a killed process group is left, unless nobody reaps its members.
    pub fn wait_for_group(leader: Pid) {
        for _ in 0..LOOKS {
            if test_kill_process_group(leader).is_err() {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Finds none.
    pub fn kill(&self, _known: &Children, _test: &Mark<'_>) -> bool {
        false
    }

    /// Finds none.
    pub fn kill_all(&self, _known: &Children, _name: &str, _prefix: &str) -> bool {
        false
    }
}

/// Finds none.
pub(crate) fn kill_abandoned(_name: &str, _prefix: &str) {}
