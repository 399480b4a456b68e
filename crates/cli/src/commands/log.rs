//! `minirepro log`.

use minirepro_program::{LogReduction, Reading, paths};

use crate::args::{Color, Log};
use crate::commands::launch::{Launch, causes, conclude, style};
use crate::commands::source::Source;
use crate::commands::test::{only_signature, resolve, show_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::reporter::Reporter;

/// Runs `minirepro log`.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(args: Log, launch: &Launch) -> Result<Exit, CliError> {
    let (test, file) = resolve(args.test, args.log, args.program, &args.failure)?;
    let source = Source::named(file, None, &launch.languages)?;
    let input = source.read(launch)?;
    let file = source.file;
    if only_signature(&args.failure) {
        return show_signature(&test, &file, &input, &args.run);
    }
    let pairs = args.pair.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
    let reading = Reading {
        start: args.record,
        only: args.include,
        keep: args.preserve,
        pairs: pairs.collect(),
    };
    let mut reporter = Reporter::new(style(&args.run, &file, Color::Auto))
        .recording(launch.recorder(&args.run, &args.failure, test.described(&file), None, &file));
    let output = launch.output(args.output, || paths::default_result(&file));
    let request = LogReduction {
        input: input.into(),
        file,
        reading,
        isolate: args.isolate,
        causes: causes(args.all_causes),
        output,
        settings: launch.settings(&args.run, &args.journal, &mut reporter)?,
    };
    let outcome = request.run_with(test.as_test());
    conclude(launch, &args.run, reporter, outcome.map(|outcome| outcome.stopped))
}
