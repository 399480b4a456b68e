//! `minirepro verify`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::page::PageArgs;
use super::run::{FailureArgs, LanguageArgs, RunArgs, ScopeArgs, hidden};

/// Try every single edit of a result again: is it 1-minimal?
///
/// Give either the directory of a journal, or a test (or program) and a file as for a reduction.
/// The test is run on the file and on every candidate that differs from it by one edit.
#[derive(Debug, Args)]
#[command(mut_args(|argument| hidden(argument, &["workers", "propose", "stats", "report"])))]
#[command(override_usage = "minirepro verify [OPTIONS] DIR\n       \
                            minirepro verify [OPTIONS] TEST FILE\n       \
                            minirepro verify [OPTIONS] FILE -- PROGRAM [ARGUMENTS]...")]
pub struct Verify {
    /// The directory of a journal, or TEST, or FILE
    #[arg(value_name = "DIR")]
    pub first: PathBuf,
    /// After TEST: the file that should be minimal
    pub file: Option<PathBuf>,
    /// The program that fails on FILE, with its arguments
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// The language of the input.
    #[command(flatten)]
    pub language: LanguageArgs,
    /// The edits to try.
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// How tests are run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The failure of PROGRAM to look for.
    #[command(flatten, next_help_heading = "Test")]
    pub failure: FailureArgs,
    /// The failure of a page to look for.
    #[command(flatten)]
    pub page: PageArgs,
}
