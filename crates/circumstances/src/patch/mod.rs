//! Changes as values: found ([`align`]), applied to another text ([`transplant`], [`counterpart`]),
//! taken out of one ([`subtract`]).

pub(crate) mod align;
pub(crate) mod counterpart;
pub(crate) mod subtract;
pub(crate) mod transplant;
