//! `minirepro-browser`: a test for minirepro that looks at a candidate in Chromium or Firefox.
//!
//! This file has the subcommands and the exit codes; it must not speak to a browser itself.

mod actions;
mod args;
mod boxes;
mod browsers;
mod busy;
mod chromium;
mod connection;
mod evidence;
mod firefox;
mod har;
mod judge;
mod layout;
mod lengths;
mod page;
mod picture;
mod play;
mod prepare;
mod programs;
mod record;
mod reduce;
mod resident;
mod save;
mod saved;
mod session;
mod sessions;
mod settle;
mod styles;
mod warm;
mod watch;
mod whole;
mod wpt;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::args::{Conditions, How, Test, choice, given};
use crate::browsers::Choice;
use crate::judge::{Place, failed};
use crate::reduce::Request;

const HELP: &str = "\
Exit codes of `test`: 0 reproduced, 1 not reproduced, 125 unresolved (the page did not load in time), \
126 the test cannot be run.";

/// Tests of pages in Chromium or Firefox, for minirepro and others.
#[derive(Debug, Parser)]
#[command(name = "minirepro-browser", version, after_help = HELP, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Makes a page as small as possible; `minirepro PAGE --holds …` does the same
    ///
    /// `minirepro-browser reduce page.html --relayout-differs -- -j 4 -o small.html`
    Reduce {
        /// The page: a file, alone or with its directory `…_files`, a directory, or HAR
        #[arg(value_name = "PAGE")]
        file: PathBuf,
        #[command(flatten)]
        conditions: Box<Conditions>,
        #[command(flatten)]
        how: Box<How>,
        /// What is done on the page once it is loaded: a recording of the Recorder in Chrome's
        /// DevTools (JSON), or lines such as `click("#a")`
        #[arg(long, value_name = "FILE")]
        actions: Option<PathBuf>,
        /// Look at the page once, list what could be the failure, and ask which it is
        #[arg(long)]
        record: bool,
        /// Let the doctype go, too: without it pages are shown in quirks mode
        #[arg(long)]
        quirks: bool,
        /// Also write a web-platform test from the result
        #[arg(long, value_name = "FORMAT")]
        format: Option<Format>,
        /// Options of minirepro
        #[arg(last = true, allow_hyphen_values = true)]
        options: Vec<OsString>,
    },
    /// Proposes boxes instead of what fills elements; `reduce` runs it
    #[command(hide = true)]
    Boxes {
        #[command(flatten)]
        how: Box<How>,
    },
    /// Runs a command with one browser for all tests that it makes
    ///
    /// `minirepro-browser session -- minirepro test.sh page.html`
    Session {
        /// `chromium`, `firefox`, or the path of a program (also several times) [default: chromium]
        #[arg(long, value_name = "BROWSER", value_parser = choice)]
        browser: Vec<Choice>,
        /// The command and its arguments
        #[arg(last = true, required = true, num_args = 1..)]
        command: Vec<OsString>,
    },
    /// Goes on with a reduction in the browsers that it needs; `minirepro resume` runs it
    #[command(hide = true)]
    Resume {
        /// The test of the reduction, as `reduce` has written it
        test: PathBuf,
        /// The command that goes on, and its arguments
        #[arg(last = true, required = true, num_args = 1..)]
        command: Vec<OsString>,
    },
    /// Checks a result in the browsers that its test needs; `minirepro verify` runs it
    #[command(hide = true)]
    Verify {
        /// The test, as `reduce` has written it
        test: PathBuf,
        /// The command that checks, and its arguments
        #[arg(last = true, required = true, num_args = 1..)]
        command: Vec<OsString>,
    },
    /// Says whether a page shows the failure: everything that is asked for must hold
    Test(Box<Test>),
    /// Saves a page of a site with all that it loads in a file (HAR), from which it is shown again
    Save {
        /// Where the page is
        #[arg(value_name = "URL")]
        address: String,
        #[command(flatten)]
        how: Box<How>,
        /// The file [default: NAME.har]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// What is done on the page meanwhile, as for `reduce`
        #[arg(long, value_name = "FILE")]
        actions: Option<PathBuf>,
    },
    /// Runs a browser that ends with the program that has started this
    #[command(hide = true)]
    Watch {
        /// Deleted at the end
        profile: PathBuf,
        /// The browser and its arguments
        #[arg(last = true, required = true, num_args = 1..)]
        command: Vec<OsString>,
    },
    /// Writes a picture of a page, to compare others with
    Screenshot {
        /// The page
        file: PathBuf,
        /// The picture (PNG)
        picture: PathBuf,
        #[command(flatten)]
        how: Box<How>,
    },
}

/// What is made of a result.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Wpt,
}

fn main() -> ExitCode {
    if let Some(code) = resident::ask() {
        return code;
    }
    let matches = Cli::command().get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    run(cli.command, &matches).unwrap_or_else(|error| {
        let (code, said) = failed(&error);
        eprint!("{said}");
        ExitCode::from(code)
    })
}

fn run(command: Command, matches: &ArgMatches) -> Result<ExitCode> {
    match command {
        Command::Reduce { file, conditions, how, actions, record, quirks, format, options } => {
            let words = words_of(matches, "reduce");
            if record {
                let request = Unasked {
                    page: &file,
                    how: &how,
                    actions: actions.as_deref(),
                    quirks,
                    words,
                    options: &options,
                };
                return self::record(request, format);
            }
            if !conditions.is_any() {
                bail!(
                    "say what the failure is (see `minirepro-browser reduce --help`), or --record"
                );
            }
            let page = file.as_path();
            let (conditions, how, options) = (&conditions, &how, &options[..]);
            let actions = actions.as_deref();
            reduce(&Request { page, conditions, how, actions, quirks, words, options }, format)
        }
        Command::Session { mut browser, command } => {
            if browser.is_empty() {
                browser.push(Choice::default());
            }
            Ok(sessions::run(&browsers::together(browser), &command)?.into())
        }
        Command::Resume { test, command } => {
            let Test { conditions, how, .. } = read_test(&reduce::words_of(&test)?)?;
            reduce::resume(&test, &conditions, &how, &command)
        }
        Command::Verify { test, command } => {
            let Test { conditions, how, .. } = read_test(&reduce::words_of(&test)?)?;
            Ok(sessions::run(&judge::needed(&conditions, &how), &command)?.into())
        }
        Command::Test(test) => {
            let Test { file, conditions, how, confirm } = *test;
            if !conditions.is_any() {
                bail!("say what the failure is: see `minirepro-browser test --help`");
            }
            let (file, how, _held) = saved::shown(&file, &how)?;
            let place = Place::of_test(&conditions, &how, confirm)?;
            let looks = judge::looks(&how, confirm);
            let seen = place.test(&file, &conditions, &how, looks)?;
            eprint!("{}", seen.said);
            if seen.is_yes {
                evidence::collect(&place, &file, &conditions, &how)?;
            }
            Ok(ExitCode::from(u8::from(!seen.is_yes)))
        }
        Command::Boxes { how } => {
            boxes::propose(&how)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Watch { profile, command } => watch::watch(&profile, &command),
        Command::Save { address, how, output, actions } => {
            save::save(&address, output.as_deref(), &how, actions.as_deref())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Screenshot { file, picture, how } => {
            let (file, how, _held) = saved::shown(&file, &how)?;
            judge::screenshot(&file, &picture, &how)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Returns the options of a subcommand that are those of its test.
fn words_of(matches: &ArgMatches, name: &str) -> Vec<String> {
    let command = Cli::command();
    let found = command.find_subcommand(name).zip(matches.subcommand_matches(name));
    let skip = ["actions", "record", "quirks", "format", "options", "output"];
    found.map(|(command, matches)| given(command, matches, &skip)).unwrap_or_default()
}

/// Reduces a page, and writes what is to be made of the result.
fn reduce(request: &Request<'_>, format: Option<Format>) -> Result<ExitCode> {
    let reduced = reduce::reduce(request)?;
    if let (Some(Format::Wpt), true) = (format, reduced.is_done) {
        write_test(&reduced.result, request.conditions, request.how)?;
    }
    Ok(reduced.code)
}

/// A request that does not say yet what the failure is.
struct Unasked<'a> {
    page: &'a Path,
    how: &'a How,
    actions: Option<&'a Path>,
    quirks: bool,
    words: Vec<String>,
    options: &'a [OsString],
}

/// Looks at a page, asks what the failure is, and reduces the page for it.
fn record(request: Unasked<'_>, format: Option<Format>) -> Result<ExitCode> {
    let Unasked { page, how, actions, quirks, mut words, options } = request;
    let mut input = saved::input(page)?;
    if let Some(file) = actions {
        input = prepare::put(input, file, how)?;
    }
    let index = how.page.clone().or(input.index);
    let har = how.har.clone().or(input.har);
    let shown = How { page: index, har, ..how.clone() };
    let sights = record::look(&input.path, &shown)?;
    let Some(chosen) = record::ask(&sights, page)? else { return Ok(ExitCode::SUCCESS) };
    words.extend(chosen.options);
    let Test { conditions, how, .. } = read_test(&words)?;
    reduce(
        &Request { page, conditions: &conditions, how: &how, actions, quirks, words, options },
        format,
    )
}

/// Reads the options of a test.
fn read_test(words: &[String]) -> Result<Test> {
    let all = ["minirepro-browser", "test", "page"].map(str::to_owned).into_iter();
    match Cli::try_parse_from(all.chain(words.iter().cloned()))?.command {
        Command::Test(test) => Ok(*test),
        _ => bail!("no test"),
    }
}

/// Writes a web-platform test: two pages where their pictures show the failure, else a page that
/// checks itself.
fn write_test(result: &Path, conditions: &Conditions, how: &How) -> Result<()> {
    let text = std::fs::read(result).with_context(|| result.display().to_string())?;
    let text = String::from_utf8_lossy(&text);
    if let Some(files) = wpt::reference(result, &text, conditions) {
        let place = Place::new(None, conditions, how)?;
        // Looked at elsewhere first: what is not the test need not be removed again.
        let directory = tempfile::tempdir()?;
        let mut pictures = Vec::new();
        for (path, text) in &files {
            let path = directory.path().join(path.file_name().unwrap_or_default());
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
            pictures.push(place.with_page(&path, how, |page| {
                judge::settled(page, how, 4)?;
                page.screenshot()
            })?);
        }
        if picture::differing_pixels(&pictures[0], &pictures[1])? > 0 {
            return wpt::write(&files);
        }
        // What differs has no colour.
        eprintln!("  the pages look the same, so the test compares boxes:");
    }
    wpt::write(&wpt::alone(result, &text, conditions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
        assert!(Cli::try_parse_from(["x", "test", "a.html", "--crash"]).is_ok());
        assert!(Cli::try_parse_from(["x", "test", "a.html", "--stack", "a"]).is_err(), "no crash");
        assert!(Cli::try_parse_from(["x", "reduce", "a.html", "--crash", "--", "-q"]).is_ok());
    }
}
