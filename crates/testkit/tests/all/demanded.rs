//! What messages of a tool bring back, where nearly everything goes at first.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{
    Budget, Consultation, Gone, Message, Outcome, Plan, ReductionSession, Said, Summary,
    Unreferenced, Whom,
};
use minirepro_testkit::{Answer, plan, run_with_proposer};

/// The chains that the failure needs, each as a whole.
const NEEDED: [usize; 5] = [3, 8, 9, 14, 18];

/// Functions in twenty chains of ten, each of which calls the one twenty before. The last function
/// calls the ends of all chains.
fn input() -> String {
    let mut text = String::new();
    for number in 0..200 {
        let call = match number {
            0..20 => "1".to_owned(),
            _ => format!("f{}() + 1", number - 20),
        };
        writeln!(text, "int f{number}() {{ int a{number} = {call}; return a{number}; }}").unwrap();
    }
    let calls: Vec<String> = (180..200).map(|number| format!("  f{number}();\n")).collect();
    text + &format!("int main() {{\n{}}}\n", calls.concat())
}

/// Returns where each line of a text begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    text.split_inclusive('\n').map(move |line| {
        end += line.len();
        (end - line.len(), line)
    })
}

/// Returns the names of functions that are called and not there, with a message about the line of
/// each call.
fn missing(text: &str) -> Vec<(Message, String)> {
    let is_there = |name: &str| text.contains(&format!("int {name}() {{"));
    let mut missing = Vec::new();
    for (begin, content) in lines(text) {
        let words = content.trim_start();
        let here = words.split(|c: char| !c.is_ascii_alphanumeric()).next().map(Into::into);
        let at = begin + content.len() - words.len();
        let here = Message { at: Some(at), here: here.into_iter().collect(), ..Message::default() };
        for (at, _) in content.match_indices("()") {
            let before = &content[..at];
            let begin = before.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |b| b + 1);
            let name = &before[begin..];
            if !is_there(name) {
                missing.push((here.clone(), name.to_owned()));
            }
        }
    }
    missing
}

fn fails(candidate: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(candidate);
    let mut needed = NEEDED.iter().flat_map(|chain| (0..200).skip(*chain).step_by(20));
    let is_there = needed.all(|number| text.contains(&format!("return a{number};")));
    match is_there && missing(&text).is_empty() {
        true => Outcome::Fail,
        false => Outcome::Pass,
    }
}

/// Says what is missing, at most twenty times, as compilers do; of a valid text, which function the
/// failure is in.
fn inform(consultation: &Consultation) -> Said {
    if consultation.whom == Whom::Analyser {
        return Said::Gone(Gone::NotStarted);
    }
    let text = String::from_utf8_lossy(&consultation.text);
    let missing = missing(&text);
    let quoting = |(message, name)| Message { quoted: vec![name], ..message };
    if missing.is_empty() && text.contains("f183") {
        let others = vec!["error".into(), "in".into(), "f183".into()];
        return Said::Messages(vec![Message { others, ..Message::default() }]);
    }
    Said::Messages(missing.into_iter().take(20).map(quoting).collect())
}

/// The tests after which results are compared.
const TESTS: u64 = 60;

fn reduce(
    jobs: usize,
    is_informed: bool,
    consult: &mut dyn FnMut(&Consultation) -> Said,
) -> (Vec<u8>, Vec<Answer>, Summary) {
    let language = Arc::new(minirepro_languages::by_name("c").unwrap());
    let budget = Budget { max_tests: Some(TESTS), ..Budget::default() };
    let plan = Plan { is_informed, jobs, budget, ..plan(language, input().as_bytes()) };
    let mut session = ReductionSession::new(plan);
    let duration = |text: &[u8]| Duration::from_millis(text.len() as u64 % 7 + 1);
    let answers = run_with_proposer(&mut session, &fails, &duration, consult);
    (session.best().to_vec(), answers, session.summary())
}

#[test]
fn messages_cost_no_size_and_jobs_decide_nothing() {
    let (result, answers, summary) = reduce(1, true, &mut inform);
    let (blind, ..) = reduce(1, false, &mut |_| unreachable!("nobody is there to be asked"));
    assert_eq!(fails(&result), Outcome::Fail);
    let (size, blind) = (result.len(), blind.len());
    assert!(size <= blind, "{size} {blind}");
    assert!((2..60).contains(&summary.consulted), "{}", summary.consulted);
    for jobs in [2, 5] {
        let (same, order, _) = reduce(jobs, true, &mut inform);
        assert_eq!((same, order), (result.clone(), answers.clone()));
    }
}

#[test]
fn an_informant_that_says_nothing_or_is_gone_costs_little() {
    let (blind, all, _) = reduce(1, false, &mut |_| unreachable!("nobody is there to be asked"));
    let (result, answers, summary) = reduce(1, true, &mut |_| Said::Gone(Gone::NotStarted));
    assert_eq!((&result, answers.len()), (&blind, all.len()));
    assert_eq!(summary.consulted, 2);
    let (result, ..) = reduce(1, true, &mut |_| Said::Messages(Vec::new()));
    let (size, blind) = (result.len(), blind.len());
    assert!(size * 4 < blind * 5, "{size} {blind}");
}

#[test]
fn an_informant_that_always_misses_something_else_is_not_asked_for_ever() {
    let mut next = 0;
    let mut inform = |_: &Consultation| {
        next = (next + 7) % 180;
        let quoted = vec![format!("f{next}")];
        Said::Messages(vec![Message { quoted, ..Message::default() }])
    };
    let (.., summary) = reduce(1, true, &mut inform);
    assert!(summary.consulted <= 200, "{}", summary.consulted);
}

/// Says that nothing refers to the functions of which the failure needs none, although `main` calls
/// them, and of their calls only where they are.
fn inform_of_references(consultation: &Consultation) -> Said {
    let text = String::from_utf8_lossy(&consultation.text);
    if consultation.whom == Whom::Informant {
        return Said::Messages(missing(&text).into_iter().map(|(message, _)| message).collect());
    }
    let function = |line: &str| -> Option<usize> {
        line.strip_prefix("int f")?.split('(').next()?.parse().ok()
    };
    let functions = lines(&text).filter_map(|(begin, line)| Some((begin + 4, function(line)?)));
    let unneeded = functions.filter(|(_, number)| !NEEDED.contains(&(number % 20)));
    let found = unneeded.map(|(at, number)| {
        let name = format!("f{number}");
        Unreferenced { at, name, is_body: false }
    });
    Said::Unreferenced(found.collect())
}

#[test]
fn what_nothing_refers_to_is_asked_for_the_same_with_any_number_of_jobs() {
    let (result, answers, summary) = reduce(1, true, &mut inform_of_references);
    assert_eq!(fails(&result), Outcome::Fail);
    assert!((2..40).contains(&summary.consulted), "{}", summary.consulted);
    let beside = reduce(3, true, &mut inform_of_references);
    assert_eq!((result, answers), (beside.0, beside.1));
}
