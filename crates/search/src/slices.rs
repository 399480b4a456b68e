//! Shrinks a slice with a closure: the searches of this crate for those who have a list and a test
//! and want no more than the answer.

use std::fmt;

use crate::{Algorithm, Cached, Configuration, Dd, Minimizer, Outcome, Search, minimizer};

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
pub fn shrink<T, F, A>(items: &[T], test: F) -> Vec<T>
where
    T: Clone,
    F: FnMut(&[T]) -> A,
    A: Into<Outcome>,
{
    Shrink::new(items).run(test)
}

/// A request to shrink a slice, as [`shrink`] does, with more to say about how.
///
/// ```
/// use minirepro_search::Shrink;
///
/// let words = ["begin", "a", "b", "c", "d", "e", "f", "end"];
/// let mut asked = 0;
/// let small = Shrink::new(&words)
///     .feasible(|some| some.first() == Some(&"begin") && some.last() == Some(&"end"))
///     .run(|some: &[&str]| {
///         asked += 1;
///         some.contains(&"d")
///     });
/// assert_eq!(small, ["begin", "d", "end"]);
/// assert!(asked < 12);
/// ```
pub struct Shrink<'a, T> {
    items: &'a [T],
    weights: Option<Vec<u32>>,
    algorithm: Algorithm,
    feasible: Option<Feasible<'a, T>>,
}

/// A check whether a candidate is worth a test.
type Feasible<'a, T> = Box<dyn Fn(&[T]) -> bool + 'a>;

impl<T> fmt::Debug for Shrink<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shrink")
            .field("items", &self.items.len())
            .field("weights", &self.weights)
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

impl<'a, T: Clone> Shrink<'a, T> {
    /// Makes a request for `items`, for which the test is known to fail.
    pub fn new(items: &'a [T]) -> Self {
        Self { items, weights: None, algorithm: Algorithm::default(), feasible: None }
    }

    /// Says how large each item is. Where few items have most of the weight, they are tried first.
    #[must_use]
    pub fn weights(mut self, weight: impl Fn(&T) -> u32) -> Self {
        self.weights = Some(self.items.iter().rev().map(weight).collect());
        self
    }

    /// Searches by another algorithm.
    #[must_use]
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Answers questions without a test, as unresolved, for which this returns `false`.
    #[must_use]
    pub fn feasible(mut self, feasible: impl Fn(&[T]) -> bool + 'a) -> Self {
        self.feasible = Some(Box::new(feasible));
        self
    }

    /// Asks `test` until the search is done, and returns the smallest part that fails.
    pub fn run<A: Into<Outcome>>(self, mut test: impl FnMut(&[T]) -> A) -> Vec<T> {
        let mut questions = self.questions();
        while let Some(candidate) = questions.ask() {
            let outcome = test(candidate);
            questions.tell(outcome);
        }
        questions.result()
    }

    /// Returns the questions one after the other, for tests that are not a closure: asynchronous
    /// ones, for example.
    ///
    /// ```
    /// use minirepro_search::Shrink;
    ///
    /// async fn fails(candidate: &[char]) -> bool {
    ///     candidate.contains(&'<') && candidate.contains(&'>')
    /// }
    ///
    /// async fn smallest(text: &[char]) -> Vec<char> {
    ///     let mut questions = Shrink::new(text).questions();
    ///     while let Some(candidate) = questions.ask() {
    ///         let outcome = fails(candidate).await;
    ///         questions.tell(outcome);
    ///     }
    ///     questions.result()
    /// }
    /// # let text: Vec<char> = "if (a < b) return x > y;".chars().collect();
    /// # let future = std::pin::pin!(smallest(&text));
    /// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    /// # assert_eq!(future.poll(&mut context), std::task::Poll::Ready(vec!['<', '>']));
    /// ```
    pub fn questions(self) -> Questions<'a, T> {
        let weights = self.weights.unwrap_or_else(|| vec![1; self.items.len()]);
        let search = minimizer(self.algorithm, &weights);
        Questions {
            // The others ask nothing twice.
            search: match self.algorithm {
                Algorithm::Default | Algorithm::Galloping => search,
                _ => Box::new(Cached::new(search)),
            },
            items: self.items,
            feasible: self.feasible,
            candidate: Vec::with_capacity(self.items.len()),
        }
    }
}

/// The questions of a search over a slice, see [`Shrink::questions`].
pub struct Questions<'a, T> {
    search: Box<dyn Minimizer>,
    items: &'a [T],
    feasible: Option<Feasible<'a, T>>,
    candidate: Vec<T>,
}

impl<T> fmt::Debug for Questions<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Questions").field("kept", self.search.kept()).finish_non_exhaustive()
    }
}

impl<T: Clone> Questions<'_, T> {
    /// Returns the next candidate to test, or `None` when the search is done. Without an answer in
    /// between, it is the same one again.
    pub fn ask(&mut self) -> Option<&[T]> {
        loop {
            let kept = self.search.ask()?;
            fill(&mut self.candidate, self.items, &kept);
            match &self.feasible {
                Some(feasible) if !feasible(&self.candidate) => {
                    self.search.tell(Outcome::Unresolved);
                }
                _ => return Some(&self.candidate),
            }
        }
    }

    /// Takes the outcome for the candidate that [`ask`](Self::ask) returned.
    ///
    /// # Panics
    /// If the search is done.
    pub fn tell(&mut self, outcome: impl Into<Outcome>) {
        self.search.tell(outcome.into());
    }

    /// Returns the smallest part so far that fails.
    pub fn result(&self) -> Vec<T> {
        let mut result = Vec::new();
        fill(&mut result, self.items, self.search.kept());
        result
    }
}

/// Makes `list` the items that are kept. Circumstances are numbered from the end of the list: what
/// comes later mostly needs what comes before it, and searches go first for what nobody needs.
fn fill<T: Clone>(list: &mut Vec<T>, items: &[T], kept: &Configuration) {
    list.clear();
    list.extend(kept.iter().map(|circumstance| items[items.len() - 1 - circumstance].clone()));
    list.reverse();
}

/// Two lists as near to each other as a test can tell apart, see [`isolate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolated<T> {
    /// The list that passes.
    pub passing: Vec<T>,
    /// The list that fails.
    pub failing: Vec<T>,
}

/// Brings a list that passes and a list that fails together: what is left between them decides
/// whether the test fails. Their difference is what a longest common subsequence leaves.
///
/// Each item of the difference is needed for it: with any one added to the passing side the test
/// does not pass, with any one taken back from the failing side it does not fail. Aligning takes
/// time and memory in proportion to the product of the parts that differ.
///
/// ```
/// use minirepro_search::{Isolated, isolate};
///
/// let works = ["-O1", "-g", "-c"];
/// let crashes = ["-O3", "-g", "-c", "-flto", "-w"];
/// let test = |options: &[&str]| options.contains(&"-O3") && options.contains(&"-c");
/// let Isolated { passing, failing } = isolate(&works, &crashes, test);
/// let added: Vec<_> = failing.iter().filter(|option| !passing.contains(option)).collect();
/// assert_eq!(added, [&"-O3"]);
/// ```
pub fn isolate<T, F, A>(passing: &[T], failing: &[T], mut test: F) -> Isolated<T>
where
    T: Clone + PartialEq,
    F: FnMut(&[T]) -> A,
    A: Into<Outcome>,
{
    let merged = align(passing, failing);
    let changes = merged.iter().filter(|(_, side)| *side != Side::Both).count();
    let list = |applied: &Configuration| {
        let mut change = 0;
        let mut list = Vec::new();
        for (item, side) in &merged {
            let stays = match side {
                Side::Both => true,
                Side::Passing => !applied.contains(change),
                Side::Failing => applied.contains(change),
            };
            change += usize::from(*side != Side::Both);
            list.extend(stays.then(|| (*item).clone()));
        }
        list
    };
    let mut search = Cached::new(Dd::new(changes));
    while let Some(applied) = search.ask() {
        search.tell(test(&list(&applied)).into());
    }
    Isolated { passing: list(search.search().passing()), failing: list(search.search().failing()) }
}

/// Which of two lists an item is in.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Both,
    Passing,
    Failing,
}

/// Merges two lists along a longest common subsequence.
fn align<'a, T: PartialEq>(passing: &'a [T], failing: &'a [T]) -> Vec<(&'a T, Side)> {
    let same = |(a, b): &(&T, &T)| a == b;
    let prefix = passing.iter().zip(failing).take_while(same).count();
    let (p, f) = (&passing[prefix..], &failing[prefix..]);
    let suffix = p.iter().rev().zip(f.iter().rev()).take_while(same).count();
    let (p, f) = (&p[..p.len() - suffix], &f[..f.len() - suffix]);
    let width = f.len() + 1;
    // At `i * width + j`: how much of `p[i..]` and `f[j..]` is common.
    let mut common = vec![0u32; (p.len() + 1) * width];
    for i in (0..p.len()).rev() {
        for j in (0..f.len()).rev() {
            common[i * width + j] = if p[i] == f[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let both = |item| (item, Side::Both);
    let mut merged: Vec<_> = failing[..prefix].iter().map(both).collect();
    let (mut i, mut j) = (0, 0);
    while i < p.len() || j < f.len() {
        if i < p.len() && j < f.len() && p[i] == f[j] {
            merged.push((&f[j], Side::Both));
            (i, j) = (i + 1, j + 1);
        } else if j == f.len()
            || i < p.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]
        {
            merged.push((&p[i], Side::Passing));
            i += 1;
        } else {
            merged.push((&f[j], Side::Failing));
            j += 1;
        }
    }
    merged.extend(failing[failing.len() - suffix..].iter().map(both));
    merged
}
