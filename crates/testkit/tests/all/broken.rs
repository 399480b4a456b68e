//! `--allow-syntax-errors` begins where the default ends: what no grammar can form comes last.

use std::sync::Arc;

use minirepro_engine::{Outcome, Plan, Scope};
use minirepro_testkit::{plan, reduce};

#[test]
fn a_broken_result_is_no_larger_than_one_that_parses() {
    let language = Arc::new(minirepro_languages::by_name("c").expect("a language"));
    let input = b"int f(int b) { if (b) { return 0 == -1; } return 2; }";
    let fails = |candidate: &[u8]| {
        let text: Vec<u8> =
            candidate.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
        let found = text.windows(5).any(|part| part == b"0==-1");
        if found { Outcome::Fail } else { Outcome::Pass }
    };
    let default = reduce(plan(Arc::clone(&language), input), &fails);
    let parsed = language.parser.parse(&default.result);
    assert_eq!(parsed.errors(), 0, "{}", String::from_utf8_lossy(&default.result));
    let broken = reduce(
        Plan {
            scope: Scope { allow_broken: true, ..Scope::default() },
            ..plan(Arc::clone(&language), input)
        },
        &fails,
    );
    assert_eq!(String::from_utf8_lossy(&broken.result).replace(' ', "").trim(), "0==-1");
    assert!(broken.summary.tokens.1 < default.summary.tokens.1);
    assert!(broken.summary.tests >= default.summary.tests);
    assert!(broken.summary.certificate.is_some());
}

#[test]
fn only_broken_tags_may_be_broken_in_another_way() {
    let ends_as = |page: &str| {
        let language = Arc::new(minirepro_languages::by_name("html").expect("a language"));
        let fails = |candidate: &[u8]| {
            let text = String::from_utf8_lossy(candidate).replace(' ', "");
            let found = text.starts_with("<ahref=/v") && !text.contains("/v>");
            if found { Outcome::Fail } else { Outcome::Pass }
        };
        let run = reduce(plan(language, page.as_bytes()), &fails);
        String::from_utf8_lossy(&run.result).trim().to_owned()
    };
    assert_eq!(ends_as("<a href=/v \">b</a><p>c</p>"), "<a href=/v");
    assert_eq!(ends_as("<a href=/v class=x>b</a><p>c</p>"), "<a href=/v class>");
}
