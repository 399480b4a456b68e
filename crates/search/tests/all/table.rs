//! The table in the documentation: how many tests each algorithm wants.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::common::{Random, all, run};
use minirepro_search::{Algorithm, Configuration, Outcome, minimizer};

const ITEMS: usize = 1_000;
const RUNS: u64 = 20;

/// Returns `count` random needed items in runs of `length`.
fn needed(random: &mut Random, count: usize, length: usize) -> Configuration {
    let mut needed = Configuration::none(ITEMS);
    while needed.len() < count {
        let start = random.below(ITEMS - length + 1);
        (start..start + length).for_each(|item| needed.insert(item));
    }
    needed
}

/// Returns the mean number of tests until the algorithm is done.
fn mean(algorithm: Algorithm, count: usize, length: usize, has_needs: bool) -> u64 {
    let mut tests = 0;
    for seed in 0..RUNS {
        let mut random = Random(seed);
        let needed = needed(&mut random, count, length);
        let needs: Vec<usize> =
            (0..ITEMS).map(|item| item + random.below(ITEMS - item).max(1)).collect();
        let fails = |kept: &Configuration| {
            let has_its_needs = |item: usize| needs[item] >= ITEMS || kept.contains(needs[item]);
            needed.is_subset(kept) && (!has_needs || kept.iter().all(has_its_needs))
        };
        let oracle = |kept: &Configuration| Outcome::from(fails(kept));
        let mut search = minimizer(algorithm, &[1; ITEMS]);
        let told = run(&mut *search, &oracle);
        assert!(fails(search.kept()));
        // Who remembers answers runs no test twice.
        tests += told.iter().map(|(question, _)| question).collect::<HashSet<_>>().len() as u64;
    }
    tests / RUNS
}

#[test]
fn the_documentation_says_how_many_tests_each_algorithm_wants() {
    let mut table = String::from(
        "//! | algorithm | 1 needed | 10 needed | 100 needed | 100 in runs of 10 | 10 with needs |\n\
         //! |---|--:|--:|--:|--:|--:|\n",
    );
    for algorithm in all() {
        let _ = write!(table, "//! | `{algorithm}` |");
        for (count, length, has_needs) in
            [(1, 1, false), (10, 1, false), (100, 1, false), (100, 10, false), (10, 1, true)]
        {
            let _ = write!(table, " {} |", mean(algorithm, count, length, has_needs));
        }
        table.push('\n');
    }
    let documentation = include_str!("../../src/lib.rs");
    assert!(documentation.contains(&table), "the table is now:\n{table}");
}
