//! Words of a command line as circumstances: the paper's table of GCC options, simulated.

use std::sync::Arc;
use std::time::Duration;

use minirepro_circumstances::Choice;
use minirepro_engine::{Budget, Goal, Outcome, Search, Trial};
use minirepro_testkit::experiment;

/// Table 1 of Zeller & Hildebrandt (2002).
const OPTIONS: &str = include_str!("../../../corpus/gcc-options/input.txt");
/// Which of them prevent the crash.
const PREVENTING: [&str; 2] = ["-ffast-math", "-fforce-addr"];

fn options() -> Vec<&'static str> {
    OPTIONS.split_whitespace().collect()
}

fn crash(candidate: &[u8]) -> Outcome {
    let options = options();
    let given = Choice::numbers(candidate);
    let prevented = given.iter().any(|&number| PREVENTING.contains(&options[number]));
    if prevented { Outcome::Pass } else { Outcome::Fail }
}

fn search(goal: Goal, numbers: &[usize], jobs: usize) -> (Vec<usize>, u64) {
    let trial = Trial {
        circumstances: Arc::new(Choice::new(numbers.to_vec())),
        passing: Choice::text([]).into(),
        failing: Choice::text(numbers.iter().copied()).into(),
        goal,
        inverted: true,
        jobs,
        budget: Budget::default(),
    };
    let told = experiment(trial, &crash, &|text| Duration::from_millis(10 + text.len() as u64 % 7));
    let (without, with) = (Choice::numbers(&told.passing), Choice::numbers(&told.failing));
    let found = match goal {
        Goal::Isolate => with.into_iter().filter(|n| !without.contains(n)).collect(),
        Goal::Minimize(_) => with,
    };
    (found, told.findings.tests)
}

#[test]
fn each_preventing_option_is_found_in_at_most_seven_tests_until_none_is_left() {
    for jobs in [1, 2, 8] {
        let mut left: Vec<usize> = (0..options().len()).collect();
        let mut found = Vec::new();
        while crash(&Choice::text(left.iter().copied())) == Outcome::Pass {
            let (set, tests) = search(Goal::Isolate, &left, jobs);
            // One more test shows that the option alone is enough.
            assert!(tests < 7, "{tests}");
            assert_eq!((set.len(), crash(&Choice::text(set.clone()))), (1, Outcome::Pass));
            left.retain(|number| !set.contains(number));
            found.push(options()[set[0]]);
        }
        found.sort_unstable();
        assert_eq!(found, PREVENTING, "{jobs} jobs");
    }
}

#[test]
fn minimising_finds_the_same() {
    let numbers: Vec<usize> = (0..options().len()).collect();
    for algorithm in [Search::Default, Search::Ddmin, Search::Single] {
        let (set, _) = search(Goal::Minimize(algorithm), &numbers, 1);
        assert_eq!(set.len(), 1);
        assert!(PREVENTING.contains(&options()[set[0]]), "{algorithm}");
    }
}
