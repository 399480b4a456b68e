//! The default search asks for as few tests as an independent prototype did in the same
//! simulations, within 15 %. The whole tables are printed by
//! `cargo run -p minirepro-xtask -- simulate`.

#[path = "../../xtask/src/random.rs"]
mod random;
#[path = "../../xtask/src/simulate.rs"]
#[expect(dead_code, reason = "the tables are for the xtask")]
mod simulate;

use simulate::{Method, ROWS, dependent_tests, mean_tests};

const SEED: u64 = 2;

#[test]
fn groups_are_within_15_percent_of_the_published_figures() {
    for row in &ROWS {
        for (method, published) in
            [(Method::Groups, row.published[5]), (Method::GroupsSweep, row.published[7])]
        {
            let tests = mean_tests(method, row, 10, SEED);
            let most = f64::from(published) * 1.15;
            let name = format!("n={} k={} cluster={} {method:?}", row.n, row.k, row.cluster);
            assert!(published == 0 || tests <= most, "{name}: {tests} tests, at most {most}");
        }
    }
}

#[test]
fn groups_need_fewer_tests_than_the_others() {
    for row in &ROWS {
        let groups = mean_tests(Method::Groups, row, 5, SEED);
        for other in [Method::Halving, Method::Cdd, Method::ProbDd, Method::Galloping] {
            let tests = mean_tests(other, row, 5, SEED);
            assert!(groups < tests, "n={} k={}: {other:?} {tests}, {groups}", row.n, row.k);
        }
    }
}

#[test]
fn uses_before_definitions_save_most_tests() {
    let reverse = dependent_tests(Method::Groups, true, 5, SEED);
    let forward = dependent_tests(Method::Groups, false, 5, SEED);
    assert!(reverse <= 518.0 * 1.15, "{reverse}");
    assert!(forward > 4.0 * reverse, "{forward} forward, {reverse} reverse");
}
