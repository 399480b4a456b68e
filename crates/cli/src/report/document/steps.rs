//! The way down: which of the versions a report shows, and what changed between them.

use std::sync::Arc;

use crate::report::diff::unified;

/// How many versions a report shows at most.
const MOST: usize = 48;
/// How many lines of a diff are shown at most.
const LINES: usize = 60;

/// A result on the way down.
#[derive(Clone, Debug)]
pub struct Version {
    /// Tests so far.
    pub tests: u64,
    /// Its tokens.
    pub tokens: u64,
    /// The pass that made it.
    pub pass: &'static str,
    /// Its text; `None` if it was too much to keep.
    pub text: Option<Arc<[u8]>>,
    /// Its bytes.
    pub bytes: u64,
}

/// A version that a report shows.
#[derive(Clone, Debug)]
pub struct ShownStep {
    /// Tests so far.
    pub tests: u64,
    /// Its tokens.
    pub tokens: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The passes that made it from the one before.
    pub passes: String,
    /// What changed since the one before.
    pub diff: String,
}

/// Chooses some of the versions, and compares neighbours. The first one is the input.
pub fn steps(versions: &[Version]) -> Vec<ShownStep> {
    let kept: Vec<usize> = (0..versions.len()).filter(|&at| versions[at].text.is_some()).collect();
    let every = kept.len().div_ceil(MOST).max(1);
    // The last one is shown for certain.
    let mut chosen: Vec<usize> = kept.into_iter().rev().step_by(every).collect();
    chosen.reverse();
    let pairs = chosen.windows(2);
    let step = |pair: &[usize]| {
        let (old, new) = (&versions[pair[0]], &versions[pair[1]]);
        let mut passes: Vec<&str> =
            versions[pair[0] + 1..=pair[1]].iter().map(|version| version.pass).collect();
        passes.dedup();
        passes.truncate(4);
        ShownStep {
            tests: new.tests,
            tokens: new.tokens,
            bytes: new.bytes,
            passes: passes.join(", "),
            diff: diff(old, new),
        }
    };
    pairs.map(step).collect()
}

/// Compares two versions, up to a length that a person reads.
fn diff(old: &Version, new: &Version) -> String {
    let (Some(before), Some(after)) = (&old.text, &new.text) else { return String::new() };
    let whole = unified(["before", "after"], before, after);
    let lines: Vec<&str> = whole.lines().skip(2).collect();
    let more = lines.len().saturating_sub(LINES);
    let mut text: String = lines.iter().take(LINES).map(|line| format!("{line}\n")).collect();
    if more > 0 {
        text += &format!("… {more} more lines\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(tests: u64, tokens: u64) -> Version {
        let text: String = (0..tokens).map(|at| format!("{at}\n")).collect();
        let bytes = text.len() as u64;
        Version { tests, tokens, pass: "lists", text: Some(text.into_bytes().into()), bytes }
    }

    #[test]
    fn a_long_way_is_shown_in_some_steps() {
        let versions: Vec<Version> = (0..1000).map(|at| version(at, 1000 - at)).collect();
        let steps = steps(&versions);
        assert!((20..MOST).contains(&steps.len()), "{}", steps.len());
        assert_eq!((steps[0].tests > 0, steps[steps.len() - 1].tokens), (true, 1));
        assert!(steps[0].diff.starts_with("@@ -"));
    }

    #[test]
    fn a_short_way_is_shown_whole() {
        assert_eq!(steps(&[version(0, 9), version(1, 3), version(7, 1)]).len(), 2);
        assert!(steps(&[version(0, 9)]).is_empty() && steps(&[]).is_empty());
    }
}
