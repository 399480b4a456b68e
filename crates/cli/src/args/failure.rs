//! The failure of a program to look for.

use clap::Args;

/// The frames of a stack that belong to a signature by default.
pub const STACK_FRAMES: usize = 3;

/// The failure of a program to look for. All conditions that are given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct FailureArgs {
    /// How many stack frames belong to the signature of a crash
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = STACK_FRAMES)]
    #[arg(requires = "program")]
    pub stack_frames: usize,
    /// The file and the line in the innermost function of a stack belong to the signature as well
    #[arg(hide_short_help = true, long, requires = "program")]
    pub stack_place: bool,
    /// Show the signature of the failure on FILE and stop; or look for this one only
    #[arg(long, value_name = "TEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(requires = "program")]
    pub signature: Option<String>,
    /// It ends with this exit code
    #[arg(long, value_name = "N", requires = "program", conflicts_with = "signature")]
    pub exit_code: Option<i32>,
    /// It is killed by this signal, like SEGV
    #[arg(hide_short_help = true, long, value_name = "NAME", requires = "program")]
    #[arg(conflicts_with = "signature")]
    pub signal: Option<String>,
    /// Its standard output contains a match of this regular expression (can be repeated)
    #[arg(long, value_name = "REGEX", requires = "program", conflicts_with = "signature")]
    pub stdout: Vec<String>,
    /// Its standard error contains a match (can be repeated)
    #[arg(long, value_name = "REGEX", requires = "program", conflicts_with = "signature")]
    pub stderr: Vec<String>,
    /// Its standard error contains no match (can be repeated)
    #[arg(hide_short_help = true, long, value_name = "REGEX", requires = "program")]
    #[arg(conflicts_with = "signature")]
    pub no_stderr: Vec<String>,
    /// It does not end within --timeout
    #[arg(hide_short_help = true, long, requires = "program", requires = "timeout")]
    #[arg(conflicts_with = "signature")]
    pub hang: bool,
    /// This shell command must succeed as well, like 'cc -fsyntax-only @@' (can be repeated)
    #[arg(long, value_name = "COMMAND", requires = "program")]
    pub require: Vec<String>,
    /// Refuse candidates with a warning of a kind ([-W…]) that the unchanged file does not have
    #[arg(hide_short_help = true, long)]
    pub reject_warnings: bool,
}

impl FailureArgs {
    /// Returns whether conditions say how the program fails, so that this need not be learnt.
    pub fn has_conditions(&self) -> bool {
        let patterns = [&self.stdout, &self.stderr, &self.no_stderr];
        self.exit_code.is_some()
            || self.signal.is_some()
            || self.hang
            || patterns.iter().any(|patterns| !patterns.is_empty())
    }
}
