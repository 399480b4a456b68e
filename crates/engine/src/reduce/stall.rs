//! When the tests of a reduction win so little that an informant is worth asking.

/// Tests that must win something, or an informant is asked. Texts whose parts can go in any order
/// lose half in fewer (c14-bpf-sdiv took 131 tests and 53 consultations instead of 103 tests when
/// it was asked first).
const TESTS: u32 = 8;

/// A smaller share of the tokens is little.
const LITTLE: u64 = 16;

/// The last tests, and when an informant was asked.
#[derive(Clone, Debug)]
pub(crate) struct Stall {
    tests: u32,
    /// The tokens when the tests were counted from.
    tokens: u64,
    has_stalled: bool,
    /// The tokens when informants were asked last.
    asked_at: Option<u64>,
    /// The tokens when analysers were asked last, and whether that won something.
    surveyed_at: Option<u64>,
    surveys_again: bool,
}

impl Stall {
    pub(crate) fn new(tokens: u64) -> Self {
        Self {
            tests: 0,
            tokens,
            has_stalled: false,
            asked_at: None,
            surveyed_at: None,
            surveys_again: false,
        }
    }

    /// Counts a test that has left this many tokens.
    pub(crate) fn count(&mut self, tokens: u64) {
        self.tests += 1;
        if self.tests == TESTS {
            self.has_stalled = tokens + self.tokens / LITTLE > self.tokens;
            (self.tests, self.tokens) = (0, tokens);
        }
    }

    /// Returns whether somebody is worth asking about a text of this size, and has not been asked
    /// about one of about this size: the analyser if it is `true`, whose answer costs less. Then it
    /// counts as asked.
    pub(crate) fn asks(&mut self, tokens: u64, has_analyser: bool) -> Option<bool> {
        let share = if self.surveys_again { 7 } else { 4 };
        let is_new = self.surveyed_at.is_none_or(|then| tokens * 8 <= then * share);
        if has_analyser && is_new && (self.has_stalled || self.surveys_again) {
            (self.surveyed_at, self.surveys_again) = (Some(tokens), false);
            return Some(true);
        }
        if !self.has_stalled || self.asked_at.is_some_and(|then| tokens * 4 > then * 3) {
            return None;
        }
        self.asked_at = Some(tokens);
        self.begin_anew(tokens);
        Some(false)
    }

    /// Notes that the analyser has won something, and how many tokens are left.
    pub(crate) fn win_by_survey(&mut self, tokens: u64) {
        self.surveys_again = true;
        self.begin_anew(tokens);
    }

    fn begin_anew(&mut self, tokens: u64) {
        (self.tests, self.tokens, self.has_stalled) = (0, tokens, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_due_where_tests_win_little_and_not_again_at_about_the_same_size() {
        let mut stall = Stall::new(1_600);
        let count = |stall: &mut Stall, tokens| (0..TESTS).for_each(|_| stall.count(tokens));
        count(&mut stall, 1_500);
        assert_eq!(stall.asks(1_500, true), None);
        count(&mut stall, 1_499);
        assert_eq!(stall.asks(1_499, true), Some(true));
        assert_eq!(stall.asks(1_499, true), Some(false));
        count(&mut stall, 1_499);
        assert_eq!([1_200, 1_000].map(|tokens| stall.asks(tokens, false)), [None, Some(false)]);
        // A survey that has won nothing is due again at half of the size, any other one at once.
        count(&mut stall, 1_000);
        assert_eq!([800, 700].map(|tokens| stall.asks(tokens, true)), [None, Some(true)]);
        stall.win_by_survey(700);
        assert_eq!([690, 600].map(|tokens| stall.asks(tokens, true)), [None, Some(true)]);
    }
}
