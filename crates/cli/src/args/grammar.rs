//! Grammars that are not part of the program.

use std::path::PathBuf;

use clap::Args;

/// Grammars that are not part of the program.
#[derive(Clone, Debug, Default, Args)]
pub struct GrammarArgs {
    /// Read FILE by the tree-sitter grammar at this path: its directory (a checkout, an unpacked
    /// npm package or crate), which is compiled once, or a library (.so, .node). It is native code
    /// and runs as you (can be repeated); see `minirepro guide languages`
    #[arg(help_heading = "Input", long, value_name = "PATH", hide_short_help = true)]
    pub grammar: Vec<PathBuf>,
}
