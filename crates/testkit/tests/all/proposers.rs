//! Candidates of proposers: they are reduced further if they fail, also if they are larger.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{
    Consultation, DescribedNode, Finding, Gone, Outcome, Plan, ReductionSession, Said, Summary,
};
use minirepro_testkit::{Answer, plan, run_with_proposer};

fn squeezed(candidate: &[u8]) -> String {
    let text = candidate.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    String::from_utf8(text).unwrap_or_default()
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
    let language = Arc::new(minirepro_languages::by_name("json").unwrap());
    let plan = Plan { proposers: 1, jobs, ..plan(language, INPUT) };
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
    let is_inside =
        |part: &DescribedNode| part.parent.is_none_or(|parent| parent < first.nodes.len());
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
