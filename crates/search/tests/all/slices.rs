//! Shrinking slices with closures.

use crate::common::Random;
use minirepro_search::{Outcome, shrink};

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
        let left = shrink(&items, &test);
        assert_eq!(test(&left), Outcome::Fail);
        let mut rest = items.iter();
        assert!(left.iter().all(|item| rest.any(|other| other == item)));
        for at in 0..left.len() {
            let mut fewer = left.clone();
            fewer.remove(at);
            assert_ne!(test(&fewer), Outcome::Fail);
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
