//! `minirepro batch`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::page::PageArgs;
use super::run::{LanguageArgs, RunArgs, hidden};

/// Find the bugs behind many failing inputs, and make one small reproducer for each
///
/// Each input is run twice and sorted by how it fails; the smallest of each kind is reduced. A
/// directory may be that of AFL++, libFuzzer, honggfuzz or ClusterFuzz as it is. What was
/// interrupted or killed goes on when the same command is given again. The exit code is 6 if there
/// are bugs, with --new-since if there are new ones.
#[derive(Clone, Debug, Args)]
#[command(
    mut_args(|argument| {
        hidden(argument, &["stats", "report", "max_tests", "progress", "plain"])
    }),
    override_usage = "minirepro batch [OPTIONS] FILE|DIR... -- PROGRAM [ARGUMENTS]...\n       \
                            minirepro batch [OPTIONS] --test TEST FILE|DIR...\n       \
                            minirepro batch [OPTIONS] PAGE|DIR... --holds EXPRESSION"
)]
pub struct Batch {
    /// Inputs, and directories with inputs; they are never changed
    #[arg(required = true, value_name = "FILE|DIR")]
    pub inputs: Vec<PathBuf>,
    /// The program that fails on an input, with its arguments; `@@` stands for the input
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM")]
    #[arg(required_unless_present_any = ["test", "condition"])]
    pub program: Vec<OsString>,
    /// Instead of PROGRAM: the program that accepts an input that fails (exit code 0); what it
    /// prints tells one failure from another
    #[arg(help_heading = "Test", long, value_name = "TEST", conflicts_with_all = ["program", "condition"])]
    pub test: Option<PathBuf>,
    /// The directory for the results [default: the first DIR or FILE with `.bugs` after its name]
    #[arg(help_heading = "Output", short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Tell which bugs are new since the batch with its results in this directory
    #[arg(help_heading = "Output", long, value_name = "OUT")]
    pub new_since: Option<PathBuf>,
    /// The language of the input.
    #[command(flatten)]
    pub language: LanguageArgs,
    /// How many stack frames belong to the signature of a crash
    #[arg(
        help_heading = "Test",
        long,
        value_name = "N",
        default_value_t = 3,
        hide_short_help = true
    )]
    pub stack_frames: usize,
    /// This shell command must succeed as well (can be repeated)
    #[arg(help_heading = "Test", long, value_name = "COMMAND", hide_short_help = true)]
    #[arg(conflicts_with = "test")]
    pub require: Vec<String>,
    /// How tests are run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The failure of a page to look for.
    #[command(flatten)]
    pub page: PageArgs,
}
