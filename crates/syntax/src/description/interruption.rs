//! Tells long computations that their result is no longer wanted.

use std::sync::{Arc, PoisonError, RwLock};

/// A question that long computations ask again and again: is somebody still waiting for the result?
///
/// Copies share the answer. Who is interrupted ends soon with some result of the right type, which
/// must be dropped.
#[derive(Clone, Default)]
pub struct Interruption(Arc<RwLock<Option<Check>>>);

/// Returns whether the computation must end. Once it has said so, it must not change its mind.
type Check = Box<dyn Fn() -> bool + Send + Sync>;

impl Interruption {
    /// Has `is_over` asked from now on, until the returned guard is dropped.
    pub fn watch(&self, is_over: impl Fn() -> bool + Send + Sync + 'static) -> InterruptionGuard {
        self.set(Some(Box::new(is_over)));
        InterruptionGuard(self.clone())
    }

    /// Returns whether the computation must end.
    pub fn is_set(&self) -> bool {
        let check = self.0.read().unwrap_or_else(PoisonError::into_inner);
        check.as_ref().is_some_and(|is_over| is_over())
    }

    /// Returns the items of an iterator until the computation must end. Asks before the first item
    /// and then before each [`SPAN`](Self::SPAN)th.
    pub fn until<I: IntoIterator>(&self, items: I) -> impl Iterator<Item = I::Item> + use<'_, I> {
        let asked = items.into_iter().enumerate();
        let goes_on = |(at, _): &(usize, I::Item)| at % Self::SPAN > 0 || !self.is_set();
        asked.take_while(goes_on).map(|(_, item)| item)
    }

    /// How many small pieces of work may be done without asking: microseconds each.
    pub const SPAN: usize = 256;

    fn set(&self, check: Option<Check>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = check;
    }
}

/// Stops asking when it is dropped.
#[must_use = "nothing is asked once it is dropped"]
pub struct InterruptionGuard(Interruption);

impl Drop for InterruptionGuard {
    fn drop(&mut self) {
        self.0.set(None);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn items_end_when_the_answer_changes_and_somebody_still_asks() {
        let interruption = Interruption::default();
        assert_eq!(interruption.until(0..1000).count(), 1000);
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let guard = interruption.watch(move || counter.fetch_add(1, Ordering::Relaxed) >= 2);
        let copy = interruption.clone();
        assert_eq!(copy.until(0..10_000).count(), 2 * Interruption::SPAN);
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        drop(guard);
        assert_eq!(copy.until(0..1000).count(), 1000);
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }
}
