//! The ends of a search, tested before it begins or goes on.

use minirepro_engine::Outcome;
use minirepro_runner::{
    BaselineError, CancelToken, RetryPolicy, Start, reliability, reproduces, test,
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
pub struct Passing<'a> {
    /// The candidate.
    pub candidate: &'a [u8],
    /// What it is called.
    pub name: String,
    /// What kind of end it is.
    pub kind: PassingKind,
    /// Whether an unresolved answer will do.
    pub may_be_unresolved: bool,
    /// Whether an end is in another form than its own, the canonical form of its language.
    pub are_rewritten: bool,
}

/// Where an end without the failure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassingKind {
    /// It is what must stay of a file that is reduced, mostly nothing.
    Least,
    /// It is nothing at all, with which the reduction of a directory compares.
    Nothing,
    /// It is the other end of a difference.
    Other,
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
        let oracle = &*retry.oracle(tester.oracle());
        let Passing { candidate, name, kind, may_be_unresolved, are_rewritten } = &self.passing;
        let is_least = *kind == PassingKind::Least;
        let told =
            |error, name: &String| not_reproduced(error, (!is_least).then(|| name.clone()), tester);
        let first = reproduces(oracle, self.as_given(), stop).map_err(|error| {
            let mut told = told(error, &self.failing_name);
            if let Error::NotReproduced { are_swapped, are_rewritten: rewritten, .. } = &mut told
                && !is_least
            {
                *rewritten = *are_rewritten;
                let other = test(oracle, candidate, stop);
                *are_swapped = other.is_ok_and(|seen| seen.outcome == Outcome::Fail);
            }
            told
        })?;
        let ask = |candidate| test(oracle, candidate, stop).map_err(|error| told(error, name));
        let seen = ask(candidate)?;
        match seen.outcome {
            Outcome::Pass => {}
            Outcome::Unresolved if *may_be_unresolved => {}
            Outcome::Fail if is_least => {
                let is_empty = candidate.is_empty();
                return Err(told(BaselineError::AcceptsEmpty { is_empty }, name));
            }
            outcome => {
                let output = match outcome {
                    Outcome::Unresolved => tester.oracle().explain(candidate, stop),
                    Outcome::Fail | Outcome::Pass => String::new(),
                };
                return Err(Error::PassingDoesNotPass {
                    is_empty: *kind == PassingKind::Nothing,
                    passing: name.clone(),
                    failing: self.failing_name.clone(),
                    outcome,
                    output,
                    are_rewritten: *are_rewritten,
                });
            }
        }
        let mut tests = first.tests + 1;
        // The failure of a command is known by its signature.
        let may_accept_nonsense = is_least && tester.script().is_some();
        tests += u64::from(may_accept_nonsense);
        let accepts_nonsense = may_accept_nonsense && ask(NONSENSE)?.outcome == Outcome::Fail;
        if let Some(Original { language, .. }) = self.original {
            tests += 1;
            if ask(self.failing)?.outcome != Outcome::Fail {
                let name = self.failing_name.clone();
                return Err(Error::LostByCanonicalForm { name, language: language.to_owned() });
            }
        }
        let is_measured = is_least && retry != RetryPolicy::Repeat(1);
        let reliability = is_measured.then(|| reliability(tester.oracle(), self.failing, stop));
        let start = Start {
            time_limit: first.limit().as_secs_f64(),
            slowest: first.slowest.as_secs_f64(),
            tests,
            reliability: reliability.transpose().map_err(|error| told(error, name))?,
            passing: (!is_least).then_some(seen.outcome),
        };
        Ok(FirstTests { start, accepts_nonsense })
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
