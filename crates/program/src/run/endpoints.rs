//! The ends of a search, tested before it begins or goes on.

use minirepro_engine::Outcome;
use minirepro_runner::{
    BaselineError, CancelToken, Oracle, RetryPolicy, Start, baseline, reliability, reproduces, test,
};

use crate::error::Error;
use crate::tester::subject::Tester;

/// A text that is nothing of any kind: a test that looks for one failure refuses it.
pub const NONSENSE: &[u8] = b")]} $ ~ [{(\n";

/// What the tests before a search have shown.
#[derive(Clone, Debug)]
pub struct FirstTests {
    /// What the journal keeps.
    pub start: Start,
    /// Whether the test says of nonsense that it reproduces.
    pub accepts_nonsense: bool,
}

/// What a search lies between.
#[derive(Clone, Debug)]
pub struct Endpoints<'a> {
    /// What shows the failure.
    pub failing: &'a [u8],
    /// The failing end as it stands, where its language has a tree only for another form of it.
    pub original: Option<Original<'a>>,
    /// What the failing end is called.
    pub failing_name: String,
    /// What does not show it.
    pub passing: Passing<'a>,
}

/// The end without the failure.
#[derive(Clone, Debug)]
pub enum Passing<'a> {
    /// Nothing but what must stay, which must just not fail.
    Least {
        /// What must stay of the input; mostly nothing.
        candidate: &'a [u8],
    },
    /// A candidate that must pass.
    Given {
        /// Whether it is nothing at all, with which a reduction compares.
        is_nothing: bool,
        /// The candidate.
        candidate: &'a [u8],
        /// What it is called.
        name: String,
        /// Whether an unresolved answer will do.
        may_be_unresolved: bool,
        /// Whether an end is in another form than its own, the canonical form of its language.
        are_rewritten: bool,
    },
}

/// An input that is reduced in another form than its own.
#[derive(Clone, Debug)]
pub struct Original<'a> {
    /// The input as it stands.
    pub text: &'a [u8],
    /// The language that has a tree only for the other form.
    pub language: &'a str,
}

impl Endpoints<'_> {
    /// Returns the failing end as the user has it.
    pub fn as_given(&self) -> &[u8] {
        self.original.as_ref().map_or(self.failing, |original| original.text)
    }

    /// Returns the candidate at the passing end.
    pub fn passing_candidate(&self) -> &[u8] {
        match &self.passing {
            Passing::Least { candidate } => candidate,
            Passing::Given { candidate, .. } => candidate,
        }
    }

    /// Runs the tests before the search: the failing end must reproduce, more than once, and the
    /// passing end must not.
    ///
    /// # Errors
    /// If the ends are not what they should be, or there is no answer.
    pub fn first_tests(
        &self,
        tester: &Tester<'_>,
        retry: RetryPolicy,
        stop: &CancelToken,
    ) -> Result<FirstTests, Error> {
        let repeat = retry.oracle(tester.oracle());
        match &self.passing {
            Passing::Least { candidate } => {
                self.against_least(tester, &*repeat, candidate, retry, stop)
            }
            Passing::Given { .. } => {
                let start = self.both(tester, &*repeat, stop)?;
                Ok(FirstTests { start, accepts_nonsense: false })
            }
        }
    }

    fn against_least(
        &self,
        tester: &Tester<'_>,
        oracle: &dyn Oracle,
        least: &[u8],
        retry: RetryPolicy,
        stop: &CancelToken,
    ) -> Result<FirstTests, Error> {
        let told = |error| not_reproduced(error, None, tester);
        let mut first = baseline(oracle, self.as_given(), least, stop).map_err(told)?;
        // The failure of a command is known by its signature.
        let accepts_nonsense = tester.script().is_some()
            && test(oracle, NONSENSE, stop).map_err(told)?.outcome == Outcome::Fail;
        first.tests += u64::from(tester.script().is_some());
        if let Some(Original { language, .. }) = self.original {
            first.tests += 1;
            if test(oracle, self.failing, stop).map_err(told)?.outcome != Outcome::Fail {
                let name = self.failing_name.clone();
                return Err(Error::LostByCanonicalForm { name, language: language.to_owned() });
            }
        }
        let reliability = match retry {
            RetryPolicy::Repeat(1) => None,
            _ => Some(reliability(tester.oracle(), self.failing, stop).map_err(told)?),
        };
        let start = Start {
            time_limit: first.limit().as_secs_f64(),
            slowest: first.slowest.as_secs_f64(),
            tests: first.tests,
            reliability,
            passing: None,
        };
        Ok(FirstTests { start, accepts_nonsense })
    }

    fn both(
        &self,
        tester: &Tester<'_>,
        oracle: &dyn Oracle,
        stop: &CancelToken,
    ) -> Result<Start, Error> {
        let Passing::Given { is_nothing, candidate, name, may_be_unresolved, are_rewritten } =
            &self.passing
        else {
            unreachable!("called for a given passing end")
        };
        let failing_name = Some(self.failing_name.clone());
        let first = reproduces(oracle, self.failing, stop).map_err(|error| {
            let mut told = not_reproduced(error, failing_name, tester);
            if let Error::NotReproduced { are_swapped, are_rewritten: rewritten, .. } = &mut told {
                *rewritten = *are_rewritten;
                let other = test(oracle, candidate, stop);
                *are_swapped = other.is_ok_and(|seen| seen.outcome == Outcome::Fail);
            }
            told
        })?;
        let seen = test(oracle, candidate, stop)
            .map_err(|error| not_reproduced(error, Some(name.clone()), tester))?;
        match seen.outcome {
            Outcome::Pass => {}
            Outcome::Unresolved if *may_be_unresolved => {}
            outcome => {
                let output = match outcome {
                    Outcome::Unresolved => tester.oracle().explain(candidate, stop),
                    Outcome::Fail | Outcome::Pass => String::new(),
                };
                return Err(Error::PassingDoesNotPass {
                    is_empty: *is_nothing,
                    passing: name.clone(),
                    failing: self.failing_name.clone(),
                    outcome,
                    output,
                    are_rewritten: *are_rewritten,
                });
            }
        }
        Ok(Start {
            time_limit: first.limit().as_secs_f64(),
            slowest: first.slowest.as_secs_f64(),
            tests: first.tests + 1,
            reliability: None,
            passing: Some(seen.outcome),
        })
    }
}

/// Turns an error of the first tests into one of the run.
pub fn not_reproduced(error: BaselineError, about: Option<String>, tester: &Tester<'_>) -> Error {
    let reproduce = tester.reproduce.clone();
    match error {
        BaselineError::Oracle(error) => Error::TestBroken { error, reproduce },
        BaselineError::Stopped => Error::Interrupted { journal: None },
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
