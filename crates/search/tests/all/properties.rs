//! What the searches promise, over random oracles: monotone, arbitrary, with unresolved outcomes.

use crate::common::{Random, all, draw, is_1_minimal, reduce, run};
use minirepro_search::{
    Algorithm, Configuration, Dd, Ddmin, First, Groups, Outcome, Search, minimizer,
};
use proptest::prelude::*;

/// A deterministic oracle for which all of `0..n` fail.
#[derive(Clone, Copy, Debug)]
struct Arbitrary {
    n: usize,
    seed: u64,
    /// Out of 100 configurations, this many fail; half of the others are unresolved.
    failing: u64,
}

impl Arbitrary {
    fn test(&self, kept: &Configuration) -> Outcome {
        if kept.len() == self.n {
            return Outcome::Fail;
        }
        match draw(kept, self.seed) % 100 {
            d if d < self.failing => Outcome::Fail,
            d if d % 2 == 0 => Outcome::Pass,
            _ => Outcome::Unresolved,
        }
    }

    /// Tests as the papers assume: without any circumstance, it passes.
    fn test_but_empty(&self, kept: &Configuration) -> Outcome {
        if kept.is_empty() { Outcome::Pass } else { self.test(kept) }
    }
}

fn arbitrary() -> impl Strategy<Value = Arbitrary> {
    (0usize..24, any::<u64>(), prop_oneof![Just(3u64), Just(15), Just(50), Just(95)])
        .prop_map(|(n, seed, failing)| Arbitrary { n, seed, failing })
}

fn weights(n: usize, seed: u64) -> Vec<u32> {
    let mut random = Random(seed);
    (0..n).map(|_| 1 << random.below(12)).collect()
}

/// Returns a monotone oracle and the set that it needs.
fn monotone() -> impl Strategy<Value = Configuration> {
    (1usize..150).prop_flat_map(|n| {
        proptest::collection::vec(0..n, 0..8).prop_map(move |needed| Configuration::of(n, needed))
    })
}

const GUARANTEED: [Algorithm; 2] = [Algorithm::Default, Algorithm::Ddmin];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn results_are_1_minimal_for_any_oracle(oracle in arbitrary()) {
        let test = |kept: &Configuration| oracle.test(kept);
        for algorithm in GUARANTEED {
            let (kept, tests) = reduce(minimizer(algorithm, &weights(oracle.n, 1)), &test);
            prop_assert_eq!(test(&kept), Outcome::Fail, "{}", algorithm);
            // ddmin never asks for nothing twice, so one circumstance is minimal if nothing passes.
            prop_assert!(is_1_minimal(&kept, &test), "{}: {:?}", algorithm, kept);
            let n = oracle.n;
            prop_assert!(tests <= n * n + 7 * n + 2, "{}: {} tests for {}", algorithm, tests, n);
        }
    }

    #[test]
    fn all_algorithms_find_what_a_monotone_oracle_needs(needed in monotone()) {
        let test = |kept: &Configuration| {
            if needed.is_subset(kept) { Outcome::Fail } else { Outcome::Unresolved }
        };
        for algorithm in all() {
            let (kept, _) = reduce(minimizer(algorithm, &weights(needed.universe(), 2)), &test);
            prop_assert_eq!(&kept, &needed, "{}", algorithm);
        }
    }

    #[test]
    fn kept_always_fails_and_only_shrinks(oracle in arbitrary()) {
        for algorithm in all() {
            let mut search = minimizer(algorithm, &weights(oracle.n, 3));
            while let Some(question) = search.ask() {
                prop_assert_eq!(search.ask(), Some(question.clone()), "asking changes nothing");
                let before = search.kept().clone();
                let outcome = oracle.test(&question);
                search.tell(outcome);
                let expected = if outcome == Outcome::Fail { &question } else { &before };
                prop_assert_eq!(search.kept(), expected, "{}", algorithm);
                prop_assert!(search.kept().is_subset(&before));
            }
        }
    }

    #[test]
    fn the_default_asks_nothing_twice(oracle in arbitrary()) {
        for first in [First::All, First::Halves, First::One] {
            let mut search = Groups { first, ..Groups::new(&weights(oracle.n, 4)) }.search();
            let told = run(&mut *search, &|kept| oracle.test(kept));
            prop_assert_eq!(different(&told), told.len());
            let all = Configuration::all(oracle.n);
            prop_assert!(oracle.n == 0 || told.iter().all(|(question, _)| *question != all));
        }
    }

    #[test]
    fn forks_are_independent_and_alike(oracle in arbitrary(), at in 0usize..40) {
        for algorithm in all() {
            let mut search = minimizer(algorithm, &weights(oracle.n, 5));
            let mut step = 0;
            while let Some(question) = search.ask() {
                if step == at {
                    break;
                }
                step += 1;
                search.tell(oracle.test(&question));
            }
            let mut other_way = search.fork();
            let reversed = |kept: &Configuration| match oracle.test(kept) {
                Outcome::Fail => Outcome::Pass,
                _ => Outcome::Fail,
            };
            let mut same_way = search.fork();
            run(&mut *other_way, &reversed);
            let expected = run(&mut *same_way, &|kept| oracle.test(kept));
            let original = run(&mut *search, &|kept| oracle.test(kept));
            prop_assert_eq!(original, expected, "{}", algorithm);
        }
    }

    #[test]
    fn ddmin_stays_below_its_worst_case(oracle in arbitrary()) {
        let mut search = Ddmin::new(oracle.n);
        let told = run(&mut search, &|kept| oracle.test_but_empty(kept));
        let n = oracle.n;
        prop_assert!(different(&told) <= n * n + 3 * n, "{} for {}", different(&told), n);
        prop_assert!(is_1_minimal(search.kept(), &|kept| oracle.test_but_empty(kept)));
    }

    #[test]
    fn ddmin_finds_one_circumstance_by_bisection(n in 1usize..3000, at in any::<prop::sample::Index>()) {
        let needed = at.index(n);
        let (kept, tests) = reduce(Box::new(Ddmin::new(n)), &|kept| {
            if kept.contains(needed) { Outcome::Fail } else { Outcome::Pass }
        });
        prop_assert_eq!(kept, Configuration::of(n, [needed]));
        prop_assert!(tests <= 2 * ceil_log2(n), "{} tests for {}", tests, n);
    }

    #[test]
    fn dd_takes_log_n_tests_if_all_outcomes_are_determinate(oracle in arbitrary(), n in 1usize..2000) {
        let oracle = Arbitrary { n, ..oracle };
        let test = |kept: &Configuration| match oracle.test_but_empty(kept) {
            Outcome::Unresolved => Outcome::Pass,
            outcome => outcome,
        };
        let mut search = Dd::new(n);
        let tests = run(&mut search, &test).len();
        prop_assert!(tests <= ceil_log2(n) + 1, "{} tests for {}", tests, n);
        prop_assert_eq!(search.difference().len(), 1);
    }

    #[test]
    fn dd_isolates_a_1_minimal_difference(oracle in arbitrary()) {
        let n = oracle.n;
        let test = |kept: &Configuration| oracle.test_but_empty(kept);
        let mut dd = Dd::new(n);
        let told = run(&mut dd, &test);
        prop_assert!(different(&told) <= n * n + 3 * n);
        prop_assert!(dd.passing().is_subset(dd.kept()));
        let difference = dd.difference();
        for c in difference.iter().filter(|_| difference.len() > 1) {
            let mut more = dd.passing().clone();
            more.insert(c);
            prop_assert_ne!(test(&more), Outcome::Pass);
            prop_assert_ne!(test(&dd.kept().without([c])), Outcome::Fail);
        }
    }
}

/// Returns how many different questions there were.
fn different(told: &[(Configuration, Outcome)]) -> usize {
    told.iter().map(|(question, _)| question).collect::<std::collections::HashSet<_>>().len()
}

fn ceil_log2(n: usize) -> usize {
    n.next_power_of_two().trailing_zeros() as usize
}

#[test]
fn ddmins_worst_case_is_a_quadratic_number_of_tests() {
    // Only taking away the last circumstance that is left fails, so granularity never helps.
    for n in [1usize, 2, 4, 8, 16, 64] {
        let only_prefixes = |kept: &Configuration| {
            let prefix = kept.iter().enumerate().all(|(i, c)| i == c);
            if prefix && !kept.is_empty() && kept.len() + 8 > n {
                Outcome::Fail
            } else {
                Outcome::Unresolved
            }
        };
        let (_, tests) = reduce(Box::new(Ddmin::new(n)), &only_prefixes);
        assert!(tests <= n * n + 3 * n, "{tests} for {n}");
    }
}

fn needs(needed: &'static [usize]) -> impl Fn(&Configuration) -> Outcome {
    |kept| needed.iter().all(|&c| kept.contains(c)).into()
}

#[test]
fn a_sweep_finds_what_became_removable_later() {
    // 0 is used by 1: it can only go after 1 has gone, but its turn comes before.
    let oracle = |kept: &Configuration| match (kept.contains(0), kept.contains(1)) {
        (false, true) => Outcome::Unresolved,
        _ => kept.contains(2).into(),
    };
    let groups = |sweep| Groups { first: First::One, sweep, ..Groups::new(&[1; 3]) };
    assert_eq!(reduce(groups(false).search(), &oracle).0, Configuration::of(3, [0, 2]));
    assert_eq!(reduce(groups(true).search(), &oracle).0, Configuration::of(3, [2]));
}

#[test]
fn a_list_of_nothing_has_no_questions() {
    for algorithm in all() {
        assert_eq!(minimizer(algorithm, &[]).ask(), None, "{algorithm}");
    }
}

#[test]
fn heavy_circumstances_are_set_apart() {
    // The one heavy circumstance is needed. Cutting by weight finds it in fewer tests.
    let mut weights = vec![1; 64];
    weights[41] = 1000;
    let tests = |weights: &[u32]| reduce(Groups::new(weights).search(), &needs(&[41])).1;
    assert!(tests(&weights) < tests(&[1; 64]), "{} {}", tests(&weights), tests(&[1; 64]));
}
