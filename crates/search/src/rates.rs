//! The on-line two-state estimate of how often a circumstance is needed. Must not depend on
//! configurations: it sees only sequences of needed and removed neighbours.

/// What is left of the count of needed circumstances with each group that goes. Of 18 real cases 17
/// need fewer tests than without it, the fewer the smaller it is; lists in which many needed
/// circumstances are spread evenly need up to a quarter more. See corpus/decisions.md.
const FORGETS: f64 = 0.2;

/// The count never becomes so small that it is lost in the others.
const MOST_IN_A_ROW: i32 = 8;

/// What the last decided circumstance turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Neighbour {
    /// It could be removed, or there was none.
    Removed,
    /// It is needed.
    Needed,
}

/// P(needed | previous) for both kinds of previous neighbour, each with a Beta(½, 1) prior:
/// needed circumstances come in clusters, and a single rate could not show it.
///
/// Nor can two rates show that a cluster is over for good, as where the failure needs the last
/// functions of a file and nothing before them. So what was needed counts for less with each group
/// that goes, until the next needed circumstance is met.
#[derive(Clone, Debug)]
pub(crate) struct Rates {
    after_removed: Beta,
    after_needed: Beta,
    /// How many groups went since the last needed circumstance.
    in_a_row: i32,
}

impl Rates {
    pub(crate) fn new() -> Self {
        let prior = Beta { needed: 0.5, removed: 1.0 };
        Self { after_removed: prior.clone(), after_needed: prior, in_a_row: 0 }
    }

    /// Notes that `count` ≥ 1 circumstances in a row after `previous` were removed.
    pub(crate) fn removed(&mut self, previous: Neighbour, count: usize) {
        self.after(previous).removed += 1.0;
        self.after_removed.removed += (count - 1) as f64;
        self.in_a_row = (self.in_a_row + 1).min(MOST_IN_A_ROW);
    }

    /// Notes that the circumstance after `previous` is needed.
    pub(crate) fn needed(&mut self, previous: Neighbour) {
        self.after(previous).needed += 1.0;
        self.in_a_row = 0;
    }

    /// Returns the group size, in `1..=most`, whose chance to be removable as a whole is nearest to
    /// one half, so that the answer tells about one bit.
    ///
    /// For independent circumstances this gives groups of one from a rate of (3−√5)/2 upwards,
    /// which is where grouping stops to pay.
    pub(crate) fn group(&self, previous: Neighbour, most: usize) -> usize {
        self.lately().size_with_survival(previous, 0.5, most)
    }

    /// Returns how many of `suspects` ≥ 2 circumstances, of which at least one is needed, to try
    /// next: the median position of the first needed one. In `1..suspects`.
    pub(crate) fn median(&self, previous: Neighbour, suspects: usize) -> usize {
        let lately = self.lately();
        let some_needed = 1.0 - lately.survival(previous, suspects);
        lately.size_with_survival(previous, 1.0 - some_needed / 2.0, suspects - 1)
    }

    /// Returns the rates that count for the next group.
    fn lately(&self) -> Self {
        let mut lately = self.clone();
        lately.after_removed.needed *= FORGETS.powi(self.in_a_row);
        lately
    }

    /// Returns the size in `1..=most` for which the chance that all are removable is nearest to
    /// `target`.
    fn size_with_survival(&self, previous: Neighbour, target: f64, most: usize) -> usize {
        let first = self.survival(previous, 1);
        if first <= target {
            return 1;
        }
        let more = (target / first).ln() / (1.0 - self.after_removed.rate()).ln();
        let below = (1 + more as usize).clamp(1, most);
        let above = (below + 1).min(most);
        let distance = |size| (self.survival(previous, size) - target).abs();
        if distance(above) < distance(below) { above } else { below }
    }

    /// Returns the chance that `size` ≥ 1 circumstances after `previous` are all removable.
    fn survival(&self, previous: Neighbour, size: usize) -> f64 {
        let first = match previous {
            Neighbour::Removed => &self.after_removed,
            Neighbour::Needed => &self.after_needed,
        };
        (1.0 - first.rate()) * (1.0 - self.after_removed.rate()).powf((size - 1) as f64)
    }

    fn after(&mut self, previous: Neighbour) -> &mut Beta {
        match previous {
            Neighbour::Removed => &mut self.after_removed,
            Neighbour::Needed => &mut self.after_needed,
        }
    }
}

/// Counts of a Beta distribution.
#[derive(Clone, Debug)]
struct Beta {
    needed: f64,
    removed: f64,
}

impl Beta {
    fn rate(&self) -> f64 {
        self.needed / (self.needed + self.removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_grow_fast_behind_a_cluster_until_a_needed_one_is_met() {
        let mut rates = Rates::new();
        for _ in 0..3 {
            rates.needed(Neighbour::Removed);
            rates.removed(Neighbour::Needed, 1);
        }
        let mut groups = Vec::new();
        for _ in 0..3 {
            let group = rates.group(Neighbour::Removed, 1_000);
            groups.push(group);
            rates.removed(Neighbour::Removed, group);
        }
        assert_eq!(groups, [1, 10, 297]);
        rates.needed(Neighbour::Removed);
        let behind = rates.group(Neighbour::Removed, 1_000);
        assert!(behind < 297, "what was needed counts again: {behind}");
    }
}
