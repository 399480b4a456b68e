//! `minirepro completions`.

use clap::Args;
use clap_complete::Shell;

/// Print what a shell needs to complete the words of minirepro
///
/// For bash: minirepro completions bash > ~/.local/share/bash-completion/completions/minirepro
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell [default: that of the variable SHELL]
    pub shell: Option<Shell>,
}
