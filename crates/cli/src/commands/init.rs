//! `minirepro init`.

use std::time::Duration;

use minirepro_program::init::{crash_script, try_script, write_script, wrong_code_script};
use minirepro_program::{Command, Limits, TestLimits, sources};

use crate::args::Init;
use crate::commands::launch::stop;
use crate::commands::test::{Build, compile_command, criteria, only_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::numbers::time;
use crate::report::shell::quote;
use crate::report::terminal::{output, say};

/// How long the first run may take.
const FIRST_RUN: Duration = Duration::from_secs(300);

/// Writes a test script for a program that fails, and tries it.
///
/// # Errors
/// If the program does not fail, or the script does not reproduce that.
pub fn run(args: &Init) -> Result<Exit, CliError> {
    if args.output.exists() && !args.force {
        let message = format!("{} is there already", args.output.display());
        let advice = "Name another file with -o, or overwrite it with --force.\n";
        return Err(CliError::usage(message).advise(advice));
    }
    if args.failure.reject_warnings {
        let message = "a script has no way to learn warnings";
        let advice = "Reduce with it: minirepro --reject-warnings TEST FILE\n";
        return Err(CliError::usage(message).advise(advice));
    }
    let file = &args.file;
    let input = sources::file(file)?;
    let stop = stop()?;
    let program = match &args.compile_commands {
        Some(database) => compile_command(&Build {
            database,
            file,
            failure: &args.failure,
            with: &[],
            limits: TestLimits { time: args.timeout, ..TestLimits::default() },
            is_quiet: false,
        })?,
        None => args.program.clone(),
    };
    let command = Command::new(program).criteria(criteria(&args.failure)?);
    if only_signature(&args.failure) {
        let limits = Limits::new(args.timeout.unwrap_or(FIRST_RUN));
        let signature = command.failure_on(file, &input, &[], limits, &stop)?;
        output(format_args!("{signature}\n"));
        return Ok(Exit::Done);
    }
    let mut companions = Vec::new();
    let script = if args.wrong_code {
        wrong_code_script(&command, file, args.right.as_deref())?
    } else {
        let script = crash_script(&command, file, &input, args.timeout, &stop)?;
        say!("the failure is '{}'", script.failure);
        companions = script.companions;
        script.text
    };
    write_script(&args.output, &script)?;
    let out = quote(args.output.as_os_str());
    let here = if out.contains('/') { "" } else { "./" };
    let name = quote(file.as_os_str());
    let took = try_script(&args.output, file, &input, &companions, &stop).map_err(|error| {
        let advice = format!(
            "{out} does not work yet: look at it and change it. It says which of its steps decides:\n  \
             MINIREPRO_EXPLAIN=1 {here}{out} {name}\n"
        );
        CliError::from(error).advise(advice)
    })?;
    let took = time(took);
    let with: String = companions
        .iter()
        .map(|companion| format!("--with {} ", quote(companion.source.as_os_str())))
        .collect();
    output(format_args!(
        "{out}: reproduces on {name} in {took}, and not on an empty file\nNow run\n  minirepro \
         {with}{here}{out} {name}\n"
    ));
    Ok(Exit::Done)
}
