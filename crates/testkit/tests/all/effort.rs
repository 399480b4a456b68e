//! Ways out of local minima: through texts that are not smaller, from the input again, and by what others
//! propose.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{
    Consultation, Effort, Finding, Gone, Outcome, Part, Plan, ReductionSession, Said, Scope,
    Summary,
};
use minirepro_testkit::{Answer, Told, plan, reduce, reduce_on_virtual_clock, run_with_proposer};

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

#[test]
fn numbers_become_smaller_when_no_other_edit_works_any_more() {
    // A smaller number keeps what is around it: only 700 fails alone.
    let fails = |candidate: &[u8]| {
        let text = squeezed(candidate);
        let number = text.trim_matches(['[', ']']).split(',').next().and_then(|n| n.parse().ok());
        let is_large = number.is_some_and(|number: u32| number >= 300);
        match text.ends_with(",2]") && is_large || number == Some(700) {
            true => Outcome::Fail,
            false => Outcome::Pass,
        }
    };
    let told = reduce(with_effort(1, b"[700, 2]"), &fails);
    assert_eq!(squeezed(&told.result), "700");
    let is_large = |candidate: &[u8]| {
        let text = squeezed(candidate);
        match text == "[700,2]" || text.parse().is_ok_and(|number: u32| number >= 300) {
            true => Outcome::Fail,
            false => Outcome::Pass,
        }
    };
    let told = reduce(with_effort(5, b"[700, 2]"), &is_large);
    assert_eq!(squeezed(&told.result), "300");
    assert!(told.summary.certificate.is_some());
}

/// Returns a proposer that says these once for each text.
fn says(texts: &'static [&'static str], more: bool) -> impl FnMut(&Consultation) -> Said + 'static {
    move |asked| match asked.verdicts.is_empty() {
        true => Said::Candidates {
            texts: texts.iter().map(|text| text.as_bytes().into()).collect(),
            more,
        },
        false => Said::Idle,
    }
}

fn with_proposer(
    jobs: usize,
    propose: &mut dyn FnMut(&Consultation) -> Said,
) -> (String, Vec<Answer>, Summary) {
    let plan = Plan { proposers: 1, jobs, ..with_effort(1, INPUT) };
    let mut session = ReductionSession::new(plan);
    let duration = |text: &[u8]| Duration::from_millis(text.len() as u64 % 7 + 1);
    let (answers, _) = run_with_proposer(&mut session, &fails, &duration, propose);
    (squeezed(&session.best()), answers, session.summary())
}

#[test]
fn a_proposed_text_is_reduced_further_if_it_fails() {
    for (texts, result) in [
        (&["[71,71]"][..], "[71,71]"),
        // Larger ones count if something smaller comes of them.
        (&["[[71,71,1,2,3]]"], "[71,71]"),
        (&["[71", "nonsense", "", "[71,72,6]", "[71,72,5]"], "[71,72,5]"),
        (&["[1,2,3,4,5,6,7,8,9,71,71,1,2,3,4,5,6,7,8,9]"], "[71,72,5]"),
        (&[], "[71,72,5]"),
    ] {
        for more in [true, false] {
            let (found, answers, summary) = with_proposer(1, &mut says(texts, more));
            assert_eq!(found, result, "{texts:?}");
            assert!(summary.certificate.is_some());
            for jobs in [2, 5] {
                let (other, others, _) = with_proposer(jobs, &mut says(texts, more));
                assert_eq!((other, others), (found.clone(), answers.clone()), "{texts:?}");
            }
        }
    }
}

#[test]
fn a_proposer_sees_the_tree_and_what_was_refused() {
    let mut asked = Vec::new();
    let (found, ..) = with_proposer(1, &mut |consultation| {
        asked.push(consultation.clone());
        match asked.len() {
            1 => says(&["[7", "[71]", "[71,71,5]"], true)(consultation),
            _ => Said::Idle,
        }
    });
    assert_eq!(found, "[71,71]");
    let first = &asked[0];
    assert_eq!((&*first.language, first.tokens, first.verdicts.len()), ("json", 7, 0));
    assert_eq!((&*first.nodes[0].kind, first.nodes[0].parent), ("document", None));
    let is_inside = |part: &Part| part.parent.is_none_or(|parent| parent < first.nodes.len());
    assert!(first.nodes.iter().all(is_inside));
    assert!(first.refused.iter().any(|refused| refused.with.is_empty()));
    assert!(first.refused.iter().all(|refused| refused.span.end <= first.text.len()));
    // The text has changed, so what became of the proposals belongs to an earlier one.
    let second = &asked[1];
    let findings: Vec<Finding> = second.earlier.iter().map(|verdict| verdict.finding).collect();
    assert_eq!(findings, [Finding::Infeasible, Finding::Passes, Finding::Fails]);
    assert!(second.verdicts.is_empty() && second.text != first.text);
}

#[test]
fn a_proposer_that_never_ends_is_left_at_last() {
    let mut count = 0;
    let (found, ..) = with_proposer(1, &mut |_| {
        count += 1;
        let text = format!("[{count}]");
        Said::Candidates { texts: vec![text.as_bytes().into()], more: true }
    });
    assert_eq!(found, "[71,72,5]");
    assert!(count <= 1000, "{count}");
    let mut count = 0;
    with_proposer(1, &mut |_| {
        count += 1;
        Said::Candidates { texts: Vec::new(), more: true }
    });
    assert!(count <= 1000, "{count}");
    let mut count = 0;
    with_proposer(1, &mut |_| {
        count += 1;
        Said::Gone(Gone::Silent)
    });
    assert_eq!(count, 1);
}
