//! Tells a browser that computes from one that waits, by the processor time of its processes. On
//! systems without `/proc` all browsers wait.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::connection::More;

/// What processes and those below them had computed at some time.
pub(crate) struct Busy {
    above: Vec<u32>,
    before: HashMap<u32, Duration>,
}

/// A browser that gets less than this part of a processor waits for something else.
const STARVED: f64 = 0.02;

/// Nobody waits longer than this many times the time that was to be computed.
const MOST: u32 = 30;

impl Busy {
    /// Notes what was computed until now.
    pub(crate) fn begin(above: Vec<u32>) -> Self {
        let before = times(&above);
        Self { above, before }
    }

    /// Returns how long the first thread of a process, which is the one for pages, has computed
    /// since then: that of the process where it is longest.
    pub(crate) fn computed(&self) -> Duration {
        let before = |pid| self.before.get(pid).copied().unwrap_or_default();
        let all = times(&self.above);
        let since = all.iter().map(|(pid, time)| time.saturating_sub(before(pid)));
        since.max().unwrap_or_default()
    }

    /// Says how long to wait until so much has been computed from now on: on a busy machine longer
    /// than that. There is nothing to wait for where nothing is computed.
    pub(crate) fn until(&self, long: Duration) -> More {
        let busy = Self::begin(self.above.clone());
        let start = Instant::now();
        Box::new(move || left(long, busy.computed(), start.elapsed()))
    }
}

/// Returns how long to wait before the next look; `None` if so much has been computed, or so little
/// that nothing will come of it.
fn left(long: Duration, computed: Duration, passed: Duration) -> Option<Duration> {
    let is_over = computed >= long || passed >= long * MOST;
    let is_idle = computed < passed.mul_f64(STARVED);
    (!is_over && !is_idle).then(|| (long - computed).max(LEAST))
}

/// The least time between two looks.
const LEAST: Duration = Duration::from_millis(50);

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
    use std::time::Duration;

    use super::{Busy, left, parent, time};

    #[test]
    fn one_waits_for_what_computes_but_not_for_ever() {
        let left = |computed, passed| {
            let left = left(
                Duration::from_secs(2),
                Duration::from_millis(computed),
                Duration::from_millis(passed),
            );
            left.map(|left| left.as_millis())
        };
        assert_eq!(left(500, 500), Some(1_500));
        assert_eq!(left(1_990, 4_000), Some(50), "not too often");
        assert_eq!(left(2_000, 2_000), None, "so much has been computed");
        assert_eq!(left(20, 2_000), None, "it waits for something else");
        assert_eq!(left(1_900, 60_000), None, "the machine is too busy");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn processes_have_a_parent_and_a_time() {
        let own = std::process::id();
        assert_eq!(parent(own), Some(std::os::unix::process::parent_id()));
        // Not every system counts.
        assert_eq!(time(own).is_some(), std::path::Path::new("/proc/self/schedstat").exists());
        assert_eq!(Busy::begin(Vec::new()).computed(), Duration::ZERO);
    }
}
