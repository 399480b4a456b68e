//! Numbers become smaller last.

use std::sync::Arc;

use minirepro_engine::Outcome;
use minirepro_testkit::{plan, reduce};

fn squeezed(candidate: &[u8]) -> String {
    let text = candidate.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    String::from_utf8(text).unwrap_or_default()
}

#[test]
fn numbers_become_smaller_when_no_other_edit_works_any_more() {
    // A smaller number keeps what is around it: only 700 fails alone.
    let fails = |candidate: &[u8]| {
        let text = squeezed(candidate);
        let number = text.trim_matches(['[', ']']).split(',').next().and_then(|n| n.parse().ok());
        let is_large = number.is_some_and(|number: u32| number >= 300);
        match text.ends_with(",2]") && is_large || number == Some(700) {
            true => Outcome::Fail,
            false => Outcome::Pass,
        }
    };
    let language = Arc::new(minirepro_languages::by_name("json").unwrap());
    let told = reduce(plan(language, b"[700, 2]"), &fails);
    assert_eq!(squeezed(&told.result), "700");
}
