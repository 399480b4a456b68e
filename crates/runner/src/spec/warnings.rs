//! Warnings by which a candidate is refused: of kinds that the unchanged input does not print.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Kinds of warnings, by the options that compilers name after them: `unused-value` for
/// `[-Wunused-value]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warnings(BTreeSet<String>);

impl Warnings {
    /// Returns the kinds in the output of a test. A warning that was made an error is of the same
    /// kind.
    pub fn of(output: &[u8]) -> Self {
        let mut kinds = BTreeSet::new();
        for at in memchr::memmem::find_iter(output, b"[-W") {
            let rest = &output[at + 1..];
            let length = rest.iter().take_while(|&&byte| byte != b']' && byte != b'\n').count();
            if rest.get(length) != Some(&b']') {
                continue;
            }
            let options = String::from_utf8_lossy(&rest[..length]);
            for option in options.split(',') {
                let option = option.trim();
                let kind = option.strip_prefix("-Werror=").or_else(|| option.strip_prefix("-W"));
                let kind = kind.map(|kind| kind.split('=').next().unwrap_or(kind));
                kinds.extend(kind.filter(|&kind| kind != "error").map(str::to_owned));
            }
        }
        Self(kinds)
    }

    /// Adds those of another output.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns whether all these kinds are among others.
    pub fn are_among(&self, others: &Self) -> bool {
        self.0.is_subset(&others.0)
    }

    /// Returns the kinds in alphabetical order.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_from_what_gcc_and_clang_print() {
        let check = |output: &str, expected: &[&str]| {
            assert_eq!(Warnings::of(output.as_bytes()).kinds().collect::<Vec<_>>(), expected);
        };
        check(
            "a.c:1: warning: x [-Wunused-value]\nb: error: y [-Werror=return-type]\n",
            &["return-type", "unused-value"],
        );
        check(
            "error: x [-Werror,-Wunused]; [-Wimplicit-fallthrough=]",
            &["implicit-fallthrough", "unused"],
        );
        check("a[-Wcut\n", &[]);
        check("warning: of no kind", &[]);
    }

    #[test]
    fn a_kind_that_was_not_there_is_told_from_one_that_was() {
        let known = Warnings::of(b"[-Wa] [-Wb]");
        assert!(Warnings::of(b"[-Wb]").are_among(&known));
        assert!(Warnings::of(b"").are_among(&known));
        assert!(!Warnings::of(b"[-Wb] [-Wc]").are_among(&known));
    }
}
