//! The failure of a program to look for.

use clap::Args;

/// The failure of a program to look for. All conditions that are given must hold.
#[derive(Clone, Debug, Args)]
pub struct FailureArgs {
    /// How many stack frames belong to the signature of a crash
    #[arg(
        hide_short_help = true,
        long,
        alias = "frames",
        value_name = "N",
        default_value_t = 3,
        requires = "program"
    )]
    pub stack_frames: usize,
    /// Show the signature of the failure on FILE and stop; or look for this one only
    #[arg(long, value_name = "TEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    #[arg(requires = "program")]
    pub signature: Option<String>,
    /// It ends with this exit code
    #[arg(long, value_name = "N", requires = "program", conflicts_with = "signature")]
    pub exit_code: Option<i32>,
    /// It is killed by this signal, like SEGV
    #[arg(
        hide_short_help = true,
        long,
        value_name = "NAME",
        requires = "program",
        conflicts_with = "signature"
    )]
    pub signal: Option<String>,
    /// Its standard output contains a match of this regular expression (can be repeated)
    #[arg(long, value_name = "REGEX", requires = "program", conflicts_with = "signature")]
    pub stdout: Vec<String>,
    /// Its standard error contains a match (can be repeated)
    #[arg(long, value_name = "REGEX", requires = "program", conflicts_with = "signature")]
    pub stderr: Vec<String>,
    /// Its standard error contains no match (can be repeated)
    #[arg(
        hide_short_help = true,
        long,
        value_name = "REGEX",
        requires = "program",
        conflicts_with = "signature"
    )]
    pub no_stderr: Vec<String>,
    /// It does not end within --timeout
    #[arg(
        hide_short_help = true,
        long,
        alias = "timeout-is-failure",
        requires = "program",
        requires = "timeout",
        conflicts_with = "signature"
    )]
    pub hang: bool,
    /// This shell command must succeed as well, like 'cc -fsyntax-only @@' (can be repeated)
    #[arg(long, alias = "guard", value_name = "COMMAND", requires = "program")]
    pub require: Vec<String>,
}
