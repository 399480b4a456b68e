//! Shrinks a slice with a closure: for those who have a list and a test and want no more than the
//! answer.

use crate::{Configuration, Groups, Outcome};

/// Returns a small part of `items` for which `test` still fails, in the same order: no single one
/// of its items can be left out. `test` is known to fail for `items` itself.
///
/// The outcome of a test may be a `bool` (`true` if the failure is there), or an [`Outcome`].
///
/// ```
/// use minirepro_search::shrink;
///
/// let numbers: Vec<u32> = (0..1_000).collect();
/// let fails = |some: &[u32]| some.contains(&17) && some.contains(&620);
/// assert_eq!(shrink(&numbers, fails), [17, 620]);
/// ```
pub fn shrink<T, F, A>(items: &[T], mut test: F) -> Vec<T>
where
    T: Clone,
    F: FnMut(&[T]) -> A,
    A: Into<Outcome>,
{
    // Circumstances are numbered from the end of the list: what comes later mostly needs what comes
    // before it, and searches go first for what nobody needs.
    let list = |kept: &Configuration| -> Vec<T> {
        let is_kept = |at: &usize| kept.contains(items.len() - 1 - at);
        (0..items.len()).filter(is_kept).map(|at| items[at].clone()).collect()
    };
    let mut search = Groups::new(&vec![1; items.len()]).search();
    while let Some(question) = search.ask() {
        search.tell(test(&list(&question)).into());
    }
    list(search.kept())
}
