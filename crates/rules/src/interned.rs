//! Names of passes that come from files. Passes are few and their names are copied all over a run,
//! so a name is kept for the life of the process, once.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Returns the text, kept for the life of the process.
pub(crate) fn interned(text: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    // A set of names is whole even if somebody panicked while holding it.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if !known.contains(text) {
        known.insert(text.to_owned().leak());
    }
    known.get(text).expect("it was added")
}
