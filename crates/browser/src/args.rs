//! The options of a page: what counts as its failure, and how it is looked at.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use regex::Regex;

use crate::browsers::Choice;

/// All elements that have a place on the page.
pub(crate) const EVERYTHING: &str = "body, body *";

/// What is said in place of a selector if pictures of the window are compared, not boxes: no
/// element has this name.
const PIXELS: &str = "pixels";

/// What counts as the failure.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "condition", required = false, multiple = true)]
#[command(next_help_heading = "Pages: the failure is that")]
pub(crate) struct Conditions {
    /// This JavaScript expression is true once the page is loaded; a promise is waited for (also
    /// several times)
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub(crate) holds: Vec<String>,
    /// A message on the console, or an error or a rejection that no script caught, matches (also
    /// several times)
    #[arg(long, value_name = "REGEX")]
    pub(crate) console: Vec<Regex>,
    /// The tab crashes, or the process that draws for it, and what the browser says then matches: a
    /// stack, a failed check, a report of a sanitizer (Chromium only)
    #[arg(long, value_name = "REGEX", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) crash: Option<Regex>,
    /// The page is not loaded after this time, or a script runs on for as long after that.
    #[arg(skip)]
    pub(crate) hangs: Option<Duration>,
    /// After the page's own changes, an element is not where a layout from scratch puts it; with
    /// `pixels`, the window shows something else then
    #[arg(long, value_name = "SELECTOR", num_args = 0..=1, default_missing_value = EVERYTHING)]
    #[arg(group = "compared")]
    pub(crate) relayout_differs: Option<String>,
    /// Two browsers, Chromium and Firefox or two --browser, put an element in different places;
    /// with `pixels`, their windows show different things
    #[arg(long, value_name = "SELECTOR", num_args = 0..=1, default_missing_value = EVERYTHING)]
    #[arg(group = "compared")]
    pub(crate) browsers_differ: Option<String>,
    /// The page looks like this picture (made by `minirepro page --save`)
    #[arg(long, value_name = "PNG", group = "compared", value_parser = file())]
    pub(crate) looks_like: Option<PathBuf>,
    /// Boxes differ if a side of theirs differs by more than this many pixels [default: 1],
    /// pictures if more than this many of their pixels do [default: 0]
    #[arg(long, value_name = "PIXELS", requires = "compared")]
    pub(crate) by: Option<f64>,
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
        let looks = self.looks_like.iter();
        let looks = looks.map(|path| format!("the page looks like {}", path.display()));
        let all = relayout.chain(holds).chain(console).chain(looks);
        all.collect::<Vec<_>>().join(", and ")
    }

    /// Returns whether where things are may be what is asked for.
    pub(crate) fn is_layout(&self) -> bool {
        !self.holds.is_empty()
            || self.relayout_differs.is_some()
            || self.browsers_differ.is_some()
            || self.looks_like.is_some()
    }

    /// Returns whether anything is asked for.
    pub(crate) fn is_any(&self) -> bool {
        self.is_layout() || !self.console.is_empty() || self.crash.is_some() || self.hangs.is_some()
    }

    /// Returns by how many pixels a side of a box must differ.
    pub(crate) fn by(&self) -> f64 {
        self.by.unwrap_or(1.0)
    }

    /// Returns whether this many pixels are too many for pictures that look alike.
    pub(crate) fn are_many(&self, pixels: usize) -> bool {
        pixels as f64 > self.by.unwrap_or(0.0)
    }
}

/// Returns whether pictures are compared, not the boxes of elements.
pub(crate) fn is_by_pixels(selector: &str) -> bool {
    selector == PIXELS
}

/// How a page is looked at.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Pages: how they are shown")]
pub(crate) struct How {
    /// `chromium`, `firefox`, or the path of a program; given twice, the two that are compared
    /// [default: chromium]
    #[arg(long, value_name = "BROWSER", requires = "condition")]
    pub(crate) browser: Vec<Choice>,
    /// How long the page may take.
    #[arg(skip = TIMEOUT)]
    pub(crate) timeout: Duration,
    /// Answer the page's requests with what this file recorded (HTTP Archive); the page is at the
    /// address that it had
    #[arg(long, value_name = "FILE", requires = "condition", value_parser = file())]
    pub(crate) har: Option<PathBuf>,
    /// What a person does on the page once it is loaded: a recording of the Recorder in Chrome's
    /// DevTools (JSON), or lines like `click("#a")`
    #[arg(long, value_name = "FILE", requires = "condition", value_parser = file())]
    pub(crate) actions: Option<PathBuf>,
    /// The size of the window, and how many pixels of the screen one of the page has, as in
    /// 800x600@2
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "800x600", value_parser = size)]
    #[arg(requires = "condition")]
    pub(crate) size: Window,
    /// Show the page with the style sheets for printing (Chromium only)
    #[arg(long, requires = "condition")]
    pub(crate) print: bool,
    /// Fix the time and the random numbers that scripts see
    #[arg(long, value_name = "N", requires = "condition")]
    pub(crate) seed: Option<u32>,
}

/// The window in which a page is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    /// Width and height in CSS pixels.
    pub(crate) size: [u32; 2],
    /// Pixels of the screen for one of CSS.
    pub(crate) scale: f64,
}

/// The window that nobody has to ask for.
pub(crate) const WINDOW: Window = Window { size: [800, 600], scale: 1.0 };

/// The characters of an expression that are shown where the failure is named.
const LONGEST: usize = 60;

/// How long a page may take by default.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What the command line says about a page.
#[derive(Clone, Debug, Args)]
pub struct PageArgs {
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    #[command(flatten)]
    pub(crate) how: How,
}

impl PageArgs {
    /// Returns whether anything says that a page is tested.
    pub fn are_given(&self) -> bool {
        self.conditions.is_any()
    }

    /// Sets how long a page may take, if that is said; with `hangs`, one that takes longer fails.
    #[must_use]
    pub fn timed(mut self, timeout: Option<Duration>, hangs: bool) -> Self {
        self.how.timeout = timeout.unwrap_or(self.how.timeout);
        if hangs {
            self.conditions.hangs = Some(self.how.timeout);
        }
        self
    }

    /// Returns the options that say this in any directory.
    pub fn words(&self) -> Vec<String> {
        let (what, how) = (&self.conditions, &self.how);
        let all = |all: &[Regex]| all.iter().map(Regex::to_string).collect();
        let path = |path: &Option<PathBuf>| {
            path.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        let Window { size: [width, height], scale } = how.size;
        let size = (how.size != WINDOW).then(|| format!("{width}x{height}@{scale}"));
        let is_timed = how.timeout != TIMEOUT || what.hangs.is_some();
        let timeout = is_timed.then(|| how.timeout.as_secs_f64().to_string());
        let values: [(&str, Vec<String>); 12] = [
            ("holds", what.holds.clone()),
            ("console", all(&what.console)),
            ("crash", all(what.crash.as_slice())),
            ("relayout-differs", Vec::from_iter(what.relayout_differs.clone())),
            ("browsers-differ", Vec::from_iter(what.browsers_differ.clone())),
            ("looks-like", path(&what.looks_like)),
            ("by", what.by.iter().map(f64::to_string).collect()),
            ("browser", how.browser.iter().map(Choice::words).collect()),
            ("har", path(&how.har)),
            ("size", Vec::from_iter(size)),
            ("seed", how.seed.iter().map(u32::to_string).collect()),
            ("timeout", Vec::from_iter(timeout)),
        ];
        let flags = [("print", how.print), ("hang", what.hangs.is_some())];
        let flags = flags.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("--{name}"));
        let said = values
            .iter()
            .flat_map(|(name, values)| values.iter().map(move |value| format!("--{name}={value}")));
        said.chain(flags).collect()
    }
}

/// Reads the name of a file, as it is called in any directory.
fn file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(std::path::absolute::<PathBuf>)
}

fn size(text: &str) -> Result<Window, String> {
    let (sides, scale) = text.split_once('@').unwrap_or((text, "1"));
    let window = sides.split_once('x').and_then(|(width, height)| {
        let size = [width.parse().ok()?, height.parse().ok()?];
        Some(Window { size, scale: scale.parse().ok()? })
    });
    let is_one = |window: &Window| !window.size.contains(&0) && window.scale > 0.0;
    window.filter(is_one).ok_or_else(|| "must be like 800x600 or 800x600@2".into())
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
            ("--crash=a --seed 3", "--crash=a --seed=3"),
            ("--crash --holds -1<0", "--holds=-1<0 --crash="),
            ("--relayout-differs --by 2", "--relayout-differs=body, body * --by=2"),
            ("--looks-like /a.png --size 80x60", "--looks-like=/a.png --size=80x60@1"),
            (
                "--browsers-differ pixels --browser a --browser b --print",
                "--browsers-differ=pixels --browser=a --browser=b --print",
            ),
        ] {
            let args = read(line.split(' '));
            assert_eq!(args.words().join(" "), expected);
            let again = read(args.words().iter().map(String::as_str));
            assert_eq!(again.words(), args.words());
            assert!(again.are_given());
        }
        let args = read(std::iter::empty());
        assert!(!args.are_given());
        let timed = args.timed(Some(std::time::Duration::from_millis(500)), true);
        assert_eq!(timed.words(), ["--timeout=0.5", "--hang"]);
    }

    #[test]
    fn sizes_are_width_and_height() {
        assert_eq!(size("3x4@1.5").map(|window| (window.size, window.scale)), Ok(([3, 4], 1.5)));
        assert!(["3", "0x1", "x", "1x-2", "1x1@0"].iter().all(|text| size(text).is_err()));
    }
}
