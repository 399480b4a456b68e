//! What a session expects to ask next is what it asks next: so much can be done before.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Outcome, ReductionSession, Report, Session, Step};
use minirepro_testkit::plan;

/// Returns how many tests a reduction starts, and how many of them were expected while the test
/// before ran.
fn starts(input: &str, fails: impl Fn(&str) -> bool) -> (usize, usize) {
    let language = Arc::new(minirepro_languages::by_name("c").unwrap());
    let mut engine = ReductionSession::new(plan(language, input.as_bytes()));
    let mut starts = 0;
    let mut hits = 0;
    let mut expected = Vec::new();
    while let Step::Start { id, candidate } = engine.poll(Duration::ZERO) {
        starts += 1;
        hits += usize::from(expected.contains(&candidate));
        while engine.precompute() {}
        expected = engine.likely_next();
        assert!(!expected.contains(&candidate), "it runs already");
        let outcome = match fails(&String::from_utf8_lossy(&candidate)) {
            true => Outcome::Fail,
            false => Outcome::Pass,
        };
        engine.report(id, Report::from(outcome));
    }
    (starts, hits)
}

#[test]
fn most_tests_are_expected() {
    let functions = (0..40).map(|n| format!("int f{n}(int a) {{ return a * {n} + g{n}(a); }}\n"));
    let input: String = functions.collect();
    for needles in [&["f3", "g17", "return"][..], &["f1(int a) { return a * 1 + g1"]] {
        let (starts, hits) = starts(&input, |text| needles.iter().all(|n| text.contains(n)));
        assert!(hits * 10 >= starts * 7, "{hits} of {starts}");
    }
    let (starts, hits) = starts(&input, |_| false);
    assert!(hits * 10 >= starts * 9, "{hits} of {starts}, none reproduces");
}
