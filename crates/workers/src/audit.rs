//! What the answers of workers are worth. A worker may have passed its examination and be wrong all
//! the same: its disk is full since, its memory is faulty, its programs are not what they say, or
//! somebody lies.
//!
//! - A candidate that reproduces, according to a worker, is asked about at a second place.
//! - Of the others, one of [`SAMPLED`] is tested here at once.
//! - The rest is *unconfirmed*: what a certificate or a difference rests on is asked about again,
//!   then at another place than the first time, and here where there is none.
//! - Where two places differ, this machine decides, and whoever said something else is not asked
//!   any more.
//! - Before one of [`REEXAMINED`] candidates, a worker must answer for the unchanged input again.
//!
//! Which candidates these are depends on their bytes alone, so that a run and its repetition ask
//! the same. All this needs a test whose answers are always the same: of one that is repeated, no
//! single answer counts.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use minirepro_engine::Outcome;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use minirepro_runner::{CancelToken, NOTICED_WITHIN};

/// One refusal out of this many is checked at once.
const SAMPLED: u128 = 24;

/// Before one candidate out of this many, a worker is asked about the unchanged input.
const REEXAMINED: u128 = 48;

/// The answers of workers that nobody has confirmed, and who may confirm them here.
#[derive(Debug)]
pub(crate) struct Audit {
    /// By candidate, where it was refused.
    unconfirmed: Mutex<HashMap<u128, String>>,
    /// Whether nothing is believed that only one worker says.
    doubts_all: AtomicBool,
    /// How many more tests may confirm something on this machine now.
    free: Mutex<usize>,
    changed: Condvar,
}

impl Audit {
    pub fn new() -> Self {
        let free = thread::available_parallelism().map_or(1, usize::from);
        Self {
            unconfirmed: Mutex::default(),
            doubts_all: AtomicBool::new(false),
            free: Mutex::new(free),
            changed: Condvar::new(),
        }
    }

    /// Believes nothing that only one worker says, or all that is not a sample again.
    pub fn doubt_all(&self, doubts: bool) {
        self.doubts_all.store(doubts, Ordering::SeqCst);
    }

    /// Returns where a candidate was refused before, if nobody has confirmed that.
    pub fn refused_at(&self, candidate: u128) -> Option<String> {
        self.unconfirmed().get(&candidate).cloned()
    }

    /// Notes that only this place has refused a candidate.
    pub fn note(&self, candidate: u128, host: &str) {
        self.unconfirmed().insert(candidate, host.to_owned());
    }

    /// Notes that an answer is certain.
    pub fn settle(&self, candidate: u128) {
        self.unconfirmed().remove(&candidate);
    }

    /// Returns whether the first answer to a candidate must be confirmed at once.
    pub fn wants_confirmation(&self, outcome: Outcome) -> bool {
        outcome == Outcome::Fail || self.doubts_all.load(Ordering::SeqCst)
    }

    /// Waits until this machine may run another test to confirm something; `None` if `stop` comes
    /// first.
    pub fn permit(&self, stop: &CancelToken) -> Option<Permit<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            if stop.is_set() {
                return None;
            }
            let waited = self.changed.wait_timeout(free, NOTICED_WITHIN);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(Permit(self))
    }

    fn unconfirmed(&self) -> MutexGuard<'_, HashMap<u128, String>> {
        self.unconfirmed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to run a test on this machine.
pub(crate) struct Permit<'a>(&'a Audit);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.changed.notify_one();
    }
}

/// Returns whether the refusal of this candidate is checked at once.
pub(crate) fn is_sample(candidate: &[u8]) -> bool {
    xxh3_128_with_seed(candidate, 1).is_multiple_of(SAMPLED)
}

/// Returns whether a worker is asked about the unchanged input before it gets this candidate.
pub(crate) fn comes_after_examination(candidate: &[u8]) -> bool {
    xxh3_128_with_seed(candidate, 2).is_multiple_of(REEXAMINED)
}
