//! Any bytes are input: parsing never fails, nothing is lost, and edits lead to smaller texts.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use minirepro_engine::{Budget, Outcome, Plan};
use minirepro_syntax::{Edits, Language, render};
use minirepro_testkit::{offers, plan, reduce};

thread_local! {
    static LANGUAGES: RefCell<HashMap<&'static str, Arc<Language>>> = RefCell::default();
}

/// Longer texts only make the fuzzer slow.
const LONGEST: usize = 2_000;

/// Enough to reach the last passes of small texts.
const TESTS: u64 = 40;

/// What is known of these languages comes from their grammars. The first byte of an input chooses
/// one: `A` the first, and so on.
const DERIVED: [&str; 16] = [
    "bash",
    "cmake",
    "glsl",
    "go",
    "haskell",
    "java",
    "llvm",
    "lua",
    "python",
    "ruby",
    "rust",
    "sql",
    "systemverilog",
    "typescript",
    "xml",
    "yaml",
];

/// As [`parse_render_edit`], in the language that the first byte chooses.
pub fn parse_render_edit_in_any(text: &[u8]) {
    if let [first, rest @ ..] = text {
        let index = usize::from(first.wrapping_sub(b'A'));
        parse_render_edit(DERIVED[index % DERIVED.len()], rest);
    }
}

/// Parses a text, renders it with no edit and with each that a pass offers, and reduces it.
pub fn parse_render_edit(name: &'static str, text: &[u8]) {
    if text.len() > LONGEST {
        return;
    }
    let language = LANGUAGES.with_borrow_mut(|known| {
        let load = || Arc::new(minirepro_languages::by_name(name).expect("it is built in"));
        Arc::clone(known.entry(name).or_insert_with(load))
    });
    let tree = language.parser.parse(text);
    assert_eq!(&tree.text()[..], text, "the tree has another text");
    let same = render(&tree, &Edits::none(), language.spacing);
    assert_eq!(&same.text[..], text, "no edit changes the text");
    if text.len() <= LONGEST / 10 {
        for pass in minirepro_passes::of(&language) {
            for offer in offers(&language, &pass, &tree) {
                language.parser.parse(&offer.rendered.text);
            }
        }
    }
    reduce_to_the_middle(language, text);
}

/// Reduces to what holds the two bytes in the middle of the text.
fn reduce_to_the_middle(language: Arc<Language>, text: &[u8]) {
    let needle = &text[text.len() / 2..(text.len() / 2 + 2).min(text.len())];
    if needle.is_empty() {
        return;
    }
    let fails = |candidate: &[u8]| {
        let holds = candidate.windows(needle.len()).any(|part| part == needle);
        if holds { Outcome::Fail } else { Outcome::Pass }
    };
    let budget = Budget { max_tests: Some(TESTS), ..Budget::default() };
    let told = reduce(Plan { budget, ..plan(language, text) }, &fails);
    assert_eq!(fails(&told.result), Outcome::Fail, "the result does not reproduce");
    assert!(told.summary.tokens.1 <= told.summary.tokens.0, "the result has more tokens");
}
