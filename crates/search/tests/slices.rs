//! Shrinking and isolating slices with closures.

mod common;

use common::Random;
use minirepro_search::{Algorithm, Isolated, Outcome, Shrink, isolate, shrink};

/// A test over numbers that needs some of them together and others never beside each other.
fn fails(seed: u64) -> impl Fn(&[u64]) -> Outcome {
    move |some: &[u64]| {
        let sum = some.iter().map(|n| n.wrapping_mul(seed | 1) % 13).sum::<u64>();
        match sum % 5 {
            0 => Outcome::Unresolved,
            _ => (sum > 20).into(),
        }
    }
}

#[test]
fn what_is_left_is_a_part_in_the_same_order_of_which_no_item_can_go() {
    for seed in 0..50 {
        let mut random = Random(seed);
        let items: Vec<u64> = (0..40).map(|_| random.next() % 100).collect();
        let test = fails(seed);
        if test(&items) != Outcome::Fail {
            continue;
        }
        for algorithm in [Algorithm::Default, Algorithm::Galloping, Algorithm::Ddmin] {
            let left = Shrink::new(&items).algorithm(algorithm).run(&test);
            assert_eq!(test(&left), Outcome::Fail, "{algorithm}");
            let mut rest = items.iter();
            assert!(left.iter().all(|item| rest.any(|other| other == item)), "{algorithm}");
            for at in 0..left.len() {
                let mut fewer = left.clone();
                fewer.remove(at);
                assert_ne!(test(&fewer), Outcome::Fail, "{algorithm}");
            }
        }
    }
}

#[test]
fn definitions_before_their_uses_cost_few_tests() {
    let items: Vec<usize> = (0..1_000).collect();
    let mut asked = 0;
    let left = shrink(&items, |some: &[usize]| {
        asked += 1;
        some.contains(&999) && some.iter().all(|&item| item == 0 || some.contains(&(item / 2)))
    });
    assert_eq!(left, [0, 1, 3, 7, 15, 31, 62, 124, 249, 499, 999]);
    assert!(asked < 150, "{asked}");
}

#[test]
fn what_is_infeasible_is_never_asked() {
    let items: Vec<u32> = (0..64).collect();
    let has_head = |some: &[u32]| some.first() == Some(&0);
    let left = Shrink::new(&items).feasible(has_head).run(|some: &[u32]| {
        assert!(has_head(some));
        some.contains(&40)
    });
    assert_eq!(left, [0, 40]);
}

#[test]
fn heavy_items_go_first() {
    let items: Vec<u32> = (1..=256).map(|n| if n == 100 { 10_000 } else { 1 }).collect();
    let tests_with = |weight: fn(&u32) -> u32| {
        let mut asked = 0;
        let left = Shrink::new(&items).weights(weight).run(|some: &[u32]| {
            asked += 1;
            some.contains(&10_000)
        });
        assert_eq!(left, [10_000]);
        asked
    };
    assert!(tests_with(|&weight| weight) < tests_with(|_| 1));
}

#[test]
fn an_isolated_difference_is_minimal_from_both_sides() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let mut list = |length| -> Vec<u64> { (0..length).map(|_| random.next() % 12).collect() };
        let (passing, failing) = (list(9), list(12));
        let test = fails(seed);
        if test(&passing) != Outcome::Pass || test(&failing) != Outcome::Fail {
            continue;
        }
        let Isolated { passing, failing } = isolate(&passing, &failing, &test);
        assert_eq!(test(&passing), Outcome::Pass);
        assert_eq!(test(&failing), Outcome::Fail);
    }
    let edited = isolate(b"a b c d", b"a x b d!", |text: &[u8]| text.contains(&b'x'));
    assert_eq!(edited.failing.len(), edited.passing.len() + 1);
}
