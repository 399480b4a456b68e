//! Chores of the project: `cargo xtask CHORE`.
//!
//! Nothing that users run may depend on this program.

mod cases;
mod certificates;
mod chaos;
mod facts;
mod random;
mod scores;

use clap::Parser;

/// Chores of the project.
#[derive(Debug, Parser)]
enum Chore {
    /// Look for single edits of certified results that reproduce: each token, character, line, pair
    /// of brackets, and part, by a measure of its own.
    CheckCertificates(certificates::CheckCertificates),
    /// Kill minirepro again and again; it must end with the result of an undisturbed run.
    Chaos(chaos::Attack),
    /// Write `grammars/*/generated` from the grammars of the pinned crates.
    Facts {
        /// Only compare; fail if a file is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Measure real failures; write `corpus/scores.jsonl` and `corpus/SCORES.md`, or compare.
    Scores(scores::Scores),
}

fn main() -> anyhow::Result<()> {
    match Chore::parse() {
        Chore::CheckCertificates(check) => certificates::run(&check),
        Chore::Chaos(attack) => chaos::run(&attack),
        Chore::Facts { check } => facts::run(check),
        Chore::Scores(scores) => scores::run(&scores),
    }
}
