//! Puts lengths in place of percentages and of parts of the window, so that what they are measured
//! by can go.

use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::Result;
use regex::Regex;
use serde_json::json;

use crate::judge::Look;
use crate::place::Place;
use crate::whole::{Edit, changed};

/// Marks declarations while their values are asked for.
const MARK: &str = "--minirepro-length-";

/// This many values are replaced at most, the first ones.
const MOST: usize = 64;

/// A declaration whose value is measured by something else.
static MEASURED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)[\s;{"'=](?<name>[a-z-]+)\s*:\s*(?<value>[^;{}"'<>:!]*\d(%|[dls]?v([hw]|min|max)\b)[^;{}"'<>:!]*)"#,
    )
    .expect("the pattern is one")
});

/// A length in a computed value.
static LENGTH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?<number>-?[\d.]+)px").expect("the pattern is one"));

/// Replaces as many values as a page can do without, by those that a browser computes for the first
/// element that each is for. `fails` says whether a page fails.
///
/// # Errors
/// If the page cannot be measured.
pub(crate) fn put(
    place: &Place,
    file: &Path,
    text: &str,
    fails: &impl Fn(&str) -> bool,
) -> Result<String> {
    let measured = measured(text);
    let mark =
        |(number, one): (usize, &Measured)| (one.start..one.start, format!("{MARK}{number}:1;"));
    let marked = changed(text, measured.iter().enumerate().map(mark).collect());
    let names: Vec<&str> = measured.iter().map(|one| &*one.name).collect();
    let question = include_str!("scripts/lengths.js").replace("MARK", MARK);
    let question = question.replace("NAMES", &json!(names).to_string());
    let mut values: Vec<Option<String>> = Vec::new();
    if !measured.is_empty() {
        values = place.ask(file, &marked, &Look::default(), &question)?;
    }
    let new = measured.into_iter().zip(values);
    let edits = new.filter_map(|(old, value)| Some((old.value, rounded(&value?)?))).collect();
    let mut kept = Vec::new();
    let mut groups: Vec<Vec<Edit>> = vec![edits];
    while let Some(mut group) = groups.pop().filter(|group| !group.is_empty()) {
        let all: Vec<Edit> = kept.iter().chain(&group).cloned().collect();
        if fails(&changed(text, all.clone())) {
            kept = all;
        } else if group.len() > 1 {
            let rest = group.split_off(group.len() / 2);
            groups.extend([rest, group]);
        }
    }
    Ok(changed(text, kept))
}

/// A declaration whose value is measured by something else.
#[derive(Debug, PartialEq, Eq)]
struct Measured {
    /// Where its name begins.
    start: usize,
    name: String,
    value: Range<usize>,
}

fn measured(text: &str) -> Vec<Measured> {
    let read = |found: regex::Captures<'_>| {
        let (name, value) = (found.name("name")?, found.name("value")?);
        let end = value.start() + value.as_str().trim_end().len();
        let name = (name.start(), name.as_str().to_lowercase());
        Some(Measured { start: name.0, name: name.1, value: value.start()..end })
    };
    MEASURED.captures_iter(text).filter_map(read).take(MOST).collect()
}

/// Returns a computed value with round lengths; `None` if it holds none, or more than them.
fn rounded(value: &str) -> Option<String> {
    let round = |found: &regex::Captures<'_>| match found["number"].parse::<f64>() {
        Ok(number) => format!("{}px", number.round()),
        Err(_) => found[0].to_owned(),
    };
    let is_one = LENGTH.is_match(value) && !value.contains(['%', '(']);
    is_one.then(|| LENGTH.replace_all(value, round).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{measured, rounded};

    #[test]
    fn values_that_something_else_measures_are_found() {
        let text = "<style>p { width:calc(1px + 5%) ; top: 1px; margin:0 2vw}</style>\
            <p style='height: 100%'>50% of: 3";
        let found =
            measured(text).into_iter().map(|one| format!("{} {}", one.name, &text[one.value]));
        let expected = ["width calc(1px + 5%)", "margin 0 2vw", "height 100%"];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn lengths_are_round() {
        assert_eq!(rounded("0px 32.6px").as_deref(), Some("0px 33px"));
        assert_eq!(rounded("50%"), None);
        assert_eq!(rounded("auto"), None);
    }
}
