//! `minirepro options`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use minirepro_program::compilers::with_absolute_header_paths;
use minirepro_program::{
    BadRequest, Failure, OptionSearch, Template, TestSpec, Wanted, chosen_text,
};

use crate::args::Options;
use crate::commands::launch::{Launch, Show, conclude};
use crate::commands::test::{only_signature, show_signature, specified};
use crate::error::CliError;
use crate::exit::Exit;
use crate::given::GivenTest;
use crate::report::sinks::Sinks;

/// Runs `minirepro options`.
///
/// # Errors
/// If there is nothing to find, or no test can be run.
pub fn run(args: Options, launch: &Launch) -> Result<Exit, CliError> {
    let words = candidates(args.candidates.as_deref())?;
    let [program, words] =
        [&args.program, &words].map(|words| with_absolute_header_paths(words, &|_| false));
    let template =
        Template::new(&program, &words, variables(&args.env)?).map_err(BadRequest::from)?;
    let mut line = specified(TestSpec::line(template.clone()), &args.failure)?;
    if args.script {
        line.failure = Failure::ExitCode;
    }
    let wanted = args.find;
    if only_signature(&args.failure) {
        let all = match wanted {
            Wanted::Blockers => 0,
            Wanted::Required | Wanted::Difference => template.names().len(),
        };
        let test = GivenTest::Program(Box::new(line));
        return show_signature(&test, Path::new(""), &chosen_text(0..all), &args.run);
    }
    let program = args.program.first().map(Path::new).and_then(Path::file_name);
    let program = PathBuf::from(program.unwrap_or_default());
    let recorder = launch.recorder(&args.run, &args.failure, None, None, &program);
    let show = Show { file: program.clone(), recorder, ..Show::default() };
    let mut sinks = Sinks::default();
    let request = OptionSearch {
        wanted,
        // There is no result but what is printed: the journal stands where the search was begun.
        output: Some(program),
        settings: launch.settings(&args.run, &args.journal, show, &mut sinks)?,
        ..OptionSearch::of_command_line(&template)
    };
    let outcome = request.run_with(&line);
    let ended = outcome.map(|outcome| outcome.stopped);
    conclude(sinks, ended).map_err(|error| match error.exit {
        Exit::NotReproduced if wanted == Wanted::Required => {
            error.advise("To find the words that keep a failure away, use --find blockers.\n")
        }
        _ => error,
    })
}

/// Reads words from a file, without comments.
fn candidates(file: Option<&Path>) -> Result<Vec<OsString>, CliError> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let text = fs::read_to_string(file).map_err(|error| {
        CliError::usage(format_args!("cannot read {}: {error}", file.display()))
    })?;
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    Ok(lines.flat_map(str::split_whitespace).map(OsString::from).collect())
}

/// An environment variable with its value.
type Variable = (OsString, OsString);

fn variables(typed: &[OsString]) -> Result<Vec<Variable>, CliError> {
    let mut all = Vec::new();
    for word in typed {
        all.extend(variables_of(word)?);
    }
    Ok(all)
}

/// Returns the variables that a word stands for: `*`, `NAME` or `NAME=VALUE`.
fn variables_of(word: &OsString) -> Result<Vec<Variable>, CliError> {
    let text = word.to_string_lossy();
    if text == "*" {
        return Ok(std::env::vars_os().collect());
    }
    if let Some((name, value)) = text.split_once('=') {
        return Ok(vec![(name.into(), value.into())]);
    }
    match std::env::var_os(word) {
        Some(value) => Ok(vec![(word.clone(), value)]),
        None => Err(CliError::usage(format_args!("the environment variable {text} is not set"))
            .advise(format!("Give it a value: --env {text}=VALUE\n"))),
    }
}
