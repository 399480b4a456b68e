//! What the users of a language format a text with.

use serde::Deserialize;

/// Programs that format a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportTools {
    /// Shell commands that format their standard input, the usual one first; `@@` stands for the
    /// name of the file.
    pub formatters: Vec<String>,
}
