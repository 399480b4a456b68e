//! `minirepro-browser`: a test for minirepro that looks at a candidate in Chromium or Firefox.
//!
//! This file has the command line and the exit codes; it must not speak to a browser itself.

mod browsers;
mod chromium;
mod connection;
mod firefox;
mod layout;
mod page;
mod picture;
mod programs;
mod session;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use regex::Regex;

use crate::browsers::{Choice, Kind, of_session};
use crate::connection::Problem;
use crate::page::{Page, Seen, View};

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
    /// Runs a command with one browser for all tests that it makes
    ///
    /// `minirepro-browser session -- minirepro test.sh page.html`
    Session {
        /// `chromium`, `firefox`, or the path of a program (also several times) [default: chromium]
        #[arg(long, value_name = "BROWSER", value_parser = choice)]
        browser: Vec<Choice>,
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

/// All elements that have a place on the page.
const EVERYTHING: &str = "body, body *";

/// What counts as the failure.
#[derive(Debug, Args)]
#[group(id = "condition", required = true, multiple = true)]
struct Conditions {
    /// This JavaScript expression is true once the page is loaded (also several times)
    #[arg(long, value_name = "EXPRESSION")]
    holds: Vec<String>,
    /// A message on the console, or an error that no script caught, matches (also several times)
    #[arg(long, value_name = "REGEX")]
    console: Vec<Regex>,
    /// The tab crashes (Chromium only)
    #[arg(long)]
    crash: bool,
    /// The page is not loaded after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    #[arg(conflicts_with_all = ["holds", "console", "crash", "looks_like", "differs_from", "relayout_differs", "browsers_differ"])]
    hangs: Option<Duration>,
    /// After the page's own changes, an element is not where a layout from scratch puts it
    #[arg(long, value_name = "SELECTOR", num_args = 0..=1, default_missing_value = EVERYTHING)]
    relayout_differs: Option<String>,
    /// Chromium and Firefox put an element in different places
    #[arg(long, value_name = "SELECTOR", num_args = 0..=1, default_missing_value = EVERYTHING)]
    browsers_differ: Option<String>,
    /// Boxes differ if a side of theirs differs by more than so many pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 1.0)]
    by: f64,
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
    /// `chromium`, `firefox`, or the path of a program if there is no session [default: that of the session, or
    /// chromium]
    #[arg(long, value_name = "BROWSER", value_parser = choice)]
    browser: Option<Choice>,
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
    /// Pixels of the screen for one of the page
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    scale: f64,
    /// Prefer dark colours (Chromium only)
    #[arg(long)]
    dark: bool,
    /// Show the page as it is printed (Chromium only)
    #[arg(long)]
    print: bool,
    /// Fix the time and the random numbers that scripts see
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
    /// So many pixels may differ between pictures that look alike
    #[arg(long, value_name = "N", default_value_t = 0)]
    pixels: usize,
}

impl How {
    fn view(&self) -> View {
        let Self { size, scale, dark, print, online, seed, .. } = *self;
        View { size, scale, dark, print, online, seed }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what the parser of arguments expects")]
fn choice(text: &str) -> Result<Choice, String> {
    Ok(Choice::read(text))
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
        Command::Session { mut browser, command } => {
            if browser.is_empty() {
                browser.push(Choice { kind: Kind::Chromium, program: None });
            }
            session::run(&browser, &command)
        }
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

fn test(file: &Path, conditions: &Conditions, how: &How) -> Result<ExitCode> {
    let seen = match conditions.hangs {
        Some(patience) => hangs(file, patience, how)?,
        None => {
            let own = with_page(file, how, |page| look(page, conditions, how))?;
            own && browsers_differ(file, conditions, how)?
        }
    };
    Ok(ExitCode::from(u8::from(!seen)))
}

/// Returns whether the page is not loaded in time.
fn hangs(file: &Path, patience: Duration, how: &How) -> Result<bool> {
    let is_loading = Cell::new(false);
    let loaded = with_page(file, how, |page| {
        is_loading.set(true);
        page.limit(patience);
        page.load(Duration::ZERO)
    });
    match loaded {
        // A browser that has not even a tab in time says nothing about the page.
        Err(error) if is_loading.get() && error.downcast_ref() == Some(&Problem::Late) => Ok(true),
        other => other.map(|_| false),
    }
}

/// Returns whether two browsers put an element in different places, if that is asked for.
fn browsers_differ(file: &Path, conditions: &Conditions, how: &How) -> Result<bool> {
    let Some(selector) = &conditions.browsers_differ else { return Ok(true) };
    let mut seen = Vec::new();
    for kind in [Kind::Chromium, Kind::Firefox] {
        let program = how.browser.as_ref().filter(|own| own.kind == kind);
        let choice = program.cloned().unwrap_or(Choice { kind, program: None });
        let how = How { browser: Some(choice), ..*how };
        let boxes = with_page(file, &how, |page| match page.load(how.wait)? {
            Seen::Crash => Ok(None),
            Seen::Yes | Seen::No => page.text(&layout::boxes(selector)),
        })?;
        let Some(boxes) = boxes else { return Ok(false) };
        seen.push(serde_json::from_str::<Vec<[f64; 4]>>(&boxes)?);
    }
    Ok(layout::differ(&seen[0], &seen[1], conditions.by))
}

/// Returns whether all conditions hold. The cheap ones first.
fn look(page: &mut dyn Page, conditions: &Conditions, how: &How) -> Result<bool> {
    let loaded = page.load(how.wait)?;
    if conditions.crash && !page.sees_crashes() {
        anyhow::bail!("--crash is for Chromium only");
    }
    if conditions.crash || loaded == Seen::Crash {
        return Ok(conditions.crash && loaded == Seen::Crash);
    }
    let relayout = conditions.relayout_differs.as_ref();
    let relayout = relayout.map(|selector| layout::relayout_differs(selector, conditions.by));
    for expression in conditions.holds.iter().chain(&relayout) {
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

fn screenshot(file: &Path, picture: &Path, how: &How) -> Result<ExitCode> {
    let png = with_page(file, how, |page| match page.load(how.wait)? {
        Seen::Crash => anyhow::bail!("the page crashes the tab"),
        Seen::Yes | Seen::No => page.screenshot(),
    })?;
    std::fs::write(picture, png).with_context(|| picture.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Opens a page in the session's browser, or in one of its own.
fn with_page<T>(
    file: &Path,
    how: &How,
    look: impl FnOnce(&mut dyn Page) -> Result<T>,
) -> Result<T> {
    let file = file.canonicalize().with_context(|| file.display().to_string())?;
    let session = std::env::var(session::VARIABLE).ok();
    let kind = how.browser.as_ref().map(|choice| choice.kind);
    let chromium = Choice { kind: Kind::Chromium, program: None };
    let own = match &session {
        Some(_) => None,
        None => Some(how.browser.as_ref().unwrap_or(&chromium).start()?),
    };
    let address = match (&own, &session) {
        (Some(own), _) => own.address(),
        (None, session) => of_session(session.as_deref().unwrap_or_default(), kind)?,
    };
    let claims = std::env::var_os(session::TABS).filter(|_| own.is_none()).map(PathBuf::from);
    let mut page = browsers::open(address, claims.as_deref(), &file, &how.view(), how.timeout)?;
    let seen = look(&mut *page);
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
