//! Ways out of local minima: through texts that are not smaller, and from the input again.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Effort, Outcome, Plan, Scope};
use minirepro_testkit::{Told, plan, reduce, reduce_on_virtual_clock};

fn squeezed(candidate: &[u8]) -> String {
    let text = candidate.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    String::from_utf8(text).unwrap_or_default()
}

fn with_effort(effort: u8, input: &[u8]) -> Plan {
    let language = Arc::new(minirepro_languages::by_name("json").unwrap());
    let effort: Effort = effort.to_string().parse().unwrap();
    let scope = Scope { effort, ..Scope::default() };
    Plan { scope, ..plan(language, input) }
}

const INPUT: &[u8] = b"[[71, 2], [72, 2], 5, {\"a\": [6]}]";

/// Two numbers that are alike are enough; of different ones a third is needed.
fn fails(candidate: &[u8]) -> Outcome {
    let text = squeezed(candidate);
    let are_different = ["71", "72", "5"].iter().all(|number| text.contains(number));
    match are_different || text.matches("71").count() == 2 {
        true => Outcome::Fail,
        false => Outcome::Pass,
    }
}

fn tokens(told: &Told) -> u64 {
    told.summary.tokens.1
}

#[test]
fn a_step_sideways_leads_to_something_smaller() {
    let little = reduce(with_effort(1, INPUT), &fails);
    let much = reduce(with_effort(9, INPUT), &fails);
    assert_eq!(squeezed(&little.result), "[71,72,5]");
    assert_eq!(squeezed(&much.result), "[71,71]");
    assert!(much.summary.certificate.is_some());
}

#[test]
fn more_effort_is_never_larger_and_does_not_depend_on_jobs() {
    let little = reduce(with_effort(1, INPUT), &fails);
    for effort in 2..=9 {
        let told = reduce(with_effort(effort, INPUT), &fails);
        assert!(tokens(&told) <= tokens(&little), "{effort}");
        for jobs in [2, 5] {
            let plan = Plan { jobs, ..with_effort(effort, INPUT) };
            let duration = |text: &[u8]| Duration::from_millis(text.len() as u64 % 7 + 1);
            let other = reduce_on_virtual_clock(plan, &fails, &duration);
            assert_eq!(other.result, told.result, "{effort}");
            assert_eq!(other.answers, told.answers, "effort {effort}, {jobs} jobs");
        }
    }
}

#[test]
fn effort_bounds_the_number_of_answers() {
    // Everything that holds both numbers fails: sideways steps find more and more texts.
    let fails = |candidate: &[u8]| {
        let text = squeezed(candidate);
        if text.contains("71") && text.contains("72") { Outcome::Fail } else { Outcome::Pass }
    };
    let told = |effort| reduce(with_effort(effort, INPUT), &fails).answers.len() as u64;
    let base = told(1);
    for (effort, percent) in [(3, 10), (5, 50), (9, 900)] {
        let most = base + base * percent / 100 + 1;
        assert!(told(effort) <= most, "effort {effort}: {} answers, not {most}", told(effort));
    }
}
