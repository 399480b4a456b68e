//! What the last questions about a large text have won: where that is little, other passes may win far more by each
//! question.

use minirepro_passes::{Gate, Strategy};

/// The questions of one pass in a row, as far as they must win something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Harvest {
    /// The questions that were tested since the tokens were counted.
    tests: u32,
    /// The tokens then; none once too few of them went.
    tokens: u64,
    /// The tokens now.
    left: u64,
    /// One of so many tokens must go in each season.
    least: u64,
}

/// The pass whose turn it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PassTurn {
    pub(crate) pass: &'static str,
    /// The tokens when it began.
    pub(crate) tokens: u64,
    /// What its last questions have won.
    pub(crate) harvest: Option<Harvest>,
}

impl Harvest {
    /// Returns the harvest of a pass that begins with a text of so many tokens; `None` if it may go on whatever it wins. If it is
    /// `patient`, only groups in very large texts have to win something.
    pub(crate) fn new(gate: Gate, strategy: Strategy, tokens: u64, patient: bool) -> Option<Self> {
        let is_group = matches!(strategy, Strategy::All | Strategy::Halves | Strategy::Gallop);
        let least = match gate {
            // What a graph says is needed by nothing has a turn in any case.
            Gate::Graph | Gate::Pump => None,
            _ if is_group && tokens > VERY_LARGE => Some(MUCH),
            _ => (tokens > LARGE && !patient).then_some(LITTLE),
        };
        least.map(|least| Self::of(tokens, least))
    }

    /// Returns the harvest of a pass that asks about parts one by one, in a text of so many tokens; `None` if it may go on
    /// whatever it wins.
    pub(crate) fn one_by_one(tokens: u64) -> Option<Self> {
        (SMALL < tokens && tokens <= MEDIUM).then(|| Self::of(tokens, MOST))
    }

    fn of(tokens: u64, least: u64) -> Self {
        Self { tests: 0, tokens, left: tokens, least }
    }

    /// Returns the same before the next proposal of the pass, for a text of so many tokens.
    pub(crate) fn gone_on(self, tokens: u64) -> Self {
        Self { left: tokens, ..self }
    }

    /// Counts a question that was tested, and the tokens that are left, if anything of this proposal went.
    pub(crate) fn count(&mut self, left: Option<u64>) {
        self.tests += 1;
        self.left = left.unwrap_or(self.left);
        if self.tests == SEASON {
            let is_rich = self.tokens.saturating_sub(self.left) * self.least >= self.tokens;
            (self.tests, self.tokens) = (0, if is_rich { self.left } else { 0 });
        }
    }

    /// Returns whether the last questions won too little to go on.
    pub(crate) fn is_poor(&self) -> bool {
        self.tokens == 0
    }
}

/// Returns whether a round has taken much of a text away.
pub(crate) fn is_rich(before: u64, after: u64) -> bool {
    after > SMALL && before.saturating_sub(after) * RICH >= before
}

/// Returns whether a round has taken so much of a text away that the passes with large edits come again before those with
/// small ones.
pub(crate) fn is_large_and_rich(before: u64, after: u64) -> bool {
    after > MEDIUM && is_rich(before, after)
}

/// Returns whether so much of a text has gone that what could not go before it may go now.
pub(crate) fn is_another(before: u64, after: u64) -> bool {
    after > SMALL && after * 2 <= before
}

/// Returns whether one pass has taken so much away that those before it come again at once.
pub(crate) fn is_ripe(before: u64, after: u64) -> bool {
    after > SMALL && before.saturating_sub(after) * RIPE >= before
}

/// A round must take one of so many tokens away, one pass one of so many.
const RICH: u64 = 50;
const RIPE: u64 = 4;

/// In smaller texts the order of passes matters little.
const SMALL: u64 = 500;

/// In smaller texts, small edits of names, parameters and types win more than questions about parts one by one.
const MEDIUM: u64 = 2_000;

/// In larger texts each pass with small edits has to win something.
const LARGE: u64 = 10_000;

/// In larger ones the search of a group has to win more, by whatever pass.
const VERY_LARGE: u64 = 50_000;

/// So many questions must take one of so many tokens away.
const SEASON: u32 = 24;
const MOST: u64 = 20;
const MUCH: u64 = 40;
const LITTLE: u64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a search of so many tokens goes on when so many are left after each season.
    fn goes_on(tokens: u64, patient: bool, left: &[Option<u64>]) -> bool {
        let Some(mut harvest) = Harvest::new(Gate::Facts, Strategy::All, tokens, patient) else {
            return true;
        };
        left.iter().all(|&left| {
            for _ in 0..SEASON {
                assert!(!harvest.is_poor(), "it ends with a season only");
                harvest.count(left);
            }
            !harvest.is_poor()
        })
    }

    #[test]
    fn parts_are_asked_about_one_by_one_where_nothing_else_wins_more() {
        let goes_on = |tokens: u64, left: u64| {
            Harvest::one_by_one(tokens).is_none_or(|mut harvest| {
                (0..SEASON).for_each(|_| harvest.count(Some(left)));
                !harvest.is_poor()
            })
        };
        assert_eq!([950, 951].map(|left| goes_on(1_000, left)), [true, false]);
        assert_eq!(
            [500, 501, 2_000, 2_001].map(|tokens| goes_on(tokens, tokens)),
            [true, false, false, true]
        );
        assert_eq!([2_001, 2_000].map(|left| is_large_and_rich(3_000, left)), [true, false]);
        assert_eq!([501, 500].map(|left| is_another(1_002, left)), [true, false]);
        assert!(!is_another(1_002, 502));
    }

    #[test]
    fn a_search_goes_on_as_long_as_each_season_wins_enough() {
        for (tokens, patient, left, goes) in [
            (80_000, false, &[Some(78_000), Some(76_000), Some(70_000)][..], true),
            (80_000, false, &[None], false),
            (80_000, true, &[Some(79_000)], false),
            (80_000, false, &[Some(60_000), Some(59_500)], false),
            (20_000, false, &[Some(19_800), Some(19_790)], false),
            (20_000, false, &[Some(19_800), Some(19_500)], true),
            (20_000, true, &[None, None], true),
            (9_000, false, &[None, None], true),
        ] {
            assert_eq!(goes_on(tokens, patient, left), goes, "{tokens} {patient} {left:?}");
        }
    }
}
