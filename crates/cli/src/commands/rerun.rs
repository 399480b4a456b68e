//! `minirepro rerun`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use minirepro_program::init::{crash_script, try_script, write_script};
use minirepro_program::{BaselineError, Command, CommandError, Companion, Error, sources};

use crate::args::Rerun;
use crate::commands::consent::is_yes;
use crate::commands::launch::stop;
use crate::commands::test::criteria;
use crate::commands::verify::{check_junit, write_junit};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::document::embedded::{Embedded, File};
use crate::report::junit::Checked;
use crate::report::shell::{quote, quote_all};
use crate::report::terminal::{self, output, say, shown};

/// What a rerun shows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    StillThere,
    Gone,
    Otherwise(String),
}

/// Runs the test of a report again.
///
/// # Errors
/// If it is not a report, may not be run, or cannot be run.
pub fn run(args: &Rerun) -> Result<Exit, CliError> {
    if let Some(path) = &args.junit {
        check_junit(path)?;
    }
    let start = Instant::now();
    let ran = rerun(args);
    if let Some(path) = &args.junit {
        let text = match &ran {
            Ok((_, said)) => said.clone(),
            Err(error) => error.to_string(),
        };
        let checked = match &ran {
            // What is checked is that the failure is gone, as for a regression test.
            Ok((Exit::NotReproduced, _)) => Checked::Holds,
            Ok(_) => Checked::Fails(&text),
            Err(_) => Checked::Broken(&text),
        };
        write_junit(path, "rerun", &shown(&args.report), checked, start.elapsed())?;
    }
    let (exit, said) = ran?;
    output(format_args!("{said}\n"));
    Ok(exit)
}

/// Returns how to exit and what to say.
fn rerun(args: &Rerun) -> Result<(Exit, String), CliError> {
    let page = sources::file(&args.report)?;
    let unreadable =
        |why: String| CliError::usage(format_args!("cannot read {}: {why}", shown(&args.report)));
    let report = Embedded::read(&String::from_utf8_lossy(&page)).map_err(unreadable)?;
    let words = words(&report, &args.program)?;
    agree(&report, words.as_deref(), args)?;
    let directory = tempfile::tempdir().map_err(|error| {
        CliError::new(Exit::BrokenTest, format_args!("no place for files: {error}"))
    })?;
    let place = |file: &File| write_below(directory.path(), file).map_err(unreadable);
    let reproducer =
        report.reproducer.first().ok_or_else(|| unreadable("it has no result".into()))?;
    // Tests may depend on what the input was called.
    let name = Path::new(&report.name).file_name().unwrap_or("input".as_ref()).to_owned();
    let named = File { name: name.to_string_lossy().into_owned(), ..reproducer.clone() };
    let (file, input) = place(&named)?;
    let mut companions = Vec::new();
    for companion in &report.companions {
        let (source, _) = place(companion)?;
        companions.push(Companion { path: PathBuf::from(&companion.name), source });
    }
    let stop = stop()?;
    let verdict = match (words, &report.script) {
        (Some(words), _) => {
            let mut failure = report.conditions.clone();
            failure.signature.clone_from(&report.failure);
            if failure.has_conditions() {
                failure.signature = None;
            }
            let command = Command::new(words).criteria(criteria(&failure)?);
            of_command(crash_script(
                &command,
                &file,
                &input,
                report.timeout.and_then(|time| Duration::try_from_secs_f64(time).ok()),
                &stop,
            ))?
        }
        (None, Some(text)) => {
            let scripts = tempfile::tempdir().map_err(|error| {
                CliError::new(Exit::BrokenTest, format_args!("no place for files: {error}"))
            })?;
            let script = scripts.path().join("test");
            write_script(&script, text)?;
            of_script(try_script(&script, &file, &input, &companions, &stop))?
        }
        (None, None) => return Err(unreadable("it has no test".into())),
    };
    let name = shown(Path::new(&report.name));
    Ok(match verdict {
        Verdict::StillThere => (Exit::Done, format!("{name}: still there")),
        Verdict::Gone => (Exit::NotReproduced, format!("{name}: gone")),
        Verdict::Otherwise(how) => (Exit::DoesNotHold, format!("{name}: fails otherwise: {how}")),
    })
}

/// Returns the command to run: that of the report, with another program, or another one.
fn words(report: &Embedded, program: &[OsString]) -> Result<Option<Vec<OsString>>, CliError> {
    let known = report.command.as_ref();
    match program {
        [] => Ok(known.map(|words| words.iter().map(OsString::from).collect())),
        [program] => {
            let Some(words) = known else {
                return Err(CliError::usage("the test of this report is a script, not a program")
                    .advise("Give the whole command, with `@@` for the file.\n"));
            };
            let rest = words.iter().skip(1).map(OsString::from);
            Ok(Some([program.clone()].into_iter().chain(rest).collect()))
        }
        words => Ok(Some(words.to_vec())),
    }
}

/// Asks whether the test of a report may be run: the report may be somebody else's.
fn agree(report: &Embedded, words: Option<&[OsString]>, args: &Rerun) -> Result<(), CliError> {
    let required =
        [&report.conditions.require_first, &report.conditions.require].map(Vec::as_slice).concat();
    let is_typed = args.program.len() > 1 && required.is_empty();
    if args.yes || is_typed {
        return Ok(());
    }
    let test = match (words, &report.script) {
        (Some(words), _) => format!("  {}", quote_all(words)),
        (None, Some(text)) => text.lines().map(|line| format!("  | {line}\n")).collect(),
        (None, None) => String::new(),
    };
    let guards: String = required.iter().map(|guard| format!("\n  {guard}")).collect();
    let test = format!("{}{guards}", test.trim_end());
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(CliError::usage("the test of a report runs only if you agree").advise(
            format!(
                "It is\n{test}\nIf you know it and want it to be run: minirepro rerun --yes {}\n",
                quote(args.report.as_os_str())
            ),
        ));
    }
    say!("The test of this report is\n{test}");
    terminal::error(format_args!("Run it? [y/N] "));
    let mut answer = String::new();
    match io::stdin().read_line(&mut answer) {
        Ok(_) if is_yes(&answer) => Ok(()),
        _ => Err(CliError::usage("the test was not run")),
    }
}

/// Writes a file of a report below a directory; returns its path and bytes.
fn write_below(directory: &Path, file: &File) -> Result<(PathBuf, Vec<u8>), String> {
    let relative = Path::new(&file.name);
    let is_below = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_below || file.name.is_empty() {
        return Err(format!("a file of it would lie elsewhere: {}", file.name));
    }
    let bytes = file.bytes().ok_or_else(|| format!("{} is damaged in it", file.name))?;
    let path = directory.join(relative);
    let written = fs::create_dir_all(path.parent().unwrap_or(directory))
        .and_then(|()| fs::write(&path, &bytes));
    written.map_err(|error| format!("{}: {error}", file.name))?;
    Ok((path, bytes))
}

/// Returns what the run of a command means.
fn of_command<T>(ran: Result<T, Error>) -> Result<Verdict, CliError> {
    match ran {
        Ok(_) => Ok(Verdict::StillThere),
        Err(Error::Command { error: CommandError::Succeeds { .. }, .. }) => Ok(Verdict::Gone),
        Err(Error::Command { error: CommandError::Other(signature), .. }) => {
            Ok(Verdict::Otherwise(signature.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns what the run of a script means.
fn of_script<T>(ran: Result<T, Error>) -> Result<Verdict, CliError> {
    match ran {
        // A script that accepts everything cannot tell.
        Ok(_) => Ok(Verdict::StillThere),
        Err(Error::NotReproduced { error: BaselineError::NotReproduced { .. }, .. }) => {
            Ok(Verdict::Gone)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_report_stay_in_their_directory() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let file = File { name: name.into(), base64: "eA==".into() };
            write_below(directory.path(), &file).map(|(path, _)| path)
        };
        assert_eq!(write("sub/a.h"), Ok(directory.path().join("sub/a.h")));
        for name in ["../a", "/tmp/a", "sub/../../a", "", "."] {
            assert!(write(name).is_err(), "{name}");
        }
    }
}
