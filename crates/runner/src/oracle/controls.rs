//! What somebody who watches a run can do and see while it goes on.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::CancelToken;

/// How long it takes at most until a wish is noticed while tests run or the run is paused.
pub const NOTICED_WITHIN: Duration = Duration::from_millis(50);

/// Wishes of somebody who watches a run, and the tests that are under way. Clones are the same
/// controls, for any thread.
#[derive(Clone, Debug, Default)]
pub struct Controls(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_paused: bool,
    skips_pass: bool,
    /// When each test that is under way began.
    running: BTreeMap<u64, Instant>,
}

impl Controls {
    /// Starts no further test until [`resume`](Self::resume). Those under way go on to their ends,
    /// and a limit of time goes on as well.
    pub fn pause(&self) {
        self.state().is_paused = true;
    }

    /// Goes on after [`pause`](Self::pause).
    pub fn resume(&self) {
        self.state().is_paused = false;
        self.0.changed.notify_all();
    }

    /// Returns whether the run is paused.
    pub fn is_paused(&self) -> bool {
        self.state().is_paused
    }

    /// Leaves out the rest of the pass that is under way. The journal records it, so that a run
    /// that is resumed or replayed decides the same.
    pub fn skip_pass(&self) {
        self.state().skips_pass = true;
    }

    /// Returns since when each test under way runs, the longest first.
    pub fn running_since(&self) -> Vec<Instant> {
        let mut running: Vec<Instant> = self.state().running.values().copied().collect();
        running.sort_unstable();
        running
    }

    /// Takes the wish out that the pass be skipped.
    pub(crate) fn take_skip(&self) -> bool {
        std::mem::take(&mut self.state().skips_pass)
    }

    pub(crate) fn begins(&self, id: u64) {
        self.state().running.insert(id, Instant::now());
    }

    pub(crate) fn ends(&self, id: u64) {
        self.state().running.remove(&id);
    }

    pub(crate) fn all_ended(&self) {
        self.state().running.clear();
    }

    /// Waits until the run may go on, or has to stop.
    pub(crate) fn wait_while_paused(&self, stop: &CancelToken) {
        let mut state = self.state();
        while state.is_paused && !stop.is_set() {
            let waited = self.0.changed.wait_timeout(state, NOTICED_WITHIN);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
