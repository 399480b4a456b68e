//! What a panic of a test means, and how it is caught without a word.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::{Error, Outcome};

/// What a panic of the test means: if there is a text, the failure where its message contains
/// that, and else nothing; without one the test is wrong, and the run ends.
#[derive(Default)]
pub(crate) struct Panics(pub(crate) Option<String>);

impl Panics {
    /// Runs a test and returns its outcome.
    ///
    /// # Errors
    /// If it panics and this is not the failure.
    pub(crate) fn judge<A: Into<Outcome>>(
        &self,
        test: impl FnOnce() -> A,
    ) -> Result<Outcome, Error> {
        // Nobody sees what a panic may have left half done but the test itself.
        let test = AssertUnwindSafe(|| test().into());
        let payload = match &self.0 {
            None => catch_unwind(test),
            Some(_) => silently(|| catch_unwind(test)),
        };
        payload.or_else(|payload| self.outcome(message(&*payload)))
    }

    /// Returns the outcome of a test that has panicked with this message.
    ///
    /// # Errors
    /// If this is not the failure.
    pub(crate) fn outcome(&self, message: &str) -> Result<Outcome, Error> {
        match &self.0 {
            None => Err(Error::Panicked(message.to_owned())),
            Some(part) if message.contains(part) => Ok(Outcome::Fail),
            Some(_) => Ok(Outcome::Unresolved),
        }
    }
}

fn message(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

thread_local! {
    /// Whether panics of this thread are expected, so that nothing is printed.
    static IS_SILENT: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Runs something whose panics on this thread print nothing: thousands of messages, with
/// backtraces, would hide everything else and take most of the time.
fn silently<T>(run: impl FnOnce() -> T) -> T {
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |info| {
            if !IS_SILENT.get() {
                others(info);
            }
        }));
    });
    let before = IS_SILENT.replace(true);
    let done = run();
    IS_SILENT.set(before);
    done
}
