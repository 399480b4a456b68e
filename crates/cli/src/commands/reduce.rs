//! `minirepro reduce`.

use std::path::{Path, PathBuf};
#[cfg(feature = "browser")]
use std::sync::Arc;

#[cfg(feature = "browser")]
use minirepro_browser::Prepared;
use minirepro_program::compilers::{self, Preprocessed};
use minirepro_program::{
    Error, Format, LanguageChoice, Languages, Reduction, Scope, Settings, Test, paths, sources,
};

use crate::args::{Reduce, Size};
use crate::commands::directory;
use crate::commands::launch::{Launch, Show, conclude, proposers, rules, stop};
#[cfg(feature = "browser")]
use crate::commands::page;
use crate::commands::source::{STANDARD, Source};
use crate::commands::test::{
    GivenTest, about_absolute_path, compile_command, failure_of, only_signature, resolve,
    show_signature,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::shell::{quote, quote_all};
use crate::report::sinks::Sinks;
use crate::report::terminal::{print, say, shown};

/// What is reduced, and its test.
pub struct Subject {
    /// The test.
    pub test: GivenTest,
    /// The file or directory, whose name candidates get, and where it comes from.
    pub source: Source,
    /// What is in it.
    pub input: Vec<u8>,
    /// Of a directory: the files in it, if they are named one by one.
    pub files: Option<Vec<PathBuf>>,
    /// Where the result goes if nobody says.
    pub result: PathBuf,
}

/// Runs `minirepro reduce`.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(args: Reduce, launch: &Launch) -> Result<Exit, CliError> {
    if let Some(subject) = directory::of_files(&args, launch)? {
        return reduce(args, launch, subject);
    }
    #[cfg(feature = "browser")]
    let is_hang = args.failure.hang && args.program.is_empty();
    #[cfg(feature = "browser")]
    if args.page.are_given() || args.preparation.record || is_hang {
        if args.file.is_some() {
            return Err(CliError::usage("the options of a page take the place of TEST")
                .advise("Name the page alone, with them: minirepro PAGE …\n"));
        }
        return match page::prepared(&args, launch)? {
            Some(page) => of_page(args, launch, &page),
            None => Ok(Exit::Done),
        };
    }
    let (test, source) = test_and_source(&args, launch)?;
    let subject = match source.file.is_dir() && !source.is_standard {
        true => directory::of_directory(test, source.file, &args, launch)?,
        false => {
            let input = source.read(launch)?;
            let result = match source.is_standard {
                true => STANDARD.into(),
                false => paths::default_result(&source.file),
            };
            Subject { test, source, input, files: None, result }
        }
    };
    reduce(args, launch, subject)
}

/// Reduces a page, which may be a directory.
#[cfg(feature = "browser")]
fn of_page(args: Reduce, launch: &Launch, page: &Prepared) -> Result<Exit, CliError> {
    let input = launch.input(true, || Ok(page.input.clone()))?;
    if page.is_directory {
        directory::check(&args)?;
    }
    let (wpt, is_quiet) = (args.preparation.wpt, args.run.quiet);
    let result = paths::default_result(&page.name);
    let output = args.output.clone().unwrap_or_else(|| result.clone());
    let subject = Subject {
        test: Arc::new(page.test.clone()),
        source: Source { file: page.name.clone(), is_standard: false },
        input,
        files: page.is_directory.then(Vec::new),
        result,
    };
    let ended = reduce(args, launch, subject);
    if !launch.mode.is_replay() && output.exists() && output != Path::new(STANDARD) {
        page::finish(page, wpt, is_quiet, &output)?;
    }
    ended
}

/// Reduces a file, or a directory.
fn reduce(args: Reduce, launch: &Launch, subject: Subject) -> Result<Exit, CliError> {
    let Subject { test, source, input, files, result } = subject;
    let (is_file, is_standard) = (files.is_none(), source.is_standard);
    // Before anything catches signals: what is read may be a pipe.
    let rules = rules(&args.scope.rules)?;
    let result = args.output.clone().unwrap_or(result);
    // A run that is decided again writes none.
    let output = (!launch.mode.is_replay()).then(|| result.clone());
    let is_printed = output.as_deref() == Some(Path::new(STANDARD));
    check_printed(&args, launch, is_printed, is_standard)?;
    let lang = args.language.lang.clone();
    let language = match is_file {
        true => language(&launch.languages, &source.file, lang, Some(&*test)),
        false => LanguageChoice::Guess,
    };
    let compiler = compilers::compiler_of(&*test).filter(|_| is_file && !is_standard);
    let show = Show {
        file: source.file.clone(),
        algorithm: args.algorithm.into(),
        compiler: compiler.map(|path| shown(&path)),
        test: Some(&test),
        failure: failure_of(&*test),
        input: is_file.then_some(&input),
        result,
        ..Show::default()
    };
    let mut sinks = Sinks::default();
    let settings = launch.settings(&args.run, &args.journal, show, &mut sinks)?;
    let mut request = Reduction {
        input: input.into(),
        language,
        rules,
        proposers: proposers(&args.scope),
        algorithm: args.algorithm,
        scope: Scope::from(&args.scope),
        format: args.format.clone().unwrap_or(if is_file { Format::Auto } else { Format::Keep }),
        output: output.filter(|_| !is_printed),
        file: source.file,
        files,
        settings: of_reduction(&args, settings),
    };
    let printed = preprocessed(&args, &*test, &request, is_standard, launch)?;
    request.input = printed.map_or(request.input, Into::into);
    if only_signature(&args.failure) {
        return show_signature(&*test, &request.file, &request.input, &args.run);
    }
    let name = quote(request.file.as_os_str());
    let outcome = request.run(&*test);
    if let (Ok(outcome), true) = (&outcome, is_printed) {
        print(|to| to.write_all(outcome.text()))?;
    }
    let is_project = test.spec().is_some_and(|spec| spec.workplace.is_some());
    let is_one_input = !is_file && !is_project && matches!(outcome, Err(Error::Command { .. }));
    conclude(sinks, outcome.map(|outcome| outcome.stopped)).map_err(|error| match is_one_input {
        true => error.advise(format!(
            "The directory was one input. To run each of its files: minirepro batch {name} -- PROGRAM @@\n"
        )),
        false => error,
    })
}

/// Adds to settings what only reductions have.
fn of_reduction<'a>(args: &Reduce, mut settings: Settings<'a>) -> Settings<'a> {
    match args.until_size {
        Some(Size::Tokens(tokens)) => settings.budget.stop_at_tokens = Some(tokens),
        Some(Size::Bytes(bytes)) => settings.budget.stop_at_bytes = Some(bytes),
        None => {}
    }
    settings.no_compiler_runs = args.no_compiler_runs;
    settings.also_read.extend(args.scope.rules.iter().chain(&args.compile_commands).cloned());
    settings
}

/// Checks that what is printed is one text, and says what a run without files cannot do.
fn check_printed(
    args: &Reduce,
    launch: &Launch,
    is_printed: bool,
    is_standard: bool,
) -> Result<(), CliError> {
    if !is_printed {
        return Ok(());
    }
    let keeps_no_journal = is_standard && args.journal.journal.is_none();
    if keeps_no_journal && !args.run.quiet && !only_signature(&args.failure) {
        say!(
            "no journal is kept, so this run cannot be resumed: name one with --journal, or OUT with -o"
        );
    }
    if launch.report(&args.run).is_some_and(|report| report.is_printed()) {
        return Err(CliError::usage("the result and the report would both be printed")
            .advise("Name a file for one of them.\n"));
    }
    Ok(())
}

/// Finds out which words are the test and which name the input.
fn test_and_source(args: &Reduce, launch: &Launch) -> Result<(GivenTest, Source), CliError> {
    let (first, second) = (args.test.clone(), args.file.clone());
    let program = match (&args.compile_commands, &first) {
        (Some(database), Some(file)) => compile_command(database, file, args.run.quiet)?,
        _ => args.program.clone(),
    };
    let (test, file) = resolve(first, second, program, &args.failure)?;
    let source = Source::named(file, args.language.lang.as_deref(), &launch.languages)?;
    if let Some(warning) = about_absolute_path(&*test, &source.file)
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

/// Returns the preprocessed text if that is to be reduced: because the user says so, or because the
/// failure needs it.
fn preprocessed(
    args: &Reduce,
    test: &dyn Test,
    request: &Reduction<'_>,
    is_standard: bool,
    launch: &Launch,
) -> Result<Option<Vec<u8>>, CliError> {
    if request.files.is_some() || args.preprocess.is_none() && is_standard {
        return Ok(None);
    }
    request.check_with(test)?;
    if let Some(command) = &args.preprocess {
        let printed = launch.input(false, || Ok(sources::preprocessed(command, &request.file)?))?;
        return Ok(Some(printed));
    }
    let stop = stop()?;
    // A run that is looked at again begins with what it began with.
    if launch.mode.is_replay() || only_signature(&args.failure) || args.no_compiler_runs {
        return Ok(None);
    }
    let chosen = request.preprocessed(test, &stop);
    if let (Some(Preprocessed { reason, words, .. }), false) = (&chosen, args.run.quiet) {
        say!("{reason}, so what '{}' prints is reduced", quote_all(words));
    }
    Ok(chosen.map(|chosen| chosen.text))
}

/// Returns the language of a file, by two options (a grammar that was named is one of `languages`),
/// or by what a compiler in the test is told.
pub fn language(
    languages: &Languages,
    file: &Path,
    lang: Option<String>,
    test: Option<&dyn Test>,
) -> LanguageChoice {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let of_grammar = || languages.named_for(&name).map(str::to_owned);
    let told = || compilers::told_language(test?, languages);
    let name = lang.or_else(of_grammar).or_else(told);
    name.map_or(LanguageChoice::Guess, LanguageChoice::Named)
}
