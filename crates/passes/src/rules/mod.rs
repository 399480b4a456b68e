//! Passes that are data: matches of a language's rules become items.

mod captures;
mod elsewhere;
mod form;
mod matching;
mod paths;
pub(crate) mod propose;
