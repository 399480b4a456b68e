//! The two ends of an experiment, tested before the search begins or goes on. Decides nothing about it.

use minirepro_engine::Outcome;
use minirepro_runner::{Start, Stop, reproduces, test};

use crate::args::Common;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::{UNCHANGED, Waiting};
use crate::plan::Talk;
use crate::trial::Tester;

/// The two ends of an experiment, for messages.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// What is called passing.
    pub passing: &'a str,
    /// What is called failing.
    pub failing: &'a str,
    /// Whether an unresolved passing end will do.
    pub lenient: bool,
}

/// The tests before the search; what they showed.
///
/// # Errors
/// When the ends are none, or there is no answer.
pub fn first_tests(
    tester: &dyn Tester,
    common: &Common,
    stop: &Stop,
    ends: Ends<'_>,
    (passing, failing): (&[u8], &[u8]),
) -> Result<Start, Failure> {
    let told = |error| Failure::baseline(&error, tester.by_hand());
    let repeat = common.patience().oracle(tester);
    let _waiting = Waiting::new(Talk::of(common), UNCHANGED);
    let mut baseline = reproduces(&*repeat, failing, stop).map_err(|error| {
        let told = told(error).about(ends.failing);
        let other = test(&*repeat, passing, stop);
        if other.is_ok_and(|seen| seen.outcome == Outcome::Fail) {
            let advice = "It does reproduce on what should pass: did the two change places?\n";
            return told.advise(advice);
        }
        told
    })?;
    let seen = test(&*repeat, passing, stop).map_err(|error| told(error).about(ends.passing))?;
    baseline.tests += 1;
    match seen.outcome {
        Outcome::Pass => {}
        Outcome::Unresolved if ends.lenient => {}
        outcome => return Err(not_passing(ends, outcome, tester, passing, stop)),
    }
    Ok(Start {
        time_limit: common.timeout.unwrap_or(baseline.limit()).as_secs_f64(),
        slowest: baseline.slowest.as_secs_f64(),
        tests: baseline.tests,
        reliability: None,
        passing: Some(seen.outcome.into()),
    })
}

/// What made the interrupted run begin must still be so, or its answers are worth nothing.
///
/// # Errors
/// When it is not, or there is no answer.
pub fn still_fails(
    tester: &dyn Tester,
    common: &Common,
    stop: &Stop,
    failing: &[u8],
) -> Result<(), Failure> {
    let seen = test(&*common.patience().oracle(tester), failing, stop);
    let seen = seen.map_err(|error| Failure::baseline(&error, tester.by_hand()))?;
    if seen.outcome == Outcome::Fail {
        return Ok(());
    }
    let message = "cannot go on: what failed when the run began does not fail any more";
    Err(Failure::new(Exit::NotReproduced, message)
        .advise("The test is flaky, or a tool that it uses has changed. --restart begins anew.\n"))
}

fn not_passing(
    ends: Ends<'_>,
    outcome: Outcome,
    tester: &dyn Tester,
    passing: &[u8],
    stop: &Stop,
) -> Failure {
    let Ends { passing: name, failing, .. } = ends;
    if outcome == Outcome::Fail {
        let message = format!("the test reproduces the failure on {name} as well as on {failing}");
        return Failure::new(Exit::NotReproduced, message).advise(
            "Both ends fail, so what differs between them is not why. The passing end must be \
             something on which the test says «not reproduced».\n",
        );
    }
    let message = format!("the test is unresolved on {name}, so it does not count as passing");
    let output = tester.explain(passing, stop);
    let advice = "The test must say «not reproduced» there: a script by an exit code other than 0, \
                  124 and 125, a program by ending with 0.\n";
    Failure::new(Exit::NotReproduced, message).advise(advice).wrote(&output)
}
