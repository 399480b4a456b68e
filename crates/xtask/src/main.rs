//! Chores of the project: `cargo run -p minirepro-xtask -- CHORE`.
//!
//! May know the files of the checkout; nothing that users run may depend on it.

mod bench;
mod chaos;
mod estimate;
mod facts;
mod parse;
mod simulate;
mod speedup;

use std::path::PathBuf;

use clap::Parser;

/// Chores of the project.
#[derive(Debug, Parser)]
enum Chore {
    /// Measure real cases with real programs; write `corpus/SCORES.md`.
    Bench(bench::Bench),
    /// Kill minirepro again and again; it must end with the result of an undisturbed run.
    Chaos {
        /// The program.
        minirepro: PathBuf,
        /// How often it is killed.
        #[arg(long, default_value_t = 200)]
        kills: u32,
        /// Seed of the moments.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// What runs were expected to take at several moments, and what they took, by their journals.
    Estimate {
        /// Directories of journals (`--journal`).
        journals: Vec<PathBuf>,
    },
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
    /// How much sooner runs would have ended with more jobs, by their journals.
    Speedup {
        /// Directories of journals (`--journal`).
        journals: Vec<PathBuf>,
    },
}

fn main() -> anyhow::Result<()> {
    match Chore::parse() {
        Chore::Bench(bench) => bench::run(&bench),
        Chore::Chaos { minirepro, kills, seed } => chaos::run(&minirepro, kills, seed),
        Chore::Estimate { journals } => estimate::run(&journals),
        Chore::Speedup { journals } => speedup::run(&journals),
        Chore::Facts { check } => facts::run(check),
        Chore::Parse { language, files } => parse::run(&language, &files),
        Chore::Simulate { seed } => {
            print!("{}", simulate::run(seed));
            Ok(())
        }
    }
}
