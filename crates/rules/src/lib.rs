//! Rules: passes as data. A rule is a query for parts of a text, paths that lead from these to
//! others, and edits that only make sense together.
//!
//! Must not know: how text becomes a tree (it is given a parser), how items are searched, outcomes,
//! any language by name.

mod compile;
mod file;
mod form;
mod interned;
mod matching;
mod pass;
mod path;
mod query;
mod selector;
mod world;

pub use compile::{Grammar, RuleError};
pub use file::{OneOrMore, RuleExample, RuleFile, RuleSearch, RuleTable};
pub use matching::{Match, Refusal};
pub use pass::{RuleName, RulePass, adopt, passes};
pub use path::Word;
pub use world::World;
