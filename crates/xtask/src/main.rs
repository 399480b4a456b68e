//! Chores of the project: `cargo run -p minirepro-xtask -- CHORE`.
//!
//! May know the files of the checkout; nothing that users run may depend on it.

mod facts;

use clap::Parser;

/// Chores of the project.
#[derive(Debug, Parser)]
enum Chore {
    /// Write `grammars/*/facts.ebnf` from the grammars of the pinned crates.
    Facts {
        /// Only compare; fail if a file is out of date.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> anyhow::Result<()> {
    match Chore::parse() {
        Chore::Facts { check } => facts::run(check),
    }
}
