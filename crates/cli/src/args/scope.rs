//! The edits to try.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use minirepro::{Effort, Granularity, Minimality, Width};
use regex::bytes::Regex;

use super::values::{effort, minimality, pass, regex_of_lines, seconds, unit, width};

/// The edits to try.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct ScopeArgs {
    /// Also try candidates with syntax errors, even if FILE has none
    #[arg(long, alias = "allow-broken", hide_short_help = true)]
    pub allow_syntax_errors: bool,
    /// The smallest unit to remove: `items` (functions and declarations, elements of a page,
    /// paragraphs), `lines`, `tokens`, or `characters` [default: characters]
    #[arg(long, value_name = "UNIT", default_value_t, hide_default_value = true, hide_short_help = true, value_parser = unit)]
    pub granularity: Granularity,
    /// Also try edits that seldom make the result smaller
    #[arg(long, hide_short_help = true)]
    pub thorough: bool,
    /// How much to spend, once no single edit helps any more, on ways through texts that are no smaller,
    /// from 1 (next to nothing) to 9 (some ten times as many tests) [default: 1]
    #[arg(long, value_name = "1…9", default_value_t, hide_default_value = true, hide_short_help = true, value_parser = effort)]
    pub effort: Effort,
    /// Also try the rewrites in this file, like `pattern = '$A ? $B : $C'`, `rewrite = '$B'`; see
    /// `minirepro guide rules` (can be repeated)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub rules: Vec<PathBuf>,
    /// Once no edit helps any more, ask this program what to try; see `minirepro guide proposers` (can be
    /// repeated)
    #[arg(long, alias = "reduce-with", value_name = "COMMAND", hide_short_help = true)]
    pub propose: Vec<OsString>,
    /// The time that a program of --propose may take for each answer [default: 60]
    #[arg(long, value_name = "SECONDS", hide_short_help = true, requires = "propose", value_parser = seconds)]
    pub propose_timeout: Option<Duration>,
    /// How many edits at once must not work on the result: 1, or 2 for all pairs of them as well (some
    /// thousand tests for 20 tokens, the square of it for more) [default: 1]
    #[arg(long, value_name = "N", default_value_t, hide_default_value = true, hide_short_help = true, value_parser = minimality)]
    pub minimality: Minimality,
    /// How many edits to ask about at a time, each on the same text, where each is tried by itself: 16, say,
    /// keeps 16 jobs a little busier, for some more tests in all. Decides the result, as --jobs does not
    /// [default: 1]
    #[arg(long, value_name = "N", default_value_t, hide_default_value = true, hide_short_help = true, value_parser = width)]
    pub width: Width,
    /// Do not run these passes, like `normalize,merge-names` to keep names; see `minirepro passes`
    /// (can be repeated)
    #[arg(long, alias = "without", hide_short_help = true, value_name = "PASSES", value_delimiter = ',', value_parser = pass)]
    pub skip_pass: Vec<String>,
    /// Preserve the text of FILE that this regular expression matches (can be repeated)
    #[arg(long, alias = "keep", value_name = "REGEX", value_parser = regex_of_lines)]
    pub preserve: Vec<Regex>,
}
