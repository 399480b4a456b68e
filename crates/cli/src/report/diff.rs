//! Two texts as a unified diff for people, coloured where that helps.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::ops::Range;

use minirepro_program::align;

use super::terminal::{is_hostile, name};
use crate::args::Color;

/// The number of lines shown around a change.
const AROUND: usize = 3;
/// The length from which lines are shown in part.
const WIDTH: usize = 400;

impl Color {
    /// Returns whether standard output gets colours.
    pub fn is_on(self) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                io::stdout().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        }
    }
}

/// Shows a unified diff with a header of two names; in colour, what changed within a line is
/// marked. Bytes that are not UTF-8 are shown as `\xNN`.
pub fn unified(names: [&str; 2], old: &[u8], new: &[u8], color: bool) -> String {
    let lines = |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |&b| b == b'\n').collect() };
    let (olds, news) = (lines(old), lines(new));
    let runs = align(olds.iter().copied(), news.iter().copied());
    let mut text = String::new();
    let paint = Paint { color };
    paint.line(&mut text, BOLD, &format!("--- {}", name(names[0])));
    paint.line(&mut text, BOLD, &format!("+++ {}", name(names[1])));
    let changes: Vec<_> = runs.into_iter().filter(|run| !run.common).collect();
    for hunk in changes.chunk_by(|a, b| b.old.start - a.old.end <= 2 * AROUND) {
        let (first, last) = (&hunk[0], &hunk[hunk.len() - 1]);
        let before = first.old.start.min(AROUND);
        let after = (olds.len() - last.old.end).min(AROUND);
        let range = |range: Range<usize>| {
            let start = if range.is_empty() { range.start } else { range.start + 1 };
            format!("{start},{}", range.len())
        };
        let head = format!(
            "@@ -{} +{} @@",
            range(first.old.start - before..last.old.end + after),
            range(first.new.start - before..last.new.end + after)
        );
        paint.line(&mut text, CYAN, &head);
        let mut at = first.old.start - before;
        for run in hunk {
            olds[at..run.old.start].iter().for_each(|line| paint.plain(&mut text, line));
            paint.change(&mut text, &olds[run.old.clone()], &news[run.new.clone()]);
            at = run.old.end;
        }
        olds[at..at + after].iter().for_each(|line| paint.plain(&mut text, line));
    }
    text
}

const BOLD: &str = "1";
const CYAN: &str = "36";
const RED: &str = "31";
const GREEN: &str = "32";
const MARK: &str = "7";

struct Paint {
    color: bool,
}

impl Paint {
    fn line(&self, to: &mut String, style: &str, line: &str) {
        let written = if self.color {
            writeln!(to, "\x1b[{style}m{line}\x1b[0m")
        } else {
            writeln!(to, "{line}")
        };
        written.expect("strings take anything");
    }

    fn plain(&self, to: &mut String, line: &[u8]) {
        to.push(' ');
        to.push_str(&brief(&shown(line)));
        self.end(to, line);
    }

    /// Shows what became of some lines. Where one line became one line, its changed part is marked.
    fn change(&self, to: &mut String, olds: &[&[u8]], news: &[&[u8]]) {
        let pair =
            |i: usize| Some((olds.get(i)?, news.get(i)?)).filter(|_| olds.len() == news.len());
        for (i, line) in olds.iter().enumerate() {
            self.side(to, ('-', RED), line, pair(i).map(|(_, new)| *new));
        }
        for (i, line) in news.iter().enumerate() {
            self.side(to, ('+', GREEN), line, pair(i).map(|(old, _)| *old));
        }
    }

    fn side(
        &self,
        to: &mut String,
        (sign, style): (char, &str),
        line: &[u8],
        other: Option<&[u8]>,
    ) {
        let shown_line = shown(line);
        if !self.color {
            to.push(sign);
            to.push_str(&brief(&shown_line));
            return self.end(to, line);
        }
        write!(to, "\x1b[{style}m{sign}").expect("strings take anything");
        match other.map(shown) {
            Some(other) if shown_line.len() <= WIDTH => {
                let runs = align(other.chars(), shown_line.chars());
                let chars: Vec<char> = shown_line.chars().collect();
                for run in runs {
                    let part: String = chars[run.new].iter().collect();
                    if run.common {
                        to.push_str(&part);
                    } else {
                        write!(to, "\x1b[{MARK}m{part}\x1b[27m").expect("strings take anything");
                    }
                }
            }
            _ => to.push_str(&brief(&shown_line)),
        }
        to.push_str("\x1b[0m");
        self.end(to, line);
    }

    fn end(&self, to: &mut String, line: &[u8]) {
        to.push('\n');
        if !line.ends_with(b"\n") {
            to.push_str("\\ no newline at the end\n");
        }
    }
}

/// Returns a line without its end, and without anything that would upset a terminal.
fn shown(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let mut text = String::new();
    for chunk in line.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_hostile(c) && c != '\t' {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        chunk.invalid().iter().for_each(|byte| text += &format!("\\x{byte:02x}"));
    }
    text
}

fn brief(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}… ({} bytes)", &line[..end], line.len()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_diff_reads_as_one_expects() {
        let old = b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let new = b"1\n2\n3\n4\nfire\n6\n7\n8\n9\n\xff";
        assert_eq!(
            unified(["a", "b"], old, new, false),
            "--- a\n+++ b\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-five\n+fire\n 6\n 7\n 8\n 9\n+\\xff\n\
             \\ no newline at the end\n"
        );
        let hostile =
            unified(["a\x1b[31m", "b"], b"\x1b]0;x\x07\n", "\u{202e}\n".as_bytes(), false);
        assert!(hostile.contains("a\\u{1b}[31m") && hostile.contains("\\u{1b}]0;x\\u{7}"));
        assert!(!hostile.contains(['\u{202e}', '\x07']), "{hostile:?}");
        let colored = unified(["a", "b"], b"five\n", b"fire\n", true);
        assert!(colored.contains("\x1b[32m+fi\x1b[7mr\x1b[27me\x1b[0m"), "{colored:?}");
    }
}
