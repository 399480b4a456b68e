//! What could be changed: every pass is a pure function of tree and grammar.
//!
//! A pass proposes edits and how to search among them; it must not know the oracle, outcomes, the
//! order in which passes run, files, processes, threads, clocks, tree-sitter, nor any language by
//! name.

mod declarations;
mod examples;
mod expressions;
mod framework;
mod graph;
mod markup;
mod names;
mod registry;
mod rules;
mod structure;
mod tokens;

pub use examples::EXAMPLES;
pub use framework::context::{PassContext, TextFacts};
pub use framework::counts::Counts;
pub use framework::proposal::{Gate, Item, Order, Plan, Proposal, Supplied};
pub use framework::references::Reference;
pub use minirepro_rules::{Refusal, RuleName};
pub use registry::{Attribute, LARGER_FORMS, PASSES, PROPOSE, PUMPS, Pass, insert_rules, of, own};
