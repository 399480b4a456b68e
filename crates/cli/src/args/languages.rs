//! `minirepro languages`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List the languages, or add others by their tree-sitter grammars
#[derive(Debug, Args)]
pub struct Languages {
    /// What to do; by default they are listed.
    #[command(subcommand)]
    pub command: Option<LanguagesCommand>,
}

/// What to do with languages.
#[derive(Debug, Subcommand)]
pub enum LanguagesCommand {
    /// List the languages (the default)
    List,
    /// Add the languages of a grammar for all runs: PATH is as for --grammar. Its native code is
    /// kept in the configuration directory, and loaded whenever a file is in the language
    Add {
        /// The grammar
        path: PathBuf,
    },
    /// Remove a language that was added
    Remove {
        /// Its name
        name: String,
    },
    /// Show what is derived from the grammar of a language, in the form of a minirepro.toml, and
    /// the facts
    Show {
        /// Its name
        name: String,
        /// Read it from this grammar, which is not added
        #[arg(long, value_name = "PATH")]
        grammar: Vec<PathBuf>,
    },
}
