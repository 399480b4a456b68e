//! `minirepro isolate` between two directories or two revisions: which changes make it fail.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use minirepro_circumstances::{Changes, Grain};
use minirepro_engine::{Goal, Trial};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{check_free, grammars, patch, read_directory, read_revision, write_directory};
use crate::isolate::{Isolate, beside};
use crate::oracle::UserTest;
use crate::plan::{Subject, Talk, budget, first_limits, test};
use crate::trial::{Bench, Ends, Figures, stop, text, write_stats};

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
}

/// Isolates changes as the user says.
///
/// # Errors
/// When there is no result, or it could not be put where it should be.
pub fn isolate(args: Isolate) -> Result<Exit, Failure> {
    if args.minimise || args.lang.is_some() {
        let message = "--minimise and --lang are for single files";
        return Err(Failure::new(Exit::Usage, message));
    }
    let versions = Versions::read(&args)?;
    let results = ["pass", "fail"].map(|side| beside(&versions.base, side));
    results.iter().try_for_each(|path| check_free(path))?;
    let Isolate { common, color, group_by, .. } = args;
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
    let Some(mut tester) = UserTest::new(&subject, &stop)? else { return Ok(Exit::Reduced) };
    let [passing, failing] = &versions.names;
    let ends = Ends { passing, failing, lenient: args.pass.is_none() };
    let (old, new) = (&versions.passing, &versions.failing);
    let bench = Bench::new(&mut tester, &common, &stop, ends, (old, new))?;
    let (grain, ends) = (group_by.into(), (Arc::clone(old), Arc::clone(new)));
    let trial = Trial {
        circumstances: Arc::new(Changes::new(ends.0, ends.1, grain, grammars())),
        passing: Arc::clone(old),
        failing: Arc::clone(new),
        goal: Goal::Isolate,
        inverted: false,
        jobs: common.jobs,
        budget: budget(common.max_tests, common.max_time, None),
    };
    let ran = bench.run(trial, bench.answers.clone(), &mut |_| {});
    let (passing, failing) = ran.session.ends();
    print!("{}", patch(&passing, &failing, color.is_on()));
    if Talk::of(&common) > Talk::Quiet {
        eprint!("{}", text(ran.session.findings(), &ran.tally, ran.took));
        eprintln!("  passes: {}\n  fails:  {}", results[0].display(), results[1].display());
    }
    let written = [(&passing, &results[0]), (&failing, &results[1])]
        .into_iter()
        .try_for_each(|(archive, path)| write_directory(archive, path));
    let stats = Stats {
        version: 1,
        minirepro: env!("CARGO_PKG_VERSION"),
        baseline_tests: bench.baseline.tests,
        isolation: Figures::new(ran.session.findings(), &ran.tally, ran.took),
    };
    write_stats(common.stats.as_deref(), &stats)?;
    written?;
    Ok(bench.exit(&ran.driven))
}

/// `--stats`, version 1.
#[derive(Debug, Serialize)]
struct Stats<'a> {
    version: u32,
    minirepro: &'static str,
    baseline_tests: u64,
    isolation: Figures<'a>,
}
