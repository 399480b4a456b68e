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

    /// Returns whether an informant is worth asking about a text of this size, and has not been
    /// asked about one of about this size.
    pub(crate) fn is_due(&self, tokens: u64) -> bool {
        self.has_stalled && self.asked_at.is_none_or(|then| tokens * 4 <= then * 3)
    }

    /// The same of an analyser, whose answer costs less.
    pub(crate) fn is_survey_due(&self, tokens: u64) -> bool {
        let share = if self.surveys_again { 7 } else { 4 };
        let is_new = self.surveyed_at.is_none_or(|then| tokens * 8 <= then * share);
        is_new && (self.has_stalled || self.surveys_again)
    }

    /// Notes that the informant is asked.
    pub(crate) fn ask(&mut self, tokens: u64) {
        self.asked_at = Some(tokens);
        self.begin_anew(tokens);
    }

    /// Notes that the analyser is asked.
    pub(crate) fn survey(&mut self, tokens: u64) {
        (self.surveyed_at, self.surveys_again) = (Some(tokens), false);
    }

    /// Notes that this has won something, and how many tokens are left.
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
        assert!(!stall.is_due(1_500));
        count(&mut stall, 1_499);
        assert!(stall.is_due(1_499));
        stall.ask(1_499);
        stall.survey(1_499);
        count(&mut stall, 1_499);
        assert!(!stall.is_due(1_200));
        assert!(stall.is_due(1_000));
        // A survey that has won nothing is due again at half of the size, any other one at once.
        assert!(!stall.is_survey_due(800) && stall.is_survey_due(700));
        stall.win_by_survey(1_499);
        assert!(!stall.is_survey_due(1_400) && stall.is_survey_due(1_300));
    }
}
