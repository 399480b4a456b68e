//! The default search asks for as few tests as an independent prototype, written before this crate
//! from the publications alone, did in the same simulations, within 15 %.

use minirepro_search::{Configuration, First, Groups, Minimizer, Outcome, Search};

/// A list in which some circumstances are needed, and the tests that the prototype asked for.
struct Row {
    n: usize,
    /// How many of them are needed.
    k: usize,
    /// Length of the runs in which needed ones come.
    cluster: usize,
    /// Without the sweep, and with it.
    published: [f64; 2],
}

const ROWS: [Row; 10] = [
    Row { n: 100, k: 5, cluster: 1, published: [35.0, 40.0] },
    Row { n: 100, k: 50, cluster: 1, published: [106.0, 155.0] },
    Row { n: 1000, k: 10, cluster: 1, published: [87.0, 96.0] },
    Row { n: 1000, k: 50, cluster: 1, published: [298.0, 348.0] },
    Row { n: 1000, k: 200, cluster: 1, published: [741.0, 941.0] },
    Row { n: 5000, k: 5, cluster: 1, published: [61.0, 66.0] },
    Row { n: 5000, k: 250, cluster: 1, published: [1464.0, 1714.0] },
    Row { n: 1000, k: 50, cluster: 8, published: [117.0, 167.0] },
    Row { n: 1000, k: 200, cluster: 32, published: [258.0, 458.0] },
    Row { n: 5000, k: 50, cluster: 8, published: [137.0, 187.0] },
];

const SEED: u64 = 2;

#[test]
fn groups_are_within_15_percent_of_the_published_figures() {
    for row in &ROWS {
        for (sweep, published) in [false, true].into_iter().zip(row.published) {
            let tests = mean_tests(sweep, row);
            let name = format!("n={} k={} cluster={} sweep={sweep}", row.n, row.k, row.cluster);
            assert!(tests <= published * 1.15, "{name}: {tests} tests, published {published}");
        }
    }
}

#[test]
fn uses_before_definitions_save_most_tests() {
    let [forward, reverse] = [false, true].map(dependent_tests);
    assert!(reverse <= 518.0 * 1.15, "{reverse}");
    assert!(forward > 4.0 * reverse, "{forward} forward, {reverse} reverse");
}

/// SplitMix64 (Steele, Lea & Flood 2014), from a seed.
struct Random(u64);

impl Random {
    /// Returns a number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % bound as u64) as usize
    }
}

/// Returns the default search over `0..n`.
fn groups(n: usize, sweep: bool) -> Box<dyn Minimizer> {
    Groups { first: First::Half, sweep, ..Groups::new(&vec![1; n]) }.search()
}

/// Returns the mean number of tests in ten lists like `row`.
fn mean_tests(sweep: bool, row: &Row) -> f64 {
    let mut random = Random(SEED);
    let one = |_| {
        let needed = needed_set(row, &mut random);
        let (kept, tests) = reduce(groups(row.n, sweep), |kept| needed.is_subset(kept));
        assert_eq!(kept, needed, "wrong for a monotone oracle");
        tests
    };
    (0..10).map(one).sum::<usize>() as f64 / 10.0
}

/// Returns the mean number of tests where each circumstance uses earlier ones, and a configuration
/// fails only if it has all that its members use. Runs to a fixpoint.
fn dependent_tests(reverse: bool) -> f64 {
    let mut random = Random(SEED);
    let one = |_| {
        let program = Program::random(1000, &mut random);
        let mut kept: Vec<usize> = (0..program.uses.len()).collect();
        if reverse {
            kept.reverse();
        }
        to_fixpoint(kept, |kept| program.is_well_formed(kept))
    };
    (0..5).map(one).sum::<usize>() as f64 / 5.0
}

/// Searches the kept part until a search keeps it all; returns the number of distinct questions.
fn to_fixpoint(mut kept: Vec<usize>, fails: impl Fn(&Configuration) -> bool) -> usize {
    let universe = kept.len();
    let seen = std::cell::RefCell::new(std::collections::HashSet::new());
    loop {
        let fails = |part: &Configuration| {
            let all = Configuration::of(universe, part.iter().map(|i| kept[i]));
            seen.borrow_mut().insert(all.fingerprint());
            fails(&all)
        };
        let (left, _) = reduce(groups(kept.len(), false), fails);
        if left.len() == kept.len() {
            return seen.borrow().len();
        }
        kept = left.iter().map(|i| kept[i]).collect();
    }
}

/// Runs `search` to its end; returns the kept part and the number of questions.
fn reduce(
    mut search: Box<dyn Minimizer>,
    fails: impl Fn(&Configuration) -> bool,
) -> (Configuration, usize) {
    let mut tests = 0;
    while let Some(question) = search.ask() {
        search.tell(if fails(&question) { Outcome::Fail } else { Outcome::Pass });
        tests += 1;
    }
    (search.kept().clone(), tests)
}

/// Returns `row.k` needed circumstances in runs of `row.cluster`, placed at random without overlap.
fn needed_set(row: &Row, random: &mut Random) -> Configuration {
    let runs = row.k.div_ceil(row.cluster);
    // Places among what is not needed; each run is then put in at its place.
    let mut places: Vec<usize> = (0..=row.n - row.k).collect();
    for i in 0..runs {
        let other = i + random.below(places.len() - i);
        places.swap(i, other);
    }
    places.truncate(runs);
    places.sort_unstable();
    let mut needed = Configuration::none(row.n);
    let mut count = 0;
    for place in places {
        for _ in 0..row.cluster.min(row.k - count) {
            needed.insert(place + count);
            count += 1;
        }
    }
    needed
}

/// Circumstances of which each uses some earlier ones.
struct Program {
    uses: Vec<Vec<usize>>,
    /// What the failure itself needs.
    roots: Vec<usize>,
}

impl Program {
    /// Returns a program in which about 91 of 1000 circumstances are needed.
    fn random(n: usize, random: &mut Random) -> Self {
        loop {
            let program = Self {
                uses: (0..n).map(|i| Self::random_uses(i, random)).collect(),
                roots: (0..10).map(|_| random.below(n)).collect(),
            };
            if program.needed().len().abs_diff(91 * n / 1000) <= n / 100 {
                return program;
            }
        }
    }

    fn random_uses(user: usize, random: &mut Random) -> Vec<usize> {
        let count = if user == 0 { 0 } else { random.below(4) };
        (0..count).map(|_| random.below(user)).collect()
    }

    /// Returns the roots and all that they use, directly or not.
    fn needed(&self) -> Configuration {
        let mut needed = Configuration::of(self.uses.len(), self.roots.iter().copied());
        for user in (0..self.uses.len()).rev() {
            if needed.contains(user) {
                self.uses[user].iter().for_each(|&used| needed.insert(used));
            }
        }
        needed
    }

    fn is_well_formed(&self, kept: &Configuration) -> bool {
        let all_there = |used: &[usize]| used.iter().all(|&u| kept.contains(u));
        all_there(&self.roots) && kept.iter().all(|user| all_there(&self.uses[user]))
    }
}
