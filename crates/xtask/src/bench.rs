//! Runs minirepro on real cases with every algorithm and writes `corpus/SCORES.md`, with the
//! figures of other reducers beside ours.
//!
//! A case is a directory with `case.json`, `input.*` and `test.sh`.

mod browser;
mod cost;
mod curves;
mod fuzz;
mod fuzz_tables;
mod numbers;
mod record;
mod rules;
mod signals;
mod tables;
mod utilities;
mod wide;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand};
use minirepro_engine::Algorithm;

use record::{Record, Stats};

/// What to run.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Bench {
    #[command(subcommand)]
    study: Option<Study>,
    /// Directories of cases; without any, only SCORES.md is written from what was measured before
    cases: Vec<PathBuf>,
    /// The algorithms, separated by commas; `all` for every one
    #[arg(long, default_value = "default", value_delimiter = ',')]
    algorithm: Vec<String>,
    /// The most seconds for each run; what is stopped then is marked
    #[arg(long, default_value_t = 1200)]
    max_time: u64,
    /// The program to measure
    #[arg(long, default_value = "target/release/minirepro")]
    program: PathBuf,
    /// Also take the figures of other reducers from this file, with the fields of
    /// `corpus/scores/peers.jsonl`
    #[arg(long)]
    peers: Vec<PathBuf>,
}

/// Other things to measure than cases.
#[derive(Debug, Subcommand)]
enum Study {
    /// Find differences of layout in generated pages and reduce them; or measure tests in browsers
    Browser(browser::Browser),
    /// Print how long minirepro itself takes on a large text of each language
    Cost(cost::Cost),
    /// Feed the utilities that are installed with random characters; reduce what crashes them
    Fuzz(fuzz::Fuzz),
    /// List for each pass and each rule what it cost and won in the runs of journals (`--history`)
    Rules {
        /// Directories that are searched for journals
        directories: Vec<PathBuf>,
    },
    /// Measure what many workers are worth, on a virtual clock
    Wide(wide::Wide),
}

const OURS: &str = "corpus/scores/minirepro.jsonl";
const PEERS: &str = "corpus/scores/peers.jsonl";
const PUBLISHED: &str = "corpus/scores/published.jsonl";
const PAPER: &str = "corpus/scores/paper.md";

/// Runs what is asked for, one after the other, and writes all tables anew.
pub(crate) fn run(bench: &Bench) -> Result<()> {
    match &bench.study {
        Some(Study::Browser(browser)) => return browser::run(browser),
        Some(Study::Cost(cost)) => return cost::print(cost),
        Some(Study::Wide(wide)) => return wide::print(wide),
        Some(Study::Fuzz(fuzz)) => fuzz::run(fuzz)?,
        Some(Study::Rules { directories }) => {
            print!("{}", rules::table(directories)?);
            return Ok(());
        }
        None => {}
    }
    let mut ours = record::read(Path::new(OURS))?;
    let algorithms = algorithms(&bench.algorithm)?;
    for case in &bench.cases {
        for &algorithm in &algorithms {
            let new = measure(case, algorithm, bench)?;
            eprintln!("{}", new.line());
            record::put(&mut ours, new);
            record::write(Path::new(OURS), &ours)?;
        }
    }
    let mut peers = record::read(Path::new(PEERS))?;
    for file in &bench.peers {
        record::read(file)?.into_iter().for_each(|new| record::put(&mut peers, new));
        record::write(Path::new(PEERS), &peers)?;
    }
    let published = record::read(Path::new(PUBLISHED))?;
    curves::draw(&ours, Path::new("corpus/scores"))?;
    let cases = tables::text(&ours, &[peers, published].concat());
    let paper = std::fs::read_to_string(PAPER).context(PAPER)?;
    let text = format!("{cases}\n{paper}{}", fuzz_tables::tables()?);
    std::fs::write("corpus/SCORES.md", text).context("corpus/SCORES.md")
}

fn algorithms(names: &[String]) -> Result<Vec<Algorithm>> {
    if names == ["all"] {
        return Ok(Algorithm::all().collect());
    }
    names.iter().map(|name| Ok(name.parse()?)).collect()
}

/// Measures one run of the project's own program, started as a user starts it.
fn measure(case: &Path, algorithm: Algorithm, bench: &Bench) -> Result<Record> {
    let case = case.canonicalize().with_context(|| case.display().to_string())?;
    let input = std::fs::read_dir(&case)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_stem().is_some_and(|stem| stem == "input"));
    let Some(input) = input else { bail!("{} has no input.*", case.display()) };
    let scratch = tempfile::tempdir()?;
    let out = scratch.path().join("out");
    let stats = scratch.path().join("stats.json");
    let status = Command::new(&bench.program)
        .args(["--quiet", "--jobs", "1", "--algorithm", algorithm.name()])
        .arg("--max-time")
        .arg(bench.max_time.to_string())
        .arg("--stats")
        .arg(&stats)
        .arg("-o")
        .arg(&out)
        .arg(case.join("test.sh"))
        .arg(&input)
        .stdin(Stdio::null())
        .status()
        .with_context(|| bench.program.display().to_string())?;
    ensure!(status.success(), "{} on {}: {status}", bench.program.display(), case.display());
    let stats: Stats = serde_json::from_slice(&std::fs::read(&stats)?)?;
    let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Record::of_run(name, algorithm.name(), stats, today()?))
}

/// Returns the date of a measurement, as the system tells it.
fn today() -> Result<String> {
    let date = Command::new("date").arg("+%Y-%m-%d").output()?;
    Ok(String::from_utf8(date.stdout)?.trim().to_owned())
}
