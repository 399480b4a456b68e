//! What could be changed: every pass is a pure function of tree and grammar.
//!
//! A pass proposes edits and how to search among them; it must not know the oracle, outcomes, the
//! order in which passes run, files, processes, threads, clocks, tree-sitter, nor any language by
//! name.

mod canonical;
mod constants;
mod couplings;
mod declared;
mod encoded;
mod formals;
mod globals;
mod hdd;
mod inline;
mod input;
mod inside;
mod joins;
mod layers;
mod levels;
mod macros;
mod members;
mod merges;
mod names;
mod needs;
mod nesting;
mod parameters;
mod perses;
mod places;
mod pool;
mod proposal;
mod qualifiers;
mod records;
mod references;
mod registry;
mod returns;
mod rewrites;
mod scalars;
mod soup;
mod structure;
mod substitutes;
mod tokens;
mod typedefs;
mod units;

pub use input::{Index, Input};
pub use proposal::{Gate, Item, Proposal, Strategy};
pub use references::Reference;
pub use registry::{GROWING, HDD, HDDR, PASSES, PERSES, Pass, known, own};
