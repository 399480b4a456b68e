//! Comments are in plain English and fit the screen.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Phrases that are not idiomatic, each with what to write.
const PHRASES: [(&str, &str); 7] = [
    (r"\bso many\b", "\"at most n\", \"this many\", or 1/n"),
    (r"\bin the place of\b", "\"instead of\", or \"replaces\""),
    (r"\bspeaks? of\b", "\"mentions\", or \"names\""),
    (r"\b(?:one|each other) behind\b|\bbehind (?:it|them|the|a|an|this|each|one)\b", "\"after\""),
    (r"(?:^|[^e]) is no (?:[a-z]+) (?:of|that|any more)\b", "\"is not a\""),
    (r"(?:^|[^e]) is none\b", "\"there is none\", or say what it is instead"),
    (r"\b(?:fleet|crew|seats?|season|hearsay|harvest)\b", "the term that the field has"),
];

/// The columns that a comment may have.
const COLUMNS: usize = 100;

/// Returns all source files of a directory.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut open = vec![directory.to_owned()];
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() && !path.ends_with("target") {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns what is wrong with a line.
fn faults(line: &str, phrases: &[(Regex, &str)]) -> Vec<String> {
    let Some(comment) = line.trim_start().strip_prefix("//") else { return Vec::new() };
    let is_wide = line.chars().count() > COLUMNS && !comment.contains('|');
    let wide = is_wide.then(|| format!("more than {COLUMNS} columns"));
    let found = phrases.iter().filter(|(phrase, _)| phrase.is_match(comment));
    wide.into_iter().chain(found.map(|(_, better)| format!("better {better}"))).collect()
}

#[test]
fn comments_are_plain_and_narrow() {
    let phrases =
        PHRASES.map(|(phrase, better)| (Regex::new(&format!("(?i){phrase}")).unwrap(), better));
    for (line, is_fine) in [
        ("    /// Returns so many of them.", false),
        ("// A text behind it.", false),
        ("    let behind = so_many; // fine", true),
        ("//! The result is not a page.", true),
        ("/// If there is none.", true),
    ] {
        assert_eq!(faults(line, &phrases).is_empty(), is_fine, "{line}");
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for path in sources(&crates) {
        if path.ends_with("testkit/tests/all/words.rs") {
            continue;
        }
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            for fault in faults(line, &phrases) {
                all.push(format!("{}:{}: {fault}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
