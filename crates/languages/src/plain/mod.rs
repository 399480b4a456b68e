//! Text without a grammar: blocks, paragraphs, lines, words, characters.

pub(crate) mod chunks;
pub(crate) mod filler;
pub(crate) mod levels;
pub(crate) mod line_shapes;
mod names;
pub(crate) mod nesting;
pub(crate) mod outline;
pub(crate) mod text;
pub(crate) mod tokenizer;
pub(crate) mod word_nodes;
