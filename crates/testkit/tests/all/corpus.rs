//! Reduces every case of `corpus/` with its stand-in oracle and holds the result and its cost
//! against the committed `score.toml` (`UPDATE_EXPECT=1 cargo test` writes them anew).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use expect_test::expect_file;
use minirepro_engine::{AnswerSource, Outcome};
use minirepro_syntax::{Language, NodeId};
use minirepro_testkit::{
    Source, StandIn, Told, plan, reduce, reduce_on_virtual_clock, remember_answers, remember_parses,
};
use serde::Deserialize;

/// `case.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are for readers, and must be there")]
struct Manifest {
    description: String,
    provenance: String,
    licence: String,
    language: String,
    input: Source,
    /// `None`: the case has a `test.sh` of its own.
    oracle: Option<StandIn>,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// Returns every case; `scores` holds what the benchmark measured.
fn directories() -> Vec<String> {
    let entries = std::fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap());
    let names = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    names.map(|name| name.into_string().unwrap()).filter(|name| name != "scores").collect()
}

fn manifest(name: &str) -> Manifest {
    let path = corpus().join(name).join("case.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}/case.toml: {e}"));
    toml::from_str(&text).unwrap_or_else(|e| panic!("{name}/case.toml: {e}"))
}

fn check(name: &str) {
    let case = manifest(name);
    let language = Arc::new(remember_parses(minirepro_languages::by_name(&case.language).unwrap()));
    let input = case.input.input(&corpus().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let oracle = remember_answers(case.oracle.expect("a case with a stand-in").oracle());
    assert_eq!(oracle(&input), Outcome::Fail, "the input reproduces");

    let told = reduce(plan(Arc::clone(&language), &input), &oracle);
    expect_file![corpus().join(name).join("score.toml")].assert_eq(&score(&input, &told));
    assert_eq!(oracle(&told.result), Outcome::Fail, "the result reproduces");
    assert!(told.summary.certificate.is_some(), "the result is certified");
    is_one_minimal(&language, &input, &told.result, &oracle);
    let plan = minirepro_engine::Plan { jobs: 8, ..plan(Arc::clone(&language), &input) };
    let parallel = reduce_on_virtual_clock(plan, &oracle, &uneven);
    assert_eq!(parallel.result, told.result, "same result with eight jobs");
    assert_eq!(parallel.answers, told.answers, "same answers with eight jobs");
}

/// Tests of quite different lengths, so that answers come out of order.
fn uneven(candidate: &[u8]) -> Duration {
    let sum = candidate.iter().fold(7_u32, |sum, &b| sum.wrapping_mul(31).wrapping_add(b.into()));
    Duration::from_millis(u64::from(10 + sum % 490))
}

/// Returns the score as a person wants to review it.
fn score(input: &[u8], told: &Told) -> String {
    let summary = &told.summary;
    let tested = told.answers.iter().filter(|answer| answer.2 == AnswerSource::Tested).count();
    assert_eq!(tested as u64, summary.tests, "every test is told once");
    let certificate = summary.certificate.clone().unwrap_or_default();
    let mut text = String::new();
    let mut line = |key: &str, value: &dyn std::fmt::Display| {
        writeln!(text, "{key} = {value}").unwrap();
    };
    line("input_tokens", &summary.tokens.0);
    line("input_bytes", &input.len());
    line("tokens", &summary.tokens.1);
    line("bytes", &told.result.len());
    line("tests", &summary.tests);
    line("infeasible", &summary.infeasible);
    line("remembered", &summary.remembered);
    line("certified_by", &certificate.refused);
    match std::str::from_utf8(&told.result) {
        Ok(result) if !result.contains("'''") && !result.contains(['\0', '\r']) => {
            write!(text, "result = '''\n{result}'''\n").unwrap();
        }
        _ => writeln!(text, "result_escaped = '{}'", told.result.escape_ascii()).unwrap(),
    }
    text
}

/// Drops every single token of the result, without asking the engine what a token is worth.
fn is_one_minimal(
    language: &Language,
    input: &[u8],
    result: &[u8],
    oracle: &dyn Fn(&[u8]) -> Outcome,
) {
    let tree = language.parser.parse(result);
    // By default the result may not be more broken than the input.
    let complaints = language.reader.parse_errors(input);
    let breaks = |candidate: &[u8]| match &complaints {
        None => language.parser.errors(candidate) > tree.errors(),
        Some(most) => language.reader.parse_errors(candidate).is_none_or(|errors| {
            !errors.complains_at_most_as(most) || !errors.breaks_at_most_as(most)
        }),
    };
    let is_token = |&id: &NodeId| {
        let is_unit = !language.spacing.between_tokens && tree.tokens(id) == 1;
        let parent = tree.parent(id).filter(|_| !language.spacing.between_tokens);
        (tree.is_leaf(id) || is_unit) && parent.is_none_or(|p| tree.tokens(p) > 1)
    };
    for span in tree.ids().filter(is_token).map(|id| tree.span(id)).filter(|s| !s.is_empty()) {
        let mut candidate = result[..span.start].to_vec();
        // What stood apart must not grow together, or something else is tried.
        candidate.extend(language.spacing.between_tokens.then_some(b' '));
        candidate.extend_from_slice(&result[span.end..]);
        let shown = String::from_utf8_lossy(&candidate);
        assert!(breaks(&candidate) || oracle(&candidate) != Outcome::Fail, "could drop: {shown}");
    }
}

macro_rules! cases {
    ($($test:ident => $name:literal,)*) => {
        const CASES: &[&str] = &[$($name),*];
        $(#[test] fn $test() { check($name); })*
    };
}

cases! {
    bug_c => "bug-c",
    bugzilla_dom_select => "bugzilla-dom-select",
    bugzilla_select => "bugzilla-select",
    cellar_levels => "cellar-levels",
    ferry_selector => "ferry-selector",
    ferry_years => "ferry-years",
    gcc_options => "gcc-options",
    harbour_foster => "harbour-foster",
    harbour_script => "harbour-script",
    picture_overread => "picture-overread",
    server_lock_order => "server-lock-order",
    warehouse_jump_table => "warehouse-jump-table",
    warehouse_list_shift => "warehouse-list-shift",
    warehouse_member_call => "warehouse-member-call",
}

#[test]
fn every_case_of_the_corpus_is_reduced_and_none_else() {
    let mut found: Vec<String> =
        directories().into_iter().filter(|name| manifest(name).oracle.is_some()).collect();
    found.sort();
    assert_eq!(found, CASES);
}

#[test]
fn cases_with_a_script_have_their_script() {
    for name in directories().into_iter().filter(|name| manifest(name).oracle.is_none()) {
        assert!(corpus().join(&name).join("test.sh").is_file(), "{name}");
    }
}
