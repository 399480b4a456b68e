//! The lossless immutable tree: nodes, the names of their kinds, hashes of their tokens.

pub(crate) mod arena;
pub(crate) mod hash;
pub(crate) mod kinds;
pub(crate) mod spacing;
