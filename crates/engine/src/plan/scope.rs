//! Which edits a reduction tries.

use minirepro_passes::Pass;
use regex::bytes::Regex;

use crate::Granularity;
use crate::plan::preserved::Preserved;

/// Which edits a reduction tries. By default all of them.
#[derive(Clone, Debug, Default)]
pub struct Scope {
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

    /// Returns what of `input` must stay, each in a line of its own; nothing if that would not do.
    pub fn least(&self, input: &[u8]) -> Vec<u8> {
        let mut least = Vec::new();
        for part in self.kept.iter().flat_map(|kept| kept.find_iter(input)) {
            least.extend_from_slice(part.as_bytes());
            least.push(b'\n');
        }
        if self.keeps(input, &least) { least } else { Vec::new() }
    }

    /// Returns whether a pass runs.
    pub(crate) fn has(&self, pass: &Pass) -> bool {
        self.without.iter().all(|name| name != pass.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_stay_is_the_least_text() {
        let kept = regex::bytes::Regex::new(r"(?i)\A\s*<!doctype html>").unwrap();
        let scope = Scope { kept: vec![kept], ..Scope::default() };
        assert_eq!(scope.least(b"<!DOCTYPE html><p>a"), b"<!DOCTYPE html>\n");
        assert_eq!(scope.least(b"<p>a"), b"");
        assert_eq!(Scope::default().least(b"<p>a"), b"");
    }
}
