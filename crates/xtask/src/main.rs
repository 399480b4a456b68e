//! Chores of the project: `cargo xtask CHORE`.
//!
//! Nothing that users run may depend on this program.

mod bench;
mod certificates;
mod chaos;
mod estimate;
mod facts;
mod graph;
mod licenses;
mod parse;
mod random;
mod simulate;
mod slow;
mod speedup;

use std::path::PathBuf;

use clap::Parser;

/// Chores of the project.
#[derive(Debug, Parser)]
enum Chore {
    /// Measure real cases with real programs; write `corpus/SCORES.md`.
    Bench(bench::Bench),
    /// Look for single edits of certified results that reproduce: each token, character, line, pair
    /// of brackets, and part, by a measure of its own.
    CheckCertificates(certificates::CheckCertificates),
    /// Kill minirepro again and again; it must end with the result of an undisturbed run.
    Chaos(chaos::Attack),
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
    /// Measure the graph of source files: arrows, circles, levels.
    Graph {
        /// Crates, by the names of their folders; all of them if none is named.
        crates: Vec<String>,
        /// Another checkout of the repository.
        #[arg(long)]
        root: Option<PathBuf>,
        /// Show every arrow, too.
        #[arg(long)]
        arrows: bool,
    },
    /// Write `crates/cli/licenses.txt` from the packages that the program contains.
    Licenses {
        /// Only compare; fail if it is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Parse files; show the speed, how the grammar facts judge every node, and whether random
    /// edits that they accept parse.
    Parse {
        /// How many nodes of each file to drop, one by one.
        #[arg(long, default_value_t = 0)]
        edits: usize,
        /// Seed of the choice.
        #[arg(long, default_value_t = 1)]
        seed: u64,
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
    /// Look for texts that take long to read: parts of each grammar's constructs, repeated.
    Slow(slow::Slow),
    /// How much sooner runs would have ended with more jobs, by their journals.
    Speedup {
        /// Directories of journals (`--journal`).
        journals: Vec<PathBuf>,
    },
}

fn main() -> anyhow::Result<()> {
    match Chore::parse() {
        Chore::Bench(bench) => bench::run(&bench),
        Chore::CheckCertificates(check) => certificates::run(&check),
        Chore::Chaos(attack) => chaos::run(&attack),
        Chore::Estimate { journals } => estimate::run(&journals),
        Chore::Speedup { journals } => speedup::run(&journals),
        Chore::Facts { check } => facts::run(check),
        Chore::Graph { crates, root, arrows } => graph::run(root.as_deref(), &crates, arrows),
        Chore::Licenses { check } => licenses::run(check),
        Chore::Parse { language, files, edits, seed } => parse::run(&language, &files, edits, seed),
        Chore::Slow(slow) => slow::run(&slow),
        Chore::Simulate { seed } => {
            print!("{}", simulate::run(seed));
            Ok(())
        }
    }
}
