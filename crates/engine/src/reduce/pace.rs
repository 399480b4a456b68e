//! Where a reduction is in its rounds, and how much the passes of a large text win.
//!
//! In a large text the order of passes decides how many tests are needed: a pass that wins little
//! ends its turn early, and one that wins much lets the passes before it run again. Small texts
//! follow the plain order.

use minirepro_passes::{Gate, LAST_LARGE, ONE_BY_ONE, Pass, Strategy};

use crate::reduce::sizes::{
    MUST_WIN, ONE_BY_ONE_PAYS, ORDER_MATTERS, SHARE_OF_GROUPS, SHARE_OF_ONE_BY_ONE, SHARE_OF_PASS,
    SHARE_OF_ROUND, SHARE_OF_SMALL_EDITS, TESTS_PER_DECISION,
};

/// The rounds so far, and the turn of the current pass.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    /// Whole rounds so far.
    pub(crate) rounds: u32,
    /// The tokens at the beginning of the phase.
    phase_tokens: u64,
    /// The tokens above which a pass has to win something.
    must_win: u64,
    /// Whether the last round removed too little for passes to have to win anything.
    is_lenient: bool,
    /// The tokens when refused edits were last forgotten.
    forgotten_at: u64,
    /// The pass whose turn it is.
    pass: &'static str,
    /// The tokens when its turn began.
    pass_tokens: u64,
    /// The demand that it has to meet.
    demand: Option<Demand>,
}

impl Pace {
    /// Begins with a text of this size; `is_binary` if its tokens are bytes.
    pub(crate) fn new(tokens: u64, is_binary: bool) -> Self {
        Self {
            rounds: 0,
            phase_tokens: tokens,
            must_win: if is_binary { ORDER_MATTERS } else { MUST_WIN },
            is_lenient: false,
            forgotten_at: tokens,
            pass: "",
            pass_tokens: 0,
            demand: None,
        }
    }

    /// Ends a round that has left this many tokens.
    pub(crate) fn end_round(&mut self, tokens: u64) {
        self.rounds += 1;
        self.is_lenient = !is_rich(self.phase_tokens, tokens);
    }

    /// Begins the next phase.
    pub(crate) fn begin_phase(&mut self, tokens: u64) {
        (self.phase_tokens, self.pass, self.pass_tokens) = (tokens, "", 0);
        self.demand = None;
    }

    /// Begins the turn of a pass, unless it is the turn of this pass already.
    pub(crate) fn begin_turn(&mut self, pass: &'static str, tokens: u64) {
        if self.pass != pass {
            (self.pass, self.pass_tokens, self.demand) = (pass, tokens, None);
        }
    }

    /// Ends a proposal of the pass. The next one goes on with its demand, if it was met so far.
    pub(crate) fn end_proposal(&mut self, demand: Option<Demand>) {
        self.demand = demand.filter(|demand| !demand.is_missed());
    }

    /// Returns what a proposal of the current pass has to win, if anything. `is_small` if the edits
    /// of the pass are small, `in_sweep` if every edit will be tried in any case.
    pub(crate) fn demand(
        &self,
        pass: &Pass,
        strategy: Strategy,
        is_small: bool,
        in_sweep: bool,
        tokens: u64,
    ) -> Option<Demand> {
        let is_lenient = self.is_lenient || in_sweep;
        let is_small = is_small || pass.gate == Gate::Graph;
        let one_by_one = ONE_BY_ONE.contains(&pass.name) && !is_lenient;
        let new = one_by_one.then(|| Demand::one_by_one(tokens)).flatten().or_else(|| {
            (tokens > self.must_win)
                .then(|| Demand::new(pass.gate, strategy, tokens, is_lenient || !is_small))
                .flatten()
        })?;
        Some(self.demand.map_or(new, |old| Demand { left: tokens, ..old }))
    }

    /// Returns whether the passes with large edits run again before this one, although the round is
    /// not over. `before` is the pass before it in the order.
    pub(crate) fn cuts_round(&self, pass: &Pass, before: Option<&Pass>, tokens: u64) -> bool {
        let follows_large = before.is_some_and(|pass| pass.name == LAST_LARGE);
        let was_rich = tokens > ONE_BY_ONE_PAYS && is_rich(self.phase_tokens, tokens);
        let is_large = [pass.name, self.pass] == [LAST_LARGE; 2];
        follows_large && was_rich || is_large && has_lost_a_share(self.pass_tokens, tokens)
    }

    /// Returns whether half of the text is gone since refused edits were last forgotten: what could
    /// not go then may go now. If so, they count as forgotten.
    pub(crate) fn forgets(&mut self, tokens: u64) -> bool {
        let forgets = is_half_gone(self.forgotten_at, tokens);
        if forgets {
            self.forgotten_at = tokens;
        }
        forgets
    }
}

/// Returns whether a round has removed much of a text.
fn is_rich(before: u64, after: u64) -> bool {
    after > ORDER_MATTERS && before.saturating_sub(after) * SHARE_OF_ROUND >= before
}

fn has_lost_a_share(before: u64, after: u64) -> bool {
    after > ORDER_MATTERS && before.saturating_sub(after) * SHARE_OF_PASS >= before
}

fn is_half_gone(before: u64, after: u64) -> bool {
    after > ORDER_MATTERS && after * 2 <= before
}

/// Ends the turn of a pass whose last tests removed too few tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Demand {
    /// The tests since the tokens were counted.
    tests: u32,
    /// The tokens then; 0 once the demand was missed.
    tokens: u64,
    /// The tokens now.
    left: u64,
    /// Every [`TESTS_PER_DECISION`] tests must remove 1/`share` of the tokens.
    share: u64,
}

impl Demand {
    /// Returns what a pass has to win in a large text of this size; `None` if it may go on in any
    /// case. A `lenient` demand only concerns groups.
    fn new(gate: Gate, strategy: Strategy, tokens: u64, lenient: bool) -> Option<Self> {
        let is_group = matches!(strategy, Strategy::All | Strategy::Halves | Strategy::Gallop);
        let share = match gate {
            // What a graph says about many declarations at once is always tried.
            Gate::Graph if strategy != Strategy::Single => None,
            Gate::Pump => None,
            _ if is_group => Some(SHARE_OF_GROUPS),
            _ => (!lenient).then_some(SHARE_OF_SMALL_EDITS),
        };
        share.map(|share| Self::of(tokens, share))
    }

    /// Returns what a pass has to win that tries the parts of a text one by one.
    fn one_by_one(tokens: u64) -> Option<Self> {
        (ORDER_MATTERS < tokens && tokens <= ONE_BY_ONE_PAYS)
            .then(|| Self::of(tokens, SHARE_OF_ONE_BY_ONE))
    }

    fn of(tokens: u64, share: u64) -> Self {
        Self { tests: 0, tokens, left: tokens, share }
    }

    /// Counts a test, and the tokens that are left if this proposal has removed any.
    pub(crate) fn count(&mut self, left: Option<u64>) {
        self.tests += 1;
        self.left = left.unwrap_or(self.left);
        if self.tests == TESTS_PER_DECISION {
            let is_met = self.tokens.saturating_sub(self.left) * self.share >= self.tokens;
            (self.tests, self.tokens) = (0, if is_met { self.left } else { 0 });
        }
    }

    /// Returns whether the last tests removed too little to go on.
    pub(crate) fn is_missed(&self) -> bool {
        self.tokens == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a search goes on when these numbers of tokens are left after each decision.
    fn goes_on(strategy: Strategy, tokens: u64, lenient: bool, left: &[Option<u64>]) -> bool {
        let Some(mut demand) = Demand::new(Gate::Facts, strategy, tokens, lenient) else {
            return true;
        };
        left.iter().all(|&left| {
            for _ in 0..TESTS_PER_DECISION {
                assert!(!demand.is_missed(), "it is only decided after all these tests");
                demand.count(left);
            }
            !demand.is_missed()
        })
    }

    #[test]
    fn parts_are_tried_one_by_one_where_nothing_else_wins_more() {
        let goes_on = |tokens: u64, left: u64| {
            Demand::one_by_one(tokens).is_none_or(|mut demand| {
                (0..TESTS_PER_DECISION).for_each(|_| demand.count(Some(left)));
                !demand.is_missed()
            })
        };
        assert_eq!([950, 951].map(|left| goes_on(1_000, left)), [true, false]);
        assert_eq!(
            [500, 501, 2_000, 2_001].map(|tokens| goes_on(tokens, tokens)),
            [true, false, false, true]
        );
    }

    #[test]
    fn a_search_goes_on_as_long_as_it_wins_enough() {
        let (groups, single) = (Strategy::All, Strategy::Single);
        for (strategy, tokens, lenient, left, goes) in [
            (groups, 80_000, false, &[Some(78_000), Some(76_000), Some(70_000)][..], true),
            (groups, 80_000, false, &[None], false),
            (groups, 80_000, true, &[Some(79_000)], false),
            (groups, 80_000, false, &[Some(60_000), Some(59_500)], false),
            (groups, 20_000, true, &[Some(19_501)], false),
            (groups, 20_000, true, &[Some(19_500)], true),
            (single, 20_000, false, &[Some(19_800), Some(19_790)], false),
            (single, 20_000, false, &[Some(19_800), Some(19_500)], true),
            (single, 20_000, true, &[None, None], true),
        ] {
            let goes_on = goes_on(strategy, tokens, lenient, left);
            assert_eq!(goes_on, goes, "{strategy:?} {tokens} {lenient} {left:?}");
        }
    }

    #[test]
    fn parts_of_a_graph_are_tried_one_by_one_as_long_as_that_wins_enough() {
        let named = |name| *minirepro_passes::PASSES.iter().find(|pass| pass.name == name).unwrap();
        let pass = named("remove-dominated");
        let is_demanded = |strategy| {
            Pace::new(80_000, false).demand(&pass, strategy, false, false, 80_000).is_some()
        };
        assert_eq!([Strategy::Single, Strategy::Halves].map(is_demanded), [true, false]);
    }

    #[test]
    fn only_in_large_texts_a_pass_must_win_something() {
        let demands = |tokens: u64, is_binary: bool| {
            let lists = *minirepro_passes::PASSES.iter().find(|pass| pass.name == "lists").unwrap();
            let pace = Pace::new(tokens, is_binary);
            pace.demand(&lists, Strategy::All, false, false, tokens).is_some()
        };
        assert_eq!([10_000, 10_001].map(|tokens| demands(tokens, false)), [false, true]);
        assert_eq!([500, 501].map(|tokens| demands(tokens, true)), [false, true], "bytes");
    }

    #[test]
    fn a_round_begins_again_after_much_was_removed() {
        let named = |name| *minirepro_passes::PASSES.iter().find(|pass| pass.name == name).unwrap();
        let (large, other) = (named(LAST_LARGE), named("normalize"));
        let cuts = |before, after| Pace::new(before, false).cuts_round(&other, Some(&large), after);
        assert_eq!([2_001, 2_000].map(|left| cuts(3_000, left)), [true, false]);
        let mut pace = Pace::new(1_000, false);
        pace.begin_turn(LAST_LARGE, 1_000);
        assert_eq!([750, 751].map(|left| pace.cuts_round(&large, None, left)), [true, false]);
        assert_eq!([502, 501].map(|left| Pace::new(1_002, false).forgets(left)), [false, true]);
        assert!(!Pace::new(1_000, false).forgets(500), "a small text");
    }
}
