//! `minirepro languages`.

use std::path::PathBuf;

use clap::Args;

/// List the languages, or show what is known of one
#[derive(Debug, Args)]
pub struct Languages {
    /// Show what is derived from the grammar of this language, in the form of a minirepro.toml, and
    /// the facts
    pub name: Option<String>,
    /// Count those of this grammar as well, as for a reduction
    #[arg(long, value_name = "PATH")]
    pub grammar: Vec<PathBuf>,
}
