//! A reduction of a directory: whole files first, then file after file by its own language, until
//! nothing changes any more.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::Files;
use minirepro_circumstances::archive::{Kind, entries, pack};
use minirepro_engine::{Algorithm, Engine, Event, Goal, Plan, Search, Trial};
use minirepro_runner::{Alone, DriveError, Observation, Oracle, OracleError, Stop, drive};
use serde::Serialize;

use crate::args::{Format, Reduce};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::figures::{count, counted, percent, time};
use crate::files::{check_free, read_directory, replace_directory};
use crate::isolate::beside;
use crate::oracle::UserTest;
use crate::plan::{Subject, Talk, budget, first_limits, language, normal, test};
use crate::progress::Progress;
use crate::trial::{Bench, Ends, stop, write_stats};

/// Reduces a directory as the user says.
///
/// # Errors
/// When there is no result, or it could not be put where it should be.
pub fn reduce(args: Reduce) -> Result<Exit, Failure> {
    let Reduce { output, lang, common, .. } = args;
    let (test, top) = test(args.test, args.file, args.program, args.failure)?;
    // `.` has no name that candidates could have.
    let top = if top.file_name().is_none() { top.canonicalize().unwrap_or(top) } else { top };
    let usage = |message: String| Failure::new(Exit::Usage, message);
    if args.all {
        return Err(usage("--all is for single files".into()));
    }
    if lang.is_some() || args.stop_at.is_some() || args.format != Format::Keep {
        return Err(usage("--lang, --stop-at and --format are for single files".into()));
    }
    let target = output.unwrap_or_else(|| beside(&top, "min"));
    if target == Path::new("-") {
        return Err(usage("a directory cannot go to standard output".into()));
    }
    check_free(&target)?;
    let input: Arc<[u8]> = read_directory(&top)?.into();
    if entries(&input).is_empty() {
        return Err(usage(format!("{}: there is no file in it", top.display())));
    }
    let stop = stop()?;
    let talk = Talk::of(&common);
    let finds = target.with_extension("finds");
    let limits = first_limits(&common);
    let subject = Subject { test: &test, file: &top, input: &input, limits, finds, talk };
    let Some(mut tester) = UserTest::new(&subject, &stop)? else { return Ok(Exit::Reduced) };
    let name = top.display().to_string();
    let ends = Ends { failing: &name, passing: "an empty directory", lenient: true };
    let bench = Bench::new(&mut tester, &common, &stop, ends, (b"", &input))?;
    let plan = Settings {
        algorithm: args.algorithm,
        allow_broken: args.allow_broken,
        thorough: args.thorough,
    };
    let mut reduction = Reduction {
        bench: &bench,
        plan,
        target: &target,
        best: Arc::clone(&input),
        files: BTreeMap::new(),
        changes: 0,
        tests: 0,
        stopped: None,
        driven: Ok(()),
    };
    replace_directory(&input, &target)?;
    let start = Instant::now();
    reduction.run()?;
    let size = |archive: &[u8]| -> (u64, u64) {
        let all = entries(archive);
        (all.len() as u64, all.iter().map(|entry| entry.text.len() as u64).sum())
    };
    let (before, after) = (size(&input), size(&reduction.best));
    if talk > Talk::Quiet {
        let files = counted(after.0, "file");
        let bytes = counted(after.1, "byte");
        let share = percent(after.1, before.1);
        eprintln!("{name}: {} → {files}, {} → {bytes} ({share})", count(before.0), count(before.1));
        eprintln!("  {} in {}", counted(reduction.tests, "test"), time(start.elapsed()));
        eprintln!("  {}", reduction.certificate());
        eprintln!("  result: {}", target.display());
    }
    let stats = Stats {
        version: 1,
        minirepro: env!("CARGO_PKG_VERSION"),
        files: [before.0, after.0],
        bytes: [before.1, after.1],
        tests: reduction.tests,
        seconds: start.elapsed().as_secs_f64(),
        stopped: reduction.stopped.clone(),
    };
    write_stats(common.stats.as_deref(), &stats)?;
    Ok(bench.exit(&reduction.driven))
}

/// `--stats`, version 1.
#[derive(Debug, Serialize)]
struct Stats {
    version: u32,
    minirepro: &'static str,
    files: [u64; 2],
    bytes: [u64; 2],
    tests: u64,
    seconds: f64,
    stopped: Option<String>,
}

/// How single files are reduced.
#[derive(Clone, Copy)]
struct Settings {
    algorithm: Algorithm,
    allow_broken: bool,
    thorough: bool,
}

struct Reduction<'a> {
    bench: &'a Bench<'a>,
    plan: Settings,
    target: &'a Path,
    best: Arc<[u8]>,
    /// By path: how many changes there had been in all when the file was certified to be minimal.
    files: BTreeMap<Vec<u8>, u64>,
    /// How often anything has changed.
    changes: u64,
    tests: u64,
    stopped: Option<String>,
    driven: Result<(), DriveError>,
}

impl Reduction<'_> {
    /// Files, then what is in them, until nothing changes.
    fn run(&mut self) -> Result<(), Failure> {
        loop {
            let before = self.changes;
            self.drop_files()?;
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

    fn certificate(&self) -> String {
        match &self.stopped {
            Some(why) => format!("stopped early ({why}): it may not be minimal yet"),
            None if self.is_over() => "not certified to be minimal".into(),
            None => "1-minimal: no file can go, and in no file any single part that its language \
                     lets go"
                .into(),
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

    fn drop_files(&mut self) -> Result<(), Failure> {
        let common = self.bench.common;
        let trial = Trial {
            circumstances: Arc::new(Files::new(Arc::clone(&self.best))),
            passing: Arc::from(&b""[..]),
            failing: Arc::clone(&self.best),
            goal: Goal::Minimize(Search::default()),
            inverted: false,
            jobs: common.jobs,
            budget: budget(self.tests_left(), common.max_time, None),
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
            algorithm: self.plan.algorithm,
            jobs: common.jobs,
            allow_broken: self.plan.allow_broken,
            thorough: self.plan.thorough,
            budget: budget(self.tests_left(), common.max_time, None),
        });
        let oracle = OneFile { test: self.bench.test(), archive: Arc::clone(&self.best), path };
        let alone = Alone::new(&oracle);
        let summary = engine.summary();
        let talk = Talk::of(common);
        let mut progress = Progress::new(talk, summary.tokens.0, summary.bytes.0);
        let mut observe = |event: &Event, now| progress.event(event, now);
        let (_, driven) = drive(&mut engine, &alone, common.jobs, self.bench.stop(), &mut observe);
        progress.finish();
        let summary = engine.summary();
        if talk > Talk::Quiet {
            let (tokens, tests) = (summary.tokens, counted(summary.tests, "test"));
            let left = counted(tokens.1, "token");
            eprintln!("  {shown}: {} → {left} in {tests}", count(tokens.0));
        }
        self.tests += summary.tests;
        self.stopped.clone_from(&summary.stopped);
        self.driven = driven;
        let best = oracle.with(&engine.best());
        self.accept(best.into())?;
        if summary.certificate.is_some() {
            self.files.insert(path.to_vec(), self.changes);
        }
        Ok(())
    }
}

/// A test of one file of a directory: all others stay as they are.
struct OneFile<'a> {
    test: &'a dyn Oracle,
    archive: Arc<[u8]>,
    path: &'a [u8],
}

impl OneFile<'_> {
    fn with(&self, text: &[u8]) -> Vec<u8> {
        let all = entries(&self.archive);
        let files = all.iter().map(|entry| {
            (entry.kind, entry.path, if entry.path == self.path { text } else { entry.text })
        });
        // Only a text that holds the mark between files cannot be packed; it is then no change.
        pack(files).unwrap_or_else(|| self.archive.to_vec())
    }
}

impl Oracle for OneFile<'_> {
    fn test(&self, candidate: &[u8], stop: &Stop) -> Result<Observation, OracleError> {
        self.test.test(&self.with(candidate), stop)
    }
}
