//! Binary files as records whose lengths and checksums follow an edit.

pub(crate) mod fixup;
pub(crate) mod guess;
pub(crate) mod layout;
mod number;
pub(crate) mod parser;
