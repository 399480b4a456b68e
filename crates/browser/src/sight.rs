//! What there is to see of a page: the failure in words and in pictures, and whatever could be one.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use regex::Regex;

use crate::args::{Conditions, EVERYTHING, PageArgs, is_by_pixels};
use crate::connection::Problem;
use crate::judge::{Look, boxes};
use crate::layout::{self, Direction, Moved};
use crate::picture;
use crate::place::{Log, Place};

/// The most boxes that are drawn.
const MOST: usize = 12;

/// The colours of boxes as they are and as they should be, or of the first and the second browser.
const COLORS: [[u8; 3]; 2] = [[214, 39, 40], [31, 119, 180]];

/// What one sees of a failure.
#[derive(Debug, Default)]
pub(crate) struct Sight {
    /// What is wrong.
    pub(crate) words: String,
    /// In which way a box is wrong, if one is.
    pub(crate) direction: Option<Direction>,
    /// The browsers, with their versions.
    pub(crate) browsers: String,
    /// The boxes that are elsewhere in a second layout or browser.
    moved: Vec<Moved>,
    /// Pictures of the page, with what they show.
    pictures: Vec<(&'static str, Vec<u8>)>,
}

/// The expression that gives the name and the version of a browser.
const VERSION: &str = include_str!("scripts/version.js");

impl Sight {
    /// Looks at a page that shows the failure.
    ///
    /// # Errors
    /// If it cannot be looked at.
    pub(crate) fn of(place: &Place, file: &Path, look: &Look<'_>) -> Result<Self> {
        let conditions = &place.args.conditions;
        if let Some(time) = conditions.hangs {
            let words = format!("the page takes more than {} s", time.as_secs_f64());
            return Ok(Self { words, browsers: place.names().join(" and "), ..Self::default() });
        }
        let mut sight = match &conditions.browsers_differ {
            Some(selector) => Self::of_browsers(place, file, look, selector)?,
            None => Self::of_layouts(place, file, look)?,
        };
        let compare = |a: &&Moved, b: &&Moved| layout::badness(a).partial_cmp(&layout::badness(b));
        let farthest = sight.moved.iter().max_by(|a, b| compare(a, b).unwrap_or(Ordering::Equal));
        if let Some(farthest) = farthest {
            sight.direction = Some(layout::widest(farthest).0);
            let words = layout::in_words(farthest, &place.places());
            let others = Conditions { relayout_differs: None, ..conditions.clone() }.in_words();
            sight.words = if others.is_empty() { words } else { format!("{words}, and {others}") };
        }
        Ok(sight)
    }

    fn of_layouts(place: &Place, file: &Path, look: &Look<'_>) -> Result<Self> {
        let conditions = &place.args.conditions;
        let log = Log::begin(place.running(0)?.log());
        let browsers = place.names().join(" and ");
        let mut sight = Self { words: conditions.in_words(), browsers, ..Self::default() };
        place.with_page(0, file, look, |page| {
            match page.show(2) {
                Err(error) if Problem::Crash.is(&error) => {
                    sight.words = crash(&log.text()).0;
                    return Ok(sight);
                }
                shown => shown?,
            }
            sight.browsers = page.text(VERSION)?.unwrap_or_default();
            // Before the question, which lays the page out from scratch.
            let before = page.screenshot()?;
            let Some(selector) = &conditions.relayout_differs else {
                sight.pictures = vec![("page", before)];
                return Ok(sight);
            };
            if is_by_pixels(selector) {
                page.text(&layout::prepared(true))?;
            } else {
                let moved = page.ask(&layout::moved(selector, conditions.by()))?;
                sight.moved = moved.unwrap_or_default();
            }
            let after = page.screenshot()?;
            sight.pictures = vec![("layout-as-it-is", before), ("layout-from-scratch", after)];
            Ok(sight)
        })
    }

    fn of_browsers(place: &Place, file: &Path, look: &Look<'_>, selector: &str) -> Result<Self> {
        let [(one, a, version), (other, b, other_version)] = place.both(file, look, |page| {
            let (picture, boxes) = (page.screenshot()?, boxes(page, selector)?);
            Ok((picture, boxes, page.text(VERSION)?.unwrap_or_default()))
        })?;
        let browsers = format!("{version} and {other_version}");
        let mut moved = layout::paired([a, b]).unwrap_or_default();
        moved.retain(|moved| layout::differs(moved, place.args.conditions.by(), None));
        let pictures = vec![("in-first-browser", one), ("in-second-browser", other)];
        let words = format!("{browsers} show {selector} in different ways");
        Ok(Self { words, browsers, moved, pictures, direction: None })
    }

    /// Returns files for a report: the failure in a line, and boxes that are drawn into pictures.
    ///
    /// # Errors
    /// If a picture is none.
    pub(crate) fn files(&self, scale: f64) -> Result<Vec<(String, Vec<u8>)>> {
        let text = |name: &str, text: &str| (name.to_owned(), format!("{text}\n").into_bytes());
        let mut files =
            vec![text("failure.txt", &self.words), text("browsers.txt", &self.browsers)];
        for ((name, picture), nth) in self.pictures.iter().zip(0..) {
            let mut boxes = Vec::new();
            for (_, a, b) in self.moved.iter().take(MOST) {
                let pair = [(*a, COLORS[0]), (*b, COLORS[1])];
                // What this picture shows comes last, above the other one.
                boxes.extend([pair[1 - nth], pair[nth]]);
            }
            files.push((format!("{name}.png"), picture::with_boxes(picture, &boxes, scale)?));
        }
        Ok(files)
    }
}

/// Something that could be the failure.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// What a reader sees.
    pub text: String,
    /// The test that looks for it.
    pub test: PageArgs,
}

/// The number of things of a kind that are listed at most.
const MOST_OF_A_KIND: usize = 8;

/// Differences of boxes that come from the browsers' letters alone, in pixels.
const OF_LETTERS: f64 = 10.0;

/// Something that could be the failure, in words and as what is asked for then.
type Possible = (String, Conditions);

/// Lists what could be the failure of a page.
///
/// # Errors
/// If no browser can be started.
pub(crate) fn suspects(file: &Path, given: &PageArgs) -> Result<Vec<Suspect>> {
    let args = |conditions| PageArgs { conditions, how: given.how.clone() };
    let place = Place::new(&args(Conditions::default()), false)?;
    let log = Log::begin(place.running(0)?.log());
    let seen = place.with_page(0, file, &Look::default(), |page| {
        page.show(2)?;
        let console = page.console();
        let moved: Option<Vec<Moved>> = page.ask(&layout::moved(EVERYTHING, 1.0))?;
        Ok((console, moved.unwrap_or_default()))
    });
    let mut all = match seen {
        Err(error) if Problem::Late.is(&error) => {
            let hangs = Some(given.how.timeout);
            vec![(error.to_string(), Conditions { hangs, ..Conditions::default() })]
        }
        Err(error) if Problem::Crash.is(&error) => vec![crash(&log.text())],
        seen => {
            let (console, moved) = seen?;
            let mut all = messages(&console);
            all.extend(in_other_place(moved, &place.places(), false));
            // The other browser may not be installed, or not show the page in time.
            let browsers_differ = Some(EVERYTHING.to_owned());
            let by = Some(OF_LETTERS);
            let differ = Conditions { browsers_differ, by, ..Conditions::default() };
            let others = (!given.how.print).then(|| in_other_browser(file, &args(differ)));
            all.extend(others.and_then(Result::ok).into_iter().flatten());
            all
        }
    };
    Ok(all.drain(..).map(|(text, conditions)| Suspect { text, test: args(conditions) }).collect())
}

fn messages(console: &[String]) -> Vec<Possible> {
    let mut seen = BTreeSet::new();
    let first = console.iter().filter_map(|message| message.lines().next());
    let distinct = first.filter(|line| !line.trim().is_empty() && seen.insert(*line));
    let possible = |line: &str| {
        let console = Vec::from_iter(Regex::new(&regex::escape(line)).ok());
        (format!("on the console: {line}"), Conditions { console, ..Conditions::default() })
    };
    distinct.take(MOST_OF_A_KIND).map(possible).collect()
}

/// Says how a tab crashed, with what of the browser's words tells this crash from others.
fn crash(said: &str) -> Possible {
    let kinds = [
        r"ERROR: \w+Sanitizer: [\w-]+",
        r"Check failed: [^\n]{1,100}",
        r"FATAL ERROR: [^\n]{1,100}",
        r"(?m)^ *#\d+ 0x[0-9a-f]+ (?:in )?([A-Za-z_][\w:~]+)",
    ];
    let found = kinds.iter().filter_map(|kind| Regex::new(kind).ok()).find_map(|kind| {
        let captures = kind.captures(said)?;
        Some(captures.get(captures.len() - 1)?.as_str().trim())
    });
    let words = found.map_or("and the browser says nothing about it".to_owned(), str::to_owned);
    let crash = Regex::new(&regex::escape(found.unwrap_or_default())).ok();
    (format!("the tab crashes: {words}"), Conditions { crash, ..Conditions::default() })
}

/// Lists elements of different names that are elsewhere in a second layout or browser: a side
/// counts where it differs by half as much as it does.
fn in_other_place(
    moved: Vec<Moved>,
    places: &[String; 2],
    is_other_browser: bool,
) -> Vec<Possible> {
    let mut seen = BTreeSet::new();
    let distinct = moved.into_iter().filter(|(name, ..)| seen.insert(name.clone()));
    let possible = |moved: Moved| {
        let by = Some((layout::widest(&moved).1 / 2.0).floor().max(1.0));
        let text = layout::in_words(&moved, places);
        let [differs, none] = [Some(moved.0), None];
        let (browsers_differ, relayout_differs) =
            if is_other_browser { (differs, none) } else { (none, differs) };
        (text, Conditions { browsers_differ, relayout_differs, by, ..Conditions::default() })
    };
    distinct.take(MOST_OF_A_KIND).map(possible).collect()
}

/// Lists elements that the other browser puts elsewhere.
fn in_other_browser(file: &Path, args: &PageArgs) -> Result<Vec<Possible>> {
    let place = Place::new(args, false)?;
    let mut moved = Sight::of_browsers(&place, file, &Look::default(), EVERYTHING)?.moved;
    moved.sort_by(|one, other| layout::widest(other).1.total_cmp(&layout::widest(one).1));
    Ok(in_other_place(moved, &place.places(), true))
}

#[cfg(test)]
mod tests {
    use super::{crash, in_other_place, messages};
    #[test]
    fn crashes_are_told_by_what_the_browser_says() {
        for (said, expected) in [
            ("", ""),
            ("[FATAL:a.cc(7)] Check failed: x > 0.", r"Check failed: x > 0\."),
            (
                "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1",
                "ERROR: AddressSanitizer: heap\\-use\\-after\\-free",
            ),
            ("  #0 0x12ab blink::Node::a()\n", "blink::Node::a"),
        ] {
            assert_eq!(crash(said).1.crash.unwrap().as_str(), expected, "{said}");
        }
    }

    #[test]
    fn messages_and_boxes_become_conditions() {
        let said = ["a (b)\nat x".to_owned(), "a (b)".to_owned(), " ".to_owned()];
        let all = messages(&said);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].1.console[0].as_str(), r"a \(b\)");
        let change = ("div.x".to_owned(), [0.0, 0.0, 700.0, 9.0], [0.0, 0.0, 200.0, 8.0]);
        let places = [String::new(), "after a fresh layout".to_owned()];
        let all = in_other_place(vec![change.clone(), change], &places, false);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].0, "div.x is 700 wide, 200 after a fresh layout");
        assert_eq!(all[0].1.by, Some(250.0));
    }
}
