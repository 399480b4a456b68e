//! Passes over the tags of markup.

pub(crate) mod end_tags;
pub(crate) mod style_rules;
pub(crate) mod tag_soup;
