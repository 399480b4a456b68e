//! What a request can say.

use std::time::Duration;

use minirepro::{Budget, Error, Event, Outcome, Reduction, Scope, StopReason};
use minirepro_parsers::smtlib::{GRAMMAR, LANGUAGE};

#[test]
fn a_test_may_change_what_it_refers_to() {
    let mut asked = Vec::new();
    let reduced = Reduction::new("1 2 7 9").run(|text: &[u8]| {
        asked.push(text.to_vec());
        text.contains(&b'7')
    });
    assert_eq!(asked[0], b"1 2 7 9");
    assert_eq!(asked.len() as u64, reduced.unwrap().questions + 1);
}

#[test]
fn names_may_be_owned() {
    let name = String::from("lines");
    let reduced = Reduction::new("a\nb 7\n").language(name).run(|text: &[u8]| text.contains(&b'7'));
    assert_eq!(reduced.unwrap().text(), "b 7\n");
    let error = Reduction::new("7").language(format!("no{}", 1)).run(|_: &[u8]| true);
    assert!(error.unwrap_err().to_string().contains("no language `no1`"));
}

#[test]
fn an_error_is_the_failure_and_an_answer_may_be_missing() {
    let test = |text: &[u8]| match text {
        text if text.contains(&b'7') => Err("seven"),
        _ => Ok(()),
    };
    assert_eq!(Reduction::new("1 2 7 9").run(test).unwrap().text(), "7");
    let error = Reduction::new("1 2 9").run(test).unwrap_err();
    assert!(matches!(error, Error::DoesNotFail(Outcome::Pass)), "{error}");
    let error = Reduction::new("1 2 9").run(|_: &[u8]| Outcome::Unresolved).unwrap_err();
    assert!(matches!(error, Error::DoesNotFail(Outcome::Unresolved)), "{error}");
}

#[test]
fn budgets_end_a_reduction_without_a_certificate() {
    let text = "1 2 3 4 5 6 7 8 9".repeat(20);
    let test = |text: &[u8]| text.iter().filter(|&&byte| byte == b'7').count() > 9;
    let budget = Budget { max_tests: Some(5), ..Budget::default() };
    let reduced = Reduction::new(&text).budget(budget).run(test).unwrap();
    assert_eq!((reduced.questions, reduced.stopped), (5, Some(StopReason::TestBudget)));
    assert!(reduced.certificate.is_none() && test(&reduced.bytes));
    let budget = Budget { max_time: Some(Duration::ZERO), ..Budget::default() };
    let reduced = Reduction::new(&text).budget(budget).run(test).unwrap();
    assert_eq!((reduced.questions, reduced.stopped), (0, Some(StopReason::TimeBudget)));
}

#[test]
fn an_observer_sees_each_smaller_result() {
    let mut sizes = Vec::new();
    let reduced = Reduction::new("some 7 text\nand more\n")
        .scope(Scope::default())
        .observer(|event| {
            if let Event::Reduced { text, .. } = event {
                sizes.push(text.len());
            }
        })
        .run(|text: &[u8]| text.contains(&b'7'))
        .unwrap();
    assert_eq!(sizes.last(), Some(&reduced.bytes.len()));
    assert!(sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
}

#[cfg(feature = "c")]
#[test]
fn rules_and_the_name_of_a_file_tell_what_to_try() {
    let test = |text: &[u8]| String::from_utf8_lossy(text).contains("f(");
    let input = "int g(void) { return 1; }\nint main(void) { return f(g(), 2); }\n";
    let reduced = Reduction::new(input).named("crash.c").run(test).unwrap();
    assert_eq!(reduced.text().trim(), "f();");
    let error = Reduction::new(input).language("c").rules("mine", "edits = 7").run(test);
    assert!(error.unwrap_err().to_string().starts_with("mine: "));
}

#[test]
fn a_grammar_of_the_callers_is_read() {
    let reduced = Reduction::new("(assert (and (= x 1) (< y 2) (f z)))\n(check-sat)\n")
        .grammar("mine", LANGUAGE, GRAMMAR)
        .run(|text: &[u8]| String::from_utf8_lossy(text).contains("(f "))
        .unwrap();
    assert!(reduced.bytes.len() < 20, "{}", reduced.text());
}

#[test]
fn of_a_long_run_of_zeros_as_many_stay_as_are_needed() {
    let input: Vec<u8> = [&[7][..], &[0; 5_000], &[9]].concat();
    let holds = |text: &[u8], zeros| text.iter().filter(|&&byte| byte == 0).count() >= zeros;
    for zeros in [0, 1, 3, 100] {
        let reduced =
            Reduction::new(&input).run(|text: &[u8]| text.contains(&9) && holds(text, zeros));
        assert_eq!(reduced.expect("the input fails").bytes.len(), zeros + 1);
    }
}
