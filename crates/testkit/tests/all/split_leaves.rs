//! Quoted texts, comments and long words end at what a failure needs of them.

use std::sync::Arc;

use minirepro_engine::Outcome;
use minirepro_testkit::{plan, reduce};

/// Reduces a text to what still contains `needle` and returns it with the number of tests.
fn reduced(language: &str, input: &str, needle: &str) -> (String, u64) {
    let language = Arc::new(minirepro_languages::by_name(language).expect("the language is there"));
    let told = reduce(plan(language, input.as_bytes()), &|candidate| {
        let contains = candidate.windows(needle.len()).any(|w| w == needle.as_bytes());
        if contains { Outcome::Fail } else { Outcome::Pass }
    });
    assert!(told.summary.certificate.is_some());
    (String::from_utf8(told.result).expect("needle and input are text"), told.summary.tests)
}

#[test]
fn tokens_are_cut_to_the_essential() {
    let c = "/* alpha beta 1280 gamma */\nint a = f(\"alpha beta 1280 gamma\");\nlong_1280_name;\n";
    for (language, input, needle, result, most) in [
        ("html", "<p>\"alpha beta 1280 gamma\"</p>", "1280", "\"1280\"", 14),
        ("html", "<p title=\"alpha beta 1280 gamma\">x</p>", "p title=\"", "p title=\"\"", 30),
        ("c", c, "1280", "/*1280*/\n", 24),
        ("c", c, "f(\"a", "f(\"a\");\n", 34),
        ("c", c, "beta 1280", "/*beta 1280*/\n", 24),
        ("c", "int b; { for (;;) ; }\n", "for", "for (;;) ;\n", 10),
        ("javascript", "f(`alpha beta ${x} 1280 gamma`);\n", "1280", "`1280`\n", 40),
    ] {
        let (text, tests) = reduced(language, input, needle);
        assert!(text.len() <= result.len(), "{language}, {needle}: {text} instead of {result}");
        assert!(tests <= most, "{language}, {needle}: {tests} tests");
    }
}

#[test]
fn tokens_that_a_program_reads_cost_few_tests() {
    let input = "double frexpect(double);\n";
    let (text, tests) = reduced("c", input, "double frexpect(double);");
    assert_eq!(text, input);
    assert!(tests <= 20, "{tests} tests");
}
