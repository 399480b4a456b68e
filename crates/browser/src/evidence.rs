//! What a report shows of a page: the boxes that moved, as numbers and drawn into pictures, and
//! which browsers they are from. Files for it go where minirepro says.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::args::{Conditions, How};
use crate::browsers::Kind;
use crate::judge::{Place, settled};
use crate::layout;
use crate::page::Seen;
use crate::picture::{self, Sides};

/// Tells a test where files for a report go. Set by minirepro.
pub(crate) const EVIDENCE: &str = "MINIREPRO_EVIDENCE";

/// The most boxes that are listed and drawn.
const MOST: usize = 12;

/// The colours of boxes as they are and as they should be, or of the first and the second browser.
const COLORS: [[u8; 3]; 2] = [[214, 39, 40], [31, 119, 180]];

/// An element with a box in two layouts.
type Moved = (String, Sides, Sides);

/// Writes what there is to see of a page that shows the failure, if a report is being made.
pub(crate) fn collect(
    place: &Place,
    file: &Path,
    conditions: &Conditions,
    how: &How,
) -> Result<()> {
    let Some(directory) = std::env::var_os(EVIDENCE).map(PathBuf::from) else { return Ok(()) };
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        std::fs::write(&path, bytes).with_context(|| path.display().to_string())
    };
    let mut versions = String::new();
    if conditions.crash || conditions.hangs.is_some() {
        return Ok(());
    }
    if conditions.browsers_differ.is_some() {
        let both = place.compared(conditions, how)?;
        let mut shown = Vec::new();
        for address in &both {
            let seen = place.with_page_at(address, file, how, |page| {
                if settled(page, how, 2)? == Seen::Crash {
                    return Ok(None);
                }
                let picture = page.screenshot()?;
                let boxes = page.text(&layout::named_boxes())?.unwrap_or_default();
                let version = page.text(VERSION)?.unwrap_or_default();
                Ok(Some((picture, serde_json::from_str::<Vec<(String, Sides)>>(&boxes)?, version)))
            })?;
            let Some(seen) = seen else { return Ok(()) };
            shown.push(seen);
        }
        let [(one_picture, one, one_version), (other_picture, other, other_version)] = &shown[..]
        else {
            return Ok(());
        };
        let pairs = one.iter().zip(other);
        let moved: Vec<Moved> = pairs
            .filter(|((_, a), (_, b))| layout::differ(&[*a], &[*b], conditions.by))
            .map(|((name, a), (_, b))| (name.clone(), *a, *b))
            .collect();
        let names = names(&both);
        write("boxes.txt", table(&moved, [&names[0], &names[1]]).as_bytes())?;
        write("failure.txt", of_browsers(&moved, &names).as_bytes())?;
        for ((name, picture), nth) in names.iter().zip([one_picture, other_picture]).zip(0..) {
            write(&format!("in-{name}.png"), &drawn(picture, &moved, nth, how)?)?;
        }
        _ = writeln!(versions, "{one_version}\n{other_version}");
    } else {
        let by = conditions.by;
        let seen = place.with_page(file, how, |page| {
            if settled(page, how, 2)? == Seen::Crash {
                return Ok(None);
            }
            let version = page.text(VERSION)?.unwrap_or_default();
            // Before the question, which lays the page out from scratch.
            let before = page.screenshot()?;
            if conditions.relayout_differs.is_none() {
                return Ok(Some((version, before, None)));
            }
            let moved = page.text(&layout::changes(by))?.unwrap_or_default();
            let after = page.screenshot()?;
            Ok(Some((version, before, Some((serde_json::from_str::<Vec<Moved>>(&moved)?, after)))))
        })?;
        let Some((version, before, relayout)) = seen else { return Ok(()) };
        match relayout {
            Some((moved, after)) => {
                write("boxes.txt", table(&moved, ["as it is", "from scratch"]).as_bytes())?;
                write("failure.txt", of_layouts(&moved).as_bytes())?;
                write("layout-as-it-is.png", &drawn(&before, &moved, 0, how)?)?;
                write("layout-from-scratch.png", &drawn(&after, &moved, 1, how)?)?;
            }
            None => {
                write("page.png", &picture::with_boxes(&before, &[], how.scale)?)?;
                write("failure.txt", conditions.in_words().as_bytes())?;
            }
        }
        _ = writeln!(versions, "{version}");
    }
    write("browsers.txt", versions.as_bytes())
}

/// Says which box moved most, of those in two layouts of one browser.
fn of_layouts(moved: &[Moved]) -> String {
    let Some((name, a, b)) = farthest(moved) else { return String::new() };
    let Some((side, a, b)) = layout::widest(a, b) else { return String::new() };
    format!("{name} is not where a layout from scratch puts it: {side} {a} instead of {b}")
}

/// Says which box differs most in two browsers.
fn of_browsers(moved: &[Moved], names: &[String; 2]) -> String {
    let Some((name, a, b)) = farthest(moved) else { return String::new() };
    let Some((side, a, b)) = layout::widest(a, b) else { return String::new() };
    format!("{name}: {side} {a} in {}, {b} in {}", names[0], names[1])
}

fn farthest(moved: &[Moved]) -> Option<&Moved> {
    let by = |(_, a, b): &&Moved| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    moved.iter().max_by(|one, other| by(one).total_cmp(&by(other)))
}

/// Returns what the two browsers are called in names of files.
fn names(addresses: &[String; 2]) -> [String; 2] {
    let [one, other] = addresses.each_ref().map(|address| Kind::at(address).name());
    match one == other {
        true => [format!("{one}-1"), format!("{other}-2")],
        false => [one.to_owned(), other.to_owned()],
    }
}

/// The expression that gives the name and the version of a browser.
const VERSION: &str = "\
(navigator.userAgent.match(/(?:Headless)?(Chrome|Firefox)\\/[\\d.]+/) || [navigator.userAgent])[0]\
.replace('HeadlessChrome', 'Chromium (headless)').replace('/', ' ') + ', ' + navigator.platform";

/// Lists boxes in two layouts.
fn table(moved: &[Moved], columns: [&str; 2]) -> String {
    let of = |sides: &Sides| {
        let sides: Vec<String> =
            sides.iter().map(|side| ((side * 100.0).round() / 100.0).to_string()).collect();
        sides.join(" ")
    };
    let rows: Vec<[String; 3]> = std::iter::once([
        "element (x y width height)".to_owned(),
        columns[0].to_owned(),
        columns[1].to_owned(),
    ])
    .chain(moved.iter().take(MOST).map(|(name, a, b)| [name.clone(), of(a), of(b)]))
    .collect();
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

/// Draws boxes into a picture: those of both layouts, each in its own colour.
fn drawn(png: &[u8], moved: &[Moved], nth: usize, how: &How) -> Result<Vec<u8>> {
    let mut boxes = Vec::new();
    for (_, a, b) in moved.iter().take(MOST) {
        let pair = [(*a, COLORS[0]), (*b, COLORS[1])];
        // What this picture shows comes last, above the other one.
        boxes.extend([pair[1 - nth], pair[nth]]);
    }
    picture::with_boxes(png, &boxes, how.scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_listed_with_both_places() {
        let moved = [("section".to_owned(), [8.0, 8.0, 93.8125, 20.0], [8.0, 8.0, 66.81, 20.0])];
        let text = table(&moved, ["as it is", "from scratch"]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "section                     8 8 93.81 20  8 8 66.81 20");
        assert!(lines[0].ends_with("as it is      from scratch"), "{text}");
    }
}
