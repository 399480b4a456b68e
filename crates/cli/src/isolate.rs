//! `minirepro isolate`: what differs between a file that passes and one that fails, as little as
//! possible.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use minirepro_circumstances::{Pieces, Text};
use minirepro_engine::{Event, Experiment, Goal};
use minirepro_runner::{Output, Writer};
use minirepro_syntax::Language;

use crate::args::{Common, Failure as Conditions};
use crate::causes::{Cause, Isolated, Which, changed_lines, isolate_all};
use crate::changes::{self, GroupBy};
use crate::context::minimise;
use crate::diff::{Color, unified};
use crate::difference::{Minimisation, One, Stats};
use crate::ends::Ends;
use crate::exit::Exit;
use crate::facts;
use crate::failure::Failure;
use crate::figures::counted;
use crate::findings::{Figures, text, write_stats};
use crate::keep::{Keep, Typed, Way};
use crate::oracle::UserTest;
use crate::plan::{Subject, Talk, first_limits, language, normal, read, test};
use crate::trial::{Bench, Ran, stop};

/// Isolate the difference between a file that passes and one that fails.
///
/// Both files change until they are as close to each other as possible: first by their syntax
/// trees, then by tokens and characters. Takes much fewer tests than making the failing file
/// small. TEST and PROGRAM are as for a reduction.
///
/// A and B can also be directories, or with --git revisions: which changes make it fail? Candidates
/// are then directories with the name of B or of the repository.
#[derive(Clone, Debug, Args)]
#[command(override_usage = "minirepro isolate [OPTIONS] TEST --fail B [--pass A]\n       \
                            minirepro isolate [OPTIONS] --fail B [--pass A] -- PROGRAM [ARGUMENTS]...")]
pub struct Isolate {
    /// The program that says whether a candidate shows the failure (exit code 0)
    #[arg(required_unless_present = "program")]
    pub test: Option<PathBuf>,
    /// A file, directory or revision that shows the failure; it is never changed
    #[arg(long, value_name = "B")]
    pub fail: PathBuf,
    /// One that does not [default: an empty file or directory]
    #[arg(long, value_name = "A")]
    pub pass: Option<PathBuf>,
    /// Instead of TEST: what fails on B, with its arguments
    #[arg(last = true, num_args = 1.., value_name = "PROGRAM", conflicts_with = "test")]
    pub program: Vec<std::ffi::OsString>,
    /// Results are OUT with `.pass` and `.fail` before its suffix [default: B]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// A and B are revisions of this repository [default: that of the current directory]
    #[arg(long, value_name = "REPOSITORY", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    pub git: Option<PathBuf>,
    /// What is one change between directories or revisions; coarser ones are tried first
    #[arg(long, value_name = "WHAT", value_enum, default_value = "hunk")]
    pub group_by: GroupBy,
    /// The language of both files, if B's name does not tell; see `minirepro languages`
    #[arg(long, value_name = "NAME")]
    pub lang: Option<String>,
    /// Then take the difference back in B and look for others that make the rest fail: each in
    /// numbered results of its own, or only the `smallest`
    #[arg(long, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "each", hide_possible_values = true)]
    pub all: Option<Which>,
    /// Then make what both files have in common small, as long as one fails and the other passes
    #[arg(long, visible_alias = "minimize")]
    pub minimise: bool,
    /// Whether the difference is shown in colour
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub color: Color,
    /// What is kept on disk.
    #[command(flatten)]
    pub keep: Keep,
    /// How tests are run.
    #[command(flatten)]
    pub common: Common,
    /// What counts as the failure of PROGRAM.
    #[command(flatten, next_help_heading = "Options with PROGRAM")]
    pub failure: Conditions,
}

impl Isolate {
    /// The same without what decides nothing.
    pub fn deciding(&self) -> Self {
        let (keep, color, common) = (Keep::default(), Color::default(), self.common.deciding());
        Self { keep, color, output: None, common, ..self.clone() }
    }
}

/// Isolates as the user says.
///
/// # Errors
/// When there is no result, or it could not be put where it should be.
pub fn run(args: Isolate, typed: &Typed, way: Way<'_>) -> Result<Exit, Failure> {
    if args.git.is_some() || args.fail.is_dir() {
        return changes::run(args, typed, way);
    }
    let deciding = args.deciding();
    let Isolate { fail, pass, common, .. } = args;
    let (test, fail) = match args.test {
        Some(script) => test(Some(script), Some(fail), args.program, args.failure)?,
        None => test(Some(fail), None, args.program, args.failure)?,
    };
    let files = Files::read(&fail, pass.as_deref(), args.lang.as_deref())?;
    let places = Places::new(args.output.as_deref().unwrap_or(&fail), &fail, pass.as_deref())?;
    let stop = stop()?;
    let subject = Subject {
        test: &test,
        file: &fail,
        input: &files.failing,
        limits: first_limits(&common),
        finds: places.finds(),
        talk: Talk::of(&common),
    };
    let Some(mut tester) = UserTest::on(way, &subject, &stop)? else { return Ok(Exit::Reduced) };
    let (failing, passing) = (fail.display().to_string(), pass.map(|p| p.display().to_string()));
    let ends = Ends {
        failing: &failing,
        passing: passing.as_deref().unwrap_or("an empty file"),
        lenient: passing.is_none(),
    };
    let plan = facts::of_options(&deciding, Some(&files.passing));
    let kept = tester.kept(&subject, &common, plan, (&args.keep, &places.failing), (typed, way))?;
    let both = (&files.passing[..], &files.failing[..]);
    let bench = Bench::new(&mut tester, &common, &stop, ends, both, kept)?;
    let isolation =
        Isolation { bench: &bench, files: &files, minimise: args.minimise, color: args.color };
    let mut runs = Vec::new();
    let start = (&files.failing, &[Pieces::Words, Pieces::Bytes][..]);
    let driven = isolate_all(&bench, args.all, start, |number, failing| {
        isolation.one(&places.numbered(number), failing, &mut runs)
    })?;
    if bench.verifies() {
        let mut holds = true;
        for One { ends: (passing, failing), .. } in &runs {
            let [old, new] = [passing, failing].map(Arc::clone);
            let text = Text::new(Arc::clone(&files.language), Arc::clone(&old), Arc::clone(&new));
            holds = holds && bench.holds(bench.trial(text, (old, new), Goal::Isolate))?;
        }
        return bench.verdict(holds);
    }
    let results: Vec<u8> = runs.iter().flat_map(One::result).collect();
    let stats = Stats::new(&bench, Some(&files.language.name), runs);
    write_stats(common.stats.as_deref(), &stats)?;
    let exit = bench.exit(&driven);
    bench.finish(&results)?;
    Ok(exit)
}

/// What is the same for all differences that are looked for.
struct Isolation<'a> {
    bench: &'a Bench<'a>,
    files: &'a Files,
    minimise: bool,
    color: Color,
}

impl Isolation<'_> {
    /// Isolates the difference to a failing text, shows it, and writes both sides.
    fn one(
        &self,
        places: &Places,
        failing: &Arc<[u8]>,
        runs: &mut Vec<One>,
    ) -> Result<Isolated, Failure> {
        let Self { bench, files, .. } = self;
        let talk = Talk::of(bench.common);
        places.write(&files.passing, failing)?;
        let Ran { session, tally, took, driven } = self.search(places, failing);
        let ends = session.ends();
        if talk > Talk::Quiet {
            eprint!("{}", text(session.findings(), &tally, took));
        }
        let is_over = session.findings().stopped.is_some();
        let ((mut passes, mut fails), mut driven) = (ends.clone(), driven);
        let mut minimisation = None;
        if self.minimise && driven.is_ok() && !bench.is_stopped() {
            let name = places.failing.display().to_string();
            let found = minimise(bench, &files.language, (&passes, &fails), &name);
            minimisation = Some(Minimisation::of(&found.ran.session.summary(), found.counterparts));
            (passes, fails, driven) = (found.passing, found.failing, found.ran.driven);
        }
        let written = places.write(&passes, &fails);
        if talk > Talk::Quiet {
            let bytes = |text: &[u8]| counted(text.len() as u64, "byte");
            eprintln!("  passes: {} ({})", places.passing.display(), bytes(&passes));
            eprintln!("  fails:  {} ({})", places.failing.display(), bytes(&fails));
        }
        let names = [&places.passing, &places.failing].map(|path| path.display().to_string());
        let diff = |color| unified([&names[0], &names[1]], &passes, &fails, color);
        bench.print(&diff(self.color.is_on()));
        written?;
        runs.push(One {
            passing_bytes: [files.passing.len(), passes.len()],
            failing_bytes: [failing.len(), fails.len()],
            ends: (Arc::clone(&passes), Arc::clone(&fails)),
            isolation: Figures::new(session.findings(), &tally, took),
            minimisation,
            difference: diff(false),
        });
        let cause = Cause {
            places: vec![places.passing.clone(), places.failing.clone()],
            text: [&ends.0[..], b"\0", &ends.1].concat(),
            size: changed_lines(&diff(false)),
            unit: "changed line",
        };
        Ok(Isolated { passing: ends.0, failing: ends.1, cause, driven, is_over })
    }

    fn search(&self, places: &Places, failing: &Arc<[u8]>) -> Ran<Experiment> {
        let Files { language, passing, .. } = self.files;
        let trial = self.bench.trial(
            Text::new(Arc::clone(language), Arc::clone(passing), Arc::clone(failing)),
            (Arc::clone(passing), Arc::clone(failing)),
            Goal::Isolate,
        );
        let [pass, fail] = places.outputs().map(Writer::new);
        let ran = self.bench.run(trial, self.bench.answers.clone(), &mut |event| {
            if let Event::Narrowed { passing, failing, .. } = event {
                pass.offer(Arc::clone(passing));
                fail.offer(Arc::clone(failing));
            }
        });
        // What cannot be written is told at the end, when it is written once more.
        let _ = [pass.finish(), fail.finish()];
        ran
    }
}

/// The two files.
struct Files {
    language: Arc<Language>,
    passing: Arc<[u8]>,
    failing: Arc<[u8]>,
}

impl Files {
    fn read(fail: &Path, pass: Option<&Path>, lang: Option<&str>) -> Result<Self, Failure> {
        let usage = |message: String| Failure::new(Exit::Usage, message);
        let failing = read(fail)?;
        if failing.is_empty() {
            return Err(usage(format!(
                "{} is empty: nothing can be taken from it",
                fail.display()
            )));
        }
        let passing = pass.map(read).transpose()?.unwrap_or_default();
        if passing == failing {
            let pass = pass.unwrap_or(fail);
            let message = format!("{} and {} are equal", pass.display(), fail.display());
            return Err(usage(message).advise(
                "Nothing differs between them. If the failure depends on something else (options, \
                 other files, time), that must be what differs.\n",
            ));
        }
        let language = language(lang, fail, &failing)?;
        let shown = |text: Vec<u8>| -> Arc<[u8]> { normal(&language, text).into() };
        let (passing, failing) = (shown(passing), shown(failing));
        Ok(Self { language: Arc::new(language), passing, failing })
    }
}

/// Where the two results go.
struct Places {
    passing: PathBuf,
    failing: PathBuf,
    like: PathBuf,
}

impl Places {
    fn new(base: &Path, fail: &Path, pass: Option<&Path>) -> Result<Self, Failure> {
        let [passing, failing] = ["pass", "fail"].map(|side| beside(base, side));
        for (place, input) in [(&passing, Some(fail)), (&passing, pass), (&failing, pass)] {
            if input == Some(place) {
                let message = format!("a result would overwrite {}", place.display());
                return Err(
                    Failure::new(Exit::Usage, message).advise("Name another one with -o.\n")
                );
            }
        }
        Ok(Self { passing, failing, like: fail.to_owned() })
    }

    /// Where a further difference goes.
    fn numbered(&self, found: usize) -> Self {
        let path = |path: &Path| {
            if found == 0 { path.to_owned() } else { beside(path, &(found + 1).to_string()) }
        };
        let [passing, failing] = [&self.passing, &self.failing].map(|place| path(place));
        Self { passing, failing, like: self.like.clone() }
    }

    fn finds(&self) -> PathBuf {
        self.like.with_extension("finds")
    }

    fn outputs(&self) -> [Output; 2] {
        [&self.passing, &self.failing].map(|path| Output::new(path, &self.like))
    }

    /// Writes both sides; also at the start, so that both are on disk from then on.
    fn write(&self, passes: &[u8], fails: &[u8]) -> Result<(), Failure> {
        let [passing, failing] = self.outputs();
        [&passing, &failing].into_iter().for_each(Output::clean);
        let written = passing.write(passes).and_then(|()| failing.write(fails));
        written.map_err(|error| {
            let advice = "Name a file in a directory that you can write to with -o.\n";
            Failure::new(Exit::NotWritten, error).advise(advice)
        })
    }
}

/// `dir/a.c` → `dir/a.SIDE.c`.
pub fn beside(base: &Path, side: &str) -> PathBuf {
    let mut name = base.file_stem().unwrap_or_default().to_owned();
    name.push(".");
    name.push(side);
    if let Some(suffix) = base.extension() {
        name.push(".");
        name.push(suffix);
    }
    base.with_file_name(name)
}
