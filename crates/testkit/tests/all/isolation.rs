//! Isolation of differences by trees, tokens and characters, against oracles that are functions.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use minirepro_circumstances::Text;
use minirepro_engine::{Budget, Goal, IsolationPlan, Outcome, StopReason};
use minirepro_testkit::{Experimented, StandIn, experiment};

fn trial(language: &str, passing: &str, failing: &str, jobs: usize) -> IsolationPlan {
    let language = Arc::new(minirepro_languages::by_name(language).unwrap());
    let [passing, failing] = [passing, failing].map(|text| -> Arc<[u8]> { text.as_bytes().into() });
    let text = Text::new(language, Arc::clone(&passing), Arc::clone(&failing));
    IsolationPlan { jobs, ..IsolationPlan::new(Arc::new(text), (passing, failing), Goal::Isolate) }
}

fn uneven(candidate: &[u8]) -> Duration {
    let sum = candidate.iter().fold(7_u32, |sum, &b| sum.wrapping_mul(31).wrapping_add(b.into()));
    Duration::from_millis(u64::from(10 + sum % 490))
}

/// Isolates with 1, 2, 3 and 8 workers, which must not matter.
fn isolate(
    language: &str,
    passing: &str,
    failing: &str,
    oracle: &dyn Fn(&[u8]) -> Outcome,
) -> Experimented {
    let told = experiment(trial(language, passing, failing, 1), oracle, &uneven);
    assert_eq!(oracle(&told.failing), Outcome::Fail);
    assert!(told.passing == passing.as_bytes() || oracle(&told.passing) == Outcome::Pass);
    for jobs in [2, 3, 8] {
        let other = experiment(trial(language, passing, failing, jobs), oracle, &uneven);
        assert_eq!(
            (&other.passing, &other.failing, &other.answers),
            (&told.passing, &told.failing, &told.answers),
            "{jobs} jobs"
        );
        assert_eq!(other.findings.levels, told.findings.levels, "{jobs} jobs");
    }
    told
}

fn contains(text: &[u8], needle: &str) -> bool {
    text.windows(needle.len()).any(|w| w == needle.as_bytes())
}

#[test]
fn the_crash_of_gcc_on_bug_c_is_isolated_in_fewer_tests_than_in_the_paper() {
    let failing = include_str!("../../../../corpus/bug-c/input.c");
    let oracle = StandIn::SubscriptProduct.oracle();
    let told = isolate("c", "", failing, &oracle);
    // The paper needed 59 tests and found a difference of two characters.
    assert!(told.findings.tests < 59, "{:?}", told.findings);
    // Here it is whether the assignments to `i` and `z[i]` are in a loop.
    assert!(contains(&told.failing, "for (j = 0; j < n;) {"), "{:?}", told.findings);
    assert!(contains(&told.passing, "j = 0; j < n; {"), "{:?}", told.findings);
}

#[test]
fn one_file_against_another_narrows_from_functions_to_tokens() {
    let passing = "int f(int a) { return a + 1; }\nint g(void) { return 2; }\n";
    let failing = "int f(int a) { int b = a; return b + 1; }\nint g(void) { return 24; }\nint h;\n";
    let oracle = |text: &[u8]| match (contains(text, "24"), contains(text, "int f(int a)")) {
        (_, false) => Outcome::Unresolved,
        (true, true) => Outcome::Fail,
        (false, true) => Outcome::Pass,
    };
    let told = isolate("c", passing, failing, &oracle);
    assert_eq!(told.failing.len(), told.passing.len() + 1, "{:?}", told.findings.levels);
    assert!(contains(&told.failing, "return 24;") && !contains(&told.passing, "24"));
    assert!(told.findings.tests <= 8, "{:?}", told.findings);
}

/// Isolates and returns the lines that differ, each with the sign of a diff.
fn changed_lines(passing: &str, failing: &str, needle: &str) -> Vec<String> {
    let oracle = |text: &[u8]| if contains(text, needle) { Outcome::Fail } else { Outcome::Pass };
    let told = isolate("c", passing, failing, &oracle);
    let [passes, fails] =
        [&told.passing, &told.failing].map(|text| String::from_utf8(text.to_vec()).unwrap());
    let (old, new): (Vec<&str>, Vec<&str>) = (passes.lines().collect(), fails.lines().collect());
    let mut changed: Vec<String> = old
        .iter()
        .filter(|line| !new.contains(*line))
        .map(|line| format!("-{}", line.trim()))
        .collect();
    changed.extend(
        new.iter().filter(|line| !old.contains(*line)).map(|line| format!("+{}", line.trim())),
    );
    changed
}

#[test]
fn a_difference_is_of_whole_tokens() {
    let program = |text: &str| format!("int f(int i) {{\n  {text}\n  return i;\n}}\n");
    for (passing, failing, needle, changed) in [
        ("while (i < 5) i++;", "while (i <= 5) i++;", "<= 5", None),
        (
            "while (i<5) i++;",
            "while (i <= 5)  i++;",
            "<=",
            Some(["-while (i <5) i++;", "+while (i <=5) i++;"]),
        ),
        ("i = 1280;", "i = 1281;", "81", None),
        ("i += one;", "i -= other;", "r;", Some(["-i -= one;", "+i -= other;"])),
        (
            "puts(\"one two three\");",
            "puts(\"one 2 four\");",
            "2",
            Some(["-puts(\"one two three\");", "+puts(\"one 2 three\");"]),
        ),
    ] {
        let [old, new] = changed.unwrap_or([passing, failing]);
        let sign = |sign: &str, line: &str| match changed {
            None => format!("{sign}{line}"),
            Some(_) => line.to_owned(),
        };
        assert_eq!(
            changed_lines(&program(passing), &program(failing), needle),
            [sign("-", old), sign("+", new)],
            "{passing} | {failing}"
        );
    }
}

#[test]
fn what_the_grammar_refuses_costs_no_test() {
    let failing = "int a[] = { 1, 2, 3, 4, 5, 6, 7, 8 };\n";
    let language = minirepro_languages::by_name("c").unwrap();
    let oracle = |text: &[u8]| {
        assert_eq!(language.parser.errors(text), 0, "{}", String::from_utf8_lossy(text));
        if contains(text, "5") { Outcome::Fail } else { Outcome::Pass }
    };
    let told = isolate("c", "", failing, &oracle);
    assert!(told.findings.infeasible > 0);
    assert!(contains(&told.failing, "5") && !contains(&told.passing, "5"));
}

#[test]
fn files_of_any_bytes_have_differences() {
    let told = isolate("bytes", "\0\u{1}ab", "\0\u{2}a\u{3}b\0", &|text| {
        if text.contains(&3) { Outcome::Fail } else { Outcome::Pass }
    });
    assert_eq!(told.failing.len(), told.passing.len() + 1);
    assert!(told.findings.tests <= 3);
}

#[test]
fn a_budget_ends_an_experiment_with_what_it_has() {
    let oracle = |text: &[u8]| if contains(text, "7") { Outcome::Fail } else { Outcome::Pass };
    let budget = Budget { max_tests: Some(2), ..Budget::default() };
    let trial = IsolationPlan { budget, ..trial("chars", "", "0123456789", 1) };
    let told = experiment(trial, &oracle, &uneven);
    assert_eq!(told.findings.tests, 2);
    assert_eq!(told.findings.stopped, Some(StopReason::TestBudget));
    assert!(contains(&told.failing, "7") && !contains(&told.passing, "7"));
    assert!(told.findings.levels.iter().all(|level| !level.minimal));
}
