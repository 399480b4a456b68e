//! Writes numbers as people read them.

use std::time::Duration;

/// Returns seconds with a decimal if there are few of them.
pub(super) fn seconds(seconds: f64) -> String {
    let time = Duration::from_secs_f64(seconds.max(0.0));
    if time.as_secs() < 10 { format!("{:.1} s", seconds) } else { format!("{:.0} s", seconds) }
}

/// Returns a number with commas between its thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits"))
        .collect();
    groups.join(",")
}
