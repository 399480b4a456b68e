//! Shrinks an input that triggers a failure to a small one that still triggers it, in the process
//! that looks for failures: for fuzzers and property tests.
//!
//! ```
//! use minirepro::Reduction;
//!
//! # fn main() -> Result<(), minirepro::Error> {
//! let input = "int unused(void) { return 1; }\nint main(void) { crash(1, 2); }\n";
//! let crashes = |candidate: &[u8]| candidate.windows(6).any(|part| part == b"crash(");
//! let reduced = Reduction::new(input).language("c").run(crashes)?;
//! assert_eq!(reduced.text().trim(), "crash();");
//! assert!(reduced.certificate.is_some(), "no single further edit still crashes");
//! # Ok(())
//! # }
//! ```
//!
//! # What it costs
//!
//! A program of ten lines, built for release and stripped: 7.2 MB without any grammar or with JSON,
//! 7.8 MB with C, 57 MB with the common languages, 104 MB with all.
//!
//! Five inputs of 3,000 bytes with a test that takes a microsecond and needs eight parts of them
//! (structs: a list of 60). Processor time of the whole call, the best of seven; reading the
//! grammar is a part of it.
//!
//! | task | tool | questions | seconds | bytes left |
//! |---|---|--:|--:|--:|
//! | bytes | `Reduction` | 96 | 0.004 | 8 |
//! | | `minirepro_search::shrink` | 73 | 0.0001 | 8 |
//! | | loop of halving chunks | 88 | below 0.0001 | 8 |
//! | | proptest | 3,160 | 0.014 | 8 |
//! | | Hypothesis | 134 | 0.5 | 8 |
//! | | Shrink Ray | 910 | 3.9 | 8 |
//! | text | `Reduction` | 123 | 0.002 | 32 |
//! | | `minirepro_search::shrink` | 148 | 0.0002 | 32 |
//! | | loop of halving chunks | 198 | below 0.0001 | 32 |
//! | | Hypothesis | 360 | 0.7 | 32 |
//! | | Shrink Ray | 853 | 2.6 | 32 |
//! | JSON | `Reduction` | 210 | 0.011 | 67 |
//! | | loop of halving chunks | 3,381 | 0.011 | 224 |
//! | | treereduce | 1,398 | 0.15 | 1,882 |
//! | | Shrink Ray | 3,321 | 2.4 | 73 |
//! | C (need not parse) | `Reduction` | 231 | 0.04 | 73 |
//! | | loop of halving chunks | 256 | below 0.0001 | 40 |
//! | | treereduce | 146 | 0.02 | 239 |
//! | | Shrink Ray | 2,471 | 3.4 | 40 |
//! | structs | `Reduction::of` | 117 | 0.025 | 289 |
//! | | `minirepro_search::shrink` | 48 | below 0.0001 | 438 |
//! | | loop of halving chunks | 9,792 | 0.015 | 450 |
//! | | proptest | 192 | 0.0005 | 289 |
//! | | treereduce | 1,852 | 0.21 | 2,231 |
//! | | Shrink Ray | 8,303 | 2.7 | 289 |

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
/// The outcome of a test; a `bool` is one, too.
///
/// ```
/// use minirepro::{Outcome, Reduction};
///
/// let test = |text: &[u8]| match std::str::from_utf8(text).map(str::parse::<i32>) {
///     Ok(Ok(number)) => Outcome::from(number > 9),
///     _ => Outcome::Unresolved,
/// };
/// assert_eq!(Reduction::new("12345").run(test)?.bytes.len(), 2);
/// # Ok::<(), minirepro::Error>(())
/// ```
pub use minirepro_engine::Outcome;
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
/// All that the program does: tests by scripts and commands, journals, workers, directories,
/// isolation. It changes with the program.
///
/// ```no_run
/// use minirepro::program::{Reduction, TestSpec};
///
/// # fn main() -> Result<(), minirepro::program::Error> {
/// let input = minirepro::program::sources::file("crash.c".as_ref())?;
/// let request = Reduction { file: "crash.c".into(), ..Reduction::new(input) };
/// let result = request.run(TestSpec::script("./test.sh"))?;
/// println!("{}", String::from_utf8_lossy(result.text()));
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "runner")]
pub use minirepro_program as program;
pub use reduced::Reduced;
pub use reduction::Reduction;
#[cfg(any(feature = "serde", feature = "arbitrary"))]
pub use value::{ReducedValue, ValueReduction};

/// Runs the examples of the guide's chapter about this library.
#[cfg(all(doctest, feature = "serde"))]
#[doc = include_str!("../embedding.md")]
struct Guide;
