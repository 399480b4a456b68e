//! What a test prints on a result, for people on other machines.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::TestEnd;
use crate::overhear::Overheard;
use crate::process::process::Ended;
use crate::spec::launch::Launcher;

/// Names the directory for pictures and texts that a test may add to a report.
const EVIDENCE: &str = "MINIREPRO_EVIDENCE";
/// The number of lines that are shown at the beginning, and at the end.
const LINES: usize = 30;
/// The number of characters of a line that are shown at its beginning, and at its end.
const CHARACTERS: usize = 200;

/// The output of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// How the test ended.
    pub ending: TestEnd,
    /// Its standard output, then its standard error: without control characters, without the
    /// directories of the test, and shortened in the middle.
    pub text: String,
}

impl Printed {
    /// Returns what a test printed in a directory below `scratch`, with what its programs did that
    /// it does not show.
    pub(crate) fn new(ended: &Ended, overheard: &Overheard, scratch: &Path) -> Self {
        let mut text = String::new();
        let mut add = |output: &[u8]| {
            let output = String::from_utf8_lossy(output);
            let output = output.trim_end();
            if !output.trim().is_empty() && !text.contains(output) {
                text.push_str(output);
                text.push('\n');
            }
        };
        add(&ended.stdout);
        add(&ended.stderr);
        for program in &overheard.programs {
            add(&program.stdout);
            add(&program.stderr);
        }
        Self { ending: ended.ending, text: shortened(&without_scratch(&text, scratch)) }
    }
}

/// Tells the programs of a launcher where they may put what belongs in a report; `None` tells them
/// nothing.
pub(crate) fn collect_evidence(launcher: &mut Launcher, directory: Option<&Path>) {
    launcher.environment.retain(|(name, _)| name != EVIDENCE);
    let value = directory.map(|path| PathBuf::from(path).into_os_string());
    launcher.environment.push((OsString::from(EVIDENCE), value));
}

/// Names files of a test as they are named in its directory.
fn without_scratch(text: &str, scratch: &Path) -> String {
    let root = regex::escape(&scratch.to_string_lossy());
    let Ok(inside) = Regex::new(&format!("{root}/[^/\\s\"']+/(?:work(?:/|\\b)|(tmp)\\b)")) else {
        return text.to_owned();
    };
    let named = |found: &regex::Captures<'_>| match (found.get(1), found[0].ends_with('/')) {
        (Some(_), _) => "/tmp",
        (None, true) => "",
        (None, false) => ".",
    };
    inside.replace_all(text, named).into_owned()
}

/// Leaves out lines of a long text that are neither at its ends nor around its message, and
/// characters in the middle of long lines.
fn shortened(text: &str) -> String {
    let clear = |c: char| if c.is_control() && c != '\t' { ' ' } else { c };
    let lines: Vec<&str> = text.lines().collect();
    let shown = |at: usize| {
        let is_at_end = at < LINES || at + LINES >= lines.len();
        let is_near = |message: usize| (message.saturating_sub(3)..message + LINES).contains(&at);
        match message(&lines).filter(|&message| message >= LINES) {
            // What stands before the message is of less use then.
            Some(message) => at < LINES / 3 || at + LINES / 2 >= lines.len() || is_near(message),
            None => is_at_end,
        }
    };
    let is_long = lines.len() > 2 * LINES + 1;
    let shown: Vec<bool> = (0..lines.len()).map(|at| !is_long || shown(at)).collect();
    let mut short = String::new();
    let mut at = 0;
    while at < lines.len() {
        if !shown[at] {
            let left_out = shown[at..].iter().take_while(|is_shown| !**is_shown).count();
            short += &format!("[… {left_out} lines …]\n");
            at += left_out;
            continue;
        }
        let characters: Vec<char> = lines[at].chars().map(clear).collect();
        if characters.len() > 2 * CHARACTERS + 1 {
            short.extend(&characters[..CHARACTERS]);
            short.push('…');
            short.extend(&characters[characters.len() - CHARACTERS..]);
        } else {
            short.extend(&characters);
        }
        short.push('\n');
        at += 1;
    }
    short
}

/// Returns which line says how a program failed.
fn message(lines: &[&str]) -> Option<usize> {
    const MARKS: &[&str] = &[
        "panicked at",
        "internal compiler error",
        "Assertion",
        "ERROR: ",
        "runtime error: ",
        "Stack dump:",
        "Traceback (most recent call last)",
        "LLVM ERROR",
        "fatal error",
        "Check failed",
    ];
    lines.iter().position(|line| MARKS.iter().any(|mark| line.contains(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_long_text_goes() {
        let text: String = (0..100).map(|n| format!("{n}\n")).collect();
        let short = shortened(&text);
        let lines: Vec<&str> = short.lines().collect();
        assert_eq!(lines.len(), 2 * LINES + 1);
        assert_eq!([lines[0], lines[29], lines[30]], ["0", "29", "[… 40 lines …]"]);
        assert_eq!([lines[31], lines[60]], ["70", "99"]);
        let numbers = (0..300).map(|n| match n {
            150 => "thread 'main' panicked at a.rs\n".to_owned(),
            n => format!("{n}\n"),
        });
        let short = shortened(&numbers.collect::<String>());
        assert!(short.contains("panicked at a.rs\n151\n"), "{short}");
        assert!(short.starts_with("0\n") && short.ends_with("299\n"));
        assert_eq!(short.matches(" lines …]").count(), 2);
        let long = "x".repeat(1000);
        assert_eq!(shortened(&long).chars().count(), 2 * CHARACTERS + 2);
        assert_eq!(shortened("a\u{1b}[31m\tb"), "a [31m\tb\n");
    }

    #[test]
    fn the_directory_of_a_test_is_not_named() {
        let scratch = Path::new("/tmp/minirepro-7");
        for (text, expected) in [
            ("/tmp/minirepro-7/00000003/work/a.c:1: error", "a.c:1: error"),
            ("in \"/tmp/minirepro-7/00000003/work\"", "in \".\""),
            ("see /tmp/minirepro-7/00000003/tmp/a-1.sh", "see /tmp/a-1.sh"),
            ("/tmp/other/work/a.c", "/tmp/other/work/a.c"),
        ] {
            assert_eq!(without_scratch(text, scratch), expected);
        }
    }
}
