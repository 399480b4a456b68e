//! Results that are 2-minimal: no two edits of the certificate's kinds work together.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{
    Minimality, Outcome, Plan, ReductionSession, RefusedPairs, Scope, StopReason,
};
use minirepro_testkit::{plan, reduce, reduce_on_virtual_clock, run_on_virtual_clock};

fn squeezed(candidate: &[u8]) -> String {
    let text = candidate.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    String::from_utf8(text).unwrap_or_default()
}

/// Fails with as many opening as closing calls, and at least one `x`.
fn balanced(candidate: &[u8]) -> Outcome {
    let text = squeezed(candidate);
    let count = |what: &str| text.matches(what).count();
    match count("lock()") == count("free()") && count("x()") > 0 {
        true => Outcome::Fail,
        false => Outcome::Unresolved,
    }
}

const LOCKED: &[u8] = b"void f() { lock(); lock(); x(); free(); free(); }";

fn pairs_of(language: &str, input: &[u8]) -> Plan {
    let language = Arc::new(minirepro_languages::by_name(language).unwrap());
    let scope = Scope { minimality: Minimality::Pairs, ..Scope::default() };
    Plan { scope, ..plan(language, input) }
}

#[test]
fn a_certificate_counts_pairs_only_if_they_were_tried() {
    let oracle = |candidate: &[u8]| match squeezed(candidate).starts_with("[9,1") {
        true => Outcome::Fail,
        false => Outcome::Pass,
    };
    let told = reduce(pairs_of("json", b"[9, 1, 3, 2, 3]"), &oracle);
    let RefusedPairs { count, refused, unresolved } =
        told.summary.certificate.unwrap().pairs.unwrap();
    assert!(count > refused && refused > 0 && unresolved == 0, "{count} {refused} {unresolved}");
    let plain = Plan { scope: Scope::default(), ..pairs_of("json", b"[9, 1, 3, 2, 3]") };
    assert_eq!(reduce(plain, &oracle).summary.certificate.unwrap().pairs, None);
}

#[test]
fn calls_that_must_be_balanced_go_in_pairs() {
    let told = reduce(pairs_of("c", LOCKED), &balanced);
    assert!(!squeezed(&told.result).contains("lock"), "{}", squeezed(&told.result));
}

#[test]
fn pairs_do_not_depend_on_jobs() {
    let one = reduce(pairs_of("c", LOCKED), &balanced);
    for jobs in [2, 5] {
        let plan = Plan { jobs, ..pairs_of("c", LOCKED) };
        let duration = |text: &[u8]| Duration::from_millis(text.len() as u64 % 7 + 1);
        let told = reduce_on_virtual_clock(plan, &balanced, &duration);
        assert_eq!(told.result, one.result);
        assert_eq!(told.answers, one.answers, "{jobs} jobs");
        assert_eq!(told.summary.certificate, one.summary.certificate);
    }
}

#[test]
fn verifying_finds_the_pair_that_was_left() {
    let text: Arc<[u8]> = Arc::from(&b"[9,1,2]"[..]);
    let oracle = |candidate: &[u8]| match squeezed(candidate).as_str() {
        "[9,1,2]" | "[9]" => Outcome::Fail,
        _ => Outcome::Pass,
    };
    for (minimality, stopped) in
        [(Minimality::Single, None), (Minimality::Pairs, Some(StopReason::StillReducible))]
    {
        let scope = Scope { minimality, ..Scope::default() };
        let plan = Plan { scope, ..pairs_of("json", &text) };
        let mut session = ReductionSession::verify(plan, Arc::clone(&text));
        run_on_virtual_clock(&mut session, &oracle, &|_| Duration::from_millis(1));
        assert_eq!(session.summary().stopped, stopped, "{minimality}");
        assert_eq!(session.summary().certificate.is_some(), stopped.is_none());
    }
}
