//! Which edits a reduction tries.

use minirepro_passes::Pass;
use regex::bytes::Regex;

use crate::Granularity;
use crate::plan::preserved::Preserved;

/// Which edits a reduction tries. By default all of them, as long as the result parses.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Whether the result may stop parsing although the input did.
    pub allow_broken: bool,
    /// Whether passes that seldom win anything run too.
    pub thorough: bool,
    /// The smallest unit that is taken away.
    pub granularity: Granularity,
    /// The names of passes that do not run.
    pub without: Vec<String>,
    /// The matches of these in the input must stay in every candidate, in the same order.
    pub kept: Vec<Regex>,
}

impl Scope {
    /// Returns whether `text` still contains everything in `input` that must be preserved. Linear
    /// in both.
    pub fn keeps(&self, input: &[u8], text: &[u8]) -> bool {
        self.kept.is_empty() || Preserved::new(&self.kept, input).holds(text)
    }

    /// Returns whether a pass runs.
    pub(crate) fn has(&self, pass: &Pass) -> bool {
        (self.thorough || !pass.thorough) && self.without.iter().all(|name| name != pass.name)
    }
}
