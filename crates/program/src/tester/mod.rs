//! Tests: they say whether a candidate shows the failure. A closure is one, and so is a description
//! of a program.

pub mod closure;
pub mod evidence;
pub mod program;
pub mod subject;
