//! Measures the program on real failures, one job: a line of `corpus/scores.jsonl` for each case,
//! and `corpus/SCORES.md`, which is written from these lines and from those of other reducers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cases::Case;

/// What to measure, and what to compare it with.
#[derive(Debug, Args)]
pub(crate) struct Scores {
    /// Directories of cases, at any depth; without any, only the tables are written
    cases: Vec<PathBuf>,
    /// The program to measure
    #[arg(long, default_value = "target/release/minirepro")]
    program: PathBuf,
    /// Keep no figures, but say what has changed since these
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// A run is cut off after this many tests
    #[arg(long, default_value_t = 2500)]
    max_tests: u64,
    /// A run is cut off after this many seconds
    #[arg(long, default_value_t = 900)]
    max_time: u64,
}

/// The end of one run.
#[derive(Clone, Deserialize, Serialize)]
struct Score {
    kind: String,
    case: String,
    tokens_before: u64,
    tokens: u64,
    bytes: u64,
    tests: u64,
    end: End,
    seconds: f64,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Serialize)]
enum End {
    #[serde(rename = "certified")]
    Certified,
    #[serde(rename = "cut off")]
    CutOff,
}

/// What another reducer has made of a case.
#[derive(Deserialize)]
struct Peer {
    tool: String,
    case: String,
    tokens: u64,
    tests: u64,
    /// Whether the clock has ended it.
    timed_out: bool,
}

/// The parts of `--stats` that are read here.
#[derive(Deserialize)]
struct Stats {
    tokens: BeforeAfter,
    bytes: BeforeAfter,
    tests: u64,
    stopped: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct BeforeAfter {
    before: u64,
    after: u64,
}

const SCORES: &str = "corpus/scores.jsonl";
const PEERS: &str = "corpus/peers.jsonl";
const TABLES: &str = "corpus/SCORES.md";
/// Its table has some of the cases.
const GUIDE: &str = "crates/cli/guide/comparison.md";
/// The other reducers in it, in the order of its columns.
const IN_GUIDE: [&str; 3] = ["C-Vise", "Perses", "treereduce"];

/// The most that all cases of a kind may lose: the geometric mean of the tokens, the sum of the
/// tests.
const BOUND: (f64, f64) = (1.02, 1.05);

/// Measures each case, and keeps or compares the figures.
///
/// # Errors
/// If a run fails, or the cases of a kind lose more than [`BOUND`].
pub(crate) fn run(scores: &Scores) -> Result<()> {
    let kept = scores.against.as_deref().unwrap_or(Path::new(SCORES));
    let mut known: Vec<Score> = read(kept)?;
    let cases = if scores.cases.is_empty() { Vec::new() } else { Case::below(&scores.cases)? };
    let (mut new, mut failed) = (Vec::new(), Vec::new());
    for case in &cases {
        match measure(case, scores) {
            Ok(score) => {
                eprintln!("{} {}: {}", score.kind, score.case, score.shown());
                if scores.against.is_none() {
                    known.retain(|old| (&old.kind, &old.case) != (&score.kind, &score.case));
                    known.push(score.clone());
                    known.sort_by(|a, b| (&a.kind, &a.case).cmp(&(&b.kind, &b.case)));
                    write(kept, &known)?;
                }
                new.push(score);
            }
            Err(error) => failed.push(format!("{}: {error:#}", case.name)),
        }
    }
    match scores.against {
        Some(_) => compare(&known, &new)?,
        None => {
            let peers: Vec<Peer> = read(Path::new(PEERS))?;
            fs::write(TABLES, tables(&known, &peers)?)?;
            fs::write(GUIDE, in_guide(&fs::read_to_string(GUIDE)?, &known, &peers))?;
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text.lines().map(|line| serde_json::from_str(line).context(line.to_owned())).collect()
}

fn write(path: &Path, scores: &[Score]) -> Result<()> {
    let lines = scores.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    fs::write(path, lines.join("\n") + "\n").with_context(|| path.display().to_string())
}

impl Score {
    fn shown(&self) -> String {
        shown(self.tokens, self.tests, self.end == End::CutOff)
    }
}

impl Peer {
    fn shown(&self) -> String {
        shown(self.tokens, self.tests, self.timed_out)
    }
}

fn shown(tokens: u64, tests: u64, is_cut_off: bool) -> String {
    format!("{tokens}/{tests}{}", if is_cut_off { "*" } else { "" })
}

/// Runs the program as a user does: in a directory that holds the input, one job.
fn measure(case: &Case, scores: &Scores) -> Result<Score> {
    let place = tempfile::tempdir()?;
    let name = case.input.file_name().context("the input has a name")?;
    let work = place.path().join("work");
    fs::create_dir(&work)?;
    let copied = Command::new("cp").arg("-r").arg(&case.input).arg(&work).status()?;
    ensure!(copied.success(), "{} cannot be copied", case.input.display());
    let stats = place.path().join("stats.json");
    let begun = Instant::now();
    let mut command = Command::new(scores.program.canonicalize().context("build it first")?);
    command.args(["--quiet", "--jobs", "1", "--max-tests", &scores.max_tests.to_string()]);
    command.args(["--max-time", &scores.max_time.to_string(), "--stats"]).arg(&stats);
    command.arg("-o").arg(place.path().join("out"));
    // A page's script says what the program could be told itself, which is faster by far.
    let script = fs::read_to_string(&case.test)?;
    match script.split_once("--holds '").and_then(|(_, rest)| rest.rsplit_once('\'')) {
        Some((holds, _)) => command.arg(name).args(["--holds", holds]),
        None => command.arg(&case.test).arg(name),
    };
    let output = command.current_dir(&work).stdin(Stdio::null()).output()?;
    let Ok(stats) = fs::read(&stats) else {
        bail!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))
    };
    let Stats { tokens, bytes, tests, stopped } = serde_json::from_slice(&stats)?;
    Ok(Score {
        kind: case.kind.clone(),
        case: case.name.clone(),
        tokens_before: tokens.before,
        tokens: tokens.after,
        bytes: bytes.after,
        tests,
        end: if stopped.is_none() { End::Certified } else { End::CutOff },
        seconds: (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0,
    })
}

/// Returns the scores of each kind.
fn by_kind<'a>(scores: impl IntoIterator<Item = &'a Score>) -> BTreeMap<&'a str, Vec<&'a Score>> {
    let mut kinds: BTreeMap<&str, Vec<&Score>> = BTreeMap::new();
    scores.into_iter().for_each(|score| kinds.entry(&score.kind).or_default().push(score));
    kinds
}

/// Returns the geometric mean of quotients.
fn mean(quotients: &[f64]) -> f64 {
    (quotients.iter().map(|quotient| quotient.ln()).sum::<f64>() / quotients.len() as f64).exp()
}

/// Says of each kind what all its cases have gained or lost, and which have changed.
fn compare(old: &[Score], new: &[Score]) -> Result<()> {
    let mut worse = Vec::new();
    for (kind, new) in by_kind(new) {
        let known =
            |new: &&Score| old.iter().find(|old| (&old.kind, &old.case) == (&new.kind, &new.case));
        let pairs: Vec<_> = new.iter().filter_map(|new| Some((known(new)?, *new))).collect();
        let ratio =
            |(old, new): &(&Score, &Score)| new.tokens.max(1) as f64 / old.tokens.max(1) as f64;
        let tokens = mean(&pairs.iter().map(ratio).collect::<Vec<_>>());
        let sum = |tests: fn(&(&Score, &Score)) -> u64| pairs.iter().map(tests).sum::<u64>() as f64;
        let tests = sum(|(_, new)| new.tests) / sum(|(old, _)| old.tests);
        println!("{kind}: {} cases, tokens × {tokens:.3}, tests × {tests:.3}", pairs.len());
        for pair in &pairs {
            let (old, new) = pair;
            if (old.tokens, old.tests, old.end) != (new.tokens, new.tests, new.end) {
                let is_loss = new.tokens > old.tokens + 3 && ratio(pair) > 1.2;
                let sign = if is_loss { "   <- lost" } else { "" };
                println!("  {}: {} -> {}{sign}", new.case, old.shown(), new.shown());
            }
        }
        if tokens > BOUND.0 || tests > BOUND.1 {
            worse.push(kind);
        }
    }
    ensure!(worse.is_empty(), "worse than × {} or × {}: {}", BOUND.0, BOUND.1, worse.join(", "));
    Ok(())
}

fn of_case<'a>(peers: &'a [Peer], case: &'a str) -> impl Iterator<Item = &'a Peer> {
    peers.iter().filter(move |peer| peer.case == case)
}

/// Returns `corpus/SCORES.md`.
fn tables(scores: &[Score], peers: &[Peer]) -> Result<String> {
    let mut text = "\
# Scores on real failures

Written by `cargo xtask scores`; do not edit. An entry is *tokens left/tests*, one job; `*` was cut off, by the number
of tests or by the clock. The cases are failures of compilers, browsers and other tools, too large for this
repository. Where other reducers were measured, their figures stand beside ours; their tokens were counted by one
counter for all tools, ours are leaves of the grammar.
"
    .to_owned();
    for (kind, scores) in by_kind(scores) {
        let tools: BTreeSet<&str> = scores
            .iter()
            .flat_map(|score| of_case(peers, &score.case))
            .map(|peer| &*peer.tool)
            .collect();
        let heads: String = tools.iter().map(|tool| format!(" {tool} |")).collect();
        let rule = "---|".repeat(3 + tools.len());
        write!(text, "\n## {kind}\n\n| case | before | minirepro |{heads}\n|{rule}\n")?;
        let mut quotients = Vec::new();
        for score in &scores {
            let Score { case, tokens_before, tokens, .. } = score;
            write!(text, "| {case} | {tokens_before} | {} |", score.shown())?;
            for tool in &tools {
                let figure = of_case(peers, case).find(|peer| peer.tool == *tool).map(Peer::shown);
                write!(text, " {} |", figure.unwrap_or_default())?;
            }
            text += "\n";
            let ended = of_case(peers, case).filter(|peer| !peer.timed_out);
            let best = ended.map(|peer| peer.tokens).min();
            quotients.extend(best.map(|best| (*tokens).max(1) as f64 / best.max(1) as f64));
        }
        let tests: u64 = scores.iter().map(|score| score.tests).sum();
        write!(text, "\n{tests} tests in all")?;
        if !quotients.is_empty() {
            let (mean, count) = (mean(&quotients), quotients.len());
            write!(text, "; tokens × {mean:.2} of the best other's, geometric mean of {count}")?;
        }
        text += ".\n";
    }
    Ok(text)
}

/// Returns the chapter with the figures of today.
fn in_guide(chapter: &str, scores: &[Score], peers: &[Peer]) -> String {
    let row = |line: &str| {
        let name = line.strip_prefix("| ")?.split(' ').next()?;
        let score = scores.iter().find(|score| score.case == name)?;
        let figure = |tool: &&str| {
            let peer = of_case(peers, name).find(|peer| peer.tool == *tool);
            peer.map_or("-".to_owned(), Peer::shown)
        };
        let others = IN_GUIDE.iter().map(figure).collect::<Vec<_>>().join(" | ");
        Some(format!("| {name} | {} | {} | {others} |", score.tokens_before, score.shown()))
    };
    let lines = chapter.lines().map(|line| row(line).unwrap_or_else(|| line.to_owned()) + "\n");
    lines.collect()
}
