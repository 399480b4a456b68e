//! `minirepro init`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::failure::FailureArgs;
use super::values::seconds;

/// Write a test script for a program that fails on FILE, and try it.
///
/// The failure is how PROGRAM ends and what it prints. With --wrong-code, PROGRAM is a C or C++
/// compiler whose output behaves differently from that of --right.
#[derive(Debug, Args)]
#[command(
    override_usage = "minirepro init [OPTIONS] FILE -- PROGRAM [ARGUMENTS]...\n       minirepro init [OPTIONS] --compile-commands PATH FILE"
)]
pub struct Init {
    /// The file on which the program fails
    pub file: PathBuf,
    /// The program that fails, with its arguments; `@@` stands for FILE
    #[arg(last = true, required_unless_present = "compile_commands", num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Instead of PROGRAM: the command that compiles FILE, from this compile_commands.json or the
    /// one in this directory
    #[arg(long, value_name = "PATH", conflicts_with = "program")]
    pub compile_commands: Option<PathBuf>,
    /// Where the script goes
    #[arg(short, long, value_name = "OUT", default_value = "test.sh")]
    pub output: PathBuf,
    /// Overwrite OUT
    #[arg(long)]
    pub force: bool,
    /// The time after which PROGRAM counts as hanging, for --hang
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// What counts as the failure of PROGRAM.
    #[command(flatten, next_help_heading = "Test")]
    pub failure: FailureArgs,
    /// The compiled program behaves wrongly; candidates with undefined behaviour are unresolved
    #[arg(long)]
    pub wrong_code: bool,
    /// A compiler command that translates correctly [default: PROGRAM with -O0, without options
    /// like -ffast-math]
    #[arg(long, value_name = "COMMAND", requires = "wrong_code")]
    pub right: Option<String>,
}
