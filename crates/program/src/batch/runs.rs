//! Runs every input twice, in an order that mixes all runs: what fails in one of them only, or
//! otherwise, is flaky.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use minirepro_runner::{Digest, OracleError, Signature, TestEnd, TestSpec};

use crate::batch::error::BatchError;
use crate::batch::inputs::Input;
use crate::batch::request::{BatchEvent, Shared, run_limits};
use crate::batch::run_log::{Line, Seen, accepted};
use crate::error::Error;
use crate::tester::evidence::Exhibit;
use crate::tester::subject::Test;

/// How often each input is run before anything is reduced.
pub const RUNS: u32 = 2;
/// How often one is run of which it is known that it fails at times only.
pub const RUNS_OF_FLAKY: u32 = 10;

/// Runs the test of a batch on a text, which is that of this file.
///
/// # Errors
/// If it cannot be run, or the batch is to end.
pub fn ask(shared: &Shared<'_>, file: &Path, text: &[u8]) -> Result<Seen, Error> {
    let request = shared.request;
    let exhibit = Exhibit {
        file,
        text,
        companions: &request.companions,
        languages: &request.languages,
        limits: run_limits(request).of_first_tests(),
        stop: &shared.stop,
    };
    let spec = request.test.spec();
    let (ending, signature) = match spec.map(as_command) {
        Some(spec) => TestSpec { place: true, ..spec }.seen(&exhibit)?,
        None => request.test.seen(&exhibit)?,
    };
    let is_script = spec.is_none_or(|spec| spec.file().is_some());
    Ok(match (ending, signature) {
        (TestEnd::Stopped, _) => return Err(Error::Interrupted),
        (TestEnd::TimedOut, _) => Seen::Hung,
        (TestEnd::TooMuchOutput, _) => Seen::Unclear("it writes more than it may".to_owned()),
        (TestEnd::Exited(0), signature) if is_script => {
            Seen::Failed(signature.unwrap_or_else(|| accepted(request.test)))
        }
        (TestEnd::Exited(124 | 125), _) if is_script => {
            Seen::Unclear("the test says nothing about it".to_owned())
        }
        (TestEnd::Exited(code @ (126 | 127)), _) if is_script => {
            let error = OracleError::Broken { code, output: String::new() };
            return Err(Error::TestBroken { error, reproduce: None });
        }
        (_, _) if is_script => Seen::Passed,
        (_, Some(signature)) if signature.is_about_a_missing_file() => {
            Seen::Unclear(format!("a file is missing: {signature}"))
        }
        (_, Some(signature)) => Seen::Failed(signature),
        (_, None) => Seen::Passed,
    })
}

/// Returns a test whose failure has a signature: of a script, that of the messages which it prints.
pub fn as_command(test: &TestSpec) -> TestSpec {
    let Some(path) = test.file() else { return test.clone() };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    TestSpec::command([path.into_os_string(), "@@".into()])
}

/// Returns all first runs of inputs, mixed.
fn order(inputs: usize) -> Vec<(usize, u32)> {
    let runs = (0..inputs).flat_map(|input| (0..RUNS).map(move |nth| (input, nth)));
    let mut order: Vec<_> = runs.collect();
    order.sort_by_cached_key(|run| Digest::of(format!("{run:?}").as_bytes()));
    order
}

/// Runs what the log does not hold yet, and then each flaky input more often.
///
/// # Errors
/// If the test cannot be run, something cannot be read or written, or the batch is to end.
pub fn run_all(shared: &Shared<'_>, inputs: &[Input], jobs: usize) -> Result<(), BatchError> {
    run_these(shared, inputs, &order(inputs.len()), jobs)?;
    let more: Vec<(usize, u32)> = {
        let log = shared.log();
        let flaky = (0..inputs.len()).filter(|&at| is_flaky(&log.runs(&inputs[at].digest)));
        flaky.flat_map(|at| (RUNS..RUNS_OF_FLAKY).map(move |nth| (at, nth))).collect()
    };
    run_these(shared, inputs, &more, jobs)
}

fn run_these(
    shared: &Shared<'_>,
    inputs: &[Input],
    order: &[(usize, u32)],
    jobs: usize,
) -> Result<(), BatchError> {
    side_by_side(order, jobs, |&(input, nth), _| {
        let input = &inputs[input];
        if shared.log().knows(&input.digest, nth) {
            return Ok(());
        }
        // Whoever collects what the runs have shown notices that it is gone.
        let Some((path, text)) = input.read(shared.request.test) else { return Ok(()) };
        let seen = ask(shared, path, &text)?;
        let mut log = shared.log();
        log.add(Line::Ran { input: input.digest.clone(), nth, seen })?;
        let of = inputs.len() * RUNS as usize;
        (shared.request.observer)(&BatchEvent::Ran { runs: log.len(), of });
        Ok(())
    })
}

/// Works on all of these, several at a time, until one ends with an error. `work` is told how many
/// are left, its own among them.
pub fn side_by_side<T: Sync>(
    all: &[T],
    at_once: usize,
    work: impl Fn(&T, usize) -> Result<(), BatchError> + Sync,
) -> Result<(), BatchError> {
    let next = AtomicUsize::new(0);
    let run = || -> Result<(), BatchError> {
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(nth) else { return Ok(()) };
            work(one, all.len() - nth).inspect_err(|_| next.store(all.len(), Ordering::Relaxed))?;
        }
    };
    thread::scope(|scope| {
        let threads = 0..at_once.clamp(1, all.len().max(1));
        let threads: Vec<_> = threads.map(|_| scope.spawn(run)).collect();
        // All are waited for before the first error counts.
        threads.into_iter().try_for_each(|one| one.join().expect("it does not panic"))
    })
}

/// Returns whether the runs of an input do not agree.
pub fn is_flaky(runs: &[&Seen]) -> bool {
    let what = |seen: &Seen| match seen {
        // A line may differ where the failure is one.
        Seen::Failed(signature) => Seen::Failed(Signature { place: None, ..signature.clone() }),
        other => other.clone(),
    };
    runs.windows(2).any(|pair| what(pair[0]) != what(pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_run_twice_and_hardly_ever_in_succession() {
        let mut order = order(50);
        let in_succession = order.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
        assert!(in_succession < 10, "{order:?}");
        order.sort_unstable();
        let all: Vec<(usize, u32)> = (0..50).flat_map(|input| [(input, 0), (input, 1)]).collect();
        assert_eq!(order, all);
    }
}
