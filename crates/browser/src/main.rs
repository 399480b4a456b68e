//! `minirepro-browser`: a test for minirepro that looks at a candidate in Chromium.
//!
//! This file has the command line and the exit codes; it must not speak to a browser itself.

mod chromium;
mod devtools;
mod page;
mod picture;
mod session;
mod tabs;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use regex::Regex;

use crate::chromium::Chromium;
use crate::devtools::{DevTools, Problem};
use crate::page::{Page, Seen};
use crate::tabs::Tab;

const HELP: &str = "\
Exit codes of `test`: 0 reproduced, 1 not reproduced, 125 unresolved (the page did not load in time), \
126 the test cannot be run.";

/// Tests of pages in Chromium, for minirepro and others.
#[derive(Debug, Parser)]
#[command(name = "minirepro-browser", version, after_help = HELP, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs a command with one Chromium for all tests that it makes
    ///
    /// `minirepro-browser session -- minirepro test.sh page.html`
    Session {
        /// Chromium's program [default: the first of chromium, chromium-browser, google-chrome]
        #[arg(long, value_name = "PATH")]
        browser: Option<PathBuf>,
        /// The command and its arguments
        #[arg(last = true, required = true, num_args = 1..)]
        command: Vec<std::ffi::OsString>,
    },
    /// Says whether a page shows the failure: everything that is asked for must hold
    Test {
        /// The page
        file: PathBuf,
        #[command(flatten)]
        conditions: Conditions,
        #[command(flatten)]
        how: How,
    },
    /// Writes a picture of a page, to compare others with
    Screenshot {
        /// The page
        file: PathBuf,
        /// The picture (PNG)
        picture: PathBuf,
        #[command(flatten)]
        how: How,
    },
}

/// What counts as the failure.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Conditions {
    /// This JavaScript expression is true once the page is loaded (also several times)
    #[arg(long, value_name = "EXPRESSION")]
    holds: Vec<String>,
    /// A message on the console, or an error that no script caught, matches (also several times)
    #[arg(long, value_name = "REGEX")]
    console: Vec<Regex>,
    /// The tab crashes
    #[arg(long)]
    crash: bool,
    /// The page looks like this picture (made by `screenshot`)
    #[arg(long, value_name = "PNG")]
    looks_like: Option<PathBuf>,
    /// The page looks different from this picture
    #[arg(long, value_name = "PNG")]
    differs_from: Option<PathBuf>,
}

/// How a page is looked at.
#[derive(Debug, Args)]
struct How {
    /// Chromium's program, if there is no session
    #[arg(long, value_name = "PATH")]
    browser: Option<PathBuf>,
    /// How long the page may take
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
    /// How long to wait after the page has loaded
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    wait: Duration,
    /// Let the page use the network
    #[arg(long)]
    online: bool,
    /// The size of the window
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "800x600", value_parser = size)]
    size: (u32, u32),
    /// So many pixels may differ between pictures that look alike
    #[arg(long, value_name = "N", default_value_t = 0)]
    pixels: usize,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| "must be a number from 0 on".into())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    sides.filter(|&(w, h)| w > 0 && h > 0).ok_or_else(|| "must be like 800x600".into())
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Session { browser, command } => session::run(browser, &command),
        Command::Test { file, conditions, how } => test(&file, &conditions, &how),
        Command::Screenshot { file, picture, how } => screenshot(&file, &picture, &how),
    };
    done.unwrap_or_else(|error| {
        eprintln!("minirepro-browser: {error:#}");
        ExitCode::from(match error.downcast_ref() {
            Some(Problem::Late) => 125,
            _ => 126,
        })
    })
}

fn test(file: &std::path::Path, conditions: &Conditions, how: &How) -> Result<ExitCode> {
    let seen = with_page(file, how, |page| look(page, conditions, how))?;
    Ok(ExitCode::from(u8::from(!seen)))
}

/// Returns whether all conditions hold. The cheap ones first.
fn look(page: &mut Page<'_>, conditions: &Conditions, how: &How) -> Result<bool> {
    let loaded = page.load(how.wait)?;
    if conditions.crash || loaded == Seen::Crash {
        return Ok(conditions.crash && loaded == Seen::Crash);
    }
    for expression in &conditions.holds {
        match page.holds(expression)? {
            Seen::Yes => {}
            Seen::No | Seen::Crash => return Ok(false),
        }
    }
    let said = page.console();
    if !conditions.console.iter().all(|wanted| said.iter().any(|line| wanted.is_match(line))) {
        return Ok(false);
    }
    for (path, alike) in [(&conditions.looks_like, true), (&conditions.differs_from, false)] {
        let Some(path) = path else { continue };
        let picture = std::fs::read(path).with_context(|| path.display().to_string())?;
        let differing = picture::differing_pixels(&picture, &page.screenshot()?)
            .with_context(|| path.display().to_string())?;
        if (differing <= how.pixels) != alike {
            return Ok(false);
        }
    }
    Ok(true)
}

fn screenshot(file: &std::path::Path, picture: &std::path::Path, how: &How) -> Result<ExitCode> {
    let png = with_page(file, how, |page| match page.load(how.wait)? {
        Seen::Crash => anyhow::bail!("the page crashes the tab"),
        Seen::Yes | Seen::No => page.screenshot(),
    })?;
    std::fs::write(picture, png).with_context(|| picture.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Opens a page in the session's browser, or in one of its own.
fn with_page<T>(
    file: &std::path::Path,
    how: &How,
    look: impl FnOnce(&mut Page<'_>) -> Result<T>,
) -> Result<T> {
    let file = file.canonicalize().with_context(|| file.display().to_string())?;
    let own = match std::env::var(session::VARIABLE) {
        Ok(_) => None,
        Err(_) => Some(Chromium::start(how.browser.as_deref())?),
    };
    let address = match &own {
        Some(chromium) => chromium.address().to_owned(),
        None => std::env::var(session::VARIABLE)?,
    };
    let mut devtools = DevTools::connect(&address, how.timeout)
        .with_context(|| format!("no browser answers at {address}"))?;
    let claims = std::env::var_os(session::TABS).filter(|_| own.is_none()).map(PathBuf::from);
    let tab = Tab::claim(&mut devtools, claims.as_deref())?;
    let mut page = Page::open(&mut devtools, tab, &file, how.size, how.online)?;
    let seen = look(&mut page);
    page.close(seen.is_err());
    seen
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
        assert!(Cli::try_parse_from(["x", "test", "a.html"]).is_err(), "no condition");
        assert!(Cli::try_parse_from(["x", "test", "a.html", "--crash"]).is_ok());
        assert_eq!(size("3x4"), Ok((3, 4)));
        assert!(["3", "0x1", "x", "1x-2"].iter().all(|text| size(text).is_err()));
    }
}
