//! `minirepro reduce` on a directory, a project, or several files.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use minirepro_program::{
    Error, Format, Look, Program, Reduction, Scope, TestLimits, TestSpec, Workplace, paths,
    read_project, sources,
};

use crate::args::Reduce;
use crate::commands::launch::{Launch, Show, conclude, rules, stop, stop_at};
use crate::commands::test::{described, only_signature, show_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::given::GivenTest;
use crate::report::numbers::count;
use crate::report::shell::{quote, quote_all};
use crate::report::sinks::Sinks;
use crate::report::terminal::{say, shown};

/// Files that are reduced together, and their test.
pub struct Project {
    test: GivenTest,
    directory: PathBuf,
    /// The files in it, if they are named one by one.
    files: Vec<PathBuf>,
    /// Where the result goes if nobody says.
    result: PathBuf,
    /// What is in it, if that was read already.
    archive: Option<Vec<u8>>,
}

/// Returns the project that is made of several files, if they are named.
///
/// # Errors
/// If they cannot be a project.
pub fn of_files(args: &Reduce) -> Result<Option<Project>, CliError> {
    let operands = args.test.iter().chain(&args.file).chain(&args.more).cloned();
    let (script, files): (Option<PathBuf>, Vec<PathBuf>) = match args.program.is_empty() {
        true => (args.test.clone(), operands.skip(1).collect()),
        false => (None, operands.collect()),
    };
    let [first, _, ..] = &files[..] else { return Ok(None) };
    if args.program.iter().any(|word| word.as_bytes().windows(2).any(|part| part == b"@@")) {
        let names = quote_all(&files);
        return Err(CliError::usage("`@@` stands for one file, and there are several").advise(
            format!(
                "If each is an input of its own:\n  minirepro batch {names} -- {program}\n\
             If they belong together, name them in the command instead.\n",
                program = quote_all(&args.program)
            ),
        ));
    }
    if let Some(directory) = files.iter().find(|file| file.is_dir()) {
        return Err(CliError::usage(format_args!("{} is a directory", shown(directory)))
            .advise("Several files, or one directory, are reduced together.\n"));
    }
    let (root, below) =
        sources::common_directory(&files).map_err(|error| CliError::new(Exit::Usage, error))?;
    let workplace = Workplace { root: root.clone(), directory: PathBuf::new(), files: Some(below) };
    let spec = script.map_or_else(|| TestSpec::command(&args.program), TestSpec::script);
    let spec = TestSpec { workplace: Some(workplace), ..spec };
    let test = described(spec, &args.failure)?;
    let result = first.with_extension("min");
    Ok(Some(Project { test, directory: root, files, result, archive: None }))
}

/// Returns the project in a directory.
pub fn of_directory(mut test: GivenTest, directory: PathBuf) -> Project {
    let canonical = || directory.canonicalize().unwrap_or_else(|_| directory.clone());
    if let GivenTest::Program(spec) = &mut test
        && let Program::Command(words) = &spec.program
    {
        spec.workplace = workplace(words, &directory, canonical());
    }
    // `.` has no name that candidates could have.
    let directory = match directory.file_name() {
        Some(_) => directory,
        None => canonical(),
    };
    let result = paths::default_result(&directory);
    Project { test, directory, files: Vec::new(), result, archive: None }
}

/// Returns the project in an archive of a directory.
#[cfg(feature = "browser")]
pub fn of_archive(test: GivenTest, directory: PathBuf, archive: Vec<u8>) -> Project {
    let result = paths::default_result(&directory);
    Project { test, directory, files: Vec::new(), result, archive: Some(archive) }
}

/// Returns where a command runs within the directory, if it does: where it was typed, or in the
/// directory itself if that is elsewhere and no word names it.
fn workplace(words: &[OsString], directory: &Path, root: PathBuf) -> Option<Workplace> {
    let name = directory.file_name().unwrap_or(directory.as_os_str());
    // `manual` is not named by `manual.tex`, but by `-Imanual`.
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let names = |what: &[u8]| {
        let begins =
            |before: &[u8]| !before.last().is_some_and(goes_on) || matches!(before, [b'-', _]);
        let is_at = |word: &[u8], at: usize| {
            word[at..].starts_with(what)
                && begins(&word[..at])
                && !word.get(at + what.len()).is_some_and(goes_on)
        };
        let mut words = words.iter().map(|word| word.as_bytes());
        words.any(|word| (0..word.len()).any(|at| is_at(word, at)))
    };
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).ok()?;
    let below = here.strip_prefix(&root).ok().map(Path::to_owned);
    let is_named = names(b"@@") || below.is_none() && names(name.as_bytes());
    let directory = below.unwrap_or_default();
    (!is_named).then_some(Workplace { root, directory, files: None })
}

impl Project {
    /// Reduces it.
    ///
    /// # Errors
    /// If there is no result, or it could not be put where it should be.
    pub fn reduce(self, args: Reduce, launch: &Launch) -> Result<Exit, CliError> {
        check(&args)?;
        let Self { test, directory, files, result, .. } = &self;
        let output = launch.output(args.output.clone(), || result.clone());
        if output.as_deref() == Some(Path::new("-")) {
            return Err(CliError::usage("a directory cannot go to standard output"));
        }
        let input = self.read(&args, launch)?;
        if only_signature(&args.failure) {
            return show_signature(test, directory, &input, &args.run);
        }
        let show = Show {
            algorithm: args.algorithm.into(),
            test: Some(test),
            failure: args.failure.clone(),
            ..Show::of(directory)
        };
        let mut sinks = Sinks::default();
        let mut settings = launch.settings(&args.run, &args.journal, show, &mut sinks)?;
        stop_at(&mut settings.budget, args.until_size);
        settings.also_read.extend(args.scope.rules.iter().cloned());
        let request = Reduction {
            file: directory.clone(),
            files: Some(files.clone()),
            algorithm: args.algorithm,
            scope: Scope::from(&args.scope),
            rules: rules(&args.scope.rules)?,
            output,
            settings,
            ..Reduction::new(input)
        };
        let name = quote(request.file.as_os_str());
        let outcome = request.run_with(test.as_test());
        let is_refused = matches!(&outcome, Err(Error::Command { .. }));
        let ended = conclude(sinks, outcome.map(|outcome| outcome.stopped));
        let is_project = test.as_test().spec().is_some_and(|spec| spec.workplace.is_some());
        match ended {
            Err(error) if is_refused && !is_project => Err(error.advise(format!(
                "The directory was one input. To run each of its files: minirepro batch {name} -- PROGRAM @@\n"
            ))),
            ended => ended,
        }
    }

    /// Reads what the test reads of it, and says so.
    fn read(&self, args: &Reduce, launch: &Launch) -> Result<Vec<u8>, CliError> {
        if let Some(archive) = &self.archive {
            return Ok(archive.clone());
        }
        if let Some(input) = launch.recorded() {
            return Ok(input?);
        }
        let look = Look {
            companions: &args.run.with,
            limits: TestLimits::from(&args.run).of_first_tests(),
            leaves_out: args.scope.preserve.is_empty(),
            stop: &stop()?,
        };
        let read = read_project(&self.directory, self.test.as_test(), &look)?;
        let minirepro_program::Project { archive, files, left_out, emptied } = read;
        if !args.run.quiet && left_out + emptied > 0 {
            let unread = count(left_out.max(emptied) as u64);
            let so = if left_out > 0 { "they are left out" } else { "they are there, but empty" };
            say!("the test opens all but {unread} of {} files: {so}", count(files as u64));
        }
        Ok(archive)
    }
}

/// Refuses options that make sense for single files only.
fn check(args: &Reduce) -> Result<(), CliError> {
    let options = [
        (args.lang.is_some(), "--lang"),
        (args.format.as_ref().is_some_and(|format| *format != Format::Keep), "--format"),
        (args.preprocess.is_some(), "--preprocess"),
        (!args.scope.propose.is_empty(), "--propose"),
    ];
    match options.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => {
            Err(CliError::usage(format_args!("{option} is for single files, not directories")))
        }
        None => Ok(()),
    }
}
