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
//! A program of ten lines, built for release and stripped: 0.4 MB for lists, 6.8 MB for texts or
//! JSON, 8.2 MB with C.
//!
//! Five inputs of 3,000 bytes with a test that takes a microsecond and needs eight parts of them
//! (structs: a list of 60). Processor time of the whole call, the best of seven; reading the
//! grammar is a part of it.
//!
//! | task | tool | questions | seconds | bytes left |
//! |---|---|--:|--:|--:|
//! | bytes | `Reduction` | 96 | 0.004 | 8 |
//! | | `shrink` | 73 | 0.0001 | 8 |
//! | | loop of halving chunks | 88 | below 0.0001 | 8 |
//! | | proptest | 3,160 | 0.014 | 8 |
//! | | Hypothesis | 134 | 0.5 | 8 |
//! | | Shrink Ray | 910 | 3.9 | 8 |
//! | text | `Reduction` | 123 | 0.002 | 32 |
//! | | `shrink` | 148 | 0.0002 | 32 |
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
//! | | `shrink` | 48 | below 0.0001 | 438 |
//! | | loop of halving chunks | 9,792 | 0.015 | 450 |
//! | | proptest | 192 | 0.0005 | 289 |
//! | | treereduce | 1,852 | 0.21 | 2,231 |
//! | | Shrink Ray | 8,303 | 2.7 | 289 |

#[cfg(feature = "text")]
mod text;

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
pub use minirepro_search::Outcome;
/// Returns a small part of a list for which a test still fails: no single item can be left out.
///
/// ```
/// let fails = |some: &[u32]| some.contains(&17) && some.contains(&620);
/// assert_eq!(minirepro::shrink(&Vec::from_iter(0..1_000), fails), [17, 620]);
/// ```
pub use minirepro_search::shrink;
#[cfg(feature = "text")]
pub use text::*;

/// Runs the examples of the guide's chapter about this library.
#[cfg(all(doctest, feature = "serde"))]
#[doc = include_str!("../embedding.md")]
struct Guide;
