//! Tests that accept too much at times: what is left must still reproduce.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use minirepro_program::{Error, Reduction};

/// Accepts whatever holds the word, and everything at all while the `lucky` tests run.
fn accepts_too_much(lucky: std::ops::Range<usize>) -> impl Fn(&[u8]) -> bool + Sync {
    let tests = AtomicUsize::new(0);
    move |candidate| {
        let nth = tests.fetch_add(1, Ordering::Relaxed);
        let is_there = candidate.windows(6).any(|word| word == b"needle");
        is_there || !candidate.is_empty() && lucky.contains(&nth)
    }
}

#[test]
fn a_result_that_is_found_flaky_falls_back_to_what_reproduces() {
    let place = tempfile::tempdir().unwrap();
    let input = "one\n\ntwo\n\nneedle\n\nfour\n\nfive\n\nsix\n\nseven\n";
    let path = place.path().join("a.txt");
    fs::write(&path, input).unwrap();
    let output = place.path().join("a.min.txt");
    let persons = place.path().join("a.min.flaky.txt");
    fs::write(&persons, "diary").unwrap();
    // The tests before the search answer as they should, and some in its middle.
    for from in 5..9 {
        let request =
            Reduction { file: path.clone(), output: Some(output.clone()), ..Reduction::new(input) };
        let ended = request.language("lines").run(accepts_too_much(from..from + 1));
        let result = fs::read_to_string(&output).unwrap();
        match ended {
            Ok(outcome) => assert!(outcome.text() == b"needle\n", "{from}: {result}"),
            Err(Error::ResultIsFlaky(flaky)) => {
                assert!(result.contains("needle"), "{from}: {result}");
                assert_eq!(flaky.fallback, Some(result.len()));
                let unreliable = fs::read_to_string(flaky.unreliable.unwrap()).unwrap();
                assert!(!unreliable.contains("needle"), "{from}: {unreliable}");
            }
            Err(error) => panic!("{from}: {error}"),
        }
    }
    assert_eq!(fs::read_to_string(persons).unwrap(), "diary");
}
