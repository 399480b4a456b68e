//! Any bytes are input: parsing never fails, nothing is lost, and edits lead to smaller texts.

use std::cell::OnceCell;
use std::sync::Arc;

use minirepro_engine::{Budget, Outcome, Plan};
use minirepro_syntax::{Edits, Language, render};
use minirepro_testkit::{offers, plan, reduce};

thread_local! {
    static LANGUAGE: OnceCell<Arc<Language>> = const { OnceCell::new() };
}

/// Longer texts only make the fuzzer slow.
const LONGEST: usize = 2_000;

/// Enough to reach the last passes of small texts.
const TESTS: u64 = 40;

/// Parses a text, renders it with no edit and with each that a pass offers, and reduces it.
pub fn parse_render_edit(name: &str, text: &[u8]) {
    if text.len() > LONGEST {
        return;
    }
    let language = LANGUAGE.with(|known| {
        let load = || Arc::new(minirepro_languages::by_name(name).expect("it is built in"));
        Arc::clone(known.get_or_init(load))
    });
    let tree = language.parser.parse(text);
    assert_eq!(&tree.text()[..], text, "the tree has another text");
    let same = render(&tree, &Edits::none(), language.spacing);
    assert_eq!(&same.text[..], text, "no edit changes the text");
    if text.len() <= LONGEST / 10 {
        for pass in minirepro_passes::known() {
            for offer in offers(&language, pass, &tree) {
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
