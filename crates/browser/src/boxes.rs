//! Proposes empty boxes that replace what fills elements: where only the size of a text or a list
//! matters, no edit of the page alone can find that out.

use std::ops::Range;
use std::path::Path;

use anyhow::Result;
use html5gum::{HtmlString, Token};

use crate::judge::Look;
use crate::place::Place;
use crate::whole::{self, Edit, changed};

/// Marks elements of a page while they are measured.
const MARK: &str = "data-minirepro-box";

/// This many are proposed for one page at most, those with the most text first.
const MOST: usize = 40;

/// What is inside of an element must have this many bytes.
pub(crate) const WORTH: usize = 8;

/// And this many at first, where what is small will go without a box.
const WORTH_A_TEST: usize = 100;

/// Replaces all that a page can do without by boxes, the largest parts first, before
/// anything else is tried. `fails` says whether a page fails.
///
/// # Errors
/// If the page cannot be measured.
pub(crate) fn put(
    place: &Place,
    file: &Path,
    text: &str,
    fails: &impl Fn(&str) -> bool,
) -> Result<String> {
    let mut edits: Vec<Edit> = Vec::new();
    for (filled, own) in boxed(place, file, &Look::default(), text, WORTH_A_TEST)? {
        let is_gone = |edit: &Edit| edit.0.start <= filled.sign && filled.sign < edit.0.end;
        if edits.iter().any(is_gone) {
            continue;
        }
        // What was put into it before goes with it.
        let kept = edits.iter().filter(|edit| {
            !(filled.inside.start <= edit.0.start && edit.0.end <= filled.inside.end)
        });
        let all: Vec<Edit> = kept.cloned().chain(own).collect();
        if fails(&changed(text, all.clone())) {
            edits = all;
        }
    }
    Ok(changed(text, edits))
}

/// An element with something in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Filled {
    /// What is in it.
    inside: Range<usize>,
    /// Where its start tag ends.
    sign: usize,
    /// Its style, and where the attribute stands.
    style: Option<(String, Range<usize>)>,
}

/// Width and height of an element, and whether it stands in a line.
type Size = (f64, f64, bool);

impl Filled {
    /// Returns the edits that empty it and give it the size that it has.
    fn boxed(&self, (width, height, is_inline): Size) -> [Edit; 2] {
        let display = if is_inline { "display:inline-block;" } else { "" };
        let own = format!("{display}width:{}px;height:{}px", width.round(), height.round());
        let style = match &self.style {
            Some((old, place)) => {
                let old = old.trim().trim_end_matches(';').replace('"', "'");
                (place.clone(), format!("style=\"{old};{own}\""))
            }
            None => (self.sign..self.sign, format!(" style=\"{own}\"")),
        };
        [style, (self.inside.clone(), String::new())]
    }
}

/// Returns the elements with this many bytes in them, those with most first, that are not the page
/// itself and hold no script.
fn filled(text: &str, worth: usize) -> Vec<Filled> {
    let mut all = Vec::new();
    let mut open: Vec<(HtmlString, Filled)> = Vec::new();
    let mut scripts: Vec<usize> = Vec::new();
    for token in whole::tokens(text) {
        match token {
            Token::StartTag(tag) if tag.self_closing => {}
            Token::StartTag(tag) => {
                let style = tag.attributes.get(&HtmlString::from(b"style".to_vec()));
                let style = style.map(|value| {
                    let place = whole::place_of(text, value.span.start..value.span.end);
                    (String::from_utf8_lossy(value).into_owned(), place)
                });
                if *tag.name == *b"script" {
                    scripts.push(tag.span.start);
                }
                let (end, sign) = (tag.span.end, tag.span.end - 1);
                open.push((tag.name, Filled { inside: end..end, sign, style }));
            }
            Token::EndTag(end) => {
                let Some(at) = open.iter().rposition(|(name, _)| *name == end.name) else {
                    continue;
                };
                let (name, mut filled) = open.swap_remove(at);
                // What is still open inside ends here, too.
                open.truncate(at);
                filled.inside.end = end.span.start;
                let is_page = WHOLE.iter().any(|whole| *name == **whole);
                let holds_script = scripts.iter().any(|script| filled.inside.contains(script));
                if filled.inside.len() >= worth && !is_page && !holds_script {
                    all.push(filled);
                }
            }
            _ => {}
        }
    }
    all.sort_by_key(|filled| std::cmp::Reverse(filled.inside.len()));
    all.truncate(MOST);
    all
}

/// Elements that are the page, or whose contents are not shown as such.
const WHOLE: [&[u8]; 8] =
    [b"html", b"head", b"body", b"script", b"style", b"svg", b"title", b"textarea"];

/// Returns the elements with this many bytes in them, with the edits that empty them and give them
/// the sizes that they have in a browser.
pub(crate) fn boxed(
    place: &Place,
    file: &Path,
    look: &Look<'_>,
    text: &str,
    worth: usize,
) -> Result<Vec<(Filled, [Edit; 2])>> {
    let all = filled(text, worth);
    let sign = |(number, one): (usize, &Filled)| (one.sign..one.sign, format!(" {MARK}={number}"));
    let marked = changed(text, all.iter().enumerate().map(sign).collect());
    let question = include_str!("scripts/boxes.js").replace("NUMBER", &all.len().to_string());
    let sizes: Vec<Option<Size>> =
        place.ask(file, &marked, look, &question.replace("MARK", MARK))?;
    let pairs = all.into_iter().zip(sizes);
    let boxed = |(filled, size): (Filled, Option<Size>)| {
        let edits = filled.boxed(size?);
        Some((filled, edits))
    };
    Ok(pairs.filter_map(boxed).collect())
}

#[cfg(test)]
mod tests {
    use super::{changed, filled};

    #[test]
    fn an_element_becomes_an_empty_box() {
        let text = "<ul style='top:1px'><li>some words<br></li></ul><p>x<script>a long script</script></p>";
        let all = filled(text, 8);
        assert_eq!(all.iter().map(|one| one.inside.clone()).collect::<Vec<_>>(), [20..43, 24..38]);
        let boxed = changed(text, all[0].boxed((70.4, 20.0, false)).into());
        assert!(
            boxed.starts_with("<ul style=\"top:1px;width:70px;height:20px\"></ul><p>"),
            "{boxed}"
        );
        let boxed = changed(text, all[1].boxed((0.0, 0.0, true)).into());
        let expected = "<li style=\"display:inline-block;width:0px;height:0px\"></li>";
        assert!(boxed.contains(expected), "{boxed}");
    }
}
