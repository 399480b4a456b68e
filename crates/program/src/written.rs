//! What a run writes, for errors about places that are taken.

use std::fmt;

/// Something that a run writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A result, of the first cause or of another one.
    Result,
    /// The journal.
    Journal,
    /// The directory for inputs that show other failures.
    Finds,
    /// Something that the caller writes, by the name that `Settings::also_written` gives.
    ByCaller(&'static str),
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Result => "the result",
            Self::Journal => "the journal",
            Self::Finds => "the directory of other failures",
            Self::ByCaller(name) => name,
        })
    }
}
