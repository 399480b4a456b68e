//! Chores of the project: `cargo run -p minirepro-xtask -- CHORE`.
//!
//! May know the files of the checkout; nothing that users run may depend on it.

mod bench;
mod facts;
mod parse;
mod simulate;

use std::path::PathBuf;

use clap::Parser;

/// Chores of the project.
#[derive(Debug, Parser)]
enum Chore {
    /// Measure real cases with real programs; write `corpus/SCORES.md`.
    Bench(bench::Bench),
    /// Write `grammars/*/facts.ebnf` from the grammars of the pinned crates.
    Facts {
        /// Only compare; fail if a file is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Parse files; show the speed, and how the grammar facts judge every node.
    Parse {
        /// The language, as for `minirepro --lang`.
        language: String,
        /// What to parse.
        files: Vec<PathBuf>,
    },
    /// Count the tests that the search algorithms ask for, by simulation.
    Simulate {
        /// Seed of the simulated needs.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

fn main() -> anyhow::Result<()> {
    match Chore::parse() {
        Chore::Bench(bench) => bench::run(&bench),
        Chore::Facts { check } => facts::run(check),
        Chore::Parse { language, files } => parse::run(&language, &files),
        Chore::Simulate { seed } => {
            print!("{}", simulate::run(seed));
            Ok(())
        }
    }
}
