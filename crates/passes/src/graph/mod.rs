//! A whole text as a graph: which of its declarations and bodies need which. Passes ask what a
//! failure needs, and what a tool's messages demand.

pub(crate) mod demanded;
mod holders;
pub(crate) mod needs;
pub(crate) mod parts;
pub(crate) mod unused;
mod uses;
mod words;
