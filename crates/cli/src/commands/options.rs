//! `minirepro options`.

use std::path::{Path, PathBuf};

use minirepro_program::compilers::with_absolute_header_paths;
use minirepro_program::{BadRequest, OptionSearch, Template, TestSpec, chosen_text};

use crate::args::Options;
use crate::commands::launch::{Launch, Show, conclude};
use crate::commands::test::{only_signature, show_signature, specified};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::sinks::Sinks;

/// Runs `minirepro options`.
///
/// # Errors
/// If there is nothing to find, or no test can be run.
pub fn run(args: Options, launch: &Launch) -> Result<Exit, CliError> {
    let program = with_absolute_header_paths(&args.program, &|_| false);
    let template = Template::new(&program).map_err(BadRequest::from)?;
    let line = specified(TestSpec::line(template.clone()), &args.failure);
    if only_signature(&args.failure) {
        let all = chosen_text(0..template.names().len());
        return show_signature(&line, Path::new(""), &all, &args.run);
    }
    let program = args.program.first().map(Path::new).and_then(Path::file_name);
    let program = PathBuf::from(program.unwrap_or_default());
    let show = Show { file: program.clone(), failure: line.failure.to_string(), ..Show::default() };
    let mut sinks = Sinks::default();
    let request = OptionSearch {
        settings: launch.settings(&args.run, &args.journal, show, &mut sinks)?,
        // There is no result but what is printed: the journal stands where the search was begun.
        output: Some(program),
        pairs: template.pairs(),
        ..OptionSearch::new(template.names())
    };
    let outcome = request.run(&line);
    conclude(sinks, outcome.map(|outcome| outcome.stopped))
}
