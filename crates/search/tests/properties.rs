//! What the searches promise, over random oracles: monotone, arbitrary, with unresolved outcomes.

mod common;

use common::{Random, is_1_minimal, reduce, run};
use minirepro_search::{
    Algorithm, Cached, Configuration, Dd, Ddmin, Minimizer, Outcome, Search, minimizer,
    minimizer_without_sweep,
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
        let hash = kept.fingerprint() as u64;
        let draw = Random(self.seed ^ hash).next() % 100;
        match draw {
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

const GUARANTEED: [Algorithm; 6] = [
    Algorithm::Default,
    Algorithm::Galloping,
    Algorithm::Ddmin,
    Algorithm::DdminComplements,
    Algorithm::Wdd,
    Algorithm::Single,
];

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
        for algorithm in Algorithm::ALL {
            for build in [minimizer, minimizer_without_sweep] {
                let (kept, _) = reduce(build(algorithm, &weights(needed.universe(), 2)), &test);
                prop_assert_eq!(&kept, &needed, "{}", algorithm);
            }
        }
    }

    #[test]
    fn kept_always_fails_and_only_shrinks(oracle in arbitrary()) {
        for algorithm in Algorithm::ALL {
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
        for algorithm in [Algorithm::Default, Algorithm::Galloping] {
            let mut search = minimizer(algorithm, &weights(oracle.n, 4));
            let told = run(&mut search, &|kept| oracle.test(kept));
            let different: std::collections::HashSet<_> = told.iter().map(|(q, _)| q).collect();
            prop_assert_eq!(different.len(), told.len());
            prop_assert!(!different.contains(&Configuration::all(oracle.n)) || oracle.n == 0);
        }
    }

    #[test]
    fn forks_are_independent_and_alike(oracle in arbitrary(), at in 0usize..40) {
        for algorithm in Algorithm::ALL {
            let mut search = minimizer(algorithm, &weights(oracle.n, 5));
            let mut step = 0;
            while let Some(question) = search.ask() {
                if step == at {
                    break;
                }
                step += 1;
                search.tell(oracle.test(&question));
            }
            let mut other_way = search.fork_minimizer();
            let reversed = |kept: &Configuration| match oracle.test(kept) {
                Outcome::Fail => Outcome::Pass,
                _ => Outcome::Fail,
            };
            let mut same_way = search.fork();
            run(&mut other_way, &reversed);
            let expected = run(&mut *same_way, &|kept| oracle.test(kept));
            let original = run(&mut search, &|kept| oracle.test(kept));
            prop_assert_eq!(original, expected, "{}", algorithm);
        }
    }

    #[test]
    fn ddmin_stays_below_its_worst_case(oracle in arbitrary()) {
        let mut search = Cached::new(Ddmin::new(oracle.n));
        run(&mut search, &|kept| oracle.test_but_empty(kept));
        let n = oracle.n;
        prop_assert!(search.distinct() <= n * n + 3 * n, "{} for {}", search.distinct(), n);
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
        let mut search = Cached::new(Dd::new(n));
        run(&mut search, &test);
        prop_assert!(search.distinct() <= n * n + 3 * n);
        let dd = search.search();
        prop_assert!(dd.passing().is_subset(dd.failing()));
        let difference = dd.difference();
        for c in difference.iter().filter(|_| difference.len() > 1) {
            let mut more = dd.passing().clone();
            more.insert(c);
            prop_assert_ne!(test(&more), Outcome::Pass);
            prop_assert_ne!(test(&dd.failing().without(c..c + 1)), Outcome::Fail);
        }
    }
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
