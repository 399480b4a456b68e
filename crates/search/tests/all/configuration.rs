//! A configuration is a set of numbers.

use std::collections::BTreeSet;

use minirepro_search::Configuration;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_behaves_like_a_sorted_set(
        n in 1usize..300,
        members in proptest::collection::btree_set(0usize..300, 0..200),
        gone in proptest::collection::btree_set(0usize..300, 0..200),
    ) {
        let members: BTreeSet<usize> = members.into_iter().filter(|&c| c < n).collect();
        let set = Configuration::of(n, members.iter().copied());
        prop_assert_eq!(set.len(), members.len());
        prop_assert_eq!(set.iter().collect::<BTreeSet<_>>(), members.clone());
        let gone: BTreeSet<usize> = gone.into_iter().filter(|&c| c < n).collect();
        let without = set.without(gone.iter().copied());
        prop_assert_eq!(&without, &Configuration::of(n, members.difference(&gone).copied()));
        prop_assert!(without.is_subset(&set) && set.is_subset(&Configuration::all(n)));
        prop_assert_eq!(without.plus(&set.minus(&without)), set);
    }
}
