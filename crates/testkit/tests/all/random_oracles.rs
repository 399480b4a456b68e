//! Whole sessions on small random inputs with oracles that follow no rule: the number of jobs
//! changes nothing, and the result is as minimal as its certificate says.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Outcome, Plan};
use minirepro_passes::of as passes_of;
use minirepro_testkit::{is_askable, offers, plan, reduce, reduce_on_virtual_clock};
use proptest::prelude::*;

/// Words and single signs.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    text.chunk_by(|&a, &b| is_word(a) && is_word(b))
        .filter(|token| !token[0].is_ascii_whitespace())
        .collect()
}

fn number(seed: u64, text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, tokens(text)).hash(&mut hasher);
    hasher.finish()
}

/// Fails with the input and with part of what holds the needles in this order; the rest passes or
/// is unresolved. Not monotone, and half of them look at blank space.
struct Random<'a> {
    seed: u64,
    input: &'a [u8],
    needles: Vec<&'a [u8]>,
}

impl<'a> Random<'a> {
    fn new(seed: u64, input: &'a [u8]) -> Self {
        let all = tokens(input);
        let pick = |n: u64| number(seed.wrapping_add(n), input) % all.len() as u64;
        let mut places: Vec<u64> = (0..seed % 4).map(pick).collect();
        places.sort_unstable();
        places.dedup();
        let needles = places.into_iter().map(|at| all[usize::try_from(at).unwrap()]).collect();
        Self { seed, input, needles }
    }

    fn ask(&self, candidate: &[u8]) -> Outcome {
        let mut rest = tokens(candidate).into_iter();
        let whole = self.needles.iter().all(|needle| rest.any(|token| token == *needle));
        let number = if self.seed & 128 == 0 {
            number(self.seed, candidate)
        } else {
            let mut hasher = DefaultHasher::new();
            (self.seed, candidate).hash(&mut hasher);
            hasher.finish()
        };
        match (whole, number % 8) {
            _ if tokens(candidate) == tokens(self.input) => Outcome::Fail,
            (true, 0 | 1) | (false, 2..) => Outcome::Pass,
            (true, 2) | (false, 0 | 1) => Outcome::Unresolved,
            (true, 3..) => Outcome::Fail,
        }
    }
}

const PARTS: [(&str, &[&str]); 2] = [
    (
        "c",
        &[
            "int a;",
            "struct s { int x; };",
            "int f(int p, int q) { a = p; return q + 1; }",
            "void g(void) { f(a, 2); if (a) a = 0; }",
            "typedef int t; t b[2] = { 1, 2 };",
        ],
    ),
    (
        "html",
        &[
            "<p class=\"a b\">one two</p>",
            "<ul><li>x<li>y</ul>",
            "<!-- c --><br>",
            "<div><b id=i>z</b><i>w</i></div>",
            "<style>p { color: red }</style>",
        ],
    ),
];

fn check(language: usize, parts: &[usize], seed: u64) -> Result<(), TestCaseError> {
    let (name, texts) = PARTS[language];
    let input: Vec<&str> = parts.iter().map(|&part| texts[part]).collect();
    let input = input.join("\n").into_bytes();
    let language = Arc::new(minirepro_languages::by_name(name).unwrap());
    let random = Random::new(seed, &input);
    let oracle = |candidate: &[u8]| random.ask(candidate);
    let duration = |candidate: &[u8]| Duration::from_millis(number(!seed, candidate) % 97);

    let plan = || plan(Arc::clone(&language), &input);

    let told = reduce(plan(), &oracle);
    prop_assert_eq!(oracle(&told.result), Outcome::Fail);
    for jobs in [2, 16] {
        let other = reduce_on_virtual_clock(Plan { jobs, ..plan() }, &oracle, &duration);
        prop_assert_eq!(
            other.result.escape_ascii().to_string(),
            told.result.escape_ascii().to_string()
        );
        prop_assert_eq!(&other.answers, &told.answers, "{} jobs", jobs);
        prop_assert_eq!(other.summary.tests, told.summary.tests, "{} jobs", jobs);
    }

    // Whatever a single edit of the sweep gives was asked about and refused.
    let tree = language.parser.parse(&told.result);
    for pass in &passes_of(&language) {
        for offer in offers(&language, pass, &tree).iter().filter(|offer| offer.swept) {
            let text = &offer.rendered.text;
            let smaller = is_askable(&language, pass, &tree, &offer.rendered);
            prop_assert!(
                !smaller || oracle(text) != Outcome::Fail,
                "{}: {} could be {}",
                pass.name,
                told.result.escape_ascii(),
                text.escape_ascii()
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::with_cases(12)
    })]

    #[test]
    fn results_do_not_depend_on_jobs_and_are_minimal(
        language in 0usize..2,
        parts in prop::collection::vec(0usize..5, 1..4),
        seed in any::<u64>(),
    ) {
        check(language, &parts, seed)?;
    }
}
