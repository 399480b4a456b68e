//! Circumstances in order, cut into consecutive parts.

use crate::Configuration;

/// Cuts a configuration into `count` parts of about the same size, or as many as it has members
/// (*Why Programs Fail*, Example 5.5: the rest over the parts that are left, rounded half up).
pub(super) fn cut(all: &Configuration, count: usize) -> Vec<Vec<usize>> {
    let mut members = all.iter();
    let mut rest = all.len();
    let mut parts = Vec::new();
    for left in (1..=count.min(rest)).rev() {
        let length = (2 * rest + left) / (2 * left);
        parts.push(members.by_ref().take(length).collect());
        rest -= length;
    }
    parts
}
