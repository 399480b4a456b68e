//! Tests of trees, edits and grammars. One program, since each takes time to link.

mod closure;
mod neighbours;
mod rendering;
