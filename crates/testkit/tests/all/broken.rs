//! What no grammar can form stays as it is.

use std::sync::Arc;

use minirepro_engine::Outcome;
use minirepro_testkit::{plan, reduce};

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
