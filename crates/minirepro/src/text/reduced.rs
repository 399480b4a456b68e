//! The result of a reduction.

use std::borrow::Cow;

use crate::text::source;
use crate::{Certificate, StopReason};

/// The result of a reduction.
///
/// ```
/// use minirepro::Reduction;
///
/// let reduced = Reduction::new("some 7 text\n").run(|text: &[u8]| text.contains(&b'7'))?;
/// assert_eq!(reduced.text(), "7");
/// assert_eq!(reduced.as_rust(), r#"b"7""#);
/// assert!(reduced.certificate.is_some(), "no single further edit fails");
/// # Ok::<(), minirepro::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reduced {
    /// The smallest candidate that fails.
    pub bytes: Vec<u8>,
    /// What was tried on it in vain; `None` if the reduction ended early.
    pub certificate: Option<Certificate>,
    /// Why it ended early, if it did.
    pub stopped: Option<StopReason>,
    /// How often the test was asked for an answer that decided something.
    pub questions: u64,
    /// How many candidates needed no test, since the grammar cannot form them.
    pub infeasible: u64,
    /// Tokens of the input and of the result, as the language counts them.
    pub tokens: (u64, u64),
}

impl Reduced {
    /// Returns the result as text; what is no UTF-8 in it becomes `U+FFFD`.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Returns a Rust expression for the result, to paste into a test: a byte string.
    pub fn as_rust(&self) -> String {
        source::byte_string(&self.bytes)
    }
}
