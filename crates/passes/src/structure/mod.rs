//! Passes that delete, hoist, and unwrap nodes of any language.

pub(crate) mod coarse;
pub(crate) mod delete_and_hoist;
pub(crate) mod files;
pub(crate) mod remove_column;
pub(crate) mod remove_counted;
