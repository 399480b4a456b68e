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
        start in 0usize..300,
        length in 0usize..300,
    ) {
        let members: BTreeSet<usize> = members.into_iter().filter(|&c| c < n).collect();
        let set = Configuration::of(n, members.iter().copied());
        prop_assert_eq!(set.len(), members.len());
        prop_assert_eq!(set.iter().collect::<BTreeSet<_>>(), members.clone());
        prop_assert_eq!(set.next_from(start), members.range(start..).next().copied());

        let range = start..start + length;
        let rest: BTreeSet<usize> = members.iter().copied().filter(|c| !range.contains(c)).collect();
        let without = set.without(range);
        prop_assert_eq!(&without, &Configuration::of(n, rest.iter().copied()));
        prop_assert_eq!(without == set, without.fingerprint() == set.fingerprint());
        prop_assert!(without.is_subset(&set) && set.is_subset(&Configuration::all(n)));
        prop_assert_eq!(without.plus(&set.minus(&without)), set);
    }
}
