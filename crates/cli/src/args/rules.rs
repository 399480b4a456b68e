//! `minirepro rules`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::values::{Suggested, languages};

/// Work on rules of your own: see `minirepro guide rules`
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// The task.
    #[command(subcommand)]
    pub task: RulesTask,
}

/// The tasks of `minirepro rules`.
#[derive(Debug, Subcommand)]
pub enum RulesTask {
    /// Run the examples in files of rules, and say what matched
    Check(CheckRules),
}

/// The options of `minirepro rules check`.
#[derive(Debug, Args)]
pub struct CheckRules {
    /// The files, or directories of them
    #[arg(required = true, value_name = "PATH")]
    pub rules: Vec<PathBuf>,
    /// The language of examples that do not say theirs
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = Suggested(languages))]
    pub lang: Option<String>,
    /// Read the language from this grammar, as for a reduction (can be repeated)
    #[arg(long, value_name = "PATH")]
    pub grammar: Vec<PathBuf>,
}
