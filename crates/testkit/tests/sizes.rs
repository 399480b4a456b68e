//! Pages of unusual sizes, made here: a megabyte, and a hundred thousand levels.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use minirepro_engine::Outcome;
use minirepro_testkit::{plan, reduce};

/// Reduces a page as long as `wanted` stands in it; it must be all that is left, in so many tests.
fn check(page: &str, wanted: &str, most: u64) {
    let language = Arc::new(minirepro_languages::by_name("html").unwrap());
    let oracle = |candidate: &[u8]| {
        let found = candidate.windows(wanted.len()).any(|part| part == wanted.as_bytes());
        if found { Outcome::Fail } else { Outcome::Pass }
    };
    let told = reduce(plan(language, page.as_bytes()), &oracle);
    assert_eq!(String::from_utf8_lossy(&told.result).trim(), wanted);
    assert!(told.summary.tests <= most, "{} tests", told.summary.tests);
}

#[test]
fn a_hundred_thousand_levels() {
    let (open, close) = ("<div>".repeat(100_000), "</div>".repeat(100_000));
    check(&format!("{open}<b>here</b>{close}"), "<b>here", 60);
}

#[test]
fn a_megabyte() {
    let words =
        ["harbour", "<b>tide</b>", "ferry &amp; quay", "<i class=k>lamp</i>", "<br>", "rope"];
    let mut page = "<!DOCTYPE html><title>Log</title><style>td { color: #123 }</style>".to_owned();
    // Any fixed sequence without a short period will do.
    let mut state: u32 = 1;
    let mut next = |most: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % most
    };
    while page.len() < 1 << 20 {
        page.push_str("<div class='day'><h2>Day</h2><table>");
        for _ in 0..5 + next(20) {
            let text: Vec<&str> = (0..1 + next(8)).map(|_| words[next(words.len())]).collect();
            page.push_str(&format!("<tr id=r{}><td>{}<td>x", page.len(), text.join(" ")));
        }
        page.push_str("</table></div>\n");
    }
    let middle = page.find("<h2>").unwrap() + page[page.len() / 2..].find("<h2>").unwrap();
    let at = middle + page[middle..].find("<tr").unwrap();
    page.insert_str(at, "<tr><th lang=xx>here");
    check(&page, "<th lang=xx>here", 90);
}
