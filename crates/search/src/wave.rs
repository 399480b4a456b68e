//! Several questions on one base, and the merge of what they found: the step of every search that is
//! wider than one question.
//!
//! As in Shrink Ray, whatever can go by itself is tried together, then in halves where it does not go
//! together; unlike there, the questions and their order depend on the width alone, never on which
//! answer comes first.

use std::ops::Range;
use std::sync::Arc;

use crate::{Configuration, Outcome};

/// A wave under way: groups of neighbours in an order of circumstances, each asked about without the
/// others, and then the merge.
///
/// g questions for g groups, and none for the merge if at most one of them can go; one if all that
/// can go alone go together; about 2·c·log₂ g for c of them that do not.
#[derive(Clone)]
pub(crate) struct Wave {
    order: Arc<[usize]>,
    groups: Arc<[Range<usize>]>,
    /// What is left after the groups that are known to go together.
    kept: Configuration,
    /// How many groups were asked about.
    told: usize,
    /// The groups that could go alone, then those that are still to be merged; the last are tried next.
    open: Vec<Winners>,
    /// Which groups have gone, in the order in which they went.
    gone: Vec<usize>,
}

/// Groups that can go alone.
#[derive(Clone, Default)]
struct Winners {
    groups: Vec<usize>,
    /// They cannot all go together once exactly this many groups have gone.
    refused_after: Option<usize>,
}

impl Wave {
    /// Asks about each of these groups of `order` on the base `kept`. The groups must not overlap.
    pub(crate) fn new(
        kept: Configuration,
        order: &Arc<[usize]>,
        groups: impl Into<Arc<[Range<usize>]>>,
    ) -> Self {
        let (order, groups) = (Arc::clone(order), groups.into());
        Self { order, groups, kept, told: 0, open: Vec::new(), gone: Vec::new() }
    }

    /// Returns the groups.
    pub(crate) fn groups(&self) -> &[Range<usize>] {
        &self.groups
    }

    /// Returns whether a group has gone.
    pub(crate) fn has_gone(&self, group: usize) -> bool {
        self.gone.contains(&group)
    }

    /// Returns what is left.
    pub(crate) fn kept(&self) -> &Configuration {
        &self.kept
    }

    /// Returns the next question; `None` at the end.
    pub(crate) fn question(&self) -> Option<Configuration> {
        if self.told < self.groups.len() {
            return Some(self.without(&[self.told]));
        }
        self.open.last().map(|winners| self.without(&winners.groups))
    }

    /// Returns whether there is nothing left to ask.
    pub(crate) fn is_over(&self) -> bool {
        self.told == self.groups.len() && self.open.is_empty()
    }

    /// Returns whether another group is asked about next, whatever the answer to this question is.
    pub(crate) fn goes_on(&self) -> bool {
        self.told + 1 < self.groups.len()
    }

    /// Takes the answer to the question.
    pub(crate) fn answer(&mut self, outcome: Outcome) {
        let fails = outcome == Outcome::Fail;
        if self.told < self.groups.len() {
            if fails {
                if self.open.is_empty() {
                    self.open.push(Winners::default());
                }
                self.open[0].groups.push(self.told);
            }
            self.told += 1;
            if self.told < self.groups.len() {
                return;
            }
        } else if let Some(winners) = self.open.pop() {
            if fails {
                self.take(&winners.groups);
            } else {
                self.halve(winners.groups);
            }
        }
        self.settle();
    }

    /// Goes on as far as no question is needed.
    fn settle(&mut self) {
        while let Some(Winners { groups, refused_after }) = self.open.pop() {
            if groups.len() == 1 && self.gone.is_empty() {
                self.take(&groups);
            } else if refused_after == Some(self.gone.len()) {
                self.halve(groups);
            } else {
                self.open.push(Winners { groups, refused_after });
                return;
            }
        }
    }

    fn take(&mut self, groups: &[usize]) {
        self.kept = self.without(groups);
        self.gone.extend(groups);
    }

    /// Lets the halves of groups be tried that did not go together.
    fn halve(&mut self, mut first: Vec<usize>) {
        if first.len() < 2 {
            return;
        }
        let second = first.split_off(first.len().div_ceil(2));
        let refused_after = Some(self.gone.len() + first.len());
        self.open.push(Winners { groups: second, refused_after });
        self.open.push(Winners { groups: first, refused_after: None });
    }

    fn without(&self, groups: &[usize]) -> Configuration {
        let mut rest = self.kept.clone();
        for &group in groups {
            for &circumstance in &self.order[self.groups[group].clone()] {
                rest.remove(circumstance);
            }
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks about the circumstances `0..count` one by one; all questions as what they leave out.
    fn asked(count: usize, fails: impl Fn(&Configuration) -> bool) -> (Vec<String>, Vec<usize>) {
        let order: Arc<[usize]> = (0..count).collect();
        let groups: Vec<Range<usize>> = (0..count).map(|c| c..c + 1).collect();
        let all = Configuration::all(count);
        let mut wave = Wave::new(all.clone(), &order, groups);
        let mut asked = Vec::new();
        while let Some(question) = wave.question() {
            let left_out = all.minus(&question);
            asked.push(left_out.iter().map(|c| c.to_string()).collect());
            let fails = fails(&question);
            wave.answer(if fails { Outcome::Fail } else { Outcome::Pass });
        }
        (asked, wave.kept().iter().collect())
    }

    #[test]
    fn what_goes_alone_goes_together_or_in_halves() {
        let needs = |needed: &'static [usize]| {
            move |kept: &Configuration| needed.iter().all(|&c| kept.contains(c))
        };
        let check = |count, fails: &dyn Fn(&Configuration) -> bool, questions: &str, left| {
            let (asked, kept) = asked(count, fails);
            assert_eq!(asked.join(" "), questions);
            assert_eq!(kept, left);
        };
        check(3, &needs(&[0, 1, 2]), "0 1 2", vec![0, 1, 2]);
        check(3, &needs(&[0, 2]), "0 1 2", vec![0, 2]);
        check(4, &needs(&[1]), "0 1 2 3 023", vec![1]);
        // One of the first two is needed: that the second one cannot go as well is known by then.
        check(2, &|kept| kept.contains(0) || kept.contains(1), "0 1 01", vec![1]);
        check(
            4,
            &|kept| kept.contains(0) || kept.contains(3),
            "0 1 2 3 0123 01 012",
            vec![3],
        );
        check(1, &|_| true, "0", vec![]);
        check(0, &|_| true, "", vec![]);
    }
}
