//! Binary files by their forms: lengths, counts, places and checksums follow an edit.

mod expression;
mod form;
pub(crate) mod guess;
pub(crate) mod links;
pub(crate) mod number;
pub(crate) mod parser;
mod reader;
mod sums;
mod text_numbers;
