//! Passes over the tags of markup.

pub(crate) mod end_tags;
pub(crate) mod share_style;
pub(crate) mod shorthands;
pub(crate) mod style_rules;
pub(crate) mod tag_soup;
