//! Changes as values: found ([`align`]), and applied to another text ([`counterpart`]).

pub(crate) mod align;
pub(crate) mod counterpart;
