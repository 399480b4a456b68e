//! `minirepro reduce`, which is also what runs without a subcommand.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use minirepro_program::{Algorithm, Format};

use super::page::PageArgs;
#[cfg(feature = "browser")]
use super::page::Preparation;
use super::run::{FailureArgs, JournalArgs, LanguageArgs, RunArgs, ScopeArgs};
use super::values::{Size, size};

/// The options of a reduction.
#[derive(Clone, Debug, Args)]
pub struct Reduce {
    /// The program that says whether a candidate shows the failure (exit code 0)
    #[arg(required = true)]
    pub test: Option<PathBuf>,
    /// The file or directory to reduce; it is never changed
    #[arg(required_unless_present_any = ["program", "compile_commands", "condition"])]
    pub file: Option<PathBuf>,
    /// More files: all are reduced together, and TEST finds them where it runs
    #[arg(value_name = "FILE")]
    pub more: Vec<PathBuf>,
    /// Instead of TEST: the program that fails on FILE, with its arguments
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Instead of TEST and PROGRAM: the command that compiles FILE, from this compile_commands.json
    /// or the one in this directory
    #[arg(help_heading = "Test", long, value_name = "PATH", conflicts_with = "program")]
    #[arg(hide_short_help = true)]
    pub compile_commands: Option<PathBuf>,
    /// Do not ask a compiler of C or C++ in the test for the preprocessed text, nor Clang for what
    /// nothing refers to
    #[arg(help_heading = "Test", long, hide_short_help = true)]
    pub no_compiler_runs: bool,
    /// Where the result goes; `-` is standard output [default: FILE with `.min` before its suffix]
    #[arg(help_heading = "Output", short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// The language of the input.
    #[command(flatten)]
    pub language: LanguageArgs,
    /// The algorithm that searches the lists of edits of our passes
    #[arg(help_heading = "Search", long, value_name = "NAME", hide_short_help = true, default_value_t = Algorithm::default())]
    pub algorithm: Algorithm,
    /// Reduce what this shell command makes of FILE, like 'cc -E -P @@', so that includes and
    /// macros are reduced as well
    #[arg(help_heading = "Input", long, value_name = "COMMAND", hide_short_help = true)]
    pub preprocess: Option<String>,
    /// How to format the result, if it still reproduces then: `layout` (elements, rules and
    /// statements in lines of their own; the default), `tools` (by clang-format, rustfmt, black,
    /// prettier or another formatter of its language that is in the path, else as `layout`),
    /// `plain` (one line end or one space between tokens), `keep`, or a COMMAND that formats its
    /// standard input
    #[arg(help_heading = "Output", long, value_name = "HOW", hide_short_help = true, value_parser = format)]
    pub format: Option<Format>,
    /// The edits to try.
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Stop as soon as the result is as small as this: `100tokens` or `2000bytes`
    #[arg(help_heading = "Limits", long, hide_short_help = true, value_name = "SIZE", value_parser = size)]
    pub until_size: Option<Size>,
    /// The journal.
    #[command(flatten)]
    pub journal: JournalArgs,
    /// How tests are run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The failure of PROGRAM to look for.
    #[command(flatten, next_help_heading = "Test")]
    pub failure: FailureArgs,
    /// The failure of a page to look for.
    #[command(flatten)]
    pub page: PageArgs,
    /// What becomes of a page.
    #[command(flatten)]
    #[cfg(feature = "browser")]
    pub preparation: Preparation,
}

/// Parses how a result is formatted.
///
/// # Errors
/// If it is neither one of our words nor the name of a program that is there.
fn format(text: &str) -> Result<Format, String> {
    let program = text.split_whitespace().next().unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(match text {
        "keep" => Format::Keep,
        "plain" => Format::Plain,
        "layout" => Format::Layout,
        "tools" => Format::Tools,
        _ if program.contains('/') => Format::Command(text.to_owned()),
        _ if std::env::split_paths(&path).any(|place| place.join(program).is_file()) => {
            Format::Command(text.to_owned())
        }
        _ => {
            return Err(
                "must be layout, tools, plain, keep, or a program that is in the path".into()
            );
        }
    })
}
