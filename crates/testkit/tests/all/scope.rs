//! What a session is told to leave alone stays in every candidate, and passes that it is told not
//! to run do not run.

use std::sync::Arc;

use minirepro_engine::{Outcome, Plan, Scope};
use minirepro_testkit::{plan, reduce};
use regex::bytes::Regex;

const INPUT: &[u8] = include_bytes!("../../../../corpus/bug-c/input.c");

fn language() -> Arc<minirepro_syntax::Language> {
    Arc::new(minirepro_languages::by_name("c").expect("a language"))
}

fn matches(pattern: &Regex, text: &[u8]) -> Vec<Vec<u8>> {
    pattern.find_iter(text).map(|found| found.as_bytes().to_vec()).collect()
}

#[test]
fn what_matches_stays_in_every_candidate() {
    for pattern in ["(?m)^ +.*;$", r"\bi\b", r"[a-z]+ \*[a-z]+", "(?s)for.*?\\}", "[0-9]"] {
        let pattern = Regex::new(pattern).expect("an expression");
        let wanted = matches(&pattern, INPUT);
        assert!(!wanted.is_empty(), "{pattern}");
        let oracle = |candidate: &[u8]| {
            let mut wanted = wanted.iter().peekable();
            for found in matches(&pattern, candidate) {
                wanted.next_if(|next| **next == found);
            }
            assert!(wanted.next().is_none(), "{pattern}: {}", String::from_utf8_lossy(candidate));
            Outcome::Fail
        };
        let scope = Scope { kept: vec![pattern.clone()], ..Scope::default() };
        let told = reduce(Plan { scope, ..plan(language(), INPUT) }, &oracle);
        assert!(told.result.len() < INPUT.len(), "{pattern}");
        assert!(told.summary.certificate.is_some());
    }
}

#[test]
fn a_pass_that_is_not_wanted_does_not_run() {
    let oracle = |candidate: &[u8]| {
        let found = candidate.windows(5).any(|part| part == b"while");
        if found { Outcome::Fail } else { Outcome::Pass }
    };
    let all = reduce(plan(language(), INPUT), &oracle);
    for (name, stats) in &all.summary.passes {
        let without = vec![(*name).to_owned()];
        let scope = Scope { without, ..Scope::default() };
        let told = reduce(Plan { scope, ..plan(language(), INPUT) }, &oracle);
        assert!(told.summary.passes.iter().all(|(other, _)| other != name), "{name}");
        let certificate = told.summary.certificate.expect("it is minimal");
        assert!(certificate.edit_kinds.iter().all(|kind| kind.name != *name), "{name}");
        assert!(stats.told > 0);
    }
}
