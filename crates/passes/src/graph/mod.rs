//! A whole text as a graph: which of its declarations and bodies need which. Passes ask what a
//! failure needs, what is there only for the sake of one part, and what a tool's messages demand.

pub(crate) mod demanded;
mod digraph;
pub(crate) mod dominated;
pub(crate) mod elements;
pub(crate) mod parts;
pub(crate) mod unused;
mod uses;
