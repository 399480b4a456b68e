//! `--stats`: the figures of a run as JSON, version 1. Fields may be added; none changes its
//! meaning or goes without a new version.

use std::path::Path;

use minirepro_program::{
    BaselineFacts, Event, Findings, IsolationOutcome, Measured, MinimizedContext, OptionsOutcome,
    OutputError, OutputFile, PassStats, Reduced, ReductionOutcome, RunnerStats, sources,
};
use serde::Serialize;

use super::reason::stopped;

const VERSION: u32 = 1;
const MINIREPRO: &str = env!("CARGO_PKG_VERSION");

/// Collects the sizes of a reduction, which its outcome does not hold.
#[derive(Debug, Default)]
pub struct Curve(Vec<[u64; 3]>);

impl Curve {
    /// Takes an event.
    pub fn event(&mut self, event: &Event) {
        if let Event::Reduced { tokens, text, tests } = event {
            self.0.push([*tests, *tokens, text.len() as u64]);
        }
    }
}

/// Facts about a run that its outcome does not hold.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The input.
    pub file: &'a str,
    /// The algorithm.
    pub algorithm: &'a str,
    /// Tests at a time.
    pub jobs: usize,
}

/// The file for a reduction of a file.
#[derive(Debug, Serialize)]
struct OfReduction<'a> {
    version: u32,
    minirepro: &'static str,
    file: &'a str,
    language: &'a str,
    algorithm: &'a str,
    jobs: usize,
    #[serde(flatten)]
    first: OneReduction<'a>,
    /// Of further causes (`--all-causes`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<OneReduction<'a>>,
}

#[derive(Debug, Serialize)]
struct OneReduction<'a> {
    /// Of a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<BeforeAfter>,
    tokens: BeforeAfter,
    bytes: BeforeAfter,
    /// Tests that decided something. The same for any number of jobs.
    tests: u64,
    /// Tests run, including speculative ones whose answers were not used.
    tests_run: u64,
    timeouts: u64,
    /// Tests that were ended because they wrote too much or needed too much memory.
    exceeded: u64,
    baseline_tests: u64,
    guard_runs: u64,
    informant_runs: u64,
    infeasible: u64,
    remembered: u64,
    seconds: f64,
    test_seconds: f64,
    /// Between the end of a test and the start of the next, at the median; with one job.
    #[serde(skip_serializing_if = "Option::is_none")]
    between_tests_seconds: Option<f64>,
    /// Spent by minirepro itself for each test, at the mean; with one job.
    #[serde(skip_serializing_if = "Option::is_none")]
    own_seconds_per_test: Option<f64>,
    time_limit_seconds: f64,
    stopped: Option<&'static str>,
    certificate: Option<Certificate>,
    passes: Vec<Pass<'a>>,
    /// After each reduction: tests so far, tokens, bytes.
    curve: &'a [[u64; 3]],
}

#[derive(Debug, Serialize)]
struct BeforeAfter {
    before: u64,
    after: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Debug, Serialize)]
struct Certificate {
    /// All kinds that were tried, and how many edits of each the result has.
    edit_kinds: Vec<&'static str>,
    edits: Vec<usize>,
    refused: u64,
    unresolved: u64,
    /// Edits that reproduce with fewer bytes but more tokens.
    #[serde(skip_serializing_if = "is_zero")]
    larger: u64,
}

#[derive(Debug, Serialize)]
struct Pass<'a> {
    name: &'a str,
    told: u64,
    fail: u64,
    pass: u64,
    unresolved: u64,
    infeasible: u64,
    remembered: u64,
    not_smaller: u64,
    tokens_won: u64,
    bytes_won: i64,
    seconds: f64,
}

/// Returns the figures of a reduction of a file; `curves` are those of its results, in their order.
pub fn of_reduction(asked: &Asked<'_>, outcome: &ReductionOutcome, curves: &[Curve]) -> String {
    let empty = Curve::default();
    let mut all = outcome.results.iter().enumerate().map(|(nth, result)| {
        one_reduction(&outcome.baseline, result, curves.get(nth).unwrap_or(&empty))
    });
    let Some(first) = all.next() else { return String::new() };
    let language = outcome.results.first().map_or("", |result| &result.language);
    json(&OfReduction {
        version: VERSION,
        minirepro: MINIREPRO,
        file: asked.file,
        language,
        algorithm: asked.algorithm,
        jobs: asked.jobs,
        first,
        more: all.collect(),
    })
}

fn one_reduction<'a>(
    baseline: &BaselineFacts,
    result: &'a Reduced,
    curve: &'a Curve,
) -> OneReduction<'a> {
    let Measured { session: summary, runner, took, .. } = &result.figures;
    let RunnerStats { tests, timeouts, exceeded, time, between, .. } = runner;
    let change = |(before, after)| BeforeAfter { before, after };
    OneReduction {
        files: result.files.map(change),
        tokens: change(summary.tokens),
        bytes: change(summary.bytes),
        tests: summary.tests,
        tests_run: *tests,
        timeouts: *timeouts,
        exceeded: *exceeded,
        baseline_tests: baseline.tests,
        guard_runs: result.guard_runs,
        informant_runs: summary.consulted,
        infeasible: summary.infeasible,
        remembered: summary.remembered,
        seconds: took.as_secs_f64(),
        test_seconds: time.as_secs_f64(),
        between_tests_seconds: between.map(|time| time.as_secs_f64()),
        own_seconds_per_test: between
            .filter(|_| *tests > 0)
            .map(|_| took.saturating_sub(*time).as_secs_f64() / *tests as f64),
        time_limit_seconds: baseline.limits.time.as_secs_f64(),
        stopped: summary.stopped.map(stopped),
        certificate: summary.certificate.as_ref().map(|certificate| Certificate {
            edit_kinds: certificate.edit_kinds.iter().map(|kind| kind.name).collect(),
            edits: certificate.edit_kinds.iter().map(|kind| kind.count).collect(),
            refused: certificate.refused,
            unresolved: certificate.unresolved,
            larger: certificate.larger,
        }),
        passes: summary.passes.iter().map(|(name, stats)| pass(name, stats)).collect(),
        curve: &curve.0,
    }
}

fn pass<'a>(name: &'a str, stats: &PassStats) -> Pass<'a> {
    let [fail, pass, unresolved] = stats.tested;
    Pass {
        name,
        told: stats.told,
        fail,
        pass,
        unresolved,
        infeasible: stats.infeasible,
        remembered: stats.remembered,
        not_smaller: stats.not_smaller,
        tokens_won: stats.tokens_won,
        bytes_won: stats.bytes_won,
        seconds: stats.time.as_secs_f64(),
    }
}

/// The file for an isolation.
#[derive(Debug, Serialize)]
struct OfIsolation<'a> {
    version: u32,
    minirepro: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    jobs: usize,
    baseline_tests: u64,
    #[serde(flatten)]
    first: OneDifference,
    /// Of further causes (`--all-causes`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<OneDifference>,
}

#[derive(Debug, Serialize)]
struct OneDifference {
    /// Before and after.
    passing_bytes: [usize; 2],
    /// Before and after.
    failing_bytes: [usize; 2],
    /// The search.
    isolation: Search,
    /// That of what both have in common.
    minimisation: Option<Minimisation>,
    /// As a diff.
    difference: String,
}

/// The figures of `--minimize`.
#[derive(Debug, Serialize)]
struct Minimisation {
    tests: u64,
    tests_of_the_passing_side: u64,
    tokens: [u64; 2],
    stopped: Option<&'static str>,
}

impl From<&MinimizedContext> for Minimisation {
    fn from(minimized: &MinimizedContext) -> Self {
        let summary = &minimized.figures.session;
        Self {
            tests: summary.tests,
            tests_of_the_passing_side: minimized.counterpart_tests,
            tokens: summary.tokens.into(),
            stopped: summary.stopped.map(stopped),
        }
    }
}

/// Returns the figures of an isolation; `differences` are the diffs, in the order of the results.
pub fn of_isolation(
    asked: &Asked<'_>,
    outcome: &IsolationOutcome,
    differences: &[String],
) -> String {
    let mut all = outcome.differences.iter().enumerate().map(|(nth, found)| OneDifference {
        passing_bytes: [found.bytes_before[0], found.passing.len()],
        failing_bytes: [found.bytes_before[1], found.failing.len()],
        isolation: Search::from(&found.isolation),
        minimisation: found.minimized.as_ref().map(Minimisation::from),
        difference: differences.get(nth).cloned().unwrap_or_default(),
    });
    let Some(first) = all.next() else { return String::new() };
    json(&OfIsolation {
        version: VERSION,
        minirepro: MINIREPRO,
        language: outcome.language.as_deref(),
        jobs: asked.jobs,
        baseline_tests: outcome.baseline.tests,
        first,
        more: all.collect(),
    })
}

/// The figures of an isolation or minimization of circumstances.
#[derive(Debug, Serialize)]
struct Search {
    tests: u64,
    tests_run: u64,
    infeasible: u64,
    remembered: u64,
    seconds: f64,
    stopped: Option<&'static str>,
    levels: Vec<LevelFigures>,
}

#[derive(Debug, Serialize)]
struct LevelFigures {
    name: &'static str,
    circumstances: usize,
    left: usize,
    tests: u64,
    infeasible: u64,
    unresolved: u64,
    minimal: bool,
}

impl From<&Measured<Findings>> for Search {
    fn from(measured: &Measured<Findings>) -> Self {
        let findings = &measured.session;
        let levels = findings.levels.iter().map(|level| LevelFigures {
            name: level.name,
            circumstances: level.circumstances,
            left: level.left,
            tests: level.tests,
            infeasible: level.infeasible,
            unresolved: level.unresolved,
            minimal: level.minimal,
        });
        Self {
            tests: findings.tests,
            tests_run: measured.runner.tests,
            infeasible: findings.infeasible,
            remembered: findings.remembered,
            seconds: measured.took.as_secs_f64(),
            stopped: findings.stopped.map(stopped),
            levels: levels.collect(),
        }
    }
}

/// The file for a search for words.
#[derive(Debug, Serialize)]
struct OfOptions<'a> {
    version: u32,
    minirepro: &'static str,
    words: &'a [String],
    found: Vec<Vec<&'a str>>,
    baseline_tests: u64,
    /// Of one choice each: a word alone, or all that were not found.
    single_tests: u64,
    searches: Vec<Search>,
}

/// Returns the figures of a search for words.
pub fn of_options(outcome: &OptionsOutcome) -> String {
    let word = |&place: &usize| outcome.words[place].as_str();
    json(&OfOptions {
        version: VERSION,
        minirepro: MINIREPRO,
        words: &outcome.words,
        found: outcome.sets.iter().map(|set| set.iter().map(word).collect()).collect(),
        baseline_tests: outcome.baseline.tests,
        single_tests: outcome.single_tests,
        searches: outcome.searches.iter().map(Search::from).collect(),
    })
}

fn json(stats: &impl Serialize) -> String {
    serde_json::to_string_pretty(stats).expect("all keys are strings") + "\n"
}

/// Checks that the file can be written, and writes nothing.
///
/// # Errors
/// If its directory is missing or read-only, or a directory has this name.
pub fn check(path: &Path) -> Result<(), OutputError> {
    file(path).check()
}

/// Returns whether there is a file that holds something else than figures of an earlier run.
pub fn would_be_lost(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.len() > 0) && !holds_figures(path)
}

/// Returns whether a file holds figures that a run has written.
fn holds_figures(path: &Path) -> bool {
    let figures = sources::file(path).ok().map(|text| serde_json::from_slice(&text));
    let figures: Option<serde_json::Value> = figures.and_then(Result::ok);
    figures.is_some_and(|figures| figures.get("minirepro").is_some())
}

/// Writes figures to a file.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, json: &str) -> Result<(), OutputError> {
    file(path).write(json.as_bytes())
}

/// Returns the file with the permissions of a new one.
fn file(path: &Path) -> OutputFile {
    OutputFile::new(path, Path::new("/dev/null/no/permissions"))
}
