//! Words of a command line as circumstances: the paper's table of GCC options, simulated.

use std::sync::Arc;
use std::time::Duration;

use minirepro_circumstances::Choice;
use minirepro_engine::{Algorithm, Goal, IsolationPlan, Outcome};
use minirepro_testkit::experiment;

/// Table 1 of Zeller & Hildebrandt (2002).
const OPTIONS: &str = include_str!("../../../../corpus/gcc-options/input.txt");
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
    let ends = (Choice::text([]).into(), Choice::text(numbers.iter().copied()).into());
    let trial = IsolationPlan::new(Arc::new(Choice::new(numbers, &[])), ends, goal);
    let trial = IsolationPlan { jobs, ..trial };
    // What prevents the crash is what is looked for.
    let prevented = |candidate: &[u8]| match crash(candidate) {
        Outcome::Pass => Outcome::Fail,
        _ => Outcome::Pass,
    };
    let told =
        experiment(trial, &prevented, &|text| Duration::from_millis(10 + text.len() as u64 % 7));
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
    for algorithm in [Algorithm::Default, Algorithm::Ddmin] {
        let (set, _) = search(Goal::Minimize(algorithm), &numbers, 1);
        assert_eq!(set.len(), 1);
        assert!(PREVENTING.contains(&options()[set[0]]), "{algorithm}");
    }
}

#[test]
fn an_option_goes_with_its_argument_and_each_alone_where_it_can() {
    // -g, -I DIR, -x c, -O; an option without its argument is refused.
    let pairs = [(1, 2), (3, 4)];
    let oracle = |candidate: &[u8]| {
        let given = Choice::numbers(candidate);
        if given.contains(&1) != given.contains(&2) || given.contains(&3) && !given.contains(&4) {
            return Outcome::Unresolved;
        }
        if given.contains(&2) && given.contains(&4) { Outcome::Fail } else { Outcome::Pass }
    };
    let numbers: Vec<usize> = (0..6).collect();
    let ends = (Choice::text([]).into(), Choice::text(numbers.iter().copied()).into());
    let choice = Arc::new(Choice::new(&numbers, &pairs));
    let trial = IsolationPlan::new(choice, ends, Goal::Minimize(Algorithm::default()));
    let told = experiment(trial, &oracle, &|_| Duration::ZERO);
    assert_eq!(Choice::numbers(&told.failing), [1, 2, 4]);
    let names: Vec<&str> = told.findings.levels.iter().map(|level| level.name).collect();
    assert_eq!(names, ["words with their arguments", "words"]);
}
