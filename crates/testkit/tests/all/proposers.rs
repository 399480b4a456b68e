//! Candidates of proposers: they are reduced further if they fail, also if they are larger.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Consultation, Gone, Outcome, Plan, ReductionSession, Said, Summary};
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

/// Returns a proposer that says this for each text.
fn says(texts: &[&str]) -> Said {
    Said::Candidates(texts.iter().map(|text| text.as_bytes().into()).collect())
}

fn with_proposer(
    jobs: usize,
    propose: &mut dyn FnMut(&Consultation) -> Said,
) -> (String, Vec<Answer>, Summary) {
    let language = Arc::new(minirepro_languages::by_name("json").unwrap());
    let plan = Plan { proposers: 1, jobs, ..plan(language, INPUT) };
    let mut session = ReductionSession::new(plan);
    let duration = |text: &[u8]| Duration::from_millis(text.len() as u64 % 7 + 1);
    let answers = run_with_proposer(&mut session, &fails, &duration, propose);
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
        let (found, answers, summary) = with_proposer(1, &mut |_| says(texts));
        assert_eq!(found, result, "{texts:?}");
        assert!(summary.certificate.is_some());
        for jobs in [2, 5] {
            let (other, others, _) = with_proposer(jobs, &mut |_| says(texts));
            assert_eq!((other, others), (found.clone(), answers.clone()), "{texts:?}");
        }
    }
}

#[test]
fn each_text_is_shown_once() {
    let mut asked = Vec::new();
    let (found, ..) = with_proposer(1, &mut |consultation| {
        asked.push((consultation.language.to_string(), squeezed(&consultation.text)));
        says(&["[7", "[71]", "[71,71,5]"])
    });
    assert_eq!(found, "[71,71]");
    let expected = ["[71,72,5]", "[71,71]"].map(|text| ("json".to_owned(), text.to_owned()));
    assert_eq!(asked, expected);
}

#[test]
fn whoever_has_nothing_to_say_is_not_asked_again() {
    let mut count = 0;
    with_proposer(1, &mut |_| {
        count += 1;
        Said::Gone(Gone::Silent)
    });
    assert_eq!(count, 1);
}
