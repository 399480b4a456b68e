//! Names of passes that come from files. Passes are few and their names are copied all over a run,
//! so a name is kept for the life of the process, once.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Returns the text, kept for the life of the process.
pub(crate) fn interned(text: &str) -> &'static str {
    static KNOWN: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);
    // A set of names is whole even if somebody panicked while holding it.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&text) = known.get(text) {
        return text;
    }
    let text: &'static str = text.to_owned().leak();
    known.insert(text);
    text
}
