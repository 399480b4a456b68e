//! Tells a browser that computes from one that waits, by the processor time of its processes. On
//! systems without `/proc` all browsers wait.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What processes and those below them had computed at some time.
pub(crate) struct Busy {
    above: Vec<u32>,
    before: HashMap<u32, Duration>,
}

impl Busy {
    /// Notes what was computed until now.
    pub(crate) fn begin(above: Vec<u32>) -> Self {
        let before = times(&above);
        Self { above, before }
    }

    /// Returns whether the first thread of a process, which is the one for pages, has computed for
    /// this long since then.
    pub(crate) fn is_for(&self, long: Duration) -> bool {
        let before = |pid| self.before.get(pid).copied().unwrap_or_default();
        times(&self.above).iter().any(|(pid, time)| time.saturating_sub(before(pid)) >= long)
    }
}

/// Returns the processor time of the first threads of all processes below some.
fn times(above: &[u32]) -> HashMap<u32, Duration> {
    let mut below: HashMap<u32, Vec<u32>> = HashMap::new();
    if !above.is_empty() {
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        for pid in all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
            if let Some(parent) = parent(pid) {
                below.entry(parent).or_default().push(pid);
            }
        }
    }
    let mut times = HashMap::new();
    let mut open = above.to_vec();
    while let Some(pid) = open.pop() {
        open.extend(below.remove(&pid).unwrap_or_default());
        times.extend(time(pid).map(|time| (pid, time)));
    }
    times
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(of(pid, "stat")).ok()?;
    // The name in brackets may hold anything.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn time(pid: u32) -> Option<Duration> {
    let said = fs::read_to_string(of(pid, "schedstat")).ok()?;
    Some(Duration::from_nanos(said.split_whitespace().next()?.parse().ok()?))
}

fn of(pid: u32, file: &str) -> impl AsRef<Path> {
    format!("/proc/{pid}/{file}")
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::{Busy, time};

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_computes_is_busy_and_one_that_waits_is_not() {
        let long = Duration::from_millis(30);
        let busy = Busy::begin(vec![std::process::id()]);
        let mut waits = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let is_busy_before = Busy::begin(vec![waits.id()]).is_for(long);
        let mut computes = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        while time(computes.id()).unwrap() < long {}
        assert!(!is_busy_before && busy.is_for(long));
        assert!(!Busy::begin(vec![computes.id()]).is_for(Duration::from_secs(3600)));
        assert!(!Busy::begin(Vec::new()).is_for(long));
        for child in [&mut waits, &mut computes] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
