//! What there is to see of a page: the failure in words and in pictures, and whatever could be one.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use regex::Regex;

use crate::args::{Conditions, EVERYTHING, How, is_by_pixels};
use crate::connection::Problem;
use crate::judge::{Look, both, settled};
use crate::layout::{self, Direction, Moved, Sides};
use crate::page::Seen;
use crate::picture;
use crate::place::{Log, Place};

/// The most boxes that are listed and drawn.
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
    pictures: Vec<(String, Vec<u8>)>,
}

/// The expression that gives the name and the version of a browser.
const VERSION: &str = "\
(navigator.userAgent.match(/(?:Headless)?(Chrome|Firefox)\\/[\\d.]+/) || [navigator.userAgent])[0]\
.replace('HeadlessChrome', 'Chromium').replace('/', ' ')";

impl Sight {
    /// Looks at a page that shows the failure.
    ///
    /// # Errors
    /// If it cannot be looked at.
    pub(crate) fn of(place: &Place, file: &Path, look: &Look<'_>) -> Result<Self> {
        let Look { conditions, .. } = *look;
        if let Some(time) = conditions.hangs {
            let words = format!("the page takes more than {} s", time.as_secs_f64());
            return Ok(Self { words, browsers: place.names().join(" and "), ..Self::default() });
        }
        let mut sight = match &conditions.browsers_differ {
            Some(selector) => Self::of_browsers(place, file, look, selector)?,
            None => Self::of_layouts(place, file, look)?,
        };
        let far = |moved: &&Moved| {
            let (direction, by) = layout::widest(moved);
            (direction.is_of_size(), by)
        };
        let farthest = sight.moved.iter().max_by(|one, other| {
            let (one, other) = (far(one), far(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        });
        if let Some(farthest) = farthest {
            sight.direction = Some(layout::widest(farthest).0);
            let places = match conditions.browsers_differ {
                Some(_) => place.pair().map(|name| format!("in {name}")),
                None => [String::new(), "after a fresh layout".to_owned()],
            };
            let words = layout::in_words(farthest, places.each_ref().map(String::as_str));
            let others = Conditions { relayout_differs: None, ..conditions.clone() }.in_words();
            sight.words = [words, others]
                .into_iter()
                .filter(|words| !words.is_empty())
                .collect::<Vec<_>>()
                .join(", and ");
        }
        Ok(sight)
    }

    fn of_layouts(place: &Place, file: &Path, look: &Look<'_>) -> Result<Self> {
        let conditions = look.conditions;
        let log = Log::begin(place.running(0)?.log());
        place.with_page(0, file, look, |page| {
            let browsers = place.names().join(" and ");
            let mut sight = Self { words: conditions.in_words(), browsers, ..Self::default() };
            if settled(page, 2)? == Seen::Crash {
                sight.words = crash(&log.text()).0;
                return Ok(sight);
            }
            sight.browsers = page.text(VERSION)?.unwrap_or_default();
            // Before the question, which lays the page out from scratch.
            let before = page.screenshot()?;
            let Some(selector) = &conditions.relayout_differs else {
                sight.pictures = vec![("page".to_owned(), before)];
                return Ok(sight);
            };
            if is_by_pixels(selector) {
                page.text(&layout::prepared(true))?;
            } else {
                let moved = page.text(&layout::changes(selector, conditions.by()))?;
                sight.moved = serde_json::from_str(&moved.unwrap_or_default())?;
            }
            let names = ["layout-as-it-is", "layout-from-scratch"].map(str::to_owned);
            sight.pictures = names.into_iter().zip([before, page.screenshot()?]).collect();
            Ok(sight)
        })
    }

    fn of_browsers(place: &Place, file: &Path, look: &Look<'_>, selector: &str) -> Result<Self> {
        let seen = both(place, file, look, |page| {
            let picture = page.screenshot()?;
            let boxes = page.text(&layout::named_boxes(selector))?.unwrap_or_default();
            let version = page.text(VERSION)?.unwrap_or_default();
            Ok(Some((picture, serde_json::from_str::<Vec<(String, Sides)>>(&boxes)?, version)))
        })?;
        let Some([(one_picture, one, version), (other_picture, other, other_version)]) = seen
        else {
            return Ok(Self::default());
        };
        let browsers = format!("{version} and {other_version}");
        let by = look.conditions.by();
        let moved = one.into_iter().zip(other).map(|((name, a), (_, b))| (name, a, b));
        let moved = moved.filter(|(_, a, b)| layout::differ(&[*a], &[*b], by, None)).collect();
        let pictures = ["in-first-browser", "in-second-browser"].map(str::to_owned);
        let pictures = pictures.into_iter().zip([one_picture, other_picture]).collect();
        let words = format!("{browsers} show {selector} in different ways");
        Ok(Self { words, browsers, moved, pictures, direction: None })
    }

    /// Returns files for a report: the failure in a line, boxes as numbers and drawn into pictures.
    ///
    /// # Errors
    /// If a picture is none.
    pub(crate) fn files(&self, scale: f64) -> Result<Vec<(String, Vec<u8>)>> {
        let mut files = vec![
            ("failure.txt".to_owned(), self.words.clone().into_bytes()),
            ("browsers.txt".to_owned(), format!("{}\n", self.browsers).into_bytes()),
        ];
        if !self.moved.is_empty() {
            files.push(("boxes.txt".to_owned(), table(&self.moved).into_bytes()));
        }
        for ((name, picture), nth) in self.pictures.iter().zip(0..) {
            let mut boxes = Vec::new();
            for (_, a, b) in self.moved.iter().take(MOST) {
                let pair = [(*a, COLORS[0]), (*b, COLORS[1])];
                // What this picture shows comes last, above the other one.
                boxes.extend([pair[1 - nth], pair[nth]]);
            }
            let drawn = picture::with_boxes(picture, &boxes, scale)?;
            files.push((format!("{name}.png"), drawn));
        }
        Ok(files)
    }
}

/// Lists boxes in two layouts, or in two browsers.
fn table(moved: &[Moved]) -> String {
    let of = |sides: &Sides| sides.map(|side| layout::rounded(side).to_string()).join(" ");
    let head = ["element (x y width height)", "first", "second"].map(str::to_owned);
    let listed = moved.iter().take(MOST).map(|(name, a, b)| [name.clone(), of(a), of(b)]);
    let rows: Vec<[String; 3]> = std::iter::once(head).chain(listed).collect();
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let mut text = String::new();
    for [name, a, b] in &rows {
        _ = writeln!(text, "{name:first$}  {a:second$}  {b}");
    }
    if moved.len() > MOST {
        _ = writeln!(text, "… and {} more", moved.len() - MOST);
    }
    text
}

/// Something that could be the failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// What a reader sees.
    pub text: String,
    /// The options that mean it.
    pub options: Vec<String>,
}

/// The number of things of a kind that are listed at most.
const MOST_OF_A_KIND: usize = 8;

/// Boxes differ if a side does by more than this, in pixels.
const BY: f64 = 1.0;

/// Differences of boxes that come from the browsers' letters alone, in pixels.
const OF_LETTERS: f64 = 10.0;

/// Lists what could be the failure of a page.
///
/// # Errors
/// If no browser can be started.
pub(crate) fn suspects(file: &Path, how: &How) -> Result<Vec<Suspect>> {
    let nothing = Conditions::default();
    let look = Look::new(&nothing, how);
    let place = Place::new(&nothing, how)?;
    let log = Log::begin(place.running(0)?.log());
    let seen = place.with_page(0, file, &look, |page| {
        if settled(page, 2)? == Seen::Crash {
            return Ok(None);
        }
        let console = page.console();
        let changes = page.text(&layout::changes(EVERYTHING, BY))?.unwrap_or_default();
        Ok(Some((console, changes)))
    });
    let mut all = match seen {
        Err(error) if error.downcast_ref() == Some(&Problem::Late) => {
            let options = ["--hang".to_owned(), format!("--timeout={}", how.timeout.as_secs_f64())];
            let options = options.to_vec();
            return Ok(vec![Suspect { text: error.to_string(), options }]);
        }
        Ok(None) => {
            let (text, option) = crash(&log.text());
            return Ok(vec![Suspect { text, options: vec![option] }]);
        }
        seen => match seen? {
            Some((console, changes)) => {
                let moved = serde_json::from_str::<Vec<Moved>>(&changes).unwrap_or_default();
                messages(&console).into_iter().chain(moved_here(&moved)).collect()
            }
            None => Vec::new(),
        },
    };
    all.extend(other_browser(file, how));
    Ok(all)
}

fn messages(console: &[String]) -> Vec<Suspect> {
    let mut seen = BTreeSet::new();
    let first = console.iter().filter_map(|message| message.lines().next());
    let distinct = first.filter(|line| !line.trim().is_empty() && seen.insert(*line));
    let suspect = |line: &str| Suspect {
        text: format!("on the console: {line}"),
        options: vec![format!("--console={}", regex::escape(line))],
    };
    distinct.take(MOST_OF_A_KIND).map(suspect).collect()
}

/// Says how a tab crashed, with the option for what of the browser's words tells this crash from
/// others.
fn crash(said: &str) -> (String, String) {
    let kinds = [
        r"ERROR: \w+Sanitizer: [\w-]+",
        r"Check failed: [^\n]{1,100}",
        r"FATAL ERROR: [^\n]{1,100}",
        r"(?m)^ *#\d+ 0x[0-9a-f]+ (?:in )?([A-Za-z_][\w:~]+)",
    ];
    let found = kinds.iter().filter_map(|kind| Regex::new(kind).ok()).find_map(|kind| {
        let captures = kind.captures(said)?;
        Some(captures.get(captures.len() - 1)?.as_str().trim().to_owned())
    });
    match found {
        Some(found) => {
            (format!("the tab crashes: {found}"), format!("--crash={}", regex::escape(&found)))
        }
        None => {
            let text = "the tab crashes, and the browser says nothing about it";
            (text.to_owned(), "--crash".to_owned())
        }
    }
}

/// Returns elements of different names, and by how much a side of theirs must differ to count:
/// by half as much as it does.
fn distinct(moved: &[Moved]) -> impl Iterator<Item = (&Moved, f64)> {
    let mut seen = BTreeSet::new();
    let distinct = moved.iter().filter(move |(name, ..)| seen.insert(name.clone()));
    distinct.take(MOST_OF_A_KIND).map(|moved| {
        let (_, by) = layout::widest(moved);
        (moved, (by / 2.0).floor().max(BY))
    })
}

/// Lists elements that a layout from scratch puts elsewhere.
fn moved_here(moved: &[Moved]) -> Vec<Suspect> {
    let suspect = |(moved, by): (&Moved, f64)| Suspect {
        text: layout::in_words(moved, ["", "after a fresh layout"]),
        options: vec![format!("--relayout-differs={}", moved.0), format!("--by={by}")],
    };
    distinct(moved).map(suspect).collect()
}

/// Lists elements that the other browser puts elsewhere, if it is installed and can show the page
/// in time.
fn other_browser(file: &Path, how: &How) -> Vec<Suspect> {
    if how.print {
        return Vec::new();
    }
    let everything = Some(EVERYTHING.to_owned());
    let conditions =
        Conditions { browsers_differ: everything, by: Some(OF_LETTERS), ..Conditions::default() };
    let look = Look::new(&conditions, how);
    let seen = Place::new(&conditions, how).and_then(|place| {
        let boxes = both(&place, file, &look, |page| {
            let boxes = page.text(&layout::named_boxes(EVERYTHING))?.unwrap_or_default();
            Ok(Some(serde_json::from_str::<Vec<(String, Sides)>>(&boxes)?))
        })?;
        Ok((place.pair(), boxes))
    });
    let Ok((names, Some([one, other]))) = seen else { return Vec::new() };
    if one.len() != other.len() {
        let text =
            format!("{} elements in {}, {} in {}", one.len(), names[0], other.len(), names[1]);
        return vec![Suspect { text, options: vec!["--browsers-differ".to_owned()] }];
    }
    let pairs = one.into_iter().zip(other).map(|((name, a), (_, b))| (name, a, b));
    // Letters are never quite the same.
    let is_far = |(_, a, b): &Moved| layout::differ(&[*a], &[*b], OF_LETTERS, None);
    let mut moved: Vec<Moved> = pairs.filter(is_far).collect();
    moved.sort_by(|one, other| layout::widest(other).1.total_cmp(&layout::widest(one).1));
    let places = [0, 1].map(|at| format!("in {}", names[at]));
    let suspect = |(moved, by): (&Moved, f64)| Suspect {
        text: layout::in_words(moved, places.each_ref().map(String::as_str)),
        options: vec![format!("--browsers-differ={}", moved.0), format!("--by={by}")],
    };
    distinct(&moved).map(suspect).collect()
}

#[cfg(test)]
mod tests {
    use super::{crash, messages, moved_here, table};

    #[test]
    fn crashes_are_told_by_what_the_browser_says() {
        for (said, option) in [
            ("", "--crash"),
            ("[FATAL:a.cc(7)] Check failed: x > 0.", r"--crash=Check failed: x > 0\."),
            (
                "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1",
                "--crash=ERROR: AddressSanitizer: heap\\-use\\-after\\-free",
            ),
            ("  #0 0x12ab blink::Node::a()\n", "--crash=blink::Node::a"),
        ] {
            assert_eq!(crash(said).1, option, "{said}");
        }
    }

    #[test]
    fn messages_and_boxes_become_options() {
        let said = ["a (b)\nat x".to_owned(), "a (b)".to_owned(), " ".to_owned()];
        let all = messages(&said);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].options, [r"--console=a \(b\)"]);
        let change = ("div.x".to_owned(), [0.0, 0.0, 700.0, 9.0], [0.0, 0.0, 200.0, 8.0]);
        let all = moved_here(&[change.clone(), change]);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].text, "div.x is 700 wide, 200 after a fresh layout");
        assert_eq!(all[0].options, ["--relayout-differs=div.x", "--by=250"]);
    }

    #[test]
    fn boxes_are_listed_with_both_places() {
        let moved = [("section".to_owned(), [8.0, 8.0, 93.8125, 20.0], [8.0, 8.0, 66.81, 20.0])];
        let text = table(&moved);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "section                     8 8 93.81 20  8 8 66.81 20");
    }
}
