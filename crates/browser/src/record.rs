//! Opens a page once, and says what could be the failure: each thing that it sees, with the option
//! that means it.

use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use regex::Regex;

use crate::args::{Conditions, How};
use crate::connection::Problem;
use crate::judge::{Log, Place, both, settled};
use crate::layout;
use crate::page::Seen;

/// A box: left, top, width, height.
type Sides = [f64; 4];

/// Something that could be the failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    /// What a reader sees.
    text: String,
    /// The options that mean it.
    pub(crate) options: Vec<String>,
}

/// The number of things of a kind that are listed at most.
const MOST: usize = 8;

/// Looks at a page.
///
/// # Errors
/// If no browser can be started.
pub(crate) fn look(file: &Path, how: &How) -> Result<Vec<Sight>> {
    let nothing = Conditions::default();
    let place = Place::new(None, &nothing, how)?;
    let log = Log::begin(place.log(how.browser.as_ref().map(|choice| choice.kind)));
    let mut sights = Vec::new();
    let seen = place.with_page(file, how, |page| {
        if settled(page, how, 2)? == Seen::Crash {
            return Ok(None);
        }
        let console = page.console();
        let changes = page.text(&layout::changes(BY))?.unwrap_or_default();
        Ok(Some((console, changes)))
    });
    match seen {
        Err(error) if error.downcast_ref() == Some(&Problem::Late) => {
            let options = vec![format!("--hangs={}", how.timeout.as_secs_f64())];
            sights.push(Sight { text: error.to_string(), options });
            return Ok(sights);
        }
        Err(error) => return Err(error),
        Ok(None) => {
            sights.push(crash(&log.text()));
            return Ok(sights);
        }
        Ok(Some((console, changes))) => {
            sights.extend(messages(&console));
            sights.extend(moved(&serde_json::from_str::<Vec<_>>(&changes).unwrap_or_default()));
        }
    }
    sights.extend(other_browser(file, how)?);
    Ok(sights)
}

/// Boxes differ if a side does by more than this, in pixels.
const BY: f64 = 1.0;

/// Prints the list and, at a terminal, asks for a number.
///
/// # Errors
/// If standard output or input is broken.
pub(crate) fn ask(sights: &[Sight], page: &Path) -> Result<Option<Sight>> {
    let mut out = std::io::stdout().lock();
    if sights.is_empty() {
        writeln!(out, "{}: nothing unusual; say with --holds what is wrong", page.display())?;
        return Ok(None);
    }
    for (number, sight) in (1..).zip(sights) {
        let options: Vec<String> = sight.options.iter().map(|word| quoted(word)).collect();
        writeln!(out, "{number}. {}\n   {}", sight.text, options.join(" "))?;
    }
    let input = std::io::stdin();
    if !input.is_terminal() {
        return Ok(None);
    }
    write!(out, "Which is the failure? ")?;
    out.flush()?;
    let mut line = String::new();
    input.lock().read_line(&mut line).context("no answer")?;
    let chosen = line.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    Ok(chosen.and_then(|at| sights.get(at)).cloned())
}

/// Quotes a word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_=./,:%+@".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Splits a line of a shell into words. Must read what `quoted` writes.
pub(crate) fn unquoted(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut signs = line.chars();
    let mut is_quoted = false;
    while let Some(sign) = signs.next() {
        match sign {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            '\\' if !is_quoted => word.get_or_insert_default().extend(signs.next()),
            sign if sign.is_whitespace() && !is_quoted => words.extend(word.take()),
            sign => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

fn messages(console: &[String]) -> Vec<Sight> {
    let mut seen = BTreeSet::new();
    let first = console.iter().filter_map(|message| message.lines().next());
    let distinct = first.filter(|line| !line.trim().is_empty() && seen.insert(*line));
    distinct
        .take(MOST)
        .map(|line| Sight {
            text: format!("on the console: {line}"),
            options: vec![format!("--console={}", regex::escape(line))],
        })
        .collect()
}

/// Says how a tab crashed, with what of the browser's words tells this crash from others.
fn crash(said: &str) -> Sight {
    let mut options = vec!["--crash".to_owned()];
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
    let text = match &found {
        Some(found) => format!("the tab crashes: {found}"),
        None => "the tab crashes, and the browser says nothing about it".to_owned(),
    };
    options.extend(found.map(|found| format!("--stack={}", regex::escape(&found))));
    Sight { text, options }
}

/// Lists elements that a layout from scratch puts elsewhere.
fn moved(changes: &[(String, Sides, Sides)]) -> Vec<Sight> {
    let mut seen = BTreeSet::new();
    let distinct = changes.iter().filter(|(name, ..)| seen.insert(name.clone()));
    distinct
        .take(MOST)
        .filter_map(|(name, kept, fresh)| {
            let (side, a, b) = layout::widest(kept, fresh)?;
            let by = half(a, b);
            Some(Sight {
                text: format!(
                    "{name} is not where a layout from scratch puts it: {side} {a} instead of {b}"
                ),
                options: vec![format!("--relayout-differs={name}"), format!("--by={by}")],
            })
        })
        .collect()
}

/// Returns by how much a side must differ to count, where it differs like this: by half of that.
fn half(a: f64, b: f64) -> f64 {
    ((a - b).abs() / 2.0).floor().max(BY)
}

/// Lists elements that the other browser puts elsewhere, if it is installed.
fn other_browser(file: &Path, how: &How) -> Result<Vec<Sight>> {
    if how.dark || how.print || how.ignore_csp {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for choice in both(how) {
        let how = How { browser: Some(choice.clone()), ..how.clone() };
        // One that is not there has no boxes.
        let Ok(place) = Place::new(None, &Conditions::default(), &how) else {
            return Ok(Vec::new());
        };
        let boxes = place.with_page(file, &how, |page| {
            settled(page, &how, 2)?;
            page.text(&layout::named_boxes())
        });
        // One that cannot show the page, or not in time, cannot be compared.
        let Ok(boxes) = boxes else { return Ok(Vec::new()) };
        let boxes = serde_json::from_str::<Vec<(String, Sides)>>(&boxes.unwrap_or_default());
        all.push(boxes.unwrap_or_default());
    }
    let [chromium, firefox] = &all[..] else { return Ok(Vec::new()) };
    if chromium.len() != firefox.len() {
        let text = format!("Chromium has {} elements, Firefox {}", chromium.len(), firefox.len());
        return Ok(vec![Sight { text, options: vec!["--browsers-differ".to_owned()] }]);
    }
    let mut seen = BTreeSet::new();
    let mut differing = Vec::new();
    for ((name, a), (_, b)) in chromium.iter().zip(firefox) {
        let Some((side, here, there)) = layout::widest(a, b) else { continue };
        let by = half(here, there);
        // Letters are never quite the same.
        if layout::differ(&[*a], &[*b], OF_LETTERS) && seen.insert(name.clone()) {
            differing.push((
                by,
                Sight {
                    text: format!("{name}: {side} {here} in Chromium, {there} in Firefox"),
                    options: vec![format!("--browsers-differ={name}"), format!("--by={by}")],
                },
            ));
        }
    }
    differing.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    Ok(differing.into_iter().take(MOST).map(|(_, sight)| sight).collect())
}

/// Differences of boxes that come from the browsers' letters alone, in pixels.
const OF_LETTERS: f64 = 10.0;

#[cfg(test)]
mod tests {
    use super::{crash, messages, moved, quoted, unquoted};

    #[test]
    fn crashes_are_told_by_what_the_browser_says() {
        for (said, option) in [
            ("", None),
            ("[FATAL:a.cc(7)] Check failed: x > 0.", Some(r"--stack=Check failed: x > 0\.")),
            (
                "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1",
                Some("--stack=ERROR: AddressSanitizer: heap\\-use\\-after\\-free"),
            ),
            ("  #0 0x12ab blink::Node::a()\n", Some("--stack=blink::Node::a")),
        ] {
            assert_eq!(crash(said).options.get(1).map(String::as_str), option, "{said}");
        }
    }

    #[test]
    fn messages_and_boxes_become_options() {
        let said = ["a (b)\nat x".to_owned(), "a (b)".to_owned(), " ".to_owned()];
        let all = messages(&said);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].options, [r"--console=a \(b\)"]);
        let change = ("div.x".to_owned(), [0.0, 0.0, 700.0, 9.0], [0.0, 0.0, 200.0, 8.0]);
        let all = moved(&[change.clone(), change]);
        assert_eq!(all.len(), 1);
        assert!(all[0].text.ends_with("width 700 instead of 200"), "{}", all[0].text);
        assert_eq!(all[0].options, ["--relayout-differs=div.x", "--by=250"]);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("--by=2"), "--by=2");
        assert_eq!(quoted("a 'b'"), r"'a '\''b'\'''");
        let words = ["--holds=a\n 'b'\\", "", "c"];
        assert_eq!(unquoted(&words.map(quoted).join(" ")), words);
    }
}
