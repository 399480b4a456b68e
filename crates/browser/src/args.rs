//! The options of a page: what counts as its failure, and how it is looked at.

use std::path::PathBuf;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use regex::Regex;

use crate::browsers::Choice;
use crate::layout::Direction;
use crate::page::View;

/// All elements that have a place on the page.
pub(crate) const EVERYTHING: &str = "body, body *";

/// What of two browsers is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compared {
    #[default]
    Boxes,
    Styles,
    Pixels,
}

/// What counts as the failure.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "condition", required = false, multiple = true)]
#[command(next_help_heading = "Pages: the failure is that")]
pub(crate) struct Conditions {
    /// This JavaScript expression is true once the page is loaded (also several times)
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub(crate) holds: Vec<String>,
    /// A message on the console, or an error or a rejection that no script caught, matches (also
    /// several times)
    #[arg(long, value_name = "REGEX")]
    pub(crate) console: Vec<Regex>,
    /// The tab crashes, or the process that draws for it (Chromium only)
    #[arg(long)]
    pub(crate) crash: bool,
    /// What the browser says when the tab crashes matches: a stack, a failed check, a report of a
    /// sanitizer (also several times)
    #[arg(long, value_name = "REGEX", requires = "crash")]
    pub(crate) stack: Vec<Regex>,
    /// The page is not loaded after this time, or a script runs on for as long after that
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    #[arg(conflicts_with_all = ["holds", "console", "crash", "looks_like", "differs_from", "relayout_differs", "browsers_differ"])]
    pub(crate) hangs: Option<Duration>,
    /// After the page's own changes, an element is not where a layout from scratch puts it (with
    /// `--compare pixels`: the window shows something else)
    #[arg(long, value_name = "SELECTOR", num_args = 0..=1, default_missing_value = EVERYTHING)]
    pub(crate) relayout_differs: Option<String>,
    /// Two browsers put an element in different places, or show it differently (see `--compare`)
    #[arg(long, value_name = "SELECTOR", num_args = 0..=1, default_missing_value = EVERYTHING)]
    pub(crate) browsers_differ: Option<String>,
    /// The second browser, such as another version of the first [default: Chromium and Firefox are
    /// compared]
    #[arg(long, value_name = "BROWSER", value_parser = choice, requires = "browsers_differ")]
    pub(crate) against: Option<Choice>,
    /// What is compared: where elements are, their computed styles, or the pixels of the window
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Compared::Boxes)]
    pub(crate) compare: Compared,
    /// The property whose computed values are compared (also several times) [default: all that both
    /// browsers know]
    #[arg(long, value_name = "NAME", requires = "browsers_differ")]
    pub(crate) property: Vec<String>,
    /// Boxes differ if a side of theirs differs by more than this many pixels, and computed styles
    /// if a number in them does
    #[arg(long, value_name = "PIXELS", default_value_t = 1.0)]
    pub(crate) by: f64,
    /// The page looks like this picture (made by `minirepro page --screenshot`)
    #[arg(long, value_name = "PNG")]
    pub(crate) looks_like: Option<PathBuf>,
    /// The page looks different from this picture
    #[arg(long, value_name = "PNG")]
    pub(crate) differs_from: Option<PathBuf>,
    /// In which way a box is wrong: in that of the input.
    #[arg(skip)]
    pub(crate) direction: Option<Direction>,
}

impl Conditions {
    /// Says in words what the failure is, where no boxes tell.
    pub(crate) fn in_words(&self) -> String {
        let relayout = self.relayout_differs.iter();
        let relayout = relayout.map(|_| "a fresh layout changes what one sees".to_owned());
        let holds = self.holds.iter().map(|holds| {
            let line = holds.split_whitespace().collect::<Vec<_>>().join(" ");
            match line.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("`{}…` holds", &line[..end]),
                None => format!("`{line}` holds"),
            }
        });
        let console = self.console.iter().map(|regex| format!("the console says `{regex}`"));
        let looks = |path: &Option<PathBuf>, how: &str| {
            path.as_ref().map(|path| format!("the page {how} {}", path.display()))
        };
        let all = relayout
            .chain(holds)
            .chain(console)
            .chain(looks(&self.looks_like, "looks like"))
            .chain(looks(&self.differs_from, "does not look like"));
        all.collect::<Vec<_>>().join(", and ")
    }

    /// Returns whether where things are may be what is asked for.
    pub(crate) fn is_layout(&self) -> bool {
        !self.holds.is_empty()
            || self.relayout_differs.is_some()
            || self.browsers_differ.is_some()
            || self.looks_like.is_some()
            || self.differs_from.is_some()
    }

    /// Returns whether anything is asked for.
    pub(crate) fn is_any(&self) -> bool {
        !self.holds.is_empty()
            || !self.console.is_empty()
            || self.crash
            || self.hangs.is_some()
            || self.relayout_differs.is_some()
            || self.browsers_differ.is_some()
            || self.looks_like.is_some()
            || self.differs_from.is_some()
    }
}

/// How a page is looked at.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Pages: how they are shown")]
pub(crate) struct How {
    /// `chromium`, `firefox`, or the path of a program [default: chromium]
    #[arg(long, value_name = "BROWSER", value_parser = choice)]
    pub(crate) browser: Option<Choice>,
    /// How long the page may take.
    #[arg(skip = TIMEOUT)]
    pub(crate) timeout: Duration,
    /// How long to wait after the page has loaded
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub(crate) wait: Duration,
    /// Let the page use the network
    #[arg(long)]
    pub(crate) online: bool,
    /// Answer the page's requests with what this file recorded (HTTP Archive); the page is at the
    /// address that it had
    #[arg(long, value_name = "FILE")]
    pub(crate) har: Option<PathBuf>,
    /// The page that is opened if the candidate is a directory [default: index.html]
    #[arg(long, value_name = "NAME")]
    pub(crate) page: Option<PathBuf>,
    /// Ignore the page's Content-Security-Policy (Chromium only)
    #[arg(long)]
    pub(crate) ignore_csp: bool,
    /// The size of the window
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "800x600", value_parser = size)]
    pub(crate) size: (u32, u32),
    /// Pixels of the screen for one of the page
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(crate) scale: f64,
    /// Prefer dark colours (Chromium only)
    #[arg(long)]
    pub(crate) dark: bool,
    /// Show the page with the style sheets for printing (Chromium only)
    #[arg(long)]
    pub(crate) print: bool,
    /// Fix the time and the random numbers that scripts see
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u32>,
    /// This many pixels may differ between pictures that look alike
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) pixels: usize,
    /// How often the failure must be seen, one look after the other
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) looks: u32,
}

impl How {
    /// Returns how a page is shown.
    pub(crate) fn view(&self) -> View {
        View {
            size: self.size,
            scale: self.scale,
            dark: self.dark,
            print: self.print,
            online: self.online,
            ignores_csp: self.ignore_csp,
            seed: self.seed,
            keeps: false,
        }
    }
}

/// The characters of an expression that are shown where the failure is named.
const LONGEST: usize = 60;

/// How long a page may take by default.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The options of a test of a page.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) how: How,
}

/// What the command line says about a page.
#[derive(Clone, Debug)]
pub struct PageArgs {
    pub(crate) options: Options,
    /// The same as words that mean the same in any directory.
    pub(crate) words: Vec<String>,
}

impl PageArgs {
    /// Returns whether anything says that a page is tested.
    pub fn are_given(&self) -> bool {
        self.options.conditions.is_any()
    }

    /// Sets how long a page may take, if that is said.
    #[must_use]
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        if let Some(timeout) = timeout {
            self.options.how.timeout = timeout;
            self.words.push(format!("--timeout={}", timeout.as_secs_f64()));
        }
        self
    }

    /// Adds options.
    ///
    /// # Errors
    /// If they mean nothing.
    pub fn with(&self, more: &[String]) -> Result<Self, clap::Error> {
        let words = self.words.iter().filter(|word| !word.starts_with("--timeout=")).chain(more);
        let all = std::iter::once("page".to_owned()).chain(words.cloned());
        let command = Options::augment_args(Command::new("page"));
        let mut args = Self::from_arg_matches(&command.try_get_matches_from(all)?)?;
        args.options.how.timeout = self.options.how.timeout;
        args.words.extend(self.words.iter().filter(|word| word.starts_with("--timeout=")).cloned());
        Ok(args)
    }
}

impl Args for PageArgs {
    fn augment_args(command: Command) -> Command {
        Options::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Options::augment_args_for_update(command)
    }
}

impl FromArgMatches for PageArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { options: Options::from_arg_matches(matches)?, words: given(matches) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the options that were given, as words that mean the same in any directory.
fn given(matches: &ArgMatches) -> Vec<String> {
    let mut words = Vec::new();
    for argument in Options::augment_args(Command::new("page")).get_arguments() {
        let (id, Some(long)) = (argument.get_id().as_str(), argument.get_long()) else { continue };
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        if !argument.get_action().takes_values() {
            words.push(format!("--{long}"));
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            let path = std::path::absolute(value).ok().filter(|_| FILES.contains(&id));
            let value = path.map_or_else(|| value.to_owned(), Into::into);
            words.push(format!("--{long}={}", value.to_string_lossy()));
        }
    }
    words
}

/// Options whose values are files.
const FILES: [&str; 3] = ["looks_like", "differs_from", "har"];

#[expect(clippy::unnecessary_wraps, reason = "what the parser of arguments expects")]
pub(crate) fn choice(text: &str) -> Result<Choice, String> {
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

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::{PageArgs, size};

    fn read<'a>(words: impl Iterator<Item = &'a str>) -> PageArgs {
        let command = PageArgs::augment_args(Command::new("x"));
        let words = std::iter::once("x").chain(words);
        PageArgs::from_arg_matches(&command.try_get_matches_from(words).unwrap()).unwrap()
    }

    #[test]
    fn options_that_were_given_are_repeated() {
        for (line, expected) in [
            ("--crash --stack a --stack=b", "--crash --stack=a --stack=b"),
            ("--holds -1<0 --wait 3", "--holds=-1<0 --wait=3"),
            ("--relayout-differs --by 2", "--relayout-differs=body, body * --by=2"),
            ("--looks-like /a.png --pixels 2", "--looks-like=/a.png --pixels=2"),
            (
                "--browsers-differ a --compare styles --property top",
                "--browsers-differ=a --compare=styles --property=top",
            ),
        ] {
            let args = read(line.split(' '));
            assert_eq!(args.words.join(" "), expected);
            let again = read(args.words.iter().map(String::as_str));
            assert_eq!(again.words, args.words);
            assert!(again.are_given());
            let online = "--online".to_owned();
            assert!(again.with(std::slice::from_ref(&online)).unwrap().words.contains(&online));
        }
        assert!(!read("--online".split(' ')).are_given());
    }

    #[test]
    fn sizes_are_width_and_height() {
        assert_eq!(size("3x4"), Ok((3, 4)));
        assert!(["3", "0x1", "x", "1x-2"].iter().all(|text| size(text).is_err()));
    }
}
