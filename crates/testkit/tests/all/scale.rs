//! Inputs on which anything worse than n log n would not end: deep nesting, long lists, tags with
//! very many attributes. What is held here are questions; a step that grew with the square would
//! show as a test that takes hours.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use minirepro_engine::Outcome;
use minirepro_passes::{PassContext, own};
use minirepro_syntax::Language;
use minirepro_testkit::{Told, plan, reduce};

fn language(name: &str) -> Arc<Language> {
    Arc::new(minirepro_languages::by_name(name).expect("the language is there"))
}

fn reduce_to(name: &str, input: &str, needle: &str) -> Told {
    let contains = |text: &[u8]| text.windows(needle.len()).any(|w| w == needle.as_bytes());
    reduce(plan(language(name), input.as_bytes()), &|candidate| {
        if contains(candidate) { Outcome::Fail } else { Outcome::Pass }
    })
}

fn branches(count: usize) -> String {
    let mut text = String::from("void f(int a) { ");
    for branch in 0..count {
        write!(text, "if (a == {branch}) g({branch}); else ").expect("strings take all");
    }
    text + "x(); }\n"
}

#[test]
fn deep_nesting_is_unwrapped_in_logarithmically_many_tests() {
    let arrays = |depth: usize| "[".repeat(depth) + "\"x\"" + &"]".repeat(depth);
    let braces =
        |depth: usize| format!("void f(void) {}x;{}\n", "{".repeat(depth), "}".repeat(depth));
    let siblings: String = (0..500).map(|level| format!("[{level}, ")).collect();
    for (name, input, needle, most) in [
        ("json", arrays(200), "x", 12),
        ("json", arrays(5_000), "x", 12),
        ("json", siblings + "\"x\"" + &"]".repeat(500), "x", 12),
        ("c", braces(100), "x", 20),
        ("c", braces(5_000), "x", 20),
        ("c", branches(200), "x", 18),
        ("c", branches(200), "a == 130", 75),
    ] {
        let told = reduce_to(name, &input, needle);
        assert!(told.summary.tests <= most, "{name}, {needle}: {} tests", told.summary.tests);
        let tokens = told.summary.tokens.1;
        assert!(tokens <= 6, "{name}, {needle}: {}", String::from_utf8_lossy(&told.result));
    }
}

#[test]
fn levels_that_must_all_stay_are_found_needed_by_halving() {
    // Nothing can go: the rounds must not ask for each level what the sweep asks anyway.
    const DEPTH: u64 = 100;
    let input = format!("{}0{}", "[".repeat(100), "]".repeat(100));
    let told = reduce_to("json", &input, &input);
    // One single edit for each level in the sweep, and another where a level can become `0`.
    assert!(told.summary.tests <= 5 * DEPTH, "{} tests", told.summary.tests);
}

#[test]
fn all_edits_of_a_long_list_are_proposed_in_linear_time() {
    const COUNT: usize = 100_000;
    let elements: Vec<String> = (10..10 + COUNT).map(|n| n.to_string()).collect();
    let input = format!("int a[] = {{ {} }};\n", elements.join(", "));
    let language = language("c");
    let tree = language.parser.parse(input.as_bytes());
    let pass = own().find(|pass| pass.name == "delete-and-hoist").expect("the pass is there");
    let context_has = |proposal: Option<minirepro_passes::Proposal>| {
        proposal.is_some_and(|proposal| proposal.items.len() >= COUNT)
    };
    let none = HashSet::new();
    let context = PassContext::new(&tree, &language, pass.gate, &none).proposing_again(true);
    assert!(context_has(pass.propose(&context)));
}

#[test]
fn a_name_that_is_declared_and_mentioned_everywhere_is_followed_once() {
    let input = "function f(p: number) { return p; }\nf(1);\n".repeat(30_000);
    let language = language("typescript");
    let tree = language.parser.parse(input.as_bytes());
    let none = HashSet::new();
    for pass in own().filter(|pass| ["remove-parameter", "local-to-global"].contains(&pass.name)) {
        let context = PassContext::new(&tree, &language, pass.gate, &none);
        assert!(pass.propose(&context).is_some(), "{}", pass.name);
    }
}

#[test]
fn markers_that_are_left_of_a_preprocessed_text_are_read_in_linear_time() {
    let input = "# 1 \"a.h\" 2\n".repeat(30_000) + "int x;\n";
    assert_eq!(language("cpp").parser.parse(input.as_bytes()).errors(), 0);
}
