//! Texts, bytes and values: all that is read as a tree.

mod error;
mod oracle;
mod reduced;
mod reduction;
mod source;
#[cfg(any(feature = "serde", feature = "arbitrary"))]
mod value;

pub use error::Error;
/// How the lists of edits are searched: the default, or one from the literature.
///
/// ```
/// use minirepro::{Algorithm, Reduction};
///
/// let ddmin = "ddmin".parse::<Algorithm>()?;
/// let reduced = Reduction::new("a 7 b").algorithm(ddmin).run(|text: &[u8]| text.contains(&b'7'))?;
/// assert_eq!(reduced.text(), "7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use minirepro_engine::Algorithm;
/// Where the answer to a question came from, in [events](Event::Answered).
///
/// ```
/// use minirepro::{AnswerSource, Event, Reduction};
///
/// let mut tested = 0;
/// let reduced = Reduction::new("a 7 b")
///     .observer(|event| {
///         if let Event::Answered { how: AnswerSource::Tested, .. } = event {
///             tested += 1;
///         }
///     })
///     .run(|text: &[u8]| text.contains(&b'7'))?;
/// assert_eq!(tested, reduced.questions);
/// # Ok::<(), minirepro::Error>(())
/// ```
pub use minirepro_engine::AnswerSource;
/// When to stop early.
///
/// ```
/// use minirepro::{Budget, Reduction, StopReason};
///
/// let budget = Budget { max_tests: Some(10), ..Budget::default() };
/// let text = "word ".repeat(100);
/// let reduced = Reduction::new(text).budget(budget).run(|text: &[u8]| text.len() > 99)?;
/// assert_eq!(reduced.stopped, Some(StopReason::TestBudget));
/// # Ok::<(), minirepro::Error>(())
/// ```
pub use minirepro_engine::Budget;
/// What happens in a reduction, for [observers](Reduction::observer).
///
/// ```
/// use minirepro::{Event, Reduction};
///
/// let mut sizes = Vec::new();
/// Reduction::new("a 7 b")
///     .observer(|event| {
///         if let Event::Reduced { text, .. } = event {
///             sizes.push(text.len());
///         }
///     })
///     .run(|text: &[u8]| text.contains(&b'7'))?;
/// assert_eq!(sizes.last(), Some(&1));
/// # Ok::<(), minirepro::Error>(())
/// ```
pub use minirepro_engine::Event;
/// Why a reduction ended early.
///
/// ```
/// use minirepro::{Budget, Reduction, StopReason};
///
/// let budget = Budget { stop_at_bytes: Some(20), ..Budget::default() };
/// let text = "word ".repeat(100);
/// let reduced = Reduction::new(text).budget(budget).run(|text: &[u8]| text.len() > 9)?;
/// assert_eq!(reduced.stopped, Some(StopReason::SmallEnough));
/// # Ok::<(), minirepro::Error>(())
/// ```
pub use minirepro_engine::StopReason;
/// What was tried on a result in vain.
///
/// ```
/// use minirepro::Reduction;
///
/// let reduced = Reduction::new("a 7 b").run(|text: &[u8]| text.contains(&b'7'))?;
/// let certificate = reduced.certificate.expect("it did not end early");
/// for kind in certificate.edit_kinds {
///     println!("{} of {}", kind.edits, kind.count);
/// }
/// # Ok::<(), minirepro::Error>(())
/// ```
pub use minirepro_engine::{Certificate, EditKind};
/// Which edits are tried, and the smallest unit that is taken away.
///
/// ```
/// use minirepro::{Granularity, Reduction, Scope};
///
/// let scope = Scope { granularity: Granularity::Tokens, ..Scope::default() };
/// let reduced = Reduction::new("[1, 17, 3]")
///     .language("json")
///     .scope(scope)
///     .run(|text: &[u8]| text.contains(&b'7'))?;
/// assert_eq!(reduced.text(), "17");
/// # Ok::<(), minirepro::Error>(())
/// ```
pub use minirepro_engine::{Granularity, Scope};
pub use reduced::Reduced;
pub use reduction::Reduction;
#[cfg(any(feature = "serde", feature = "arbitrary"))]
pub use value::{ReducedValue, ValueReduction};
