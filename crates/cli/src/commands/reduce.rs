//! `minirepro reduce`.

use std::path::{Path, PathBuf};

#[cfg(feature = "browser")]
use minirepro_browser::Prepared;
use minirepro_program::compilers::{self, Preprocessed};
use minirepro_program::{
    Format, LanguageChoice, Languages, Mode, Proposer, Reduction, Scope, paths, sources,
};

use crate::args::Reduce;
use crate::commands::directory;
use crate::commands::launch::{Launch, Show, conclude, proposers, rules, stop, stop_at};
#[cfg(feature = "browser")]
use crate::commands::page;
use crate::commands::source::{STANDARD, Source};
use crate::commands::test::{
    about_absolute_path, compile_command, only_signature, resolve, show_signature,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::given::GivenTest;
use crate::report::shell::quote_all;
use crate::report::sinks::Sinks;
use crate::report::terminal::{print, say, shown};

/// Runs `minirepro reduce`.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(args: Reduce, launch: &Launch) -> Result<Exit, CliError> {
    if let Some(project) = directory::of_files(&args)? {
        return project.reduce(args, launch);
    }
    #[cfg(feature = "browser")]
    let is_hang = args.failure.hang && args.program.is_empty();
    #[cfg(feature = "browser")]
    if args.page.are_given() || args.preparation.record || is_hang {
        if let Some(page) = &args.file {
            let page = quote_all([page]);
            return Err(CliError::usage("the options of a page take the place of TEST")
                .advise(format!("Name the page alone, with them: minirepro {page} …\n")));
        }
        return match page::prepared(&args, launch)? {
            Some(page) => of_page(args, launch, &page),
            None => Ok(Exit::Done),
        };
    }
    let (test, source) = test_and_source(&args, launch)?;
    if source.file.is_dir() && !source.is_standard {
        return directory::of_directory(test, source.file).reduce(args, launch);
    }
    let input = source.read(launch)?;
    of_file(args, launch, test, source, input, |_| None)
}

/// Reduces a page, which may be a directory.
#[cfg(feature = "browser")]
fn of_page(mut args: Reduce, launch: &Launch, page: &Prepared) -> Result<Exit, CliError> {
    let again = args.clone();
    let output = args.output.clone().unwrap_or_else(|| paths::default_result(&page.name));
    let test = GivenTest::Page(Box::new(page.test.clone()));
    let input = launch.recorded().unwrap_or_else(|| Ok(page.input.clone()))?;
    let ended = if page.is_directory {
        directory::of_archive(test, page.name.clone(), input).reduce(args, launch)
    } else {
        page::read_as_page(&input, &mut args.lang, &mut args.scope);
        let source = Source { file: page.name.clone(), is_standard: false };
        of_file(args, launch, test, source, input, |_| page.test.proposer())
    };
    let is_run = matches!(launch.mode, Mode::Begin | Mode::Resume(_));
    if is_run && output.exists() && output != Path::new(STANDARD) {
        page::finish(page, &again, &output)?;
    }
    ended
}

/// Reduces a file.
fn of_file(
    args: Reduce,
    launch: &Launch,
    test: GivenTest,
    source: Source,
    input: Vec<u8>,
    proposer: impl FnOnce(&Reduce) -> Option<Box<dyn Proposer>>,
) -> Result<Exit, CliError> {
    // Before anything catches signals: what is read may be a pipe.
    let rules = rules(&args.scope.rules)?;
    let target = Target::new(&args, &source, launch)?;
    let compiler = compilers::compiler_of(test.as_test()).filter(|_| !source.is_standard);
    let show = Show {
        algorithm: args.algorithm.into(),
        compiler: compiler.map(|path| shown(&path)),
        test: Some(&test),
        failure: args.failure.clone(),
        input: Some(&input),
        result: &target.named,
        ..Show::of(&source.file)
    };
    let mut sinks = Sinks::default();
    let mut settings = launch.settings(&args.run, &args.journal, show, &mut sinks)?;
    stop_at(&mut settings.budget, args.until_size);
    settings.no_compiler_runs = args.no_compiler_runs;
    settings.also_read.extend(args.scope.rules.iter().chain(&args.compile_commands).cloned());
    let mut request = Reduction {
        input: input.into(),
        language: language_of(&args, &test, &source.file, &launch.languages),
        rules,
        proposers: proposers(&args.scope).into_iter().chain(proposer(&args)).collect(),
        algorithm: args.algorithm,
        scope: Scope::from(&args.scope),
        format: args.format.clone().unwrap_or(Format::Auto),
        output: target.output.clone().filter(|_| !target.is_printed),
        file: source.file,
        files: None,
        settings,
    };
    if let Some(printed) = preprocessed(&args, &test, &request, source.is_standard, launch)? {
        request.input = printed.into();
    }
    if only_signature(&args.failure) {
        return show_signature(&test, &request.file, &request.input, &args.run);
    }
    let outcome = request.run(test.as_test());
    if let (Ok(outcome), true) = (&outcome, target.is_printed) {
        print(|to| to.write_all(outcome.text()))?;
    }
    conclude(sinks, outcome.map(|outcome| outcome.stopped))
}

/// Finds out which words are the test and which name the input.
fn test_and_source(args: &Reduce, launch: &Launch) -> Result<(GivenTest, Source), CliError> {
    let (first, second) = (args.test.clone(), args.file.clone());
    let program = match (&args.compile_commands, &first) {
        (Some(database), Some(file)) => compile_command(database, file, args.run.quiet)?,
        _ => args.program.clone(),
    };
    let (test, file) = resolve(first, second, program, &args.failure)?;
    let source = Source::named(file, args.lang.as_deref(), &launch.languages)?;
    if let Some(warning) = about_absolute_path(&test, &source.file)
        && !args.run.quiet
    {
        say!("{warning}");
    }
    if source.is_standard && args.preprocess.is_some() {
        let file = source.file.display();
        return Err(CliError::usage(format_args!(
            "--preprocess needs a file, but {file} is standard input"
        )));
    }
    Ok((test, source))
}

/// Where the result goes.
struct Target {
    /// As the user named it, or by default.
    named: PathBuf,
    /// What this run writes.
    output: Option<PathBuf>,
    is_printed: bool,
}

impl Target {
    /// Checks that what is printed is one text, and says what a run without files cannot do.
    fn new(args: &Reduce, source: &Source, launch: &Launch) -> Result<Self, CliError> {
        let default_output = || match source.is_standard {
            true => STANDARD.into(),
            false => paths::default_result(&source.file),
        };
        let named = args.output.clone().unwrap_or_else(default_output);
        let output = launch.output(args.output.clone(), default_output);
        let is_printed = output.as_deref() == Some(Path::new(STANDARD));
        let keeps_no_journal = source.is_standard && is_printed && args.journal.journal.is_none();
        if keeps_no_journal && !args.run.quiet && !only_signature(&args.failure) {
            say!(
                "no journal is kept, so this run cannot be resumed: name one with --journal, or OUT with -o"
            );
        }
        if is_printed && launch.report(&args.run).is_some_and(|report| report.is_printed()) {
            return Err(CliError::usage("the result and the report would both be printed")
                .advise("Name a file for one of them.\n"));
        }
        Ok(Self { named, output, is_printed })
    }
}

/// Returns the language that the user has named, or else the test.
fn language_of(
    args: &Reduce,
    test: &GivenTest,
    file: &Path,
    languages: &Languages,
) -> LanguageChoice {
    match language(languages, file, args.lang.clone()) {
        LanguageChoice::Guess => compilers::told_language(test.as_test(), languages)
            .map_or(LanguageChoice::Guess, LanguageChoice::Named),
        named => named,
    }
}

/// Returns the preprocessed text if that is to be reduced: because the user says so, or because the
/// failure needs it.
fn preprocessed(
    args: &Reduce,
    test: &GivenTest,
    request: &Reduction<'_>,
    is_standard: bool,
    launch: &Launch,
) -> Result<Option<Vec<u8>>, CliError> {
    if args.preprocess.is_none() && is_standard {
        return Ok(None);
    }
    request.check_with(test.as_test())?;
    if let Some(command) = &args.preprocess {
        return Ok(Some(launch.input(|| sources::preprocessed(command, &request.file))?));
    }
    // A run that is looked at again begins with what it began with.
    let is_run = matches!(launch.mode, Mode::Begin | Mode::Resume(_));
    let stop = stop()?;
    if !is_run || only_signature(&args.failure) || args.no_compiler_runs {
        return Ok(None);
    }
    let chosen = request.preprocessed(test.as_test(), &stop);
    if let (Some(Preprocessed { reason, words, .. }), false) = (&chosen, args.run.quiet) {
        say!("{reason}, so what '{}' prints is reduced", quote_all(words));
    }
    Ok(chosen.map(|chosen| chosen.text))
}

/// Returns the language of a file, by two options: a grammar that was named is one of `languages`.
pub fn language(languages: &Languages, file: &Path, lang: Option<String>) -> LanguageChoice {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let of_grammar = || languages.named_for(&name).map(str::to_owned);
    lang.or_else(of_grammar).map_or(LanguageChoice::Guess, LanguageChoice::Named)
}
