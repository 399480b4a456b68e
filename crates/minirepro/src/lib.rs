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

mod error;
mod reduced;
mod reduction;
mod source;
mod test;
#[cfg(any(feature = "serde", feature = "arbitrary"))]
mod value;

pub use error::Error;
pub use minirepro_engine::{
    Algorithm, AnswerSource, Budget, Certificate, EditKind, Event, Granularity, Outcome, Scope,
    Search, StopReason,
};
#[cfg(feature = "runner")]
pub use minirepro_program as program;
pub use reduced::Reduced;
pub use reduction::Reduction;
#[cfg(any(feature = "serde", feature = "arbitrary"))]
pub use value::{ReducedValue, ValueReduction};
