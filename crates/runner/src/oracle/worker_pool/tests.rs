//! A session that follows a script, and an oracle whose tests end when they are told to.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use minirepro_engine::{Outcome, Said};

use super::*;

/// Starts a number of tests, at most `jobs` at a time, and cancels those in `stale`.
struct Fake {
    left: u64,
    jobs: usize,
    running: BTreeSet<JobId>,
    stale: Vec<JobId>,
    reported: Vec<(u64, Outcome)>,
    stopped: Option<StopReason>,
    events: Vec<Event>,
}

impl Fake {
    fn new(tests: u64, jobs: usize) -> Self {
        let running = BTreeSet::new();
        Self {
            left: tests,
            jobs,
            running,
            stale: vec![],
            reported: vec![],
            stopped: None,
            events: vec![],
        }
    }
}

impl Session for Fake {
    fn poll(&mut self, _now: Duration) -> Step {
        if self.stopped.is_some() || self.left == 0 && self.running.is_empty() {
            Step::Done
        } else if self.left == 0 || self.running.len() == self.jobs {
            Step::Wait
        } else {
            self.left -= 1;
            let id = JobId(self.left);
            self.running.insert(id);
            Step::Start { id, candidate: self.left.to_string().into_bytes().into() }
        }
    }

    fn report(&mut self, id: JobId, outcome: Outcome) {
        assert!(self.running.remove(&id), "reported once, and never when stale");
        self.reported.push((id.0, outcome));
    }

    fn cancelled_jobs(&mut self) -> Vec<JobId> {
        let all_busy = self.running.len() == self.jobs;
        let stale = self.stale.extract_if(.., |id| all_busy && self.running.remove(id));
        stale.collect()
    }

    fn stop(&mut self, why: StopReason) {
        self.stopped.get_or_insert(why);
    }

    fn take_events(&mut self) -> std::vec::Drain<'_, Event> {
        self.events.drain(..)
    }
}

struct Simulated<F>(F);

impl<F: Fn(u64, &CancelToken) -> Result<TestEnd, OracleError> + Send + Sync> Oracle
    for Simulated<F>
{
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let number = str::from_utf8(candidate).unwrap().parse().unwrap();
        let ending = (self.0)(number, stop)?;
        let outcome = match ending {
            TestEnd::Exited(0) => Outcome::Fail,
            TestEnd::Exited(_) => Outcome::Pass,
            _ => Outcome::Unresolved,
        };
        Ok(Observation { outcome, ending, time: Duration::from_secs(1) })
    }
}

/// Waits for the stop without looking again and again.
fn hang(stop: &CancelToken) -> TestEnd {
    let mut fds = [rustix::event::PollFd::new(stop, rustix::event::PollFlags::IN)];
    rustix::event::poll(&mut fds, None).unwrap();
    TestEnd::Stopped
}

#[test]
fn every_test_is_run_and_reported_once() {
    for jobs in [1, 2, 3, 8] {
        let mut session = Fake::new(40, jobs);
        let now = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
        let oracle = Simulated(|number, _: &CancelToken| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(if number % 4 == 0 { TestEnd::Exited(0) } else { TestEnd::TimedOut })
        });
        let stop = CancelToken::new().unwrap();
        let (tally, result) = drive(
            &mut session,
            &oracle,
            jobs,
            &stop,
            None,
            &mut |_| Ok(Said::Candidates(Vec::new())),
            &mut |_, _| {},
        );
        assert!(result.is_ok() && most.into_inner() <= jobs);
        session.reported.sort_unstable();
        let expected =
            (0..40).map(|n| (n, if n % 4 == 0 { Outcome::Fail } else { Outcome::Unresolved }));
        assert_eq!(session.reported, expected.collect::<Vec<_>>());
        let time = Duration::from_secs(40);
        assert_eq!(tally, RunnerStats { tests: 40, timeouts: 30, time, ..RunnerStats::default() });
    }
}

#[test]
fn stale_tests_are_ended_and_not_reported() {
    let mut session = Fake::new(10, 2);
    session.stale = vec![JobId(9), JobId(4)];
    let oracle = Simulated(|number, stop: &CancelToken| {
        Ok(if [9, 4].contains(&number) { hang(stop) } else { TestEnd::Exited(1) })
    });
    let stop = CancelToken::new().unwrap();
    let (tally, result) = drive(
        &mut session,
        &oracle,
        2,
        &stop,
        None,
        &mut |_| Ok(Said::Candidates(Vec::new())),
        &mut |_, _| {},
    );
    assert!(result.is_ok());
    let mut reported: Vec<u64> = session.reported.iter().map(|(id, _)| *id).collect();
    reported.sort_unstable();
    assert_eq!(reported, [0, 1, 2, 3, 5, 6, 7, 8]);
    assert!(tally.cancelled <= 2);
}

#[test]
fn a_stop_ends_running_tests_and_the_session() {
    for jobs in [1, 3] {
        let mut session = Fake::new(100, jobs);
        let stop = CancelToken::new().unwrap();
        let (all_run, wait) = sync_channel(100);
        let oracle = Simulated(move |number, stop: &CancelToken| {
            if number > 95 {
                return Ok(TestEnd::Exited(1));
            }
            all_run.send(()).unwrap();
            Ok(hang(stop))
        });
        let ctrl_c = stop.clone();
        let thread = thread::spawn(move || {
            (0..jobs).for_each(|_| wait.recv().unwrap());
            ctrl_c.set();
            wait
        });
        let (tally, result) = drive(
            &mut session,
            &oracle,
            jobs,
            &stop,
            None,
            &mut |_| Ok(Said::Candidates(Vec::new())),
            &mut |_, _| {},
        );
        thread.join().unwrap();
        assert!(result.is_ok());
        assert_eq!(session.stopped, Some(StopReason::Interrupted));
        assert_eq!(session.reported.len(), 4, "those before the stop");
        assert!(tally.tests >= 4, "those that were stopped may not be counted");
    }
}

#[test]
fn a_broken_test_ends_the_session() {
    let broken = || Err(OracleError::Broken { code: 127, output: String::new() });
    let breaks: [&(dyn Fn() -> Result<TestEnd, OracleError> + Sync); 2] =
        [&broken, &|| panic!("of {}", "a test")];
    for (jobs, breaks, expected) in [
        (1, breaks[0], "the test script is broken"),
        (3, breaks[0], "the test script is broken"),
        (1, breaks[1], "the test panicked: of a test"),
        (3, breaks[1], "the test panicked: of a test"),
    ] {
        let mut session = Fake::new(100, jobs);
        let oracle = Simulated(|number, _: &CancelToken| match number {
            50 => breaks(),
            _ => Ok(TestEnd::Exited(1)),
        });
        let stop = CancelToken::new().unwrap();
        let (_, result) = drive(
            &mut session,
            &oracle,
            jobs,
            &stop,
            None,
            &mut |_| Ok(Said::Candidates(Vec::new())),
            &mut |_, _| {},
        );
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(session.stopped, Some(StopReason::OracleFailed));
    }
}
