//! The edits to try.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use minirepro_program::Granularity;
use regex::bytes::Regex;

use super::values::{Suggested, pass, pass_names, regex_of_lines};

/// The edits to try.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct ScopeArgs {
    /// Also try candidates with syntax errors, even if FILE has none
    #[arg(long, hide_short_help = true)]
    pub allow_syntax_errors: bool,
    /// The smallest unit to remove: `items` (functions and declarations, elements of a page,
    /// paragraphs), `lines`, `tokens`, or `characters` [default: characters]
    #[arg(
        long,
        value_name = "UNIT",
        default_value_t,
        hide_default_value = true,
        hide_short_help = true
    )]
    pub granularity: Granularity,
    /// Also try the rules in this file, or in all files of this directory, like `pattern = '$A ?
    /// $B : $C'`, `put = '$B'`; see `minirepro guide rules` (can be repeated)
    #[arg(long, value_name = "PATH", hide_short_help = true)]
    pub rules: Vec<PathBuf>,
    /// Once no edit helps any more, ask this program what to try; see `minirepro guide proposers`
    /// (can be repeated)
    #[arg(long, value_name = "COMMAND", hide_short_help = true)]
    pub propose: Vec<OsString>,
    /// Do not run these passes, like `normalize,merge-names` to keep names; see `minirepro passes`
    /// (can be repeated)
    #[arg(long, hide_short_help = true, value_name = "PASSES", value_delimiter = ',', hide_possible_values = true, value_parser = Suggested(pass_names).try_map(|name| pass(&name)))]
    pub skip_pass: Vec<String>,
    /// Preserve the text of FILE that this regular expression matches (can be repeated)
    #[arg(long, value_name = "REGEX", value_parser = regex_of_lines)]
    pub preserve: Vec<Regex>,
}
