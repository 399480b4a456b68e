//! `minirepro reduce`.

use std::path::Path;

use minirepro::{BadRequest, LanguageChoice, Languages, Mode, Reduction, paths, sources};

use crate::args::{Color, Reduce};
use crate::commands::headers::Preprocessed;
use crate::commands::launch::{
    Launch, budget, causes, conclude, format, limits, proposers, rules, scope, stop, style,
};
use crate::commands::source::{STANDARD, Source};
use crate::commands::test::{
    Build, about_absolute_path, compile_command, only_signature, resolve, show_signature,
};
use crate::commands::{directory, headers};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::reporter::{Reporter, Style};
use crate::report::terminal::{print, say};

/// Runs `minirepro reduce`.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(args: Reduce, launch: &Launch) -> Result<Exit, CliError> {
    let (first, second) = (args.test.clone(), args.file.clone());
    let mut program = args.program.clone();
    if let (Some(database), Some(file)) = (&args.compile_commands, &first) {
        program = compile_command(&Build {
            database,
            file,
            failure: &args.failure,
            with: &args.run.with,
            limits: limits(&args.run),
            is_quiet: args.run.quiet,
        })?;
    }
    let (test, file) = resolve(first, second, program, &args.failure)?;
    let test = test.marking(args.also_interesting.0);
    let languages = &launch.languages;
    let source = Source::named(file, args.lang.as_deref(), languages)?;
    let is_stdin = source.is_standard;
    if let Some(warning) = about_absolute_path(&test, &source.file)
        && !args.run.quiet
    {
        say!("{warning}");
    }
    if is_stdin {
        check_standard_input(&args, &source.file)?;
    } else if source.file.is_dir() {
        return directory::run(args, &test, source.file, launch);
    }
    let input = source.read(launch)?;
    let file = source.file;
    let default_output = || if is_stdin { STANDARD.into() } else { paths::default_result(&file) };
    let named = args.output.clone().unwrap_or_else(default_output);
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
    if to_stdout && launch.report(&args.run).is_some_and(|report| report.is_printed()) {
        return Err(CliError::usage("the result and the report would both be printed")
            .advise("Name a file for one of them.\n"));
    }
    let style = style(&args.run, &file, Color::Never);
    let recorder =
        launch.recorder(&args.run, &args.failure, test.described(&file), Some(&input), &named);
    let shown = || headers::preprocessors(&test, &file, &args.run.with).into_iter().next();
    let preprocessor = shown().filter(|_| !is_stdin);
    let algorithm = args.algorithm.name();
    let mut reporter = Reporter::new(Style { algorithm, reduces: true, preprocessor, ..style })
        .recording(recorder);
    let mut settings = launch.settings(&args.run, &args.journal, &mut reporter)?;
    settings.budget = budget(&args.run, args.until_size);
    settings.also_read.extend(args.scope.rules.iter().chain(&args.compile_commands).cloned());
    let mut request = Reduction {
        input: input.into(),
        language: match language(languages, &file, args.lang, args.records) {
            LanguageChoice::Guess => headers::told_language(&test, &file, languages)
                .map_or(LanguageChoice::Guess, LanguageChoice::Named),
            chosen => chosen,
        },
        rules: rules(&args.scope.rules)?,
        proposers: proposers(&args.scope),
        algorithm: args.algorithm,
        scope: scope(&args.scope),
        format: format(args.format.as_ref()),
        style: args.style.into(),
        causes: causes(args.all_causes),
        output: output.filter(|_| !to_stdout),
        file,
        settings,
    };
    if let Some(command) = &args.preprocess {
        request.check_with(test.as_test())?;
        let file = &request.file;
        request.input = launch.input(|| sources::preprocessed(command, file))?.into();
    } else if !is_stdin {
        request.check_with(test.as_test())?;
        // A run that is looked at again begins with what it began with.
        let is_run =
            matches!(launch.mode, Mode::Begin | Mode::Resume(_)) && !only_signature(&args.failure);
        let stop = stop()?;
        let chosen = is_run.then(|| headers::preprocessing(&test, &request, &stop)).flatten();
        if let Some(Preprocessed { reason, shell, text }) = chosen {
            if !args.run.quiet {
                say!("{reason}, so what '{shell}' prints is reduced");
            }
            request.input = text.into();
        }
    }
    if only_signature(&args.failure) {
        return show_signature(&test, &request.file, &request.input, &args.run);
    }
    let outcome = request.run_with(test.as_test());
    if let (Ok(outcome), true) = (&outcome, to_stdout) {
        print(|to| to.write_all(outcome.text()))
            .map_err(|error| CliError::new(Exit::NotWritten, error))?;
    }
    conclude(launch, &args.run, reporter, outcome.map(|outcome| outcome.stopped))
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

/// Returns the language of a file, by three options: a grammar that was named is one of
/// `languages`.
pub fn language(
    languages: &Languages,
    file: &Path,
    lang: Option<String>,
    records: Option<String>,
) -> LanguageChoice {
    let of_records = records.map(|form| match &form[..] {
        "lines" => form,
        form => format!("records:{form}"),
    });
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let of_grammar = || languages.named_for(&name).map(str::to_owned);
    lang.or(of_records).or_else(of_grammar).map_or(LanguageChoice::Guess, LanguageChoice::Named)
}
