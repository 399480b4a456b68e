//! The options of the subcommands that are no searches.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use clap_complete::Shell;

use super::run::LanguageArgs;
use super::values::{Suggested, languages, pass, pass_names, whole};
use crate::chapters::topics;

/// Run tests for a minirepro on another machine, which started this one by --workers
///
/// It speaks frames on standard input and output, and goes when its input ends. Nothing but this
/// program and the programs that the test needs has to be on the machine. See
/// `minirepro guide clusters`.
#[derive(Debug, Args)]
pub struct Agent {
    /// How many tests run at the same time [default: the processors that this process may use, or
    /// MINIREPRO_JOBS]
    #[arg(short, long, value_name = "N", value_parser = whole::<usize>, env = "MINIREPRO_JOBS", hide_env = true)]
    pub jobs: Option<usize>,
}

/// Print what a shell needs to complete the words of minirepro
///
/// For bash: minirepro completions bash > ~/.local/share/bash-completion/completions/minirepro
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell [default: that of the variable SHELL]
    pub shell: Option<Shell>,
}

/// The options of `minirepro guide`.
#[derive(Debug, Args)]
pub struct Guide {
    /// The topic to read about [default: a list of all topics]
    #[arg(hide_possible_values = true, value_parser = Suggested(topics))]
    pub topic: Option<String>,
}

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

/// Print the manual page, or write one for each subcommand into DIR
///
/// To read it now: minirepro man | man -l -
#[derive(Debug, Args)]
pub struct Man {
    /// Where `minirepro.1`, `minirepro-isolate.1` and so on go [default: only the first one, to
    /// standard output]
    pub dir: Option<PathBuf>,
}

/// List the passes, or the rules of a language: which edits are tried
#[derive(Debug, Args)]
pub struct Passes {
    /// Instead: show examples of this pass, before and after one of its edits
    #[arg(value_name = "PASS", conflicts_with = "lang", hide_possible_values = true, value_parser = Suggested(pass_names).try_map(|name| pass(&name)))]
    pub pass: Option<String>,
    /// Instead: list the rules for this language with their passes, and where each stands
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = Suggested(languages))]
    pub lang: Option<String>,
    /// With --lang: read the language from this grammar, as for a reduction (can be repeated)
    #[arg(long, value_name = "PATH", requires = "lang")]
    pub grammar: Vec<PathBuf>,
    /// With --lang: add the rules of this file or directory (can be repeated)
    #[arg(long, value_name = "PATH", requires = "lang")]
    pub rules: Vec<PathBuf>,
}

/// Write a report of a run that can be attached to a bug
///
/// The run is decided again from its journal, without any test. The journal of a complete run is
/// there if the run had --journal.
#[derive(Debug, Args)]
pub struct Report {
    /// The result of the run, or the directory of its journal or of a batch
    #[arg(value_name = "OUT|DIR")]
    pub run: PathBuf,
    /// Where the report goes; `-` is standard output, and a name that ends with `.md` makes
    /// Markdown for bug trackers, not a page [default: OUT.report.html]
    #[arg(short, long, value_name = "REPORT")]
    pub output: Option<PathBuf>,
}

/// Work on rules of your own: see `minirepro guide rules`
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// The task.
    #[command(subcommand)]
    pub task: RulesTask,
}

/// The tasks of `minirepro rules`.
#[derive(Debug, Subcommand)]
pub enum RulesTask {
    /// Run the examples in files of rules, and say what matched
    Check(CheckRules),
}

/// The options of `minirepro rules check`.
#[derive(Debug, Args)]
pub struct CheckRules {
    /// The files, or directories of them
    #[arg(required = true, value_name = "PATH")]
    pub rules: Vec<PathBuf>,
    /// The language of examples that do not say theirs
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = Suggested(languages))]
    pub lang: Option<String>,
    /// Read the language from this grammar, as for a reduction (can be repeated)
    #[arg(long, value_name = "PATH")]
    pub grammar: Vec<PathBuf>,
}

/// The options of `minirepro tree`.
#[derive(Debug, Args)]
pub struct Tree {
    /// The file to look at; `-` is standard input
    pub file: PathBuf,
    /// The language of the input.
    #[command(flatten)]
    pub language: LanguageArgs,
}
