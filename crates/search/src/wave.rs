//! Several questions on one base, and the merge of what they found: the step of a search that is wider than
//! one question.
//!
//! As in Shrink Ray, whatever can go by itself is tried together, then in halves where it does not go
//! together; unlike there, the questions and their order depend on the width alone, never on which
//! answer comes first.

use std::ops::Range;

use crate::{Configuration, Outcome};

/// A wave under way: circumstances that are each asked about without the others, and then the merge.
///
/// One question for each of g circumstances, and none for the merge if at most one of them can go; one if
/// all that can go alone go together; about 2·c·log₂ g for c of them that do not.
#[derive(Clone)]
pub(crate) struct Wave {
    /// Those that are still to be asked about.
    asked: Range<usize>,
    /// What is left after those that are known to go together.
    kept: Configuration,
    /// How many have gone.
    gone: usize,
    /// Those that could go alone, then those that are still to be merged; the last are tried next.
    open: Vec<Winners>,
}

/// Circumstances that can go alone.
#[derive(Clone, Default)]
struct Winners {
    circumstances: Vec<usize>,
    /// They cannot all go together once exactly this many have gone.
    refused_after: Option<usize>,
}

impl Wave {
    /// Asks about each of these circumstances on the base `kept`, which holds them all.
    pub(crate) fn new(kept: Configuration, circumstances: Range<usize>) -> Self {
        Self { asked: circumstances, kept, gone: 0, open: Vec::new() }
    }

    /// Returns what is left.
    pub(crate) fn kept(&self) -> &Configuration {
        &self.kept
    }

    /// Returns the next question; `None` at the end.
    pub(crate) fn question(&self) -> Option<Configuration> {
        if !self.asked.is_empty() {
            return Some(self.without(&[self.asked.start]));
        }
        self.open.last().map(|winners| self.without(&winners.circumstances))
    }

    /// Returns whether there is nothing left to ask.
    pub(crate) fn is_over(&self) -> bool {
        self.asked.is_empty() && self.open.is_empty()
    }

    /// Returns whether another circumstance is asked about next, whatever the answer to this question is.
    pub(crate) fn goes_on(&self) -> bool {
        self.asked.len() > 1
    }

    /// Takes the answer to the question.
    pub(crate) fn answer(&mut self, outcome: Outcome) {
        let fails = outcome == Outcome::Fail;
        if let Some(circumstance) = self.asked.next() {
            if fails {
                if self.open.is_empty() {
                    self.open.push(Winners::default());
                }
                self.open[0].circumstances.push(circumstance);
            }
            if !self.asked.is_empty() {
                return;
            }
        } else if let Some(winners) = self.open.pop() {
            if fails {
                self.take(&winners.circumstances);
            } else {
                self.halve(winners.circumstances);
            }
        }
        self.settle();
    }

    /// Goes on as far as no question is needed.
    fn settle(&mut self) {
        while let Some(Winners { circumstances, refused_after }) = self.open.pop() {
            if circumstances.len() == 1 && self.gone == 0 {
                self.take(&circumstances);
            } else if refused_after == Some(self.gone) {
                self.halve(circumstances);
            } else {
                self.open.push(Winners { circumstances, refused_after });
                return;
            }
        }
    }

    fn take(&mut self, circumstances: &[usize]) {
        self.kept = self.without(circumstances);
        self.gone += circumstances.len();
    }

    /// Lets the halves be tried of what did not go together.
    fn halve(&mut self, mut first: Vec<usize>) {
        if first.len() < 2 {
            return;
        }
        let second = first.split_off(first.len().div_ceil(2));
        let refused_after = Some(self.gone + first.len());
        self.open.push(Winners { circumstances: second, refused_after });
        self.open.push(Winners { circumstances: first, refused_after: None });
    }

    fn without(&self, circumstances: &[usize]) -> Configuration {
        let mut rest = self.kept.clone();
        circumstances.iter().for_each(|&circumstance| rest.remove(circumstance));
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks about the circumstances `0..count` one by one; all questions as what they leave out.
    fn asked(count: usize, fails: impl Fn(&Configuration) -> bool) -> (Vec<String>, Vec<usize>) {
        let all = Configuration::all(count);
        let mut wave = Wave::new(all.clone(), 0..count);
        let mut asked = Vec::new();
        while let Some(question) = wave.question() {
            let left_out = all.minus(&question);
            asked.push(left_out.iter().map(|c| c.to_string()).collect());
            let fails = fails(&question);
            wave.answer(if fails { Outcome::Fail } else { Outcome::Pass });
        }
        assert!(wave.is_over());
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
        // One of both is needed: that the second one cannot go as well is known by then.
        check(2, &|kept| kept.contains(0) || kept.contains(1), "0 1 01", vec![1]);
        let either = |kept: &Configuration| kept.contains(0) || kept.contains(3);
        check(4, &either, "0 1 2 3 0123 01 012", vec![3]);
        check(1, &|_| true, "0", vec![]);
        check(0, &|_| true, "", vec![]);
    }
}
