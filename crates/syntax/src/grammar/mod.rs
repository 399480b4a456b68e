//! What a grammar allows: facts, and the automata made of them.

pub(crate) mod automaton;
pub(crate) mod expression;
pub(crate) mod facts;
