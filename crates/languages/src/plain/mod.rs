//! Text without a grammar: paragraphs, lines, words, characters.

pub(crate) mod chunks;
pub(crate) mod nesting;
pub(crate) mod text;
pub(crate) mod tokenizer;
pub(crate) mod word_nodes;
