//! One reduction of a directory, until nothing changes any more. Knows no further ones (`--all`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::archive::{Kind, entries};
use minirepro_circumstances::{Circumstances, LanguageOf, Restricted, files, shared_names};
use minirepro_engine::{Algorithm, Engine, Event, Goal, Plan, Scope, Search, Trial};
use minirepro_runner::{DriveError, drive};
use serde::Serialize;

use crate::failure::Failure;
use crate::figures::{count, counted, percent, time};
use crate::files::replace_directory;
use crate::one_file::OneFile;
use crate::plan::{Talk, budget, language, normal};
use crate::progress::Progress;
use crate::trial::Bench;

/// Whether a test worked.
pub type Driven = Result<(), DriveError>;

/// How single files are reduced.
pub struct Settings {
    /// For files with a language.
    pub algorithm: Algorithm,
    /// Which edits are tried.
    pub scope: Scope,
    /// The language of a file.
    pub grammars: Box<LanguageOf>,
}

/// For `--stats`, version 1.
#[derive(Debug, Serialize)]
pub struct Figures {
    files: [u64; 2],
    bytes: [u64; 2],
    tests: u64,
    seconds: f64,
    stopped: Option<String>,
}

/// The reduction of a directory.
pub struct Reduction<'a> {
    bench: &'a Bench<'a>,
    settings: &'a Settings,
    target: &'a Path,
    /// The best so far.
    pub best: Arc<[u8]>,
    /// By path: how many changes there had been in all when the file was certified to be minimal.
    files: BTreeMap<Vec<u8>, u64>,
    /// How often anything has changed.
    pub changes: u64,
    tests: u64,
    stopped: Option<String>,
    /// Whether the test worked so far.
    pub driven: Driven,
}

/// Ways to see what files have in common.
type Coupled = fn(Arc<[u8]>, &LanguageOf) -> minirepro_circumstances::Couplings;

impl<'a> Reduction<'a> {
    /// Of a directory that is written to `target`.
    pub fn new(
        (bench, settings): (&'a Bench<'a>, &'a Settings),
        target: &'a Path,
        input: &Arc<[u8]>,
    ) -> Self {
        Self {
            bench,
            settings,
            target,
            best: Arc::clone(input),
            files: BTreeMap::new(),
            changes: 0,
            tests: 0,
            stopped: None,
            driven: Ok(()),
        }
    }

    /// Files, what they share, then what is in them, until nothing changes.
    ///
    /// # Errors
    /// When the result cannot be written, or what is tried makes no sense.
    pub fn run(&mut self) -> Result<(), Failure> {
        loop {
            let before = self.changes;
            for coupled in [files as Coupled, shared_names] {
                if !self.is_over() {
                    self.drop_coupled(coupled)?;
                }
            }
            // The largest first.
            let mut paths: Vec<(usize, Vec<u8>)> = entries(&self.best)
                .iter()
                .filter(|entry| entry.kind != Kind::Link && !entry.text.is_empty())
                .map(|entry| (entry.text.len(), entry.path.to_vec()))
                .collect();
            paths.sort_by(|(a, _), (b, _)| b.cmp(a));
            for (_, path) in paths {
                if self.is_over() {
                    return Ok(());
                }
                if self.files.get(&path) != Some(&self.changes) {
                    self.reduce_file(&path)?;
                }
            }
            if self.is_over() || self.changes == before {
                return Ok(());
            }
        }
    }

    /// Whether it ended early.
    pub fn is_over(&self) -> bool {
        self.stopped.is_some() || self.driven.is_err() || self.bench.is_stopped()
    }

    /// For `--stats`.
    pub fn figures(&self, input: &[u8], start: Instant) -> Figures {
        let (before, after) = (size(input), size(&self.best));
        Figures {
            files: [before.0, after.0],
            bytes: [before.1, after.1],
            tests: self.tests,
            seconds: start.elapsed().as_secs_f64(),
            stopped: self.stopped.clone(),
        }
    }

    /// Tells what came out.
    pub fn show(&self, name: &str, input: &[u8], start: Instant) {
        if Talk::of(self.bench.common) == Talk::Quiet {
            return;
        }
        let (before, after) = (size(input), size(&self.best));
        let files = counted(after.0, "file");
        let bytes = counted(after.1, "byte");
        let share = percent(after.1, before.1);
        eprintln!("{name}: {} → {files}, {} → {bytes} ({share})", count(before.0), count(before.1));
        eprintln!("  {} in {}", counted(self.tests, "test"), time(start.elapsed()));
        eprintln!("  {}", self.certificate());
        eprintln!("  result: {}", self.target.display());
    }

    fn certificate(&self) -> String {
        match &self.stopped {
            Some(why) => format!("stopped early ({why}): it may not be minimal yet"),
            None if self.is_over() => "not certified to be minimal".into(),
            None => {
                "1-minimal: no file can go, no name that several files mention, and in no file \
                     any single part that its language lets go"
                    .into()
            }
        }
    }

    /// What is left of --max-tests.
    fn tests_left(&self) -> Option<u64> {
        self.bench.common.max_tests.map(|max| max.saturating_sub(self.tests))
    }

    fn accept(&mut self, best: Arc<[u8]>) -> Result<(), Failure> {
        if best != self.best {
            self.changes += 1;
            self.best = best;
            replace_directory(&self.best, self.target)?;
        }
        Ok(())
    }

    /// Lets go what can go in several files at once.
    fn drop_coupled(&mut self, coupled: Coupled) -> Result<(), Failure> {
        let common = self.bench.common;
        let circumstances = coupled(Arc::clone(&self.best), &self.settings.grammars);
        if circumstances.weights().is_empty() {
            return Ok(());
        }
        let (before, scope) = (Arc::clone(&self.best), self.settings.scope.clone());
        let circumstances =
            Restricted::new(circumstances, move |after: &[u8]| keeps(&scope, &before, after));
        let trial = Trial {
            budget: budget(self.tests_left(), common.max_time, None),
            ..self.bench.trial(
                circumstances,
                (Arc::from(&b""[..]), Arc::clone(&self.best)),
                Goal::Minimize(Search::default()),
            )
        };
        let ran = self.bench.run(trial, self.bench.answers.clone(), &mut |_| {});
        self.tests += ran.session.findings().tests;
        self.stopped.clone_from(&ran.session.findings().stopped);
        self.driven = ran.driven;
        self.accept(ran.session.ends().1)
    }

    fn reduce_file(&mut self, path: &[u8]) -> Result<(), Failure> {
        let common = self.bench.common;
        let shown = String::from_utf8_lossy(path).into_owned();
        let Some(text) =
            entries(&self.best).iter().find(|e| e.path == path).map(|e| e.text.to_vec())
        else {
            return Ok(());
        };
        let language = language(None, &PathBuf::from(&shown), &text)?;
        let text = Some(normal(&language, text.clone())).filter(|normal| *normal == text);
        // A language with a tree for another form only is no use where the rest must stay.
        let Some(text) = text else { return Ok(()) };
        let mut engine = Engine::new(Plan {
            language: Arc::new(language),
            input: text.into(),
            algorithm: self.settings.algorithm,
            jobs: common.jobs,
            scope: self.settings.scope.clone(),
            budget: budget(self.tests_left(), common.max_time, None),
        });
        let summary = engine.summary();
        let talk = Talk::of(common);
        let mut progress = Progress::new(talk, summary.tokens.0, summary.bytes.0);
        let mut observe = |event: &Event, now| progress.event(event, now);
        let archive = Arc::clone(&self.best);
        let (driven, best) = self.bench.ask(|test| {
            let oracle = OneFile { test, archive, path };
            let stop = self.bench.stop();
            let (_, driven) = drive(&mut engine, &oracle, common.jobs, stop, &mut observe);
            (driven, oracle.with(&engine.best()))
        });
        progress.finish();
        let summary = engine.summary();
        self.bench.count(summary.tests, summary.stopped.as_deref());
        if talk > Talk::Quiet {
            let (tokens, tests) = (summary.tokens, counted(summary.tests, "test"));
            let left = counted(tokens.1, "token");
            eprintln!("  {shown}: {} → {left} in {tests}", count(tokens.0));
        }
        self.tests += summary.tests;
        self.stopped.clone_from(&summary.stopped);
        self.driven = driven;
        self.accept(best.into())?;
        if summary.certificate.is_some() {
            self.files.insert(path.to_vec(), self.changes);
        }
        Ok(())
    }
}

/// Whether in every file of an archive what must stay does so.
fn keeps(scope: &Scope, before: &[u8], after: &[u8]) -> bool {
    if scope.kept.is_empty() {
        return true;
    }
    let after: BTreeMap<&[u8], &[u8]> = entries(after).iter().map(|e| (e.path, e.text)).collect();
    let now = |path| after.get(path).copied().unwrap_or_default();
    entries(before).iter().all(|entry| scope.keeps(entry.text, now(entry.path)))
}

/// Files and bytes of an archive.
pub fn size(archive: &[u8]) -> (u64, u64) {
    let all = entries(archive);
    (all.len() as u64, all.iter().map(|entry| entry.text.len() as u64).sum())
}
