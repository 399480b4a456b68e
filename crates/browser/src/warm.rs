//! Keeps tabs from test to test, prepared for the next page: a tab that is attached and set up
//! anew costs several times as much as a small page, and an empty page between two others as much
//! as a page. What a page could leave behind must be gone before the next one has run a script.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::page::Page;

/// How long a tab may take to be prepared; then it is closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// The tabs of a session, by the browser and the way in which pages are shown in them.
#[derive(Default)]
pub(crate) struct Warm {
    tabs: Mutex<HashMap<String, Tabs>>,
    is_ready: Condvar,
    /// How many tests look at pages now.
    tests: AtomicUsize,
}

#[derive(Default)]
struct Tabs {
    ready: Vec<Box<dyn Page>>,
    /// How many are being prepared.
    busy: usize,
}

impl fmt::Debug for Warm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Warm")
    }
}

impl Warm {
    /// Returns whether one test at most looks at pages now.
    pub(crate) fn is_for_one(&self) -> bool {
        self.tests.load(Ordering::SeqCst) <= 1
    }

    fn tabs(&self) -> MutexGuard<'_, HashMap<String, Tabs>> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a tab that is prepared; `None` if a new one should be opened.
    fn take(&self, key: &str) -> Option<Box<dyn Page>> {
        let mut all = self.tabs();
        loop {
            let tabs = all.entry(key.to_owned()).or_default();
            if let Some(page) = tabs.ready.pop() {
                return Some(page);
            }
            if tabs.busy == 0 {
                return None;
            }
            all = self.is_ready.wait(all).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that one more tab is being prepared.
    fn begin(&self, key: &str) {
        self.tabs().entry(key.to_owned()).or_default().busy += 1;
    }

    /// Takes a tab back that was being prepared, unless it was closed.
    fn end(&self, key: &str, page: Option<Box<dyn Page>>) {
        let mut all = self.tabs();
        let tabs = all.entry(key.to_owned()).or_default();
        tabs.busy -= 1;
        tabs.ready.extend(page);
        self.is_ready.notify_all();
    }
}

/// A tab that a test has used, with what it showed still in it.
struct Used {
    key: String,
    page: Box<dyn Page>,
}

/// The tabs that one test borrows; they are prepared and given back when this is dropped.
pub(crate) struct Borrowed {
    warm: Arc<Warm>,
    used: Vec<Used>,
    /// Whether others may wait for what was used.
    is_over: bool,
}

impl Borrowed {
    pub(crate) fn new(warm: Arc<Warm>) -> Self {
        warm.tests.fetch_add(1, Ordering::SeqCst);
        Self { warm, used: Vec::new(), is_over: false }
    }

    /// Returns a tab that is prepared: one that the test has used before, or one that is
    /// there.
    pub(crate) fn take(&mut self, key: &str) -> Option<Box<dyn Page>> {
        let Some(at) = self.used.iter().position(|used| used.key == key) else {
            return self.warm.take(key);
        };
        again(self.used.swap_remove(at).page)
    }

    /// Takes a tab back.
    pub(crate) fn put(&mut self, key: String, page: Box<dyn Page>) {
        self.used.push(Used { key, page });
    }

    /// Says that the test needs its tabs no more: whoever wants one waits rather than to open
    /// another.
    pub(crate) fn end(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.used.iter().for_each(|used| self.warm.begin(&used.key));
            self.warm.tests.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.end();
        for Used { key, page } in self.used.drain(..) {
            self.warm.end(&key, again(page));
        }
    }
}

/// Prepares a tab, or closes it if that is not possible or no use.
fn again(mut page: Box<dyn Page>) -> Option<Box<dyn Page>> {
    if !page.is_worn() && page.again(PATIENCE).is_ok() {
        return Some(page);
    }
    page.close(true);
    None
}
