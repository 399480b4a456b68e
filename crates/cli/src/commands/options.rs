//! `minirepro options`.

use std::path::{Path, PathBuf};

use minirepro_program::compilers::with_absolute_header_paths;
use minirepro_program::{BadRequest, CommandLine, OptionSearch, Template, TestLimits};

use crate::args::Options;
use crate::commands::launch::{Launch, Show, conclude, stop};
use crate::commands::test::{criteria, only_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::sinks::Sinks;
use crate::report::terminal::output;

/// Runs `minirepro options`.
///
/// # Errors
/// If there is nothing to find, or no test can be run.
pub fn run(args: Options, launch: &Launch) -> Result<Exit, CliError> {
    let program = with_absolute_header_paths(&args.program, &|_| false);
    let template = Template::new(&program).map_err(BadRequest::from)?;
    let line = CommandLine::new(template).criteria(criteria(&args.failure)?);
    if only_signature(&args.failure) {
        let all: Vec<usize> = (0..line.template.names().len()).collect();
        let limits = TestLimits::from(&args.run).of_first_tests();
        let signature = line.failure_with(&all, limits, &stop()?)?;
        output(format_args!("{signature}\n"));
        return Ok(Exit::Done);
    }
    let program = args.program.first().map(Path::new).and_then(Path::file_name);
    let program = PathBuf::from(program.unwrap_or_default());
    let show = Show { failure: args.failure, ..Show::of(&program) };
    let mut sinks = Sinks::default();
    let request = OptionSearch {
        settings: launch.settings(&args.run, &args.journal, show, &mut sinks)?,
        // There is no result but what is printed: the journal stands where the search was begun.
        output: Some(program),
        ..OptionSearch::of_command_line(&line)
    };
    let outcome = request.run_with(&line);
    conclude(sinks, outcome.map(|outcome| outcome.stopped))
}
