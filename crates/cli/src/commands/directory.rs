//! `minirepro reduce` on a directory.

use std::path::{Path, PathBuf};

use minirepro_program::{DirectoryReduction, Error, paths, sources};

use crate::args::{Color, Format, Reduce, ResultStyle};
use crate::commands::launch::{Launch, causes, conclude, scope, style};
use crate::commands::test::{GivenTest, only_signature, show_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::reporter::{Reporter, Style};
use crate::report::shell::quote;

/// Reduces a directory.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(
    args: Reduce,
    test: &GivenTest,
    directory: PathBuf,
    launch: &Launch,
) -> Result<Exit, CliError> {
    check(&args)?;
    // `.` has no name that candidates could have.
    let directory = match directory.file_name() {
        Some(_) => directory,
        None => directory.canonicalize().unwrap_or(directory),
    };
    let output = launch.output(args.output, || paths::default_result(&directory));
    if output.as_deref() == Some(Path::new("-")) {
        return Err(CliError::usage("a directory cannot go to standard output"));
    }
    let input = launch.input(|| sources::directory(&directory))?;
    if only_signature(&args.failure) {
        return show_signature(test, &directory, &input, &args.run);
    }
    let style = style(&args.run, &directory, Color::Never);
    let recorder =
        launch.recorder(&args.run, &args.failure, test.described(&directory), None, &directory);
    let witness = launch.witness(&args.run, test.asked(), &directory);
    let recorder = recorder.map(|recorder| recorder.asking(witness));
    let mut reporter =
        Reporter::new(Style { algorithm: args.algorithm.name(), reduces: true, ..style })
            .recording(recorder);
    let request = DirectoryReduction {
        input: input.into(),
        directory,
        algorithm: args.algorithm,
        scope: scope(&args.scope),
        causes: causes(args.all_causes),
        output,
        settings: launch.settings(&args.run, &args.journal, &mut reporter)?,
    };
    let name = quote(request.directory.as_os_str());
    let outcome = request.run_with(test.as_test());
    let is_refused = matches!(&outcome, Err(Error::Command { .. }));
    let ended = conclude(launch, &args.run, reporter, outcome.map(|outcome| outcome.stopped));
    match ended {
        Err(error) if is_refused => Err(error.advise(format!(
            "The directory was one input. To run each of its files: minirepro batch {name} -- PROGRAM @@\n"
        ))),
        ended => ended,
    }
}

/// Refuses options that make sense for single files only.
fn check(args: &Reduce) -> Result<(), CliError> {
    let options = [
        (args.lang.is_some(), "--lang"),
        (args.records.is_some(), "--records"),
        (args.until_size.is_some(), "--until-size"),
        (args.format.as_ref().is_some_and(|format| *format != Format::Keep), "--format"),
        (args.style != ResultStyle::Smallest, "--style"),
        (args.preprocess.is_some(), "--preprocess"),
        (!args.scope.rules.is_empty(), "--rules"),
        (!args.scope.propose.is_empty(), "--propose"),
    ];
    match options.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => {
            Err(CliError::usage(format_args!("{option} is for single files, not directories")))
        }
        None => Ok(()),
    }
}
