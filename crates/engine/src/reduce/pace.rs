//! Where a reduction is in its rounds, and how much the passes of a large text win.
//!
//! In a large text the order of passes decides how many tests are needed: a pass that wins little
//! ends its turn early, and one that wins much lets the passes before it run again. Small texts
//! follow the plain order.

use minirepro_passes::{Attribute, Gate, Pass, Plan};

use crate::reduce::sizes::{
    MUST_WIN, ONE_BY_ONE_PAYS, ORDER_MATTERS, SHARE_OF_GROUPS, SHARE_OF_ONE_BY_ONE, SHARE_OF_PASS,
    SHARE_OF_ROUND, SHARE_OF_SMALL_EDITS, TESTS_PER_DECISION,
};

/// How much the last round and the turn of the current pass have won.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
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
        self.is_lenient = !has_lost(self.phase_tokens, tokens, SHARE_OF_ROUND);
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
        plan: Plan,
        is_small: bool,
        in_sweep: bool,
        tokens: u64,
    ) -> Option<Demand> {
        let is_strict = !self.is_lenient && !in_sweep;
        let one_by_one = is_strict && pass.is(Attribute::OneByOne);
        let share = match pass.gate {
            _ if one_by_one && ORDER_MATTERS < tokens && tokens <= ONE_BY_ONE_PAYS => {
                SHARE_OF_ONE_BY_ONE
            }
            _ if tokens <= self.must_win => return None,
            // What a graph says about many declarations at once is always tried.
            Gate::Graph | Gate::Pump => return None,
            _ if plan.is_broad => SHARE_OF_GROUPS,
            _ if is_strict && is_small => SHARE_OF_SMALL_EDITS,
            _ => return None,
        };
        let new = Demand { tests: 0, tokens, left: tokens, share };
        Some(self.demand.map_or(new, |old| Demand { left: tokens, ..old }))
    }

    /// Returns whether the passes with large edits run again before this one, although the round is
    /// not over. `before` is the pass before it in the order.
    pub(crate) fn cuts_round(&self, pass: &Pass, before: Option<&Pass>, tokens: u64) -> bool {
        let follows_large = before.is_some_and(|pass| pass.is(Attribute::EndsLarge));
        let was_rich =
            tokens > ONE_BY_ONE_PAYS && has_lost(self.phase_tokens, tokens, SHARE_OF_ROUND);
        let ends_large = pass.is(Attribute::EndsLarge) && self.pass == pass.name;
        follows_large && was_rich || ends_large && has_lost(self.pass_tokens, tokens, SHARE_OF_PASS)
    }

    /// Returns whether half of the text is gone since refused edits were last forgotten: what could
    /// not go then may go now. If so, they count as forgotten.
    pub(crate) fn forgets(&mut self, tokens: u64) -> bool {
        let forgets = has_lost(self.forgotten_at, tokens, 2);
        if forgets {
            self.forgotten_at = tokens;
        }
        forgets
    }
}

/// Returns whether a text that is still large has lost 1/`share` of its tokens.
fn has_lost(before: u64, after: u64, share: u64) -> bool {
    after > ORDER_MATTERS && before.saturating_sub(after) * share >= before
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
    use minirepro_passes::{PASSES, Plan};

    use super::*;

    fn named(name: &str) -> Pass {
        *PASSES.iter().find(|pass| pass.name == name).unwrap()
    }

    /// Returns whether a search of a pass goes on when these numbers of tokens are left after each
    /// decision.
    fn goes_on(
        pass: &str,
        plan: Plan,
        tokens: u64,
        is_lenient: bool,
        left: &[Option<u64>],
    ) -> bool {
        let pace = Pace { is_lenient, ..Pace::new(tokens, false) };
        let Some(mut demand) = pace.demand(&named(pass), plan, true, false, tokens) else {
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
        for (tokens, left, goes) in [
            (1_000, 950, true),
            (1_000, 951, false),
            (500, 500, true),
            (501, 501, false),
            (2_000, 2_000, false),
            (2_001, 2_001, true),
        ] {
            let plan = Plan::EACH;
            let goes_on = goes_on("delete-and-hoist", plan, tokens, false, &[Some(left)]);
            assert_eq!(goes_on, goes, "{tokens} {left}");
        }
    }

    #[test]
    fn a_search_goes_on_as_long_as_it_wins_enough() {
        let (groups, single) = (Plan::ALL, Plan::EACH);
        for (plan, tokens, lenient, left, goes) in [
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
            let goes_on = goes_on("normalize", plan, tokens, lenient, left);
            assert_eq!(goes_on, goes, "{plan:?} {tokens} {lenient} {left:?}");
        }
    }

    #[test]
    fn only_in_large_texts_a_pass_must_win_something() {
        let demands = |tokens: u64, is_binary: bool| {
            let pace = Pace::new(tokens, is_binary);
            pace.demand(&named("lists"), Plan::ALL, false, false, tokens).is_some()
        };
        assert_eq!([10_000, 10_001].map(|tokens| demands(tokens, false)), [false, true]);
        assert_eq!([500, 501].map(|tokens| demands(tokens, true)), [false, true], "bytes");
    }

    #[test]
    fn a_round_begins_again_after_much_was_removed() {
        let (large, other) = (named("delete-and-hoist"), named("normalize"));
        let cuts = |before, after| Pace::new(before, false).cuts_round(&other, Some(&large), after);
        assert_eq!([2_001, 2_000].map(|left| cuts(3_000, left)), [true, false]);
        let mut pace = Pace::new(1_000, false);
        pace.begin_turn(large.name, 1_000);
        assert_eq!([750, 751].map(|left| pace.cuts_round(&large, None, left)), [true, false]);
        assert_eq!([502, 501].map(|left| Pace::new(1_002, false).forgets(left)), [false, true]);
        assert!(!Pace::new(1_000, false).forgets(500), "a small text");
    }
}
