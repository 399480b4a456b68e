//! Sessions that die anywhere and go on.

use std::path::Path;

use super::*;
use crate::records::{Facts, Header};

/// Asks about the numbers from 0 to 9 and stops at the end.
struct Counting {
    next: u64,
    told: Vec<Outcome>,
    over: bool,
}

impl Counting {
    fn new() -> Self {
        Self { next: 0, told: Vec::new(), over: false }
    }
}

impl Session for Counting {
    fn poll(&mut self, _now: Duration) -> Step {
        if self.over || self.next == 10 {
            return Step::Done;
        }
        let candidate = self.next.to_string().into_bytes().into();
        Step::Start { id: JobId(self.next), candidate }
    }
    fn report(&mut self, id: JobId, report: Report) {
        assert_eq!(id.0, self.next);
        self.told.push(report.outcome);
        self.next += 1;
    }
    fn take_stale(&mut self) -> Vec<JobId> {
        Vec::new()
    }
    fn stop(&mut self, _why: &str) {
        self.over = true;
    }
    fn take_events(&mut self) -> Vec<Event> {
        Vec::new()
    }
}

fn answer(candidate: &[u8]) -> Report {
    let (outcome, timed_out) = match candidate[0] % 3 {
        0 => (Outcome::Fail, false),
        1 => (Outcome::Pass, false),
        _ => (Outcome::Unresolved, true),
    };
    Report { outcome, time: Duration::from_secs(1), timed_out }
}

/// Goes on until so many tests were run.
fn run(session: &mut Recorded<'_>, tests: usize) -> usize {
    for ran in 0..tests {
        match session.poll(Duration::ZERO) {
            Step::Start { id, candidate } => session.report(id, answer(&candidate)),
            _ => return ran,
        }
    }
    tests
}

#[test]
fn a_run_that_died_after_any_test_goes_on_with_the_next_one() {
    let undisturbed: Vec<Outcome> =
        (0..10).map(|n: u8| answer(n.to_string().as_bytes()).outcome).collect();
    for killed in 0..=10 {
        let place = tempfile::tempdir().unwrap();
        let (mut journal, _) = Journal::open(place.path()).unwrap();
        let facts = Facts::new();
        let header = Header::new("1", Path::new("/"), &[], b"", facts.clone(), facts.clone());
        journal.begin(header, b"").unwrap();
        let mut counting = Counting::new();
        run(&mut Recorded::new(&mut counting, None, Some(&mut journal), None), killed);
        drop(journal);

        let past = Past::read(place.path()).unwrap();
        let mut replayed = Counting::new();
        assert_eq!(replay(&mut replayed, &past, &mut |_, _| {}), killed == 10);
        assert_eq!(replayed.told, undisturbed[..killed]);

        let (mut journal, past) = Journal::open(place.path()).unwrap();
        let mut counting = Counting::new();
        let mut resumed = Recorded::new(&mut counting, past.as_ref(), Some(&mut journal), None);
        assert_eq!(run(&mut resumed, 99), 10 - killed);
        assert_eq!(resumed.recalled().journal, killed as u64);
        assert_eq!(counting.told, undisturbed);
    }
}

#[test]
fn the_cache_spares_tests_but_the_journal_is_complete() {
    let place = tempfile::tempdir().unwrap();
    let facts = Facts::new();
    for first in [true, false] {
        let mut cache = Cache::open(&place.path().join("cache"), &facts).unwrap();
        let directory = place.path().join("run");
        let (mut journal, _) = Journal::open(&directory).unwrap();
        let header = Header::new("1", Path::new("/"), &[], b"", facts.clone(), facts.clone());
        journal.begin(header, b"").unwrap();
        let mut counting = Counting::new();
        let mut session = Recorded::new(&mut counting, None, Some(&mut journal), Some(&mut cache));
        let timeouts = (0..10).filter(|n: &u8| answer(n.to_string().as_bytes()).timed_out);
        assert_eq!(run(&mut session, 99), if first { 10 } else { timeouts.count() });
        drop(journal);
        let past = Past::read(&directory).unwrap();
        assert!(replay(&mut Counting::new(), &past, &mut |_, _| {}));
    }
}
