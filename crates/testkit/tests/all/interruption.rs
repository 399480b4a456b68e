//! Whatever takes long ends soon after an interruption, and what it would have done is left undone.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use minirepro_engine::{Event, Outcome, ReductionSession, Session, Step, StopReason};
use minirepro_passes::{PassContext, own};
use minirepro_syntax::{Interruption, InterruptionGuard, Language};
use minirepro_testkit::plan;

/// Says that it is over from the question with a given number on, and counts the questions.
#[derive(Clone)]
struct Alarm {
    asked: Arc<AtomicUsize>,
    at: usize,
}

impl Alarm {
    fn at(question: usize) -> Self {
        Self { asked: Arc::default(), at: question }
    }

    fn never() -> Self {
        Self::at(usize::MAX)
    }

    fn rings(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.at
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    fn watch(&self, language: &Language) -> InterruptionGuard {
        let alarm = self.clone();
        language.interruption.watch(move || alarm.rings())
    }
}

fn language(name: &str) -> Language {
    minirepro_languages::by_name(name).expect("the language is there")
}

fn functions(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        write!(text, "int f{i}(int a) {{ int x = a + {i}; if (x > 7) {{ g(x, a); }} return x; }} ")
            .expect("strings take all");
    }
    text
}

#[test]
fn reading_a_long_text_asks_all_the_time_and_stops_when_told_so() {
    let list = (0..20_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let broken = "{".repeat(30_000);
    for (name, text) in [
        ("c", functions(200)),
        ("c", functions(2_000)),
        ("c", format!("int a[] = {{ {list} }};")),
        ("c", broken),
        ("json", format!("[{list}]")),
        ("html", format!("<title>t</title><p>{}", "<b>x</b>".repeat(20_000))),
    ] {
        let language = language(name);
        let sound = language.parser.parse(text.as_bytes()).errors();
        let alarm = Alarm::never();
        let guard = alarm.watch(&language);
        assert_eq!(language.parser.parse(text.as_bytes()).errors(), sound);
        drop(guard);
        let asked = alarm.asked();
        assert!(asked >= text.len() / 2_000, "{name}: {asked} for {} bytes", text.len());
        for at in [0, 1, asked / 2, asked - 1] {
            let alarm = Alarm::at(at);
            let _guard = alarm.watch(&language);
            let tree = language.parser.parse(text.as_bytes());
            assert_eq!(&**tree.text(), text.as_bytes());
            assert!(alarm.asked() <= at + 8, "{name}: {} after {at} of {asked}", alarm.asked());
        }
        let alarm = Alarm::at(0);
        let guard = alarm.watch(&language);
        assert!(language.parser.errors(text.as_bytes()) > 0, "an unread text is never accepted");
        drop(guard);
        assert_eq!(language.parser.parse(text.as_bytes()).errors(), sound, "nothing is kept of it");
    }
}

/// The parser recovers from an error in each line of these texts, and took up to two minutes.
#[test]
fn garbage_is_one_broken_region_before_the_parser_has_read_all_of_it() {
    let long = |part: &str| part.repeat(100_000 / part.len());
    let members = long(";") + &long("} draw(at: Point): void");
    for (name, text) in
        [("typescript", &members[95_000..]), ("rust", &long("; (")), ("cpp", &long("&; "))]
    {
        let language = language(name);
        let alarm = Alarm::never();
        let guard = alarm.watch(&language);
        assert_eq!(language.parser.errors(text.as_bytes()), 1, "{name}");
        drop(guard);
        assert!(alarm.asked() < 2_000, "{name}: {}", alarm.asked());
    }
}

#[test]
fn an_interrupted_pass_ends_within_few_items() {
    let programs = [
        ("c", functions(500) + "struct s { int a; int b; } v; typedef int t; t w = 1 + 2;"),
        ("html", "<title>t</title><p a=b>x<i>y</i></p>".repeat(300)),
        ("text", "one two three\n\nfour five\n".repeat(300)),
    ];
    for (name, text) in programs {
        let language = language(name);
        let tree = language.parser.parse(text.as_bytes());
        let none = HashSet::new();
        for pass in own() {
            for sweep in [false, true] {
                let context = match sweep {
                    true => {
                        PassContext::new(&tree, &language, pass.gate, &none).proposing_again(true)
                    }
                    false => PassContext::new(&tree, &language, pass.gate, &none),
                };
                let _guard = Alarm::at(0).watch(&language);
                let proposal = pass.propose(&context);
                let items = proposal.map_or(0, |proposal| proposal.items.len());
                assert!(items <= Interruption::SPAN, "{name}, {}: {items}", pass.name);
            }
        }
    }
}

/// Reduces a program as long as the alarm allows. Returns the texts that were accepted, and why it
/// ended.
fn accepted(alarm: &Alarm, jobs: usize) -> (Vec<Vec<u8>>, Option<StopReason>, bool) {
    let language = Arc::new(language("c"));
    let input = functions(12) + "int h(void) { crash(1, 2); }";
    let _guard = alarm.watch(&language);
    let mut plan = plan(Arc::clone(&language), input.as_bytes());
    plan.jobs = jobs;
    let mut session = ReductionSession::new(plan);
    let own = alarm.clone();
    session.interrupt_when(move || own.rings().then_some(StopReason::Interrupted));
    let mut accepted = Vec::new();
    let mut running = Vec::new();
    loop {
        let step = session.poll(std::time::Duration::ZERO);
        for event in session.take_events() {
            if let Event::Reduced { text, .. } = event {
                accepted.push(text.to_vec());
            }
        }
        match step {
            Step::Start { id, candidate } => running.push((id, candidate)),
            Step::Wait => {
                let (id, candidate) = running.remove(0);
                let fails = candidate.windows(6).any(|part| part == b"crash(");
                let outcome = if fails { Outcome::Fail } else { Outcome::Pass };
                session.report(id, outcome);
                let cancelled = session.cancelled_jobs();
                running.retain(|(id, _)| !cancelled.contains(id));
            }
            Step::Done => break,
            Step::Consult(_) => unreachable!("there are no proposers"),
        }
    }
    let summary = session.summary();
    (accepted, summary.stopped, summary.certificate.is_some())
}

#[test]
fn an_interrupted_step_leaves_no_trace_in_the_result() {
    for jobs in [1, 3] {
        let alarm = Alarm::never();
        let (whole, stopped, certified) = accepted(&alarm, jobs);
        assert_eq!((stopped, certified), (None, true));
        let asked = alarm.asked();
        for at in (0..asked).step_by(asked / 60) {
            let (texts, stopped, certified) = accepted(&Alarm::at(at), jobs);
            assert_eq!((stopped, certified), (Some(StopReason::Interrupted), false));
            assert!(whole.starts_with(&texts), "question {at} of {asked}, {jobs} jobs");
        }
    }
}
