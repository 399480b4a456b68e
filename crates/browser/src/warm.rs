//! Keeps tabs from test to test, prepared for the next page: a tab that is attached and set up
//! anew costs several times as much as a small page. Must keep nothing of a page: a tab is lent out
//! only after it was emptied.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::page::Page;

/// How long a tab may take to be emptied; then it is closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// This many tabs may be on their way to be empty before another one is opened.
const MOST_BUSY: usize = 2;

/// The tabs of a session, by the browser and the way in which pages are shown in them.
#[derive(Default)]
pub(crate) struct Warm {
    tabs: Mutex<HashMap<String, Tabs>>,
    emptied: Condvar,
}

#[derive(Default)]
struct Tabs {
    empty: Vec<Box<dyn Page>>,
    /// How many are being emptied.
    busy: usize,
}

impl fmt::Debug for Warm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Warm")
    }
}

impl Warm {
    fn tabs(&self) -> MutexGuard<'_, HashMap<String, Tabs>> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an empty tab; `None` if a new one should be opened.
    fn take(&self, key: &str) -> Option<Box<dyn Page>> {
        let mut all = self.tabs();
        loop {
            let tabs = all.entry(key.to_owned()).or_default();
            if let Some(page) = tabs.empty.pop() {
                return Some(page);
            }
            if tabs.busy < MOST_BUSY {
                return None;
            }
            all = self.emptied.wait(all).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that this many more tabs are being emptied.
    fn begin(&self, key: &str) {
        self.tabs().entry(key.to_owned()).or_default().busy += 1;
    }

    /// Takes a tab back that was being emptied, unless it was closed.
    fn end(&self, key: &str, page: Option<Box<dyn Page>>) {
        let mut all = self.tabs();
        let tabs = all.entry(key.to_owned()).or_default();
        tabs.busy -= 1;
        tabs.empty.extend(page);
        self.emptied.notify_all();
    }
}

/// A tab that a test has used, with what it showed still in it.
struct Used {
    key: String,
    page: Box<dyn Page>,
}

/// The tabs that one test borrows; they are emptied and given back when this is dropped.
pub(crate) struct Borrowed {
    warm: Arc<Warm>,
    used: Vec<Used>,
    /// Whether others may wait for what was used.
    is_over: bool,
}

impl Borrowed {
    pub(crate) fn new(warm: Arc<Warm>) -> Self {
        Self { warm, used: Vec::new(), is_over: false }
    }

    /// Returns an empty tab that is prepared: one that the test has used before, or one that is
    /// there.
    pub(crate) fn take(&mut self, key: &str) -> Option<Box<dyn Page>> {
        let Some(at) = self.used.iter().position(|used| used.key == key) else {
            return self.warm.take(key);
        };
        emptied(self.used.swap_remove(at).page)
    }

    /// Takes a tab back; it is closed if what it shows is `bad`.
    pub(crate) fn put(&mut self, key: String, page: Box<dyn Page>, bad: bool) {
        match bad {
            true => page.close(true),
            false => self.used.push(Used { key, page }),
        }
    }

    /// Says that the test needs its tabs no more: whoever wants one waits rather than to open
    /// another.
    pub(crate) fn end(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.used.iter().for_each(|used| self.warm.begin(&used.key));
        }
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.end();
        for Used { key, page } in self.used.drain(..) {
            self.warm.end(&key, emptied(page));
        }
    }
}

/// Empties a tab, or closes it if it does not become empty.
fn emptied(mut page: Box<dyn Page>) -> Option<Box<dyn Page>> {
    match page.again(PATIENCE) {
        Ok(()) => Some(page),
        Err(_) => {
            page.close(true);
            None
        }
    }
}
