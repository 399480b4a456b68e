//! Published reducers, to compare with.

pub(crate) mod hdd;
pub(crate) mod perses;
