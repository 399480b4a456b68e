//! Passes below the smallest node: tokens, parts of leaves.

pub(crate) mod fill_room;
pub(crate) mod keep_width;
pub(crate) mod overwrite;
pub(crate) mod remove_tokens;
pub(crate) mod split_leaves;
