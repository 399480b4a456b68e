//! What the users of a language use to make a text easy to read.

use serde::Deserialize;

/// Programs and texts that make a result easy to read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportTools {
    /// Shell commands that format their standard input, the usual one first; `@@` stands for the
    /// name of the file.
    pub formatters: Vec<String>,
    /// A shell command that complains about what is careless in the file `@@`.
    pub check: Option<String>,
    /// What people write before everything else.
    pub prefix: Option<String>,
}
