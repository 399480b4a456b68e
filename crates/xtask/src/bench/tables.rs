//! Writes the tables of `corpus/SCORES.md` from stored records.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::numbers::thousands;
use super::record::Record;

/// Reducers in the order of columns.
const TOOLS: &[(&str, &str)] = &[
    ("cvise", "C-Vise"),
    ("perses", "Perses"),
    ("shrinkray", "ShrinkRay"),
    ("treereduce", "treereduce"),
    ("picire", "picire"),
    ("lithium", "lithium"),
    ("delta", "delta"),
];

/// Sizes that a run is asked for when it came down to them.
const SIZES: &[u64] = &[10_000, 1_000, 300, 100, 50, 30, 20];

type Cases<'a> = BTreeMap<&'a str, Vec<&'a Record>>;

/// Returns the whole document.
pub(crate) fn text(ours: &[Record], peers: &[Record]) -> String {
    let default = |r: &&Record| r.algorithm.as_deref() == Some("default");
    let mut text = String::from(HEAD);
    for (title, file, kind) in
        [("C", "c", Kind::C), ("HTML", "html", Kind::Html), ("C++", "cpp", Kind::Cpp)]
    {
        let runs: Vec<&Record> =
            ours.iter().filter(default).filter(|r| Kind::of(&r.case) == kind).collect();
        if !runs.is_empty() {
            let _ = write!(text, "\n## {title}: beside other reducers\n\n");
            versus(&mut text, &runs, &by_case(peers));
            let _ = write!(text, "\n## {title}: on the way\n\n{ON_THE_WAY}\n");
            let _ = write!(text, "![tokens over tests](scores/{file}.svg)\n\n");
            on_the_way(&mut text, &runs);
        }
    }
    algorithms(&mut text, &by_case(ours));
    text
}

const HEAD: &str = "\
# Scores on real failures

Written by `cargo xtask bench`; do not edit. Each entry is *tokens left / tests told*, one test at a
time; `*` was stopped by the clock (the best candidate then), `-` was not measured. The cases are real
failures of compilers and HTML tools, too large for this repository; the oracle of each is a test script,
and one token counter serves all tools. Counts are exact and can be repeated; seconds
(in `scores/*.jsonl`) are of a busy machine with two cores and do not compare with each other.
";

const ON_THE_WAY: &str = "Tests run until the result had at most this many tokens.\n";

/// What the input of a case is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    C,
    Cpp,
    Html,
}

impl Kind {
    /// Returns the kind of a case by what fails on it, with which its name begins.
    pub(super) fn of(case: &str) -> Self {
        const HTML: [&str; 8] =
            ["happydom", "html2text", "juice", "linkedom", "minifier", "pisa", "prettier", "tidy"];
        const CPP: [&str; 3] = ["clang1", "cpp-", "gxx1"];
        let begins = |with: &[&str]| with.iter().any(|start| case.starts_with(start));
        match () {
            () if begins(&HTML) => Self::Html,
            () if begins(&CPP) => Self::Cpp,
            () => Self::C,
        }
    }
}

fn by_case(records: &[Record]) -> Cases<'_> {
    let mut cases = Cases::new();
    for record in records {
        cases.entry(&record.case).or_default().push(record);
    }
    cases
}

fn versus(text: &mut String, runs: &[&Record], peers: &Cases<'_>) {
    let known = |tool: &str, run: &Record| {
        let mut all = peers.get(&*run.case).into_iter().flatten().filter(|p| p.tool == tool);
        let ended = all.clone().find(|p| !p.timed_out);
        ended.or_else(|| all.next()).copied()
    };
    let tools: Vec<_> =
        TOOLS.iter().filter(|(tool, _)| runs.iter().any(|r| known(tool, r).is_some())).collect();
    let names: String = tools.iter().map(|(_, name)| format!(" {name} |")).collect();
    let _ = writeln!(text, "| case | tokens before | **minirepro** |{names} best peer's tokens |");
    let _ = writeln!(text, "|---|---|---|{}---|", "---|".repeat(tools.len()));
    let mut logs = 0.0;
    let mut count = 0;
    for run in runs {
        let row: Vec<Option<&Record>> = tools.iter().map(|(tool, _)| known(tool, run)).collect();
        let best = row.iter().flatten().filter(|p| !p.own_result_bad).map(|p| p.tokens).min();
        let cells: String =
            row.iter().map(|p| format!(" {} |", p.map_or("-".into(), Record::figures))).collect();
        let ratio = best.map(|best| run.tokens as f64 / best.max(1) as f64);
        if let Some(ratio) = ratio {
            logs += ratio.ln();
            count += 1;
        }
        let ratio = ratio.map_or("-".into(), |r| format!("× {}", short(r)));
        let before = thousands(run.in_tokens);
        let own = run.figures();
        let _ = writeln!(text, "| {} | {before} | **{own}** |{cells} {ratio} |", run.case);
    }
    if count > 0 {
        let mean = (logs / f64::from(count)).exp();
        let _ = writeln!(
            text,
            "\nGeometric mean of our tokens over the best peer's: **{}** ({count} cases). Sum of \
             our tests: {}.",
            short(mean),
            thousands(runs.iter().map(|r| r.tests).sum())
        );
    }
}

/// Returns a ratio with two decimals, or where they say nothing with five.
fn short(ratio: f64) -> String {
    if ratio < 0.01 { format!("{ratio:.5}") } else { format!("{ratio:.2}") }
}

fn on_the_way(text: &mut String, runs: &[&Record]) {
    let sizes: String = SIZES.iter().map(|s| format!(" ≤ {} |", thousands(*s))).collect();
    let _ = writeln!(text, "| case |{sizes} end |\n|---|{}---|", "---|".repeat(SIZES.len()));
    for run in runs {
        let reached = |size: u64| {
            let at = run.curve.iter().find(|[_, tokens]| *tokens <= size).map(|[tests, _]| *tests);
            at.map_or("-".into(), thousands)
        };
        let cells: String = SIZES.iter().map(|&s| format!(" {} |", reached(s))).collect();
        let _ = writeln!(text, "| {} |{cells} {} |", run.case, run.figures());
    }
}

fn algorithms(text: &mut String, ours: &Cases<'_>) {
    let mut names: Vec<&str> = Vec::new();
    for name in ours.values().flatten().filter_map(|r| r.algorithm.as_deref()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.sort_by_key(|name| (*name != "default", *name));
    if names.len() < 2 {
        return;
    }
    let head: String = names.iter().map(|name| format!(" {name} |")).collect();
    let _ = write!(
        text,
        "\n## Algorithms\n\n`--algorithm`: the first ones search the lists of our own passes; `hdd`, `hddr` \
         and `perses` are the published orders, with ddmin, on the same trees.\n\n| case |{head}\n|---|{}\n",
        "---|".repeat(names.len())
    );
    for (case, runs) in ours {
        if runs.len() < 2 {
            continue;
        }
        let of = |name: &&str| runs.iter().find(|r| r.algorithm.as_deref() == Some(name));
        let cells: String = names
            .iter()
            .map(|name| format!(" {} |", of(name).map_or("-".into(), |r| r.figures())))
            .collect();
        let _ = writeln!(text, "| {case} |{cells}");
    }
}
