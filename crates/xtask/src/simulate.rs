//! Simulated searches over random lists: how many tests each algorithm asks for, beside the
//! figures of an independent prototype, written before this crate from the publications alone.

use std::fmt::Write as _;

use minirepro_search::{
    Algorithm, Cached, Cdd, Configuration, Ddmin, First, Fragments, Groups, Minimizer, Outcome,
    ProbDd, Search, minimizer_without_sweep,
};

use crate::random::Random;

/// Runs the prototype's simulations again and returns one text table for each. The same seed gives
/// the same text.
pub fn run(seed: u64) -> String {
    let mut text = String::from(
        "Different tests asked, means over random needed sets; ours/prototype (-: none)\n",
    );
    text += "halving: fragments halved, complements only; sweep: certified 1-minimal\n\n";
    text += &header("n, k, cluster");
    for row in &ROWS {
        let repeats = 20_000 / row.n.max(500);
        let _ = write!(text, "{:<16}", format!("{}, {}, {}", row.n, row.k, row.cluster));
        for (method, published) in METHODS.iter().zip(row.published) {
            // ddmin asks for tens of thousands of tests where many are needed.
            let too_long = *method == Method::Ddmin && row.n * row.k > 100_000;
            let ours = (!too_long).then(|| mean_tests(*method, row, repeats, seed));
            let _ = write!(text, "{:>14}", cell(ours, published));
        }
        text.push('\n');
    }
    text += "\nDependencies (n = 1000, about 91 needed, run to a fixpoint)\n";
    text += &header("order");
    for (name, reverse, published) in DEPENDENCIES {
        let _ = write!(text, "{name:<16}");
        for (method, published) in METHODS.iter().zip(published) {
            let too_long = *method == Method::Ddmin;
            let ours = (!too_long).then(|| dependent_tests(*method, reverse, 10, seed));
            let _ = write!(text, "{:>14}", cell(ours, published));
        }
        text.push('\n');
    }
    text += "\nTrees (17000 nodes, 298 needed, each list of children on its own)\n";
    for (algorithm, published) in TREES {
        let tests = tree_tests(algorithm, 5, seed);
        let _ = writeln!(text, "{algorithm:<16}{:>14}", cell(Some(tests), published));
    }
    text
}

/// Algorithm and the prototype's tests for trees. Its trees had another shape, which is not known;
/// compare ratios.
const TREES: [(Algorithm, u32); 7] = [
    (Algorithm::Ddmin, 0),
    (Algorithm::Fragments, 782),
    (Algorithm::Cdd, 1049),
    (Algorithm::ProbDd, 0),
    (Algorithm::Single, 1248),
    (Algorithm::Galloping, 0),
    (Algorithm::Default, 640),
];

fn header(first: &str) -> String {
    let mut line = format!("{first:<16}");
    for method in METHODS {
        let _ = write!(line, "{:>14}", method.name());
    }
    line + "\n"
}

fn cell(ours: Option<f64>, published: u32) -> String {
    let ours = ours.map_or("-".to_owned(), |tests| format!("{tests:.0}"));
    let published = if published == 0 { "-".to_owned() } else { published.to_string() };
    format!("{ours}/{published}")
}

/// An algorithm of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Zeller & Hildebrandt 2002, repeated questions not counted.
    Ddmin,
    /// Complements of fragments whose length halves.
    Halving,
    /// Counter-based.
    Cdd,
    /// Probabilistic.
    ProbDd,
    /// Sizes that double and quarter.
    Galloping,
    /// The default engine without its sweep.
    Groups,
    /// Galloping with a sweep.
    GallopingSweep,
    /// The default engine with its sweep.
    GroupsSweep,
}

const METHODS: [Method; 8] = [
    Method::Ddmin,
    Method::Halving,
    Method::Cdd,
    Method::ProbDd,
    Method::Galloping,
    Method::Groups,
    Method::GallopingSweep,
    Method::GroupsSweep,
];

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Ddmin => "ddmin",
            Self::Halving => "halving",
            Self::Cdd => "cdd",
            Self::ProbDd => "probdd",
            Self::Galloping => "galloping",
            Self::Groups => "groups",
            Self::GallopingSweep => "gallop+sweep",
            Self::GroupsSweep => "groups+sweep",
        }
    }

    /// Returns a search by this method over `0..n`.
    pub fn search(self, n: usize) -> Box<dyn Minimizer> {
        let groups = |sweep| Groups { first: First::Half, sweep, ..Groups::new(&vec![1; n]) };
        match self {
            Self::Ddmin => Box::new(Cached::new(Ddmin::new(n))),
            Self::Halving => Box::new(Cached::new(Fragments::new(n))),
            Self::Cdd => Box::new(Cached::new(Cdd::new(n))),
            Self::ProbDd => Box::new(ProbDd::new(n)),
            Self::Galloping => groups(false).gallop(),
            Self::Groups => groups(false).search(),
            Self::GallopingSweep => groups(true).gallop(),
            Self::GroupsSweep => groups(true).search(),
        }
    }
}

/// A row of the first two tables.
pub struct Row {
    /// Circumstances.
    pub n: usize,
    /// How many of them are needed.
    pub k: usize,
    /// Length of the runs in which needed ones come.
    pub cluster: usize,
    /// Tests of the prototype, in the order of the columns; 0 where there is no figure.
    pub published: [u32; 8],
}

const fn row(n: usize, k: usize, cluster: usize, published: [u32; 8]) -> Row {
    Row { n, k, cluster, published }
}

/// The rows of both tables.
pub const ROWS: [Row; 11] = [
    row(100, 5, 1, [142, 52, 47, 45, 0, 35, 0, 40]),
    row(100, 50, 1, [1134, 198, 179, 172, 0, 106, 0, 155]),
    row(1000, 10, 1, [545, 142, 182, 168, 0, 87, 0, 96]),
    row(1000, 50, 1, [4977, 476, 423, 418, 0, 298, 0, 348]),
    row(1000, 200, 1, [33686, 1226, 1093, 1076, 0, 741, 0, 941]),
    row(5000, 5, 1, [253, 95, 592, 535, 0, 61, 0, 66]),
    row(5000, 250, 1, [0, 2466, 2114, 2072, 0, 1464, 0, 1714]),
    row(1000, 50, 8, [0, 209, 242, 226, 0, 117, 0, 167]),
    row(1000, 200, 32, [0, 575, 540, 514, 0, 258, 0, 458]),
    row(5000, 50, 8, [0, 269, 697, 638, 0, 137, 0, 187]),
    row(5000, 50, 1, [0; 8]),
];

/// Name, whether uses are tried before definitions, published tests in the order of the columns.
/// The figures for the forward order are of plain splitting.
const DEPENDENCIES: [(&str, bool, [u32; 8]); 2] = [
    ("definitions 1st", false, [0, 5621, 7227, 7388, 0, 5498, 0, 0]),
    ("uses first", true, [0, 1544, 1804, 0, 0, 518, 0, 0]),
];

/// Returns the mean number of tests that `method` asks for in `repeats` lists like `row`.
pub fn mean_tests(method: Method, row: &Row, repeats: usize, seed: u64) -> f64 {
    let mut random = Random(seed);
    let total: usize = (0..repeats)
        .map(|_| {
            let needed = needed_set(row, &mut random);
            let oracle = |kept: &Configuration| needed.is_subset(kept);
            let (kept, tests) = reduce(method.search(row.n), oracle);
            assert_eq!(kept, needed, "{} is wrong for a monotone oracle", method.name());
            tests
        })
        .sum();
    total as f64 / repeats as f64
}

/// Returns the mean number of tests where each circumstance uses earlier ones, and a configuration
/// fails only if it has all that its members use. Runs to a fixpoint.
pub fn dependent_tests(method: Method, reverse: bool, repeats: usize, seed: u64) -> f64 {
    let mut random = Random(seed);
    let total: usize = (0..repeats)
        .map(|_| {
            let program = Program::random(1000, &mut random);
            let mut kept: Vec<usize> = (0..program.uses.len()).collect();
            if reverse {
                kept.reverse();
            }
            to_fixpoint(method, kept, |kept| program.is_well_formed(kept))
        })
        .sum();
    total as f64 / repeats as f64
}

/// Runs `method` over what is kept until a run keeps it all; the tests of all runs, each distinct
/// one counted once.
fn to_fixpoint(
    method: Method,
    mut kept: Vec<usize>,
    fails: impl Fn(&Configuration) -> bool,
) -> usize {
    let universe = kept.len();
    let seen = std::cell::RefCell::new(std::collections::HashSet::new());
    loop {
        let fails = |part: &Configuration| {
            let all = Configuration::of(universe, part.iter().map(|i| kept[i]));
            seen.borrow_mut().insert(all.fingerprint());
            fails(&all)
        };
        let (left, _) = reduce(method.search(kept.len()), fails);
        if left.len() == kept.len() {
            return seen.borrow().len();
        }
        kept = left.iter().map(|i| kept[i]).collect();
    }
}

/// Returns the mean number of tests where every node of a tree can go, with all below it, unless a
/// needed node is there. Each list of children is searched on its own, from the root down.
pub fn tree_tests(algorithm: Algorithm, repeats: usize, seed: u64) -> f64 {
    let mut random = Random(seed);
    let total: usize = (0..repeats).map(|_| one_tree(algorithm, &mut random)).sum();
    total as f64 / repeats as f64
}

fn one_tree(algorithm: Algorithm, random: &mut Random) -> usize {
    let nodes = 17_000;
    let all_needed = 298;
    let mut parents = vec![0];
    // As in the text of a program: a node is below or beside one shortly before it, or beside one
    // of its ancestors, which makes the numbers of children heavy-tailed.
    for node in 1..nodes {
        let mut near = node - 1 - random.below(node.min(4));
        while random.below(2) == 0 {
            near = parents[near];
        }
        parents.push(near);
    }
    let mut needed = Configuration::of(nodes, [0]);
    while needed.len() < all_needed {
        let mut node = random.below(nodes);
        while !needed.contains(node) && needed.len() < all_needed {
            needed.insert(node);
            node = parents[node];
        }
    }
    // The last path may have ended early; what is above it is needed too.
    (0..nodes).rev().for_each(|n| {
        if needed.contains(n) {
            needed.insert(parents[n]);
        }
    });
    let mut children = vec![Vec::new(); nodes];
    (1..nodes).for_each(|node| children[parents[node]].push(node));
    let lists = needed.iter().map(|node| &children[node]).filter(|list| !list.is_empty());
    lists
        .map(|list| {
            let wanted = (0..list.len()).filter(|&i| needed.contains(list[i]));
            let wanted = Configuration::of(list.len(), wanted);
            let search = minimizer_without_sweep(algorithm, &vec![1; list.len()]);
            reduce(search, |kept| wanted.is_subset(kept)).1
        })
        .sum()
}

/// Runs `search` to its end; what it keeps and the number of questions.
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
