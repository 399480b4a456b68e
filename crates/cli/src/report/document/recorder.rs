//! Collects from the events of a run what a report says.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_program::{
    Difference, Event, LanguageChoice, Languages, Over, Reduced, RunEvent, Summary, archive,
    sources,
};

use super::document::{Body, Document, ReportText, Reproduction};
use super::evidence::{Witness, name_files_of_command};
use super::machine_paths::MachinePaths;
use super::part::code;
use super::steps::{Version, steps};
use super::surroundings;
use crate::args::{Ending, FailureArgs};
use crate::report::certificate::{certified, edit_kinds};
use crate::report::diff::unified;
use crate::report::numbers::{count, counted, percent, time};
use crate::report::patch::patch;
use crate::report::reason::stopped;
use crate::report::shell::quote_all;
use crate::report::summary::around;
use crate::report::terminal::shown;

/// How many bytes of versions are kept.
const MOST_KEPT: u64 = 64 << 20;
/// Files beside the candidate that are longer than this are named, not shown.
const LONGEST_COMPANION: usize = 32 << 10;

/// What is known about a run before it begins.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The test.
    pub test: Reproduction,
    /// What counts as its failure, if it is a command.
    pub conditions: FailureArgs,
    /// The command line, for a shell.
    pub started_with: String,
    /// The failure, where an earlier run has learnt it.
    pub failure: Option<String>,
    /// Where the result is, if the run does not write it.
    pub result: Option<PathBuf>,
    /// The input, if it is a single text.
    pub input: Option<Arc<[u8]>>,
    /// The languages that there are.
    pub languages: Languages,
    /// The directory in which the run was begun.
    pub directory: PathBuf,
    /// The test, to be asked once more; without one, nothing is run.
    pub witness: Option<Witness>,
}

/// Collects the events of a run.
#[derive(Debug, Default)]
pub struct Recorder {
    known: Known,
    document: Document,
    /// The texts on the way down, the first of which is the input.
    versions: Vec<Version>,
    /// When the run began.
    begun: Option<Instant>,
    /// The result, as tests get it.
    result: Option<Vec<u8>>,
    pass: &'static str,
}

impl Recorder {
    /// Makes one that has seen nothing yet.
    pub fn new(known: Known) -> Self {
        Self { known, begun: Some(Instant::now()), ..Self::default() }
    }

    fn add(&mut self, version: Version) {
        self.versions.push(version);
        let is_kept = |version: &&mut Version| version.text.is_some();
        let kept: u64 = self.versions.iter_mut().filter(is_kept).map(|version| version.bytes).sum();
        // Of a long way, every second version is enough.
        if kept > MOST_KEPT
            && let [_, between @ .., _] = &mut self.versions[..]
        {
            let all = between.iter_mut().filter(is_kept);
            all.step_by(2).for_each(|version| version.text = None);
        }
    }

    /// Takes an event.
    pub fn event(&mut self, event: &RunEvent<'_>) {
        match *event {
            RunEvent::FailureLearnt { signature, .. } => {
                self.document.failure = Some(signature.to_string());
            }
            RunEvent::CompanionsProvided { companions, .. } => {
                self.document.companions = companions
                    .iter()
                    .map(|companion| self.companion(&companion.path, &companion.source))
                    .collect();
            }
            RunEvent::ReductionBegins { tokens, bytes, .. } => {
                let text = self.known.input.clone();
                self.add(Version { tests: 0, tokens, pass: "", text, bytes });
            }
            RunEvent::Step { event: Event::Pass { name, .. }, .. } => self.pass = name,
            RunEvent::Step { event: Event::Reduced { tokens, text, tests }, .. } => {
                let (bytes, text) = (text.len() as u64, Some(Arc::clone(text)));
                self.add(Version { tests: *tests, tokens: *tokens, pass: self.pass, text, bytes });
            }
            RunEvent::Over(over) => self.over(over),
            _ => {}
        }
    }

    fn companion(&self, path: &Path, source: &Path) -> ReportText {
        let text = sources::file(source).ok().filter(|text| text.len() <= LONGEST_COMPANION);
        code(&shown(path), text.as_deref().unwrap_or_default(), None)
    }

    fn over(&mut self, over: Over<'_>) {
        match over {
            Over::Reduction(outcome) => {
                self.reduction(&outcome.result);
            }
            Over::Isolation(outcome) => {
                self.difference(&outcome.difference);
            }
            Over::Options(outcome) => {
                let words = outcome.needed.iter().map(|&place| &outcome.words[place][..]);
                let text = quote_all(words) + "\n";
                self.document.results.push(code("words", text.as_bytes(), None));
            }
        }
    }

    fn figure(&mut self, name: &str, value: String) {
        self.document.figures.push((name.to_owned(), value));
    }

    fn certify(&mut self, line: &str) {
        self.document.certificate.push(line.to_owned());
    }

    fn reduction(&mut self, result: &Reduced) {
        let summary = &result.figures.session;
        let path = result.path.as_deref().or(self.known.result.as_deref());
        let file = path.map_or_else(|| base(Path::new(&result.name)), base);
        let choice = LanguageChoice::Named(result.language.clone());
        let language =
            choice.find(&self.known.languages, Path::new(&result.name), &result.text).ok();
        if result.files.is_some() {
            self.files(&result.text);
        } else {
            let part = code(&file, &result.text, language.as_deref());
            self.document.results.push(part);
        }
        self.result = Some(result.text.to_vec());
        self.document.curve =
            self.versions.iter().map(|version| (version.tests, version.tokens)).collect();
        if let Some((_, tokens)) = self.document.curve.last().copied() {
            self.document.curve.push((summary.tests, tokens));
        }
        self.document.steps = steps(&self.versions);
        self.document.name = base(Path::new(&result.name));
        if let Some(files) = result.files {
            self.figure("Files", arrow(files));
        }
        self.figure("Tokens", arrow(summary.tokens));
        self.figure("Bytes", arrow(summary.bytes));
        self.figure("Left", percent(summary.tokens.1, summary.tokens.0));
        self.figure("Tests", count(summary.tests));
        // Without tests, a run takes no time.
        if self.known.result.is_none() {
            let in_all = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
            let around = around(result.figures.took, in_all);
            self.figure("Time", time(result.figures.took) + &around);
        }
        self.certificate(summary);
        for (signature, find) in &result.finds {
            let text = sources::file(&find.path).unwrap_or_default();
            let part = code(&base(&find.path), &text, language.as_deref());
            self.document.other_failures.push((signature.to_string(), part));
        }
    }

    fn certificate(&mut self, summary: &Summary) {
        match (&summary.certificate, summary.stopped) {
            (Some(certificate), None) => {
                self.certify(&certified(certificate));
                for line in edit_kinds(certificate).lines() {
                    self.certify(line.trim());
                }
            }
            (_, Some(why)) => {
                self.certify(&format!(
                    "stopped early, {}: it may not be minimal yet",
                    stopped(why)
                ));
            }
            (None, None) => self.certify("not certified to be minimal"),
        }
    }

    /// Shows each file of a directory.
    fn files(&mut self, archive: &[u8]) {
        for entry in archive::entries(archive) {
            let name = String::from_utf8_lossy(entry.path);
            let known = &self.known.languages;
            let language = LanguageChoice::Guess.find(known, Path::new(&*name), entry.text);
            let part = code(&name, entry.text, language.ok().as_deref());
            self.document.results.push(part);
        }
    }

    fn difference(&mut self, found: &Difference) {
        let [old, new] = [&found.passing, &found.failing].map(|text| &text[..]);
        let is_archive = !archive::entries(new).is_empty() || !archive::entries(old).is_empty();
        let diff = match is_archive {
            true => patch(old, new),
            false => unified(["passing", "failing"], old, new),
        };
        let name = found.paths.as_ref().map_or_else(|| "difference".to_owned(), |[_, b]| base(b));
        self.document.results.push(ReportText {
            name,
            suffix: "diff".into(),
            text: diff.clone().into_bytes(),
            body: Body::Diff(diff),
        });
        self.figure("Tests", count(found.isolation.session.tests));
        self.figure("Time", time(found.isolation.took));
    }

    /// Returns the report of a run that is over, with what this machine says about itself; `runs`
    /// says whether the test and its programs may be run.
    pub fn finish(self, runs: bool) -> Document {
        let Known { test, conditions, started_with, failure, .. } = self.known;
        let mut document = self.document;
        let learnt = document.failure.take().or(failure);
        document.failure = learnt.or_else(|| in_words(&conditions));
        document.test = test;
        document.started_with = started_with;
        if runs {
            if let (Some(witness), Some(result)) = (&self.known.witness, &self.result) {
                witness.testify(&mut document, result, &self.known.languages);
            }
            document.programs = surroundings::versions(&document.test);
        }
        document.surroundings = surroundings::machine();
        hide_paths(&mut document, &MachinePaths::of(self.known.directory));
        let results = document.results.len() as u64;
        if results > 1 && !document.figures.is_empty() {
            document.certificate.insert(0, counted(results, "result"));
        }
        document
    }
}

/// Leaves out of a report where things are on this machine.
fn hide_paths(document: &mut Document, paths: &MachinePaths) {
    name_files_of_command(document, paths);
    if let Reproduction::Script { text, .. } = &mut document.test {
        *text = paths.hide(text);
    }
    for (name, value) in &mut document.programs {
        *name = paths.file(name);
        *value = paths.hide(value);
    }
    if let Some(printed) = &mut document.printed {
        printed.text = paths.hide(&printed.text);
    }
    document.started_with = paths.hide(&document.started_with);
}

/// Returns the name of a file without the directories of this machine.
fn base(path: &Path) -> String {
    shown(Path::new(path.file_name().unwrap_or(path.as_os_str())))
}

/// Says which failure conditions describe.
fn in_words(conditions: &FailureArgs) -> Option<String> {
    let mut all = Vec::new();
    all.extend(conditions.exit_code.map(|ending| match ending {
        Ending::Code(code) => format!("exit code {code}"),
        Ending::Signal(signal) => format!("signal {signal}"),
    }));
    all.extend(conditions.hang.then(|| "it does not end".to_owned()));
    all.extend(conditions.stdout.iter().map(|regex| format!("standard output matches {regex}")));
    all.extend(conditions.stderr.iter().map(|regex| format!("standard error matches {regex}")));
    (!all.is_empty()).then(|| all.join(", "))
}

fn arrow((before, after): (u64, u64)) -> String {
    format!("{} → {}", count(before), count(after))
}
