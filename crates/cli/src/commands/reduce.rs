//! `minirepro reduce`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minirepro_program::{
    Advisers, Command, Format, Informant, LanguageChoice, Languages, Limits, Mode, Reduction,
    Scope, TestLimits, paths, sources,
};

use crate::args::Reduce;
use crate::commands::headers::Preprocessed;
use crate::commands::launch::{Launch, Show, conclude, proposers, rules, stop, stop_at};
use crate::commands::source::{STANDARD, Source};
use crate::commands::test::{
    Build, about_absolute_path, compile_command, only_signature, resolve, show_signature,
};
use crate::commands::{directory, headers};
use crate::error::CliError;
use crate::exit::Exit;
use crate::given::GivenTest;
use crate::report::shell::{quote, quote_all};
use crate::report::sinks::Sinks;
use crate::report::terminal::{name, print, say};

/// Runs `minirepro reduce`.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(args: Reduce, launch: &Launch) -> Result<Exit, CliError> {
    if let Some(project) = directory::of_files(&args)? {
        return project.reduce(args, launch);
    }
    let (test, source) = test_and_source(&args, launch)?;
    if source.file.is_dir() && !source.is_standard {
        return directory::of_directory(test, source.file).reduce(args, launch);
    }
    let input = source.read(launch)?;
    let target = Target::new(&args, &source, launch)?;
    let show = show(&args, launch, &test, &source, &input, &target);
    let mut sinks = Sinks::default();
    let mut settings = launch.settings(&args.run, &args.journal, show, &mut sinks)?;
    stop_at(&mut settings.budget, args.until_size);
    settings.also_read.extend(args.scope.rules.iter().chain(&args.compile_commands).cloned());
    let mut request = Reduction {
        input: input.into(),
        language: language_of(&args, &test, &source.file, &launch.languages),
        rules: rules(&args.scope.rules)?,
        advisers: Advisers { proposers: proposers(&args.scope), informant: None },
        algorithm: args.algorithm,
        scope: Scope::from(&args.scope),
        format: args.format.clone().unwrap_or(Format::Auto),
        output: target.output.clone().filter(|_| !target.is_printed),
        file: source.file,
        settings,
    };
    if let Some(printed) = preprocessed(&args, &test, &request, source.is_standard, launch)? {
        request.input = printed.into();
    }
    if only_signature(&args.failure) {
        return show_signature(&test, &request.file, &request.input, &args.run);
    }
    request.advisers.informant = informant(&args, launch, &test, &request);
    let (file, input) = (request.file.clone(), request.input.clone());
    let outcome = request.run_with(test.as_test());
    if let (Ok(outcome), Mode::Begin, false) = (&outcome, &launch.mode, args.run.quiet) {
        compare_messages(&args, launch, &test, &file, [&input, outcome.text()]);
    }
    if let (Ok(outcome), true) = (&outcome, target.is_printed) {
        print(|to| to.write_all(outcome.text()))
            .map_err(|error| CliError::new(Exit::NotWritten, error))?;
    }
    conclude(sinks, outcome.map(|outcome| outcome.stopped))
}

/// Returns the command in the test that can be asked for its messages, if there is one: of several
/// the first that accepts the input, since it knows what a text needs.
fn informant(
    args: &Reduce,
    launch: &Launch,
    test: &GivenTest,
    request: &Reduction<'_>,
) -> Option<Box<dyn Informant>> {
    if args.no_informant {
        return None;
    }
    let mut commands = match test {
        GivenTest::Command(command) => vec![command.words.clone()],
        GivenTest::Script(_) => headers::commands_of_script(test, &request.file),
    };
    let stop = stop().ok()?;
    let limits = TestLimits::from(&args.run).of_first_tests();
    let (file, input, with) = (&request.file, &request.input, &args.run.with);
    let asked = |words: Vec<OsString>, limits| {
        Command::new(words).informant(file, input, with, &launch.languages, limits, &stop).ok()
    };
    // A script may limit the time of its commands, which is not known here.
    let short = Limits { time: limits.time.min(ACCEPTS), ..limits };
    let accepts = |words: &Vec<OsString>| {
        asked(words.clone(), short).is_some_and(|command| command.accepts(input, &stop))
    };
    let best = if commands.len() > 1 { commands.iter().position(accepts) } else { None };
    let words = commands.drain(..).nth(best.unwrap_or(0))?;
    let analyser = headers::analyser(&words, file).and_then(|words| asked(words, limits));
    let command = asked(headers::with_all_errors(words), limits)?;
    Some(Box::new(command.with_analyser(analyser)))
}

/// How long a command of a script may take to accept the input.
const ACCEPTS: Duration = Duration::from_secs(10);

/// Says so if the command that a script runs says something else of the result than of the input:
/// the script may have accepted another failure.
fn compare_messages(
    args: &Reduce,
    launch: &Launch,
    test: &GivenTest,
    file: &Path,
    [input, result]: [&[u8]; 2],
) {
    let Some(words) = headers::command_of_script(test, file).filter(|_| input != result) else {
        return;
    };
    let Ok(stop) = stop() else { return };
    let command = Command::new(words);
    let limits = TestLimits::from(&args.run).of_first_tests();
    let seen = |text: &[u8]| {
        let seen = command.seen_on(file, text, &args.run.with, &launch.languages, limits, &stop);
        seen.ok().and_then(|(_, signature)| signature)
    };
    // A command that succeeds on the input shows another failure than by its end.
    if let Some(before) = seen(input)
        && let now = seen(result)
        && now.as_ref() != Some(&before)
    {
        let now = now.map_or("nothing".to_owned(), |now| name(&now.to_string()));
        say!("the script accepts a failure with another message than that of the input:");
        say!("  input:  {}", name(&before.to_string()));
        say!("  result: {now}");
    }
}

/// Finds out which words are the test and which name the input.
fn test_and_source(args: &Reduce, launch: &Launch) -> Result<(GivenTest, Source), CliError> {
    let (first, second) = (args.test.clone(), args.file.clone());
    let program = match (&args.compile_commands, &first) {
        (Some(database), Some(file)) => compile_command(&Build {
            database,
            file,
            failure: &args.failure,
            with: &args.run.with,
            limits: TestLimits::from(&args.run),
            is_quiet: args.run.quiet,
        })?,
        _ => args.program.clone(),
    };
    let (test, file) = resolve(first, second, program, &args.failure)?;
    let test = test.marking(args.also_interesting.0);
    let source = Source::named(file, args.lang.as_deref(), &launch.languages)?;
    if let Some(warning) = about_absolute_path(&test, &source.file)
        && !args.run.quiet
    {
        say!("{warning}");
    }
    if source.is_standard {
        check_standard_input(args, &source.file)?;
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

fn show(
    args: &Reduce,
    launch: &Launch,
    test: &GivenTest,
    source: &Source,
    input: &[u8],
    target: &Target,
) -> Show {
    let file = &source.file;
    let tried = Some((test, file.as_path()));
    let preprocessors = match source.is_standard {
        true => Vec::new(),
        false => headers::preprocessors(test, file, &args.run.with),
    };
    Show {
        file: file.clone(),
        algorithm: args.algorithm.name(),
        preprocessor: preprocessors.into_iter().next(),
        command: headers::command_of_script(test, file)
            .map(|words| format!("{} -- {}", quote(file.as_os_str()), quote_all(&words))),
        recorder: launch.recorder(&args.run, &args.failure, tried, Some(input), &target.named),
        ..Show::default()
    }
}

/// Returns the language that the user has named, or else the test.
fn language_of(
    args: &Reduce,
    test: &GivenTest,
    file: &Path,
    languages: &Languages,
) -> LanguageChoice {
    match language(languages, file, args.lang.clone(), args.records.clone()) {
        LanguageChoice::Guess => headers::told_language(test, file, languages)
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
    if !is_run || only_signature(&args.failure) {
        return Ok(None);
    }
    let chosen = headers::preprocessing(test, request, &stop);
    if let (Some(Preprocessed { reason, shell, .. }), false) = (&chosen, args.run.quiet) {
        say!("{reason}, so what '{shell}' prints is reduced");
    }
    Ok(chosen.map(|chosen| chosen.text))
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
