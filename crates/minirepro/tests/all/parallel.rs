//! Tests that run at the same time.

use std::collections::HashSet;
use std::sync::{Barrier, Mutex};
use std::thread;

use minirepro::{Outcome, Reduction};

fn lines() -> String {
    (0..80).map(|number| format!("line {number} of a text\n")).collect()
}

fn fails(text: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(text);
    match text.len() % 11 {
        5 => Outcome::Unresolved,
        _ => (text.contains("17") && text.contains("62")).into(),
    }
}

#[test]
fn the_result_and_its_certificate_are_the_same_for_any_number_of_threads() {
    let alone = Reduction::new(lines()).run(fails).unwrap();
    for jobs in [1, 2, 7] {
        let together = Reduction::new(lines()).run_parallel(jobs, fails).unwrap();
        assert_eq!(together.bytes, alone.bytes);
        assert_eq!(together.certificate, alone.certificate);
        assert_eq!(together.questions, alone.questions);
    }
}

#[test]
fn tests_run_at_the_same_time() {
    let (meeting, threads) = (Barrier::new(2), Mutex::new(HashSet::new()));
    let test = |text: &[u8]| {
        // Only after the baseline are there two questions at a time.
        let has_met = threads.lock().unwrap().len() >= 2;
        if text.len() < lines().len() && !has_met {
            threads.lock().unwrap().insert(thread::current().id());
            meeting.wait();
        }
        fails(text)
    };
    Reduction::new(lines()).run_parallel(2, test).unwrap();
    assert_eq!(threads.into_inner().unwrap().len(), 2);
}
