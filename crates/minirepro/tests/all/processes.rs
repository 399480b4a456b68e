//! Tests that end their process.

use std::process::abort;
use std::time::Duration;

use minirepro::{Error, Outcome, Reduction};

fn has(text: &[u8], byte: u8) -> bool {
    text.contains(&byte)
}

#[test]
fn an_abort_is_the_failure() {
    for jobs in [1, 3] {
        let test = |text: &[u8]| {
            if has(text, b'7') {
                abort();
            }
        };
        let reduced = Reduction::new("1 2 7 9").in_child_processes(jobs).run(test).unwrap();
        assert_eq!(reduced.text(), "7");
    }
}

/// Needs a new frame for each level.
fn depth(text: &[u8]) -> usize {
    match text {
        [b'(', rest @ ..] => std::hint::black_box(depth(rest)) + 1,
        _ => 0,
    }
}

#[test]
fn a_stack_overflow_is_the_failure() {
    fn down(levels: u64) -> u64 {
        if levels == 0 { 0 } else { std::hint::black_box(down(levels - 1)) + 1 }
    }
    let test = |text: &[u8]| {
        if depth(text) > 2 {
            down(u64::MAX);
        }
    };
    let reduced = Reduction::new("(((((()))))) and more").in_child_processes(1).run(test).unwrap();
    assert_eq!(reduced.text(), "(((");
}

#[test]
fn another_death_than_that_of_the_input_says_nothing() {
    let test = |text: &[u8]| {
        if !has(text, b'7') {
            std::process::exit(3);
        }
        if has(text, b'9') {
            abort();
        }
    };
    let reduced = Reduction::new("1 2 7 9").in_child_processes(1).run(test).unwrap();
    let mut letters = reduced.bytes;
    letters.retain(|byte| *byte != b' ');
    assert_eq!(letters, b"79");
}

#[test]
fn outcomes_and_panics_are_heard_from_children() {
    let test = |text: &[u8]| match text.len() % 5 {
        1 => Outcome::Unresolved,
        _ => has(text, b'7').into(),
    };
    let alone = Reduction::new("1 2 7 9 12").run(test).unwrap();
    for jobs in [1, 2] {
        let reduced = Reduction::new("1 2 7 9 12").in_child_processes(jobs).run(test).unwrap();
        assert_eq!(reduced.bytes, alone.bytes);
        assert_eq!(reduced.questions, alone.questions);
    }
    let panics = |text: &[u8]| assert!(!has(text, b'7'), "seven");
    let reduced = Reduction::new("1 2 7 9").panics_with("seven").in_child_processes(1).run(panics);
    assert_eq!(reduced.unwrap().text(), "7");
    let error = Reduction::new("1 2 7 9").in_child_processes(1).run(panics).unwrap_err();
    assert!(matches!(&error, Error::Panicked(message) if message == "seven"), "{error}");
}

#[test]
fn an_endless_test_ends_with_its_time() {
    let test = |text: &[u8]| {
        while text.is_empty() {
            std::hint::spin_loop();
        }
        has(text, b'7')
    };
    let reduced = Reduction::new("1 7 9")
        .time_limit(Duration::from_secs(1))
        .in_child_processes(2)
        .run(test)
        .unwrap();
    assert_eq!(reduced.text(), "7");
}

#[test]
fn what_a_test_changes_stays_in_its_process() {
    let mut asked = 0;
    let test = |text: &[u8]| {
        asked += 1;
        has(text, b'7')
    };
    let reduced = Reduction::new("1 2 7 9").in_child_processes(1).run(test).unwrap();
    assert!(reduced.questions > 0);
    assert_eq!(asked, 0);
}
