//! `minirepro passes`.

use std::path::PathBuf;

use clap::Args;

/// List the passes, or the rules of a language: which edits are tried
#[derive(Debug, Args)]
pub struct Passes {
    /// Instead: list the rules for this language that the rewriting passes go by, and where each stands
    #[arg(long, value_name = "NAME")]
    pub lang: Option<String>,
    /// With --lang: add the rules of this file (can be repeated)
    #[arg(long, value_name = "FILE", requires = "lang")]
    pub rules: Vec<PathBuf>,
}
