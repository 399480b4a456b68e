//! `minirepro passes`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;

use crate::args::values::{Suggested, languages, pass, pass_names};

/// List the passes, or the rules of a language: which edits are tried
#[derive(Debug, Args)]
pub struct Passes {
    /// Instead: show examples of this pass, before and after one of its edits
    #[arg(value_name = "PASS", conflicts_with = "lang", hide_possible_values = true, value_parser = Suggested(pass_names).try_map(|name| pass(&name)))]
    pub pass: Option<String>,
    /// Instead: list the rules for this language with their passes, and where each stands
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = Suggested(languages))]
    pub lang: Option<String>,
    /// With --lang: read the language from this grammar, as for a reduction (can be repeated)
    #[arg(long, value_name = "PATH", requires = "lang")]
    pub grammar: Vec<PathBuf>,
    /// With --lang: add the rules of this file or directory (can be repeated)
    #[arg(long, value_name = "PATH", requires = "lang")]
    pub rules: Vec<PathBuf>,
}
