//! A reduction of a directory: whole files first, then what several files share, then file after file
//! by its own language, until nothing changes any more.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::archive::{Kind, entries, pack};
use minirepro_circumstances::{
    Circumstances, LanguageOf, Restricted, files, shared_names, without,
};
use minirepro_engine::{Algorithm, Engine, Event, Goal, Outcome, Plan, Scope, Search, Trial};
use minirepro_runner::{DriveError, drive};
use serde::Serialize;

use crate::args::{Format, Reduce};
use crate::causes::{Cause, Which, settle};
use crate::exit::Exit;
use crate::facts;
use crate::failure::Failure;
use crate::figures::{count, counted, percent, time};
use crate::files::{check_free, grammars, read_directory, replace_directory};
use crate::isolate::beside;
use crate::keep::{Identity, Keep, Kept, Typed, Way};
use crate::one_file::OneFile;
use crate::oracle::UserTest;
use crate::plan::{Subject, Talk, budget, first_limits, language, normal, test};
use crate::progress::Progress;
use crate::trial::{Bench, Ends, stop, write_stats};

/// Reduces a directory as the user says.
///
/// # Errors
/// When there is no result, or it could not be put where it should be.
pub fn run(args: Reduce, typed: &Typed, way: Way<'_>) -> Result<Exit, Failure> {
    let (keep, deciding) = (args.keep.clone(), deciding(&args));
    let all = args.all;
    let settings =
        Settings { algorithm: args.algorithm, scope: args.scope.edits(), grammars: grammars() };
    check(&args)?;
    let Reduce { output, common, scope, .. } = args;
    let (test, top) = test(args.test, args.file, args.program, args.failure)?;
    // `.` has no name that candidates could have.
    let top = if top.file_name().is_none() { top.canonicalize().unwrap_or(top) } else { top };
    let target = output.unwrap_or_else(|| beside(&top, "min"));
    let usage = |message: String| Failure::new(Exit::Usage, message);
    if target == Path::new("-") {
        return Err(usage("a directory cannot go to standard output".into()));
    }
    let input: Arc<[u8]> = read_directory(&top)?.into();
    if entries(&input).is_empty() {
        return Err(usage(format!("{}: there is no file in it", top.display())));
    }
    let texts: Vec<&[u8]> = entries(&input).iter().map(|entry| entry.text).collect();
    scope.check(&top.display().to_string(), &texts)?;
    let stop = stop()?;
    let talk = Talk::of(&common);
    let finds = target.with_extension("finds");
    let limits = first_limits(&common);
    let subject = Subject { test: &test, file: &top, input: &input, limits, finds, talk };
    let Some(mut tester) = UserTest::on(way, &subject, &stop)? else { return Ok(Exit::Reduced) };
    let name = top.display().to_string();
    let ends = Ends { failing: &name, passing: "an empty directory", lenient: true };
    let identity = Identity {
        input: &input,
        test: facts::of_test(&subject, common.patience(), &tester),
        plan: facts::of_options(&deciding, None),
        keep: &keep,
        result: Some(&target),
        talk,
    };
    let kept = Kept::new(identity, typed, way)?;
    if !kept.was_begun {
        check_free(&target)?;
    }
    tester.goes_on(&kept);
    let bench = Bench::new(&mut tester, &common, &stop, ends, (b"", &input), kept)?;
    let hunt = Hunt { bench: &bench, settings: &settings, target: &target, name: &name };
    let (figures, bests, driven) = hunt.run(&input, all)?;
    let mut figures = figures.into_iter();
    let first = figures.next().expect("a run without result is an error");
    let stats =
        Stats { version: 1, minirepro: env!("CARGO_PKG_VERSION"), first, more: figures.collect() };
    write_stats(common.stats.as_deref(), &stats)?;
    if bench.verifies() {
        return hunt.verify(&bests);
    }
    let (exit, results) = (bench.exit(&driven), bests.concat());
    bench.finish(&results)?;
    Ok(exit)
}

/// The same without what decides nothing.
fn deciding(args: &Reduce) -> Reduce {
    let (keep, common) = (Keep::default(), args.common.deciding());
    Reduce { keep, common, output: None, ..args.clone() }
}

/// Refuses what makes sense for single files only.
fn check(args: &Reduce) -> Result<(), Failure> {
    let options = [
        (args.lang.is_some(), "--lang"),
        (args.records.is_some(), "--records"),
        (args.stop_at.is_some(), "--stop-at"),
        (args.format != Format::Keep, "--format"),
        (args.preprocess.is_some(), "--preprocess"),
    ];
    match options.into_iter().find(|(given, _)| *given) {
        Some((_, option)) => {
            Err(Failure::new(Exit::Usage, format!("{option} is for single files, not directories")))
        }
        None => Ok(()),
    }
}

/// `--stats`, version 1.
#[derive(Debug, Serialize)]
struct Stats {
    version: u32,
    minirepro: &'static str,
    #[serde(flatten)]
    first: Figures,
    /// Of further causes (`--all`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more: Vec<Figures>,
}

#[derive(Debug, Serialize)]
struct Figures {
    files: [u64; 2],
    bytes: [u64; 2],
    tests: u64,
    seconds: f64,
    stopped: Option<String>,
}

/// How single files are reduced.
struct Settings {
    algorithm: Algorithm,
    scope: Scope,
    grammars: Box<LanguageOf>,
}

/// One result after the other.
struct Hunt<'a> {
    bench: &'a Bench<'a>,
    settings: &'a Settings,
    target: &'a Path,
    name: &'a str,
}

type Driven = Result<(), DriveError>;

/// The figures and the results, and whether the test worked to the end.
type Hunted = (Vec<Figures>, Vec<Arc<[u8]>>, Driven);

impl Hunt<'_> {
    fn run(&self, input: &Arc<[u8]>, all: Option<Which>) -> Result<Hunted, Failure> {
        let talk = Talk::of(self.bench.common);
        let tell = |line: String| {
            if talk > Talk::Quiet {
                eprintln!("{line}");
            }
        };
        let mut next = Arc::clone(input);
        let (mut figures, mut results) = (Vec::new(), Vec::new());
        let mut found: Vec<Cause> = Vec::new();
        loop {
            let target = match found.len() {
                0 => self.target.to_owned(),
                more => {
                    let mut name = self.target.as_os_str().to_owned();
                    name.push(format!(".{}", more + 1));
                    name.into()
                }
            };
            if !self.bench.may_overwrite() {
                check_free(&target)?;
            }
            let mut reduction = Reduction::new(self, &target, &next);
            let start = Instant::now();
            replace_directory(&next, &target)?;
            reduction.run()?;
            figures.push(reduction.figures(&next, start));
            reduction.show(self.name, &next, start);
            let (best, is_over, driven) =
                (Arc::clone(&reduction.best), reduction.is_over(), reduction.driven);
            results.push(Arc::clone(&best));
            found.push(Cause {
                places: vec![target],
                text: best.to_vec(),
                size: size(&best).1,
                unit: "byte",
            });
            let Some(which) = all else { return Ok((figures, results, driven)) };
            let rest = rest(&self.settings.grammars, &next, &best).filter(|_| !is_over);
            match rest {
                Some(rest) if self.bench.probe(&rest)? == Outcome::Fail => next = rest.into(),
                _ => {
                    if !is_over {
                        tell("what is left of the directory does not fail any more".into());
                    }
                    settle(&found, which, &tell)?;
                    return Ok((figures, results, driven));
                }
            }
        }
    }
}

impl Hunt<'_> {
    /// Searches again what was found.
    fn verify(&self, results: &[Arc<[u8]>]) -> Result<Exit, Failure> {
        let mut holds = true;
        for (number, result) in results.iter().enumerate() {
            if self.bench.probe(result)? != Outcome::Fail {
                let message = "the result does not fail any more";
                return Err(Failure::new(Exit::DoesNotHold, message));
            }
            let target = beside(self.target, &format!("again{number}"));
            let mut reduction = Reduction::new(self, &target, result);
            reduction.run()?;
            if let Err(error) = &reduction.driven {
                return Err(Failure::drive(error, ""));
            }
            holds = holds && reduction.changes == 0;
        }
        self.bench.verdict(holds)
    }
}

/// A directory without what a result of it is made of, as far as that can be told.
fn rest(grammars: &LanguageOf, input: &[u8], result: &[u8]) -> Option<Vec<u8>> {
    let used = entries(result);
    let files: Vec<(Kind, &[u8], Vec<u8>)> = entries(input)
        .into_iter()
        .filter_map(|entry| {
            let keep = || Some((entry.kind, entry.path, entry.text.to_vec()));
            let Some(found) = used.iter().find(|e| e.path == entry.path) else { return keep() };
            if found.text.is_empty() || entry.kind == Kind::Link {
                return keep();
            }
            let text = match grammars(entry.path, entry.text) {
                Some(language) => without(&language, entry.text, found.text),
                None => without(
                    &language(Some("text"), Path::new(""), b"").ok()?,
                    entry.text,
                    found.text,
                ),
            };
            text.map(|text| (entry.kind, entry.path, text))
        })
        .collect();
    let rest = pack(files.iter().map(|(kind, path, text)| (*kind, *path, &text[..])))?;
    (rest.len() < input.len() && !files.is_empty()).then_some(rest)
}

/// Whether in every file of an archive what must stay does so.
fn keeps(scope: &Scope, before: &[u8], after: &[u8]) -> bool {
    let after = entries(after);
    let now = |path: &[u8]| after.iter().find(|e| e.path == path).map_or(&b""[..], |e| e.text);
    entries(before).iter().all(|entry| scope.keeps(entry.text, now(entry.path)))
}

/// Files and bytes of an archive.
fn size(archive: &[u8]) -> (u64, u64) {
    let all = entries(archive);
    (all.len() as u64, all.iter().map(|entry| entry.text.len() as u64).sum())
}

struct Reduction<'a> {
    bench: &'a Bench<'a>,
    settings: &'a Settings,
    target: &'a Path,
    best: Arc<[u8]>,
    /// By path: how many changes there had been in all when the file was certified to be minimal.
    files: BTreeMap<Vec<u8>, u64>,
    /// How often anything has changed.
    changes: u64,
    tests: u64,
    stopped: Option<String>,
    driven: Driven,
}

/// Ways to see what files have in common.
type Coupled = fn(Arc<[u8]>, &LanguageOf) -> minirepro_circumstances::Couplings;

impl<'a> Reduction<'a> {
    fn new(hunt: &'a Hunt<'_>, target: &'a Path, input: &Arc<[u8]>) -> Self {
        Self {
            bench: hunt.bench,
            settings: hunt.settings,
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
    fn run(&mut self) -> Result<(), Failure> {
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

    fn is_over(&self) -> bool {
        self.stopped.is_some() || self.driven.is_err() || self.bench.is_stopped()
    }

    fn figures(&self, input: &[u8], start: Instant) -> Figures {
        let (before, after) = (size(input), size(&self.best));
        Figures {
            files: [before.0, after.0],
            bytes: [before.1, after.1],
            tests: self.tests,
            seconds: start.elapsed().as_secs_f64(),
            stopped: self.stopped.clone(),
        }
    }

    fn show(&self, name: &str, input: &[u8], start: Instant) {
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
