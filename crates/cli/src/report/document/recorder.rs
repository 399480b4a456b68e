//! Collects from the events of a run what a report says.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use minirepro_program::archive::Entry;
use minirepro_program::{
    Companion, Difference, Event, Languages, Measured, Over, Reduced, RunEvent, archive, sources,
};

use super::document::{Document, ReportText, Reproduction};
use super::evidence::{Witness, name_files_of_command};
use super::html::page;
use super::machine_paths::MachinePaths;
use super::markdown::markdown;
use super::place::ReportPlace;
use super::steps::{Version, steps};
use super::surroundings;
use crate::error::CliError;
use crate::report::certificate::{certain, edit_kinds};
use crate::report::diff::unified;
use crate::report::files;
use crate::report::numbers::{count, counted, percent, time};
use crate::report::patch::patch;
use crate::report::shell::quote_all;
use crate::report::sinks::Sink;
use crate::report::summary::around;
use crate::report::terminal::shown;

/// How many bytes of versions are kept.
const MOST_KEPT: u64 = 64 << 20;
/// Files beside the candidate that are longer than this are named, not shown.
const LONGEST_COMPANION: usize = 32 << 10;

/// What is known about a run before it begins.
#[derive(Clone, Default)]
pub struct Known {
    /// The command line, for a shell.
    pub started_with: String,
    /// The failure, where conditions say it or an earlier run has learnt it.
    pub failure: String,
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

/// Collects the events of a run, and writes a report of one that has a result.
pub struct Recorder {
    known: Known,
    place: ReportPlace,
    document: Document,
    /// The texts on the way down, the first of which is the input.
    versions: Vec<Version>,
    begun: Instant,
    /// The result, as tests get it.
    result: Option<Vec<u8>>,
    pass: &'static str,
}

impl Sink for Recorder {
    fn event(&mut self, event: &RunEvent<'_>) {
        match *event {
            RunEvent::FailureLearnt { signature, .. } => {
                self.document.failure = Some(signature.to_string());
            }
            RunEvent::CompanionsProvided { companions, .. } => {
                let part = |companion: &Companion| {
                    let text = sources::file(&companion.source).unwrap_or_default();
                    let is_short = text.len() <= LONGEST_COMPANION;
                    ReportText::new(&shown(&companion.path), if is_short { &text } else { b"" })
                };
                self.document.companions = companions.iter().map(part).collect();
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
            RunEvent::Over(Over::Reduction(outcome)) => self.reduction(&outcome.result),
            RunEvent::Over(Over::Isolation(outcome)) => self.difference(&outcome.difference),
            RunEvent::Over(Over::Options(outcome)) => {
                let words = outcome.needed.iter().map(|&place| &outcome.words[place][..]);
                let text = quote_all(words) + "\n";
                self.document.results.push(ReportText::new("words", text.as_bytes()));
            }
            _ => {}
        }
    }

    fn finish(self: Box<Self>, has_result: bool) -> Result<(), CliError> {
        if !has_result {
            return Ok(());
        }
        let place = self.place.clone();
        let mut document = self.document();
        if !place.is_markdown {
            return place.write(&page(&document));
        }
        // A page holds its pictures; a text names them.
        let stem = place.path.file_stem().unwrap_or_default().to_string_lossy();
        for added in &mut document.attachments {
            added.name = format!("{stem}.{}", added.name);
            if added.is_picture() {
                files::write(&place.path.with_file_name(&added.name), &added.text)?;
            }
        }
        place.write(&markdown(&document))
    }
}

impl Recorder {
    /// Makes one that has seen nothing yet.
    pub fn new(known: Known, place: ReportPlace) -> Self {
        Self {
            known,
            place,
            document: Document::default(),
            versions: Vec::new(),
            begun: Instant::now(),
            result: None,
            pass: "",
        }
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

    fn reduction(&mut self, result: &Reduced) {
        let summary = &result.figures.session;
        let path = result.path.as_deref().or(self.known.result.as_deref());
        let file = path.map_or_else(|| base(Path::new(&result.name)), base);
        let document = &mut self.document;
        if result.files.is_none() {
            document.results.push(ReportText::new(&file, &result.text));
        } else {
            for Entry { path, text, .. } in archive::entries(&result.text) {
                document.results.push(ReportText::new(&String::from_utf8_lossy(path), text));
            }
        }
        self.result = Some(result.text.to_vec());
        document.curve =
            self.versions.iter().map(|version| (version.tests, version.tokens)).collect();
        if let Some((_, tokens)) = document.curve.last().copied() {
            document.curve.push((summary.tests, tokens));
        }
        document.steps = steps(&self.versions);
        document.name = base(Path::new(&result.name));
        document.certificate.push(certain(summary));
        if let (Some(certificate), None) = (&summary.certificate, summary.stopped) {
            let kinds = edit_kinds(certificate);
            document.certificate.extend(kinds.lines().map(|line| line.trim().to_owned()));
        }
        for (signature, find) in &result.finds {
            let text = sources::file(&find.path).unwrap_or_default();
            let part = ReportText::new(&base(&find.path), &text);
            document.other_failures.push((signature.to_string(), part));
        }
        document.figures.extend(result.files.map(|files| ("Files", arrow(files))));
        document.figures.extend([
            ("Tokens", arrow(summary.tokens)),
            ("Bytes", arrow(summary.bytes)),
            ("Left", percent(summary.tokens.1, summary.tokens.0)),
            ("Tests", count(summary.tests)),
        ]);
        // Without tests, a run takes no time.
        if self.known.result.is_none() {
            let around = around(result.figures.took, self.begun.elapsed());
            document.figures.push(("Time", time(result.figures.took) + &around));
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
        let text = diff.into_bytes();
        self.document.results.push(ReportText { name, text, is_diff: true });
        let Measured { session, took, .. } = &found.isolation;
        self.document.figures.extend([("Tests", count(session.tests)), ("Time", time(*took))]);
    }

    /// Returns the report of a run that is over, with what this machine says about itself.
    fn document(self) -> Document {
        let Known { witness, started_with, failure, languages, .. } = self.known;
        let mut document = self.document;
        document.failure = document.failure.or(Some(failure).filter(|failure| !failure.is_empty()));
        document.started_with = started_with;
        if let Some(witness) = &witness {
            document.test = Reproduction::of(&*witness.test, &witness.file);
            if let (true, Some(result)) = (self.place.runs_programs, &self.result) {
                witness.testify(&mut document, result, &languages);
            }
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
    if let Some((text, _)) = &mut document.printed {
        *text = paths.hide(text);
    }
    document.started_with = paths.hide(&document.started_with);
}

/// Returns the name of a file without the directories of this machine.
fn base(path: &Path) -> String {
    shown(Path::new(path.file_name().unwrap_or(path.as_os_str())))
}

fn arrow((before, after): (u64, u64)) -> String {
    format!("{} → {}", count(before), count(after))
}
