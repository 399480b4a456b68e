//! Transactions: a larger text is gone on from only if something smaller comes of it.

use std::sync::Arc;

use minirepro_engine::Outcome;
use minirepro_testkit::{plan, reduce};

/// With its own body three things matter in a function; in place of its calls, less does.
const INPUT: &[u8] = b"\
void f(int b) { g(b + 1, p); g(b + 2, q); g(b + 3, r); }
void h() { f(10); f(20); f(30); }
";

fn has(candidate: &[u8], wanted: &[&str]) -> bool {
    let text: Vec<u8> = candidate.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    wanted.iter().all(|w| text.windows(w.len()).any(|part| part == w.as_bytes()))
}

fn fails_called(candidate: &[u8]) -> bool {
    let wanted = ["f(intb){g(b+1,p);g(b+2,q);g(b+3,r);}", "f(10);f(20);f(30);", "h()"];
    has(candidate, &wanted)
}

fn fails_unfolded(candidate: &[u8]) -> bool {
    has(candidate, &["g(10+1,p)", "g(20+2,q)", "g(30+3,r)"])
}

fn outcome(fails: bool) -> Outcome {
    if fails { Outcome::Fail } else { Outcome::Pass }
}

#[test]
fn what_is_smaller_in_the_end_is_kept() {
    let language = Arc::new(minirepro_languages::by_name("c").unwrap());
    let fails = |c: &[u8]| outcome(fails_called(c) || fails_unfolded(c));
    let told = reduce(plan(language, INPUT), &fails);
    assert!(fails_unfolded(&told.result), "{}", String::from_utf8_lossy(&told.result));
    assert!(!has(&told.result, &["f("]), "{}", String::from_utf8_lossy(&told.result));
    assert!(told.summary.certificate.is_some());
}

#[test]
fn what_is_larger_in_the_end_is_forgotten() {
    let language = Arc::new(minirepro_languages::by_name("c").unwrap());
    // The unfolded text fails only as a whole.
    let whole =
        ["g(10+1,p)", "g(10+2,q)", "g(20+1,p)", "g(20+3,r)", "g(30+2,q)", "g(30+3,r)", "h()"];
    let fails = |c: &[u8]| outcome(fails_called(c) || has(c, &whole));
    let with = reduce(plan(language, INPUT), &fails);
    assert!(fails_called(&with.result), "{}", String::from_utf8_lossy(&with.result));
    let unfold = with.summary.passes.iter().find(|(name, _)| *name == "inline-pump").unwrap();
    assert_eq!(unfold.1.tested[0], 1, "{:?}", unfold.1);
}
