//! `minirepro verify`.

use minirepro_program::{Mode, Reduction, Scope};

use crate::args::{JournalArgs, Verify};
use crate::commands::consent;
use crate::commands::languages::languages;
use crate::commands::launch::{Launch, Show, rules};
#[cfg(feature = "browser")]
use crate::commands::page;
use crate::commands::read_run::{read_run, return_to};
use crate::commands::reduce::language;
use crate::commands::search::search;
use crate::commands::source::Source;
use crate::commands::test::{of_page, resolve};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::sinks::Sinks;

/// Runs `minirepro verify`.
///
/// # Errors
/// If the result is not minimal, does not reproduce, or cannot be tested.
#[cfg_attr(not(feature = "browser"), expect(unused_mut, reason = "only pages say more"))]
pub fn run(mut args: Verify) -> Result<Exit, CliError> {
    if !args.run.workers.is_empty() {
        return Err(CliError::usage("a result is verified on this machine, without --workers"));
    }
    let hangs = args.failure.hang && args.program.is_empty();
    let timed = args.page.clone().timed(args.run.timeout, hangs);
    if args.file.is_none() && args.program.is_empty() && args.first.is_dir() && !timed.are_given() {
        return verify_run(args);
    }
    let (test, file) = match of_page(&timed, &args.first)? {
        Some(test) => (test, args.first),
        None => resolve(Some(args.first), args.file, args.program, &args.failure)?,
    };
    let launch = Launch { languages: languages(&args.grammar.grammar)?, ..Launch::new(Vec::new()) };
    let source = Source::named(file, args.lang.as_deref(), &launch.languages)?;
    let input = source.read(&launch)?;
    let file = source.file;
    #[cfg(feature = "browser")]
    if timed.are_given() {
        page::read_as_page(&input, &mut args.lang, &mut args.scope);
    }
    let mut sinks = Sinks::default();
    let settings =
        launch.settings(&args.run, &JournalArgs::default(), Show::of(&file), &mut sinks)?;
    let request = Reduction {
        file: file.clone(),
        language: language(&launch.languages, &file, args.lang),
        rules: rules(&args.scope.rules)?,
        scope: Scope::from(&args.scope),
        settings,
        ..Reduction::new(input)
    };
    request.verify(test.as_test())?;
    Ok(Exit::Done)
}

/// Verifies the results of the run of a journal.
fn verify_run(args: Verify) -> Result<Exit, CliError> {
    let (mut cli, invocation) = read_run(&args.first)?;
    consent::check(&args.first, &invocation)?;
    let mode = Mode::Verify(std::path::absolute(&args.first).unwrap_or(args.first));
    return_to(&invocation.directory)?;
    if let Some(run) = cli.run_args() {
        run.jobs = args.run.jobs.or(run.jobs);
        run.workers = args.run.workers;
        run.max_tests = args.run.max_tests;
        run.max_time = args.run.max_time;
        run.stats = None;
        run.quiet = args.run.quiet;
        run.verbose = args.run.verbose;
    }
    search(cli, &Launch { mode, ..Launch::again(invocation) })
}
