//! A reduction of a directory: whole files first, then what several files share, then file after file
//! by its own language, until nothing changes any more.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::archive::{Kind, entries, pack};
use minirepro_circumstances::{LanguageOf, without};
use minirepro_engine::Outcome;
use minirepro_runner::Output;
use serde::Serialize;

use crate::args::{Format, Reduce};
use crate::causes::{Cause, Which, settle};
use crate::ends::Ends;
use crate::exit::Exit;
use crate::facts;
use crate::failure::Failure;
use crate::files::{check_free, grammars, read_directory, replace_directory};
use crate::findings::write_stats;
use crate::isolate::beside;
use crate::keep::{Keep, Typed, Way};
use crate::oracle::UserTest;
use crate::plan::{Subject, Talk, first_limits, language, test};
use crate::project::{Driven, Figures, Reduction, Settings, size};
use crate::trial::{Bench, stop};

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
    let plan = facts::of_options(&deciding, None);
    let kept = tester.kept(&subject, &common, plan, (&keep, &target), (typed, way))?;
    if !kept.was_begun {
        check_free(&target)?;
    }
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

/// One result after the other.
struct Hunt<'a> {
    bench: &'a Bench<'a>,
    settings: &'a Settings,
    target: &'a Path,
    name: &'a str,
}

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
            let mut reduction = Reduction::new((self.bench, self.settings), &target, &next);
            let start = Instant::now();
            Output::new(&target, &target).clean();
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
            let mut reduction = Reduction::new((self.bench, self.settings), &target, result);
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
