//! What messages of a tool bring back, where nearly everything goes at first.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{
    Consultation, Gone, Message, Outcome, Plan, ReductionSession, Said, Summary, Whom,
};
use minirepro_testkit::{Answer, plan, run_with_proposer};

/// Functions that each call the one before, in chains of ten. The failure is in the last chain but
/// one, and needs what one of its functions calls without an argument.
fn input() -> String {
    let mut text = String::new();
    for number in 0..200 {
        let call = match number % 10 {
            0 => "1".to_owned(),
            _ => format!("f{}() + 1", number - 1),
        };
        writeln!(text, "int f{number}() {{ int a{number} = {call}; return a{number}; }}").unwrap();
    }
    text + "int main() { return f9() + f99() + f189() + f199(); }\n"
}

/// Returns the names of functions that are called and not there, with the line of each call.
fn missing(text: &str) -> Vec<(u32, String)> {
    let is_there = |name: &str| text.contains(&format!("int {name}() {{"));
    let mut missing = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        for (at, _) in content.match_indices("()") {
            let before = &content[..at];
            let begin = before.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |b| b + 1);
            let name = &before[begin..];
            if !is_there(name) {
                missing.push((line, name.to_owned()));
            }
        }
    }
    missing
}

fn fails(candidate: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(candidate);
    let is_there = text.contains("f183()") && text.contains("int a187 = f186() + 1;");
    match is_there && missing(&text).is_empty() {
        true => Outcome::Fail,
        false => Outcome::Pass,
    }
}

/// Says what is missing, at most twenty times, as compilers do; of a valid text, which function the
/// failure is in.
fn inform(consultation: &Consultation) -> Said {
    assert_eq!(consultation.whom, Whom::Informant);
    let text = String::from_utf8_lossy(&consultation.text);
    let missing = missing(&text);
    let quoting = |(line, name): (u32, String)| Message {
        place: Some((line, 0)),
        quoted: vec![name.into()],
        others: Vec::new(),
    };
    if missing.is_empty() && text.contains("f187") {
        let others = vec!["error".into(), "in".into(), "f187".into()];
        return Said::Messages(vec![Message { others, ..Message::default() }]);
    }
    Said::Messages(missing.into_iter().take(20).map(quoting).collect())
}

fn reduce(
    jobs: usize,
    is_informed: bool,
    consult: &mut dyn FnMut(&Consultation) -> Said,
) -> (Vec<u8>, Vec<Answer>, Summary) {
    let language = Arc::new(minirepro_languages::by_name("c").unwrap());
    let plan = Plan { is_informed, jobs, ..plan(language, input().as_bytes()) };
    let mut session = ReductionSession::new(plan);
    let duration = |text: &[u8]| Duration::from_millis(text.len() as u64 % 7 + 1);
    let (answers, _) = run_with_proposer(&mut session, &fails, &duration, consult);
    (session.best().to_vec(), answers, session.summary())
}

#[test]
fn one_test_is_enough_where_messages_say_what_is_needed() {
    let (result, answers, summary) = reduce(1, true, &mut inform);
    let (blind, all, _) = reduce(1, false, &mut |_| unreachable!("nobody is there to be asked"));
    assert_eq!(fails(&result), Outcome::Fail);
    assert!(result.len() <= blind.len(), "{}", String::from_utf8_lossy(&result));
    assert!(summary.certificate.is_some());
    assert!(answers.len() * 4 < all.len() * 3, "{} {}", answers.len(), all.len());
    assert!((2..60).contains(&summary.consulted), "{}", summary.consulted);
    for jobs in [2, 5] {
        assert_eq!(reduce(jobs, true, &mut inform).0, result);
        assert_eq!(reduce(jobs, true, &mut inform).1, answers);
    }
}

#[test]
fn an_informant_that_says_nothing_or_is_gone_costs_little() {
    let (blind, all, _) = reduce(1, false, &mut |_| unreachable!("nobody is there to be asked"));
    let (result, answers, summary) = reduce(1, true, &mut |_| Said::Gone(Gone::NotStarted));
    assert_eq!((result, answers.len()), (blind.clone(), all.len()));
    assert_eq!(summary.consulted, 1);
    let (result, answers, _) = reduce(1, true, &mut |_| Said::Messages(Vec::new()));
    assert_eq!(result, blind);
    assert!(answers.len() < all.len() + 40, "{} {}", answers.len(), all.len());
}
