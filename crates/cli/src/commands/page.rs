//! `minirepro page`, and what precedes and follows a reduction of a page.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use minirepro_browser::{Answer, Prepared, Suspect, look, prepare, save, suspects};
use minirepro_program::shell::words_with_name;
use minirepro_program::{Mode, Test};

use crate::args::{Page, Reduce};
use crate::commands::launch::Launch;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::shell::quote_all;
use crate::report::terminal::{error, output, say, shown};

/// The exit code for a page that cannot be tested.
const UNUSABLE: u8 = 126;

/// Runs `minirepro page`; returns the exit code.
pub fn run(args: Page) -> u8 {
    let test = args.test.timed(args.timeout, args.hang);
    let is_picture = |file: &Path| file.extension().is_some_and(|suffix| suffix == "png");
    let answer = match args.save.as_deref() {
        Some(file) if !is_picture(file) => {
            let address = args.page.to_string_lossy();
            match save(&address, file, &test) {
                Ok(said) => Answer { code: 0, said: said.join("\n") + "\n" },
                Err(error) => Answer { code: UNUSABLE, said: format!("{error:#}\n") },
            }
        }
        picture => look(&args.page, &test, picture),
    };
    for line in answer.said.lines() {
        say!("{line}");
    }
    answer.code
}

/// Makes the page of a reduction ready; `None` if the input is no page, or if
/// nothing was chosen.
///
/// # Errors
/// If it cannot be tested.
pub fn prepared(args: &Reduce, launch: &Launch) -> Result<Option<Prepared>, CliError> {
    let page = args.test.as_deref().unwrap_or(Path::new(""));
    let hangs = args.failure.hang && args.program.is_empty();
    let mut test = args.page.clone().timed(args.run.timeout, hangs);
    let unusable = |error| CliError::new(Exit::BrokenTest, format_args!("{error:#}"));
    if args.preparation.record {
        let all = suspects(page, &test).map_err(unusable)?;
        let chosen = ask(&all, page).map_err(CliError::usage)?;
        let Some(chosen) = chosen else { return Ok(None) };
        test = chosen.test;
    }
    let is_known = !matches!(launch.mode, Mode::Begin);
    let tell = &mut teller(args.run.quiet);
    prepare(page, &test, is_known, tell).map(Some).map_err(unusable)
}

/// Returns what says a line, unless that `is_quiet`.
fn teller(is_quiet: bool) -> impl FnMut(&str) {
    move |line| {
        if !is_quiet {
            say!("  {line}");
        }
    }
}

/// Writes what goes with a result.
///
/// # Errors
/// If it cannot be written.
pub fn finish(page: &Prepared, wpt: bool, is_quiet: bool, result: &Path) -> Result<(), CliError> {
    let mut tell = teller(is_quiet);
    let unwritten = |error| CliError::new(Exit::NotWritten, format_args!("{error:#}"));
    page.finish(result, wpt, &mut tell).map_err(unwritten)?;
    let words = words_with_name(&page.test.command(), result.as_os_str());
    tell(&format!("to look at it: {}", quote_all(&words)));
    Ok(())
}

/// Prints the list and, at a terminal, asks for a number.
fn ask(all: &[Suspect], page: &Path) -> io::Result<Option<Suspect>> {
    if all.is_empty() {
        output(format_args!("{}: nothing unusual; say with --holds what is wrong\n", shown(page)));
        return Ok(None);
    }
    for (number, Suspect { text, test }) in (1..).zip(all) {
        output(format_args!("{number}. {text}\n   {}\n", quote_all(&test.words())));
    }
    let input = io::stdin();
    if !input.is_terminal() {
        return Ok(None);
    }
    error(format_args!("Which is the failure? "));
    io::stderr().flush()?;
    let mut line = String::new();
    input.lock().read_line(&mut line)?;
    let chosen = line.trim().parse::<usize>().ok();
    Ok(chosen.and_then(|number| all.get(number.checked_sub(1)?)).cloned())
}
