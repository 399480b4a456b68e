//! The ends of a search, tested before it begins or goes on.

use minirepro_engine::Outcome;
use minirepro_runner::{
    BaselineError, CancelToken, RetryPolicy, Start, reliability, reproduces, test,
};

use crate::error::Error;
use crate::tester::subject::Tester;

/// A text that is nothing of any kind: a test that looks for one failure refuses it.
pub const NONSENSE: &[u8] = b")]} $ ~ [{(\n";

/// What a search lies between.
#[derive(Clone, Debug, Default)]
pub struct Endpoints<'a> {
    /// What shows the failure.
    pub failing: &'a [u8],
    /// The failing end as the user has it and the language that has a tree only for another form of
    /// it, if it is reduced in that.
    pub original: Option<(&'a [u8], &'a str)>,
    /// What the failing end is called.
    pub failing_name: String,
    /// What does not show it.
    pub passing: &'a [u8],
    /// What that is called.
    pub passing_name: String,
    /// Whether it is what must stay of the input, mostly nothing, instead of the other end of a
    /// difference.
    pub is_least: bool,
    /// Whether candidates are files.
    pub are_files: bool,
    /// Whether an unresolved answer will do for it.
    pub may_be_unresolved: bool,
    /// Whether an end is in another form than its own, the canonical form of its language.
    pub are_rewritten: bool,
}

impl Endpoints<'_> {
    /// Returns the failing end as the user has it.
    pub fn as_given(&self) -> &[u8] {
        self.original.map_or(self.failing, |(text, _)| text)
    }

    /// Runs the tests before the search: the failing end must reproduce, more than once, and the
    /// passing end must not. Returns what the journal keeps of them, and whether the test says of
    /// nonsense that it reproduces.
    ///
    /// # Errors
    /// If the ends are not what they should be, or there is no answer.
    pub fn first_tests(
        &self,
        tester: &Tester<'_>,
        retry: RetryPolicy,
        stop: &CancelToken,
    ) -> Result<(Start, bool), Error> {
        let oracle = &*retry.oracle(tester.oracle());
        let Self { passing, is_least, are_rewritten, .. } = *self;
        let told =
            |error, name: &String| not_reproduced(error, (!is_least).then(|| name.clone()), tester);
        let first = reproduces(oracle, self.as_given(), stop).map_err(|error| {
            let mut told = told(error, &self.failing_name);
            if let Error::NotReproduced { are_swapped, are_rewritten: rewritten, .. } = &mut told
                && !is_least
            {
                *rewritten = are_rewritten;
                let other = test(oracle, passing, stop);
                *are_swapped = other.is_ok_and(|seen| seen.outcome == Outcome::Fail);
            }
            told
        })?;
        let ask = |candidate| {
            let seen = test(oracle, candidate, stop).map(|seen| seen.outcome);
            seen.map_err(|error| told(error, &self.passing_name))
        };
        let outcome = ask(passing)?;
        if outcome == Outcome::Fail && is_least {
            let error = BaselineError::AcceptsEmpty(self.passing_name.clone());
            return Err(told(error, &self.passing_name));
        }
        self.check_passing(outcome, || tester.oracle().explain(passing, stop))?;
        // The failure of a command is known by its signature.
        let may_accept_nonsense = is_least && self.are_files && tester.script().is_some();
        let accepts_nonsense = may_accept_nonsense && ask(NONSENSE)? == Outcome::Fail;
        if let Some((_, language)) = self.original
            && ask(self.failing)? != Outcome::Fail
        {
            let name = self.failing_name.clone();
            return Err(Error::LostByCanonicalForm { name, language: language.to_owned() });
        }
        let is_measured = is_least && retry != RetryPolicy::Repeat(1);
        let reliability = is_measured.then(|| reliability(tester.oracle(), self.failing, stop));
        let start = Start {
            time_limit: first.limit().as_secs_f64(),
            slowest: first.slowest.as_secs_f64(),
            tests: first.tests
                + 1
                + u64::from(may_accept_nonsense)
                + u64::from(self.original.is_some()),
            reliability: reliability
                .transpose()
                .map_err(|error| told(error, &self.passing_name))?,
            passing: (!is_least).then_some(outcome),
        };
        Ok((start, accepts_nonsense))
    }

    /// Checks the answer about the end that should pass; `explain` says why it is unresolved.
    fn check_passing(
        &self,
        outcome: Outcome,
        explain: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        let output = match outcome {
            Outcome::Pass => return Ok(()),
            Outcome::Unresolved if self.may_be_unresolved => return Ok(()),
            Outcome::Unresolved => explain(),
            Outcome::Fail => String::new(),
        };
        Err(Error::PassingDoesNotPass {
            passing: self.passing_name.clone(),
            failing: self.failing_name.clone(),
            outcome,
            output,
            are_rewritten: self.are_rewritten,
        })
    }
}

/// Turns an error of the first tests into one of the run.
pub fn not_reproduced(error: BaselineError, about: Option<String>, tester: &Tester<'_>) -> Error {
    let reproduce = tester.reproduce.clone();
    match error {
        BaselineError::Oracle(error) => Error::TestBroken { error, reproduce },
        BaselineError::Stopped => Error::Interrupted,
        error => Error::NotReproduced {
            about,
            error,
            are_swapped: false,
            are_rewritten: false,
            left_behind: tester.left_behind.clone(),
            reproduce,
        },
    }
}
