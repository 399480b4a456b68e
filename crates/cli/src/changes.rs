//! `minirepro isolate` between two directories or two revisions: which changes make it fail.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use minirepro_circumstances::{Changes, Grain, Pieces};
use minirepro_engine::Goal;
use minirepro_runner::Output;

use crate::causes::{Cause, Isolated, changed_lines, isolate_all};
use crate::diff::Color;
use crate::difference::{One, Stats};
use crate::ends::Ends;
use crate::exit::Exit;
use crate::facts;
use crate::failure::Failure;
use crate::files::{check_free, grammars, patch, read_directory, read_revision, replace_directory};
use crate::findings::{Figures, text, write_stats};
use crate::isolate::{Isolate, beside};
use crate::keep::{Typed, Way};
use crate::oracle::UserTest;
use crate::plan::{Subject, Talk, first_limits, test};
use crate::trial::{Bench, Ran, stop};

/// What is one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupBy {
    /// All changes of a file
    File,
    /// All changes of a function or another part of a program that stands by itself
    Function,
    /// Neighbouring changed lines
    Hunk,
    /// A changed line
    Line,
}

impl From<GroupBy> for Grain {
    fn from(typed: GroupBy) -> Self {
        match typed {
            GroupBy::File => Self::File,
            GroupBy::Function => Self::Function,
            GroupBy::Hunk => Self::Hunk,
            GroupBy::Line => Self::Line,
        }
    }
}

/// The two versions and what they are called.
struct Versions {
    passing: Arc<[u8]>,
    failing: Arc<[u8]>,
    names: [String; 2],
    /// The directory that candidates are called after.
    like: PathBuf,
    /// Where results go.
    base: PathBuf,
}

impl Versions {
    fn read(args: &Isolate) -> Result<Self, Failure> {
        let Isolate { fail, pass, .. } = args;
        let names = [pass.as_ref(), Some(fail)]
            .map(|path| path.map_or("an empty directory".to_owned(), |p| p.display().to_string()));
        let (passing, failing, like, base) = match &args.git {
            Some(repository) => {
                let Some(pass) = pass else {
                    let message = "name a revision that passes with --pass";
                    return Err(Failure::new(Exit::Usage, message));
                };
                let read = |revision: &Path| read_revision(repository, &revision.to_string_lossy());
                let like = std::path::absolute(repository).unwrap_or_else(|_| repository.clone());
                (read(pass)?, read(fail)?, like, PathBuf::from("changes"))
            }
            None => {
                let passing = pass.as_deref().map(read_directory).transpose()?.unwrap_or_default();
                (passing, read_directory(fail)?, fail.clone(), fail.clone())
            }
        };
        if passing == failing {
            let message = format!("{} and {} are equal", names[0], names[1]);
            return Err(Failure::new(Exit::Usage, message)
                .advise("No file differs between them, so nothing in them decides.\n"));
        }
        let base = args.output.clone().unwrap_or(base);
        Ok(Self { passing: passing.into(), failing: failing.into(), names, like, base })
    }

    /// Where the two sides go, of the first changes found or of further ones.
    fn results(&self, number: usize) -> [PathBuf; 2] {
        let results = ["pass", "fail"].map(|side| beside(&self.base, side));
        let more = (number + 1).to_string();
        if number == 0 { results } else { results.map(|path| beside(&path, &more)) }
    }
}

/// Isolates changes as the user says.
///
/// # Errors
/// When there is no result, or it could not be put where it should be.
pub fn run(args: Isolate, typed: &Typed, way: Way<'_>) -> Result<Exit, Failure> {
    let deciding = args.deciding();
    if args.minimise || args.lang.is_some() {
        let message = "--minimise and --lang are for single files";
        return Err(Failure::new(Exit::Usage, message));
    }
    let versions = Versions::read(&args)?;
    let Isolate { common, color, group_by, keep, .. } = args;
    let like = versions.like.clone();
    let (test, like) = match args.test {
        Some(script) => test(Some(script), Some(like), args.program, args.failure)?,
        None => test(Some(like), None, args.program, args.failure)?,
    };
    let stop = stop()?;
    let subject = Subject {
        test: &test,
        file: &like,
        input: &versions.failing,
        limits: first_limits(&common),
        finds: versions.base.with_extension("finds"),
        talk: Talk::of(&common),
    };
    let Some(mut tester) = UserTest::on(way, &subject, &stop)? else { return Ok(Exit::Reduced) };
    let [passing, failing] = &versions.names;
    let ends = Ends { passing, failing, lenient: args.pass.is_none() };
    let (old, new) = (&versions.passing, &versions.failing);
    let results = versions.results(0);
    let plan = facts::of_options(&deciding, Some(old));
    let kept = tester.kept(&subject, &common, plan, (&keep, &results[1]), (typed, way))?;
    if !kept.was_begun {
        results.iter().try_for_each(|path| check_free(path))?;
    }
    let bench = Bench::new(&mut tester, &common, &stop, ends, (old, new), kept)?;
    let isolation = Isolation { bench: &bench, versions: &versions, group_by, color };
    let mut runs = Vec::new();
    let driven = isolate_all(
        &bench,
        args.all,
        (new, &[Pieces::Lines, Pieces::Words]),
        |number, failing| isolation.one(number, failing, &mut runs),
    )?;
    if bench.verifies() {
        let mut holds = true;
        for One { ends: (passing, failing), .. } in &runs {
            let [old, new] = [passing, failing].map(Arc::clone);
            let changes =
                Changes::new(Arc::clone(&old), Arc::clone(&new), group_by.into(), grammars());
            holds = holds && bench.holds(bench.trial(changes, (old, new), Goal::Isolate))?;
        }
        return bench.verdict(holds);
    }
    let results: Vec<u8> = runs.iter().flat_map(One::result).collect();
    let stats = Stats::new(&bench, None, runs);
    write_stats(common.stats.as_deref(), &stats)?;
    let exit = bench.exit(&driven);
    bench.finish(&results)?;
    Ok(exit)
}

/// What is the same for all changes that are looked for.
struct Isolation<'a> {
    bench: &'a Bench<'a>,
    versions: &'a Versions,
    group_by: GroupBy,
    color: Color,
}

impl Isolation<'_> {
    /// Isolates the changes between what passes and a failing version, shows them, and writes both
    /// sides.
    fn one(
        &self,
        number: usize,
        failing: &Arc<[u8]>,
        runs: &mut Vec<One>,
    ) -> Result<Isolated, Failure> {
        let Self { bench, versions, .. } = self;
        let results = versions.results(number);
        if !bench.may_overwrite() {
            results.iter().try_for_each(|path| check_free(path))?;
        }
        let (common, passing, before) = (bench.common, &versions.passing, failing.len());
        let (old, new) = (Arc::clone(passing), Arc::clone(failing));
        let trial = bench.trial(
            Changes::new(old, new, self.group_by.into(), grammars()),
            (Arc::clone(passing), Arc::clone(failing)),
            Goal::Isolate,
        );
        let Ran { session, tally, took, driven } =
            bench.run(trial, bench.answers.clone(), &mut |_| {});
        let (passing, failing) = session.ends();
        bench.print(&patch(&passing, &failing, self.color.is_on()));
        if Talk::of(common) > Talk::Quiet {
            eprint!("{}", text(session.findings(), &tally, took));
            eprintln!("  passes: {}\n  fails:  {}", results[0].display(), results[1].display());
        }
        results.iter().for_each(|path| Output::new(path, path).clean());
        [(&passing, &results[0]), (&failing, &results[1])]
            .into_iter()
            .try_for_each(|(archive, path)| replace_directory(archive, path))?;
        let diff = patch(&passing, &failing, false);
        let isolation = Figures::new(session.findings(), &tally, took);
        runs.push(One {
            passing_bytes: [versions.passing.len(), passing.len()],
            failing_bytes: [before, failing.len()],
            ends: (Arc::clone(&passing), Arc::clone(&failing)),
            isolation,
            minimisation: None,
            difference: diff.clone(),
        });
        let (size, is_over) = (changed_lines(&diff), session.findings().stopped.is_some());
        let cause = Cause { places: results.into(), text: diff.into(), size, unit: "changed line" };
        Ok(Isolated { passing, failing, cause, driven, is_over })
    }
}
