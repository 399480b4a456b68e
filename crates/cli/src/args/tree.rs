//! `minirepro tree`.

use std::path::PathBuf;

use clap::Args;

use super::values::{Suggested, languages};

use super::grammar::GrammarArgs;

/// The options of `minirepro tree`.
#[derive(Debug, Args)]
pub struct Tree {
    /// The file to look at; `-` is standard input
    pub file: PathBuf,
    /// Its language, if the name of the file does not tell
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = Suggested(languages))]
    pub lang: Option<String>,
    /// Grammars that are not part of the program.
    #[command(flatten)]
    pub grammar: GrammarArgs,
}
