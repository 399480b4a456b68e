//! `minirepro verify`.

use minirepro_program::{Reduction, Scope};

use crate::args::{JournalArgs, Verify};
use crate::commands::languages::languages;
use crate::commands::launch::{Launch, Show, rules};
use crate::commands::past;
use crate::commands::reduce::language;
use crate::commands::refuse;
use crate::commands::source::Source;
use crate::commands::test::{of_page, only_signature, resolve, show_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::sinks::Sinks;

/// Runs `minirepro verify`.
///
/// # Errors
/// If the result is not minimal, does not reproduce, or cannot be tested.
pub fn run(args: Verify) -> Result<Exit, CliError> {
    let options = [
        (!args.run.workers.is_empty(), "--workers"),
        (!args.scope.propose.is_empty(), "--propose"),
        (args.run.stats.is_some(), "--stats"),
        (args.run.report.is_some(), "--report"),
    ];
    refuse(&options, "is for searches: verify runs on this machine, and prints its answer")?;
    let page = of_page(&args.page, &args.run, &args.failure, &args.program, &args.first)?;
    if args.file.is_none() && args.program.is_empty() && args.first.is_dir() && page.is_none() {
        return past::verify(args);
    }
    let (test, file) = match page {
        Some(test) => (test, args.first),
        None => resolve(Some(args.first), args.file, args.program, &args.failure)?,
    };
    let launch = Launch { languages: languages(&args.language.grammar)?, ..Launch::default() };
    let source = Source::named(file, args.language.lang.as_deref(), &launch.languages)?;
    let input = source.read(&launch)?;
    if only_signature(&args.failure) {
        return show_signature(&*test, &source.file, &input, &args.run);
    }
    let file = source.file;
    let show = Show { file: file.clone(), ..Show::default() };
    let mut sinks = Sinks::default();
    let request = Reduction {
        language: language(&launch.languages, &file, args.language.lang, Some(&*test)),
        rules: rules(&args.scope.rules)?,
        scope: Scope::from(&args.scope),
        settings: launch.settings(&args.run, &JournalArgs::default(), show, &mut sinks)?,
        file,
        ..Reduction::new(input)
    };
    request.verify(&*test)?;
    Ok(Exit::Done)
}
