//! The case studies of Zeller & Hildebrandt, Simplifying and Isolating Failure-Inducing Input (2002),
//! repeated with stand-ins: a part of `corpus/SCORES.md`.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use minirepro_circumstances::{Choice, Circumstances, Log, Reading, Records, Text};
use minirepro_engine::{Algorithm, Goal, IsolationPlan, Outcome, Plan, Search};
use minirepro_testkit::{Experimented, StandIn, experiment, mozilla, plan, recording, reduce};

use super::standins::largest_rows;

type Oracle<'a> = &'a dyn Fn(&[u8]) -> Outcome;

/// Where the table is kept.
const FILE: &str = "corpus/scores/paper.md";

/// Measures all of it anew.
pub(crate) fn run() -> Result<()> {
    Ok(std::fs::write(FILE, text(Path::new("corpus"))?)?)
}

/// Returns what was measured.
pub(super) fn table() -> Result<String> {
    std::fs::read_to_string(FILE).context(FILE)
}

/// Returns the whole text.
fn text(corpus: &Path) -> Result<String> {
    let mut table = Table(String::from(HEAD));
    gcc_input(&mut table, corpus)?;
    gcc_options(&mut table, corpus)?;
    mozilla_events(&mut table)?;
    mozilla_page(&mut table, corpus)?;
    precision(&mut table)?;
    for (utility, row) in largest_rows() {
        let name = format!("fuzz: {}, crashes on {}", utility.name, utility.crash);
        table.row(&name, utility.paper, &format!("{}, {} tests", characters(row.size), row.tests));
        let isolated = format!("{}, {} tests", characters(row.difference), row.isolation);
        table.row("… isolated", "1 character, log₂ n tests", &isolated);
    }
    Ok(table.0)
}

const HEAD: &str = "\
## The case studies of the paper that began it

A. Zeller and R. Hildebrandt, Simplifying and Isolating Failure-Inducing Input (2002), repeated by
`cargo xtask bench paper`. The programs of that time are replaced by stand-ins that look at the input
(`crates/testkit/src/oracles.rs`, `crates/xtask/src/bench/standins.rs`), so figures beside the paper's show
how the searches compare, not the programs. `cargo xtask bench standins` prints the whole fuzz table.

With a real compiler of today: `tests/transcripts/options.txt` (31 options of GCC, two of which keep a
program from aborting), and between two versions in a git repository `tests/transcripts/changes.txt`.

| case | paper | here |
|---|---|---|
";

struct Table(String);

impl Table {
    fn row(&mut self, case: &str, paper: &str, here: &str) {
        writeln!(self.0, "| {case} | {paper} | {here} |").expect("strings take anything");
    }
}

fn characters(count: usize) -> String {
    format!("{count} character{}", if count == 1 { "" } else { "s" })
}

fn reduced(
    language: &str,
    input: &[u8],
    search: Search,
    oracle: Oracle<'_>,
) -> Result<(usize, u64)> {
    let language = Arc::new(minirepro_languages::by_name(language)?);
    let plan = Plan { algorithm: Algorithm::Lists(search), ..plan(language, input) };
    let told = reduce(plan, oracle);
    Ok((told.result.len(), told.summary.tests))
}

fn experimented(
    circumstances: Arc<dyn Circumstances>,
    ends: (Vec<u8>, Vec<u8>),
    goal: Goal,
    inverted: bool,
    oracle: Oracle<'_>,
) -> Experimented {
    let trial = IsolationPlan::new(circumstances, (ends.0.into(), ends.1.into()), goal);
    let trial = IsolationPlan { inverted, ..trial };
    experiment(trial, oracle, &|_| Duration::ZERO)
}

fn isolated(language: &str, input: &[u8], oracle: Oracle<'_>) -> Result<Experimented> {
    let language = Arc::new(minirepro_languages::by_name(language)?);
    let text = Text::new(language, Arc::from(&b""[..]), Arc::from(input));
    Ok(experimented(Arc::new(text), (Vec::new(), input.to_vec()), Goal::Isolate, false, oracle))
}

fn gcc_input(table: &mut Table, corpus: &Path) -> Result<()> {
    let input = std::fs::read(corpus.join("bug-c/input.c")).context("bug-c")?;
    let oracle = StandIn::SubscriptProduct.oracle();
    let shown = |(size, tests)| format!("{}, {tests} tests", characters(size));
    let case = "GCC input, minimised by characters with ddmin";
    let found = reduced("chars", &input, Search::Ddmin, &oracle)?;
    table.row(case, "77 characters, 731 tests", &shown(found));
    let found = reduced("c", &input, Search::default(), &oracle)?;
    table.row("… by the grammar of C", "", &shown(found));
    let found = isolated("c", &input, &oracle)?;
    let difference = found.failing.len() - found.passing.len();
    let here = format!("{}, {} tests", characters(difference), found.findings.tests);
    table.row("GCC input, isolated", "2 characters, 59 tests", &here);
    Ok(())
}

fn gcc_options(table: &mut Table, corpus: &Path) -> Result<()> {
    let input = std::fs::read_to_string(corpus.join("gcc-options/input.txt"))?;
    let options: Vec<&str> = input.split_whitespace().collect();
    let crash = |candidate: &[u8]| {
        let prevents = |&n: &usize| matches!(options[n], "-ffast-math" | "-fforce-addr");
        if Choice::numbers(candidate).iter().any(prevents) { Outcome::Pass } else { Outcome::Fail }
    };
    let mut left: Vec<usize> = (0..options.len()).collect();
    let mut found = Vec::new();
    while crash(&Choice::text(left.clone())) == Outcome::Pass {
        let choice = Arc::new(Choice::new(&left, &[]));
        let ends = (Choice::text([]), Choice::text(left.clone()));
        let told = experimented(choice, ends, Goal::Isolate, true, &crash);
        let (without, with) = (Choice::numbers(&told.passing), Choice::numbers(&told.failing));
        let single = with.into_iter().find(|n| !without.contains(n)).context("a difference")?;
        left.retain(|&n| n != single);
        // One test more shows that the option alone is enough.
        found.push(format!("{} in {} tests", options[single], told.findings.tests + 1));
    }
    let paper = "-ffast-math in 7 tests, -fforce-addr in 7 tests";
    table.row("31 GCC options, preventing ones", paper, &found.join(", "));
    Ok(())
}

fn mozilla_events(table: &mut Table) -> Result<()> {
    let only = vec![regex::bytes::Regex::new("Key|Button|Motion")?];
    let reading = Reading { only, ..Reading::default() };
    let log = Arc::new(Log::new(recording().into_bytes().into(), &reading));
    let search = |goal| {
        let records = Records::new(Arc::clone(&log), &[]);
        let ends = (log.with(&[]), log.with(&records.all()));
        experimented(Arc::new(records), ends, goal, false, &mozilla)
    };
    let lines = |text: &[u8]| text.split(|&b| b == b'\n').count();
    let told = search(Goal::Minimize(Search::default()));
    let left = lines(&told.failing) - lines(&log.with(&[]));
    let here = format!("{left} actions, {} tests", told.findings.tests);
    table.row("Mozilla, 95 user actions", "3 actions, 82 tests", &here);
    let told = search(Goal::Isolate);
    let left = lines(&told.failing) - lines(&told.passing);
    let here = format!("{left} action, {} tests", told.findings.tests);
    table.row("… isolated", "", &here);
    Ok(())
}

fn mozilla_page(table: &mut Table, corpus: &Path) -> Result<()> {
    let input = long_page(&std::fs::read_to_string(corpus.join("bugzilla-select/input.html"))?);
    let oracle = StandIn::StartTag { tag: "SELECT".into() }.oracle();
    let language = Arc::new(minirepro_languages::by_name("lines")?);
    let ddmin = Algorithm::Lists(Search::Ddmin);
    let told = reduce(Plan { algorithm: ddmin, ..plan(language, &input) }, &oracle);
    let case = "Mozilla, a page of 896 lines, by lines with ddmin";
    table.row(case, "1 line, 57 tests", &format!("1 line, {} tests", told.summary.tests));
    let line = told.result;
    let (size, tests) = reduced("chars", &line, Search::Ddmin, &oracle)?;
    let here = format!("{}, {tests} tests", characters(size));
    table.row("… then this line by characters, with ddmin", "8 characters, 26 tests", &here);
    let (size, tests) = reduced("chars", &line, Search::default(), &oracle)?;
    let here = format!("{}, {tests} tests", characters(size));
    table.row("… with our own search", "", &here);
    let (size, tests) = reduced("html", &input, Search::default(), &oracle)?;
    let here = format!("{}, {tests} tests", characters(size));
    table.row("… the page at once by the grammar of HTML", "", &here);
    let found = isolated("chars", SELECT, &oracle)?;
    let difference = found.failing.len() - found.passing.len();
    let here = format!("{}, {} tests", characters(difference), found.findings.tests);
    table.row("… the line of the paper, isolated", "1 character, 7 tests", &here);
    Ok(())
}

/// Returns the excerpt that we have, in the middle of as many lines as the page had.
fn long_page(excerpt: &str) -> Vec<u8> {
    let missing = 896 - excerpt.lines().count();
    let option = |n: usize| format!("<OPTION VALUE=\"{n}\">Version {n}\n");
    let (before, after): (String, String) =
        ((0..missing / 2).map(option).collect(), (missing / 2..missing).map(option).collect());
    (before + excerpt + &after).into_bytes()
}

/// The line of Figures 2 and 3.
const SELECT: &[u8] = br#"<SELECT NAME="priority" MULTIPLE SIZE=7>"#;

/// Returns a stand-in for NROFF with two bugs: where it crashes depends on what comes first.
fn precision(table: &mut Table) -> Result<()> {
    let place = |text: &[u8]| -> Option<&'static str> {
        let holds = |needle: &[u8]| text.windows(needle.len()).any(|w| w == needle);
        let eight_bit = text.iter().filter(|&&b| b >= 0x80).count();
        (eight_bit >= 60).then_some("buffer").or(holds(b"\\D").then_some("command"))
    };
    let mut random = crate::random::Random(4);
    let mut input = super::standins::fuzz(1_000, false, false, &mut random);
    input.splice(4..6, *b"\\D");
    let original = place(&input);
    let low = |text: &[u8]| if place(text).is_some() { Outcome::Fail } else { Outcome::Pass };
    let high = |text: &[u8]| match place(text) {
        None => Outcome::Pass,
        same if same == original => Outcome::Fail,
        Some(_) => Outcome::Unresolved,
    };
    let case = "precision effect (NROFF, t1): any crash";
    let (size, tests) = reduced("bytes", &input, Search::default(), &low)?;
    table.row(case, "2 characters", &format!("{}, {tests} tests", characters(size)));
    let (size, tests) = reduced("bytes", &input, Search::default(), &high)?;
    let here = format!("{}, {tests} tests", characters(size));
    table.row("… only the crash in the same place", "60 characters", &here);
    Ok(())
}
