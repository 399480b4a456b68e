//! `minirepro isolate`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::page::PageArgs;
use super::run::{FailureArgs, JournalArgs, LanguageArgs, RunArgs};

/// Isolate the difference between a file that passes and one that fails.
///
/// Both files change until they are as close to each other as possible: first by their syntax
/// trees, then by tokens and words. This takes far fewer tests than making the failing file
/// small. TEST and PROGRAM are as for a reduction.
///
/// A and B can also be directories, or with --git revisions: which changes make it fail? Candidates
/// are then directories with the name of B or of the repository.
#[derive(Clone, Debug, Args)]
#[command(override_usage = "minirepro isolate [OPTIONS] TEST --fail B [--pass A]\n       \
                            minirepro isolate [OPTIONS] --fail B [--pass A] -- PROGRAM [ARGUMENTS]...")]
pub struct Isolate {
    /// The program that says whether a candidate shows the failure (exit code 0)
    #[arg(required_unless_present_any = ["program", "condition"])]
    pub test: Option<PathBuf>,
    /// A file, directory or revision that shows the failure; it is never changed
    #[arg(long, value_name = "B")]
    pub fail: PathBuf,
    /// One that does not [default: an empty file or directory]
    #[arg(long, value_name = "A")]
    pub pass: Option<PathBuf>,
    /// Instead of TEST: the program that fails on B, with its arguments
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM", conflicts_with = "test")]
    pub program: Vec<OsString>,
    /// Results are OUT with `.pass` and `.fail` before its suffix [default: B]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// A and B are revisions of this repository [default: that of the current directory]
    #[arg(long, value_name = "REPOSITORY", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    pub git: Option<PathBuf>,
    /// The language of the input.
    #[command(flatten)]
    pub language: LanguageArgs,
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
}
