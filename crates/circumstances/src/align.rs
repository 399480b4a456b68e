//! Aligns two sequences: which runs they have in common, and which differ.

use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Interner};

/// A run of two sequences that stand side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its place in the old sequence; empty if it was added.
    pub old: Range<usize>,
    /// Its place in the new sequence; empty if it was taken away.
    pub new: Range<usize>,
    /// Whether both are equal.
    pub common: bool,
}

/// Cuts both sequences into runs that are equal and runs that are not, in turn. Near linear: with
/// the heuristics of `imara-diff`, which make few differences, not always the fewest.
pub fn align<T: Eq + Hash>(
    old: impl IntoIterator<Item = T>,
    new: impl IntoIterator<Item = T>,
) -> Vec<Run> {
    let interner = Interner::new(0);
    let mut input = InternedInput { before: Vec::new(), after: Vec::new(), interner };
    input.update_before(old.into_iter());
    input.update_after(new.into_iter());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let ends = [input.before.len(), input.after.len()].map(|end| end..end);
    let hunks = diff.hunks().map(|hunk| [range(hunk.before), range(hunk.after)]);
    let mut runs: Vec<Run> = Vec::new();
    let mut at = [0, 0];
    for [old, new] in hunks.chain([ends]) {
        runs.push(Run { old: at[0]..old.start, new: at[1]..new.start, common: true });
        at = [old.end, new.end];
        runs.push(Run { old, new, common: false });
    }
    runs.retain(|run| !run.old.is_empty() || !run.new.is_empty());
    runs
}

#[cfg(test)]
mod tests {
    use super::align;

    fn show(old: &str, new: &str) -> String {
        let runs = align(old.chars(), new.chars()).into_iter();
        runs.map(|run| match run.common {
            true => old[run.old].to_owned(),
            false => format!("[{}|{}]", &old[run.old], &new[run.new]),
        })
        .collect()
    }

    #[test]
    fn runs_lie_side_by_side() {
        assert_eq!(show("abcd", "abxd"), "ab[c|x]d");
        assert_eq!(show("", "ab"), "[|ab]");
        assert_eq!(show("ab", "ab"), "ab");
        assert_eq!(show("", ""), "");
        assert_eq!(show("abc", "b"), "[a|]b[c|]");
    }
}
