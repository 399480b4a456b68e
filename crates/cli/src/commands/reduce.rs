//! `minirepro reduce`.

use std::path::{Path, PathBuf};

use minirepro::{BadRequest, LanguageChoice, Reduction, languages, paths, sources};

use crate::args::{Color, Reduce};
use crate::commands::directory;
use crate::commands::launch::{Launch, budget, causes, conclude, format, scope, style};
use crate::commands::test::{about_absolute_path, only_signature, resolve, show_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::reporter::{Reporter, Style};
use crate::report::terminal::{print, say};

/// The name that stands for standard input and standard output.
const STANDARD: &str = "-";

/// Runs `minirepro reduce`.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(args: Reduce, launch: &Launch) -> Result<Exit, CliError> {
    let (first, second) = (args.test.clone(), args.file.clone());
    let (test, mut file) = resolve(first, second, args.program.clone(), &args.failure)?;
    let is_stdin = file.as_os_str() == STANDARD;
    if let Some(warning) = about_absolute_path(&test, &file)
        && !args.run.quiet
    {
        say!("{warning}");
    }
    if is_stdin {
        file = name_of_standard_input(args.lang.as_deref())?;
        check_standard_input(&args, &file)?;
    } else if file.is_dir() {
        return directory::run(args, &test, file, launch);
    }
    let input = match is_stdin {
        true => launch.standard_input(&file)?,
        false => launch.input(|| sources::file(&file))?,
    };
    let default_output = || if is_stdin { STANDARD.into() } else { paths::default_result(&file) };
    let output = launch.output(args.output, default_output);
    let to_stdout = output.as_deref() == Some(Path::new(STANDARD));
    if to_stdout && args.all_causes.is_some() {
        return Err(BadRequest::CausesNeedFiles.into());
    }
    let keeps_no_journal = is_stdin && to_stdout && args.journal.journal.is_none();
    if keeps_no_journal && !args.run.quiet && !only_signature(&args.failure) {
        say!(
            "no journal is kept, so this run cannot be resumed: name one with --journal, or OUT with -o"
        );
    }
    let style = style(&args.run, &file, Color::Never);
    let mut reporter = Reporter::new(Style { algorithm: args.algorithm.name(), ..style });
    let mut settings = launch.settings(&args.run, &args.journal, &mut reporter)?;
    settings.budget = budget(&args.run, args.until_size);
    let mut request = Reduction {
        input: input.into(),
        language: language(args.lang, args.records),
        algorithm: args.algorithm,
        scope: scope(&args.scope),
        format: format(args.format),
        causes: causes(args.all_causes),
        output: output.filter(|_| !to_stdout),
        file,
        settings,
    };
    if let Some(command) = &args.preprocess {
        request.check_with(test.as_test())?;
        let file = &request.file;
        request.input = launch.input(|| sources::preprocessed(command, file))?.into();
    }
    if only_signature(&args.failure) {
        return show_signature(&test, &request.file, &request.input, &args.run);
    }
    let outcome = request.run_with(test.as_test());
    if let (Ok(outcome), true) = (&outcome, to_stdout) {
        print(|to| to.write_all(outcome.text()))
            .map_err(|error| CliError::new(Exit::NotWritten, error))?;
    }
    conclude(reporter, args.run.stats.as_deref(), outcome.map(|outcome| outcome.stopped))
}

/// Returns what standard input is called: candidates need a name, whose suffix tells the language.
///
/// # Errors
/// If a file has this name, which tests would be compared with.
fn name_of_standard_input(language: Option<&str>) -> Result<PathBuf, CliError> {
    let languages = languages::all();
    let info = languages.iter().find(|info| Some(&*info.name) == language);
    let file = match info.and_then(|info| info.suffixes.first()) {
        Some(suffix) => PathBuf::from(format!("stdin.{suffix}")),
        None => PathBuf::from("stdin"),
    };
    match file.exists() {
        true => Err(CliError::usage(format_args!(
            "standard input would be called {}, but there is a file of this name",
            file.display()
        ))
        .advise("Name that file instead of `-`, or run this in another directory.\n")),
        false => Ok(file),
    }
}

/// Refuses options that need a file.
fn check_standard_input(args: &Reduce, file: &Path) -> Result<(), CliError> {
    match args.preprocess {
        Some(_) => Err(CliError::usage(format_args!(
            "--preprocess needs a file, but {} is standard input",
            file.display()
        ))),
        None => Ok(()),
    }
}

/// Returns the language of a file, by two options.
pub fn language(lang: Option<String>, records: Option<String>) -> LanguageChoice {
    let of_records = records.map(|form| match &form[..] {
        "lines" => form,
        form => format!("records:{form}"),
    });
    lang.or(of_records).map_or(LanguageChoice::Guess, LanguageChoice::Named)
}
