//! `minirepro reduce` on a directory, a project, or several files.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use minirepro_program::{
    Format, Look, Program, Project, TestLimits, TestSpec, Workplace, paths, read_project, sources,
};

use crate::args::Reduce;
use crate::commands::launch::{Launch, stop};
use crate::commands::reduce::Subject;
use crate::commands::refuse;
use crate::commands::source::{STANDARD, Source};
use crate::commands::test::{GivenTest, described};
use crate::error::CliError;
use crate::report::numbers::count;
use crate::report::shell::quote_all;
use crate::report::terminal::{say, shown};

/// Returns the project that is made of several files, if they are named.
///
/// # Errors
/// If they cannot be a project.
pub fn of_files(args: &Reduce, launch: &Launch) -> Result<Option<Subject>, CliError> {
    let operands = args.test.iter().chain(&args.file).chain(&args.more).cloned();
    let (script, files): (Option<PathBuf>, Vec<PathBuf>) = match args.program.is_empty() {
        true => (args.test.clone(), operands.skip(1).collect()),
        false => (None, operands.collect()),
    };
    let [first, _, ..] = &files[..] else { return Ok(None) };
    if args.program.iter().any(|word| word.as_bytes().windows(2).any(|part| part == b"@@")) {
        let (names, program) = (quote_all(&files), quote_all(&args.program));
        return Err(CliError::usage("`@@` stands for one file, and there are several").advise(
            format!(
                "If each is an input of its own:\n  minirepro batch {names} -- {program}\n\
                 If they belong together, name them in the command instead.\n"
            ),
        ));
    }
    if let Some(directory) = files.iter().find(|file| file.is_dir()) {
        return Err(CliError::usage(format_args!("{} is a directory", shown(directory)))
            .advise("Several files, or one directory, are reduced together.\n"));
    }
    let (root, below) = sources::common_directory(&files).map_err(CliError::usage)?;
    let workplace = Workplace { root: root.clone(), directory: PathBuf::new(), files: Some(below) };
    let spec = script.map_or_else(|| TestSpec::command(&args.program), TestSpec::script);
    let spec = TestSpec { workplace: Some(workplace), ..spec };
    let test = described(spec, &args.failure);
    let result = first.with_extension("min");
    read(test, root, files, result, args, launch).map(Some)
}

/// Returns the project in a directory.
///
/// # Errors
/// If it cannot be read.
pub fn of_directory(
    mut test: GivenTest,
    directory: PathBuf,
    args: &Reduce,
    launch: &Launch,
) -> Result<Subject, CliError> {
    let canonical = || directory.canonicalize().unwrap_or_else(|_| directory.clone());
    if let Some(spec) = test.spec().cloned()
        && let Program::Command(words) = &spec.program
    {
        let workplace = workplace(words, &directory, canonical());
        test = Arc::new(TestSpec { workplace, ..spec });
    }
    // `.` has no name that candidates could have.
    let directory = match directory.file_name() {
        Some(_) => directory,
        None => canonical(),
    };
    let result = paths::default_result(&directory);
    read(test, directory, Vec::new(), result, args, launch)
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

/// Reads what the test reads of a directory, and says so.
fn read(
    test: GivenTest,
    directory: PathBuf,
    files: Vec<PathBuf>,
    result: PathBuf,
    args: &Reduce,
    launch: &Launch,
) -> Result<Subject, CliError> {
    check(args)?;
    let input = launch.input(true, || {
        let look = Look {
            companions: &args.run.with,
            limits: TestLimits::from(&args.run).of_first_tests(),
            leaves_out: args.scope.preserve.is_empty(),
            stop: &stop()?,
        };
        let Project { archive, files, left_out, emptied } =
            read_project(&directory, &*test, &look)?;
        if !args.run.quiet && left_out + emptied > 0 {
            let unread = count(left_out.max(emptied) as u64);
            let so = if left_out > 0 { "they are left out" } else { "they are there, but empty" };
            say!("the test opens all but {unread} of {} files: {so}", count(files as u64));
        }
        Ok(archive)
    })?;
    let source = Source { file: directory, is_standard: false };
    Ok(Subject { test, source, input, files: Some(files), result })
}

/// Refuses options that make sense for single files only.
///
/// # Errors
/// If one is given.
pub fn check(args: &Reduce) -> Result<(), CliError> {
    if args.output.as_deref() == Some(Path::new(STANDARD)) {
        return Err(CliError::usage("a directory cannot go to standard output"));
    }
    let options = [
        (args.language.lang.is_some(), "--lang"),
        (args.format.as_ref().is_some_and(|format| *format != Format::Keep), "--format"),
        (args.preprocess.is_some(), "--preprocess"),
        (!args.scope.propose.is_empty(), "--propose"),
    ];
    refuse(&options, "is for single files, not directories")
}
