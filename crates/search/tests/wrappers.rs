//! Stopping early, remembering, and sweeping.

mod common;

use std::time::Duration;

use common::{is_1_minimal, run};
use minirepro_search::{
    Cached, Configuration, DdminComplements, First, Groups, Limits, Minimizer, Outcome, Search,
    Single, Stop, Swept,
};

fn needs(needed: &'static [usize]) -> impl Fn(&Configuration) -> Outcome {
    |kept| if needed.iter().all(|&c| kept.contains(c)) { Outcome::Fail } else { Outcome::Pass }
}

#[test]
fn a_search_stops_after_so_many_tests() {
    let limits = Limits { tests: Some(5), ..Limits::default() };
    let mut search = Stop::new(DdminComplements::new(100), limits);
    assert_eq!(run(&mut search, &needs(&[3, 90])).len(), 5);
    assert!(search.is_stopped());
    assert_eq!(needs(&[3, 90])(search.kept()), Outcome::Fail);
}

#[test]
fn a_search_stops_at_a_granularity() {
    let limits = Limits { granularity: Some(4), ..Limits::default() };
    let mut search = Stop::new(DdminComplements::new(64), limits);
    let mut sizes = Vec::new();
    while let Some(question) = search.ask() {
        sizes.push(search.kept().len() - question.len());
        search.tell(needs(&[3, 60])(&question));
    }
    assert!(sizes.iter().all(|&taken| taken >= 4), "{sizes:?}");
    assert!(search.is_stopped() && search.kept().len() <= 8, "{:?}", search.kept());
}

#[test]
fn a_search_stops_without_progress() {
    // Nothing can go: after ten tests nothing went, which is less than one percent.
    let limits = Limits { progress: Some((10, 0.01)), ..Limits::default() };
    let mut search = Stop::new(Single::new(100), limits);
    assert_eq!(run(&mut search, &|_| Outcome::Pass).len(), 10);
    assert!(search.is_stopped());
}

#[test]
fn a_search_stops_when_it_is_told_that_time_is_up() {
    let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
    let mut search = Stop::new(Single::new(100), limits);
    search.now(Duration::from_secs(59));
    assert!(search.ask().is_some());
    search.now(Duration::from_secs(60));
    search.now(Duration::ZERO);
    assert!(search.ask().is_none() && search.is_stopped());
}

#[test]
fn a_search_without_limits_ends_by_itself() {
    let mut search = Stop::new(Single::new(10), Limits::default());
    run(&mut search, &needs(&[1]));
    assert!(!search.is_stopped());
    assert_eq!(search.kept().len(), 1);
}

#[test]
fn remembered_answers_are_counted_but_not_asked() {
    let mut plain = DdminComplements::new(40);
    let all = run(&mut plain, &needs(&[2, 17, 30])).len();
    let mut cached = Cached::new(DdminComplements::new(40));
    let told = run(&mut cached, &needs(&[2, 17, 30])).len();
    assert_eq!((cached.asked(), cached.distinct()), (all, told));
    assert!(told < all);
    assert_eq!(plain.kept(), cached.kept());
}

#[test]
fn a_sweep_finds_what_became_removable_later() {
    // 0 is used by 1: it can only go after 1 has gone, but its turn comes before.
    let oracle = |kept: &Configuration| match (kept.contains(0), kept.contains(1)) {
        (false, true) => Outcome::Unresolved,
        _ if kept.contains(2) => Outcome::Fail,
        _ => Outcome::Pass,
    };
    let groups = |sweep| Groups { first: First::One, sweep, ..Groups::new(&[1; 3]) };
    let mut without = groups(false).search();
    run(&mut without, &oracle);
    assert_eq!(without.kept(), &Configuration::of(3, [0, 2]));
    let mut with = groups(true).search();
    run(&mut with, &oracle);
    assert_eq!(with.kept(), &Configuration::of(3, [2]));

    let mut swept = Swept::new(without.fork_minimizer());
    assert!(swept.is_sweeping());
    run(&mut swept, &oracle);
    assert!(is_1_minimal(swept.kept(), &oracle));
}

#[test]
fn a_list_of_nothing_has_no_questions() {
    for algorithm in minirepro_search::Algorithm::ALL {
        assert_eq!(minirepro_search::minimizer(algorithm, &[]).ask(), None, "{algorithm}");
    }
}

#[test]
fn a_list_of_which_nothing_is_needed_takes_one_test() {
    let mut search = Groups::new(&[1; 1000]).search();
    assert_eq!(run(&mut search, &|_| Outcome::Fail).len(), 1);
    assert!(search.kept().is_empty());
}

#[test]
fn heavy_circumstances_are_set_apart() {
    // The one heavy circumstance is needed. Cutting by weight finds it in fewer tests.
    let mut weights = vec![1; 64];
    weights[41] = 1000;
    let tests = |weights: &[u32]| {
        let mut search = Groups::new(weights).search();
        run(&mut search, &needs(&[41])).len()
    };
    assert!(tests(&weights) < tests(&[1; 64]), "{} {}", tests(&weights), tests(&[1; 64]));
}
