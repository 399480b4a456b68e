//! Two texts as a unified diff for people, coloured where that helps.

use std::fmt::{self, Write};
use std::io::{self, IsTerminal};

use imara_diff::{
    Algorithm, Diff, InternedInput, Interner, Token, UnifiedDiffConfig, UnifiedDiffPrinter,
};
use minirepro_program::align;

use super::terminal::{is_hostile, name};

/// The number of lines shown around a change, which is the printer's own.
const AROUND: usize = 3;
/// The length from which lines are shown in part.
const WIDTH: usize = 400;

/// Returns whether standard output gets colours: on a terminal, unless NO_COLOR is set.
pub fn has_colors() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Shows a unified diff with a header of two names; in colour, what changed within a line is
/// marked. Bytes that are not UTF-8 are shown as `\xNN`.
pub fn unified(names: [&str; 2], old: &[u8], new: &[u8], color: bool) -> String {
    // The printer takes too many lines before a first change from the fifth to the seventh line.
    let ends = |byte: &u8| *byte == b'\n';
    let same = old.split_inclusive(ends).zip(new.split_inclusive(ends)).take_while(|(a, b)| a == b);
    let same: Vec<usize> = same.map(|(line, _)| line.len()).collect();
    let skipped = same.len().saturating_sub(AROUND);
    let begin: usize = same[..skipped].iter().sum();
    let input = InternedInput::new(&old[begin..], &new[begin..]);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let skipped = u32::try_from(skipped).unwrap_or(u32::MAX);
    let lines = Lines { of: &input.interner, color, skipped };
    let [old, new] = names.map(name);
    let header = [format!("--- {old}"), format!("+++ {new}")];
    let header: String = header.iter().map(|line| lines.styled(BOLD, line) + "\n").collect();
    header + &diff.unified_diff(&lines, UnifiedDiffConfig::default(), &input).to_string()
}

const BOLD: &str = "1";
const CYAN: &str = "36";
const RED: &str = "31";
const GREEN: &str = "32";

/// Writes the lines of a diff.
struct Lines<'a> {
    of: &'a Interner<&'a [u8]>,
    color: bool,
    /// Lines of both texts before those that are compared.
    skipped: u32,
}

impl Lines<'_> {
    fn styled(&self, style: &str, text: &str) -> String {
        if self.color { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Writes lines of one side; what is not in the other line of a pair is marked.
    fn side(&self, sign: char, style: &str, lines: &[Token], others: &[Token]) -> String {
        let line = |(at, &token): (usize, &Token)| {
            let line = shown(self.of[token]);
            let other = others.get(at).filter(|_| self.color && lines.len() == others.len());
            let text = match other {
                Some(&other) if line.len() <= WIDTH => marked(&shown(self.of[other]), &line),
                _ => brief(&line),
            };
            self.styled(style, &format!("{sign}{text}")) + end(self.of[token])
        };
        lines.iter().enumerate().map(line).collect()
    }
}

impl UnifiedDiffPrinter for Lines<'_> {
    fn display_header(
        &self,
        mut f: impl Write,
        old: u32,
        new: u32,
        olds: u32,
        news: u32,
    ) -> fmt::Result {
        let start = |at, length| at + self.skipped + u32::from(length > 0);
        let range = |at, length| format!("{},{length}", start(at, length));
        let head = format!("@@ -{} +{} @@", range(old, olds), range(new, news));
        writeln!(f, "{}", self.styled(CYAN, &head))
    }

    fn display_context_token(&self, mut f: impl Write, token: Token) -> fmt::Result {
        write!(f, " {}{}", brief(&shown(self.of[token])), end(self.of[token]))
    }

    fn display_hunk(&self, mut f: impl Write, olds: &[Token], news: &[Token]) -> fmt::Result {
        f.write_str(&self.side('-', RED, olds, news))?;
        f.write_str(&self.side('+', GREEN, news, olds))
    }
}

/// Marks what is not in another line.
fn marked(other: &str, line: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let runs = align(other.chars(), line.chars()).into_iter().map(|run| {
        let part: String = chars[run.new].iter().collect();
        if run.common { part } else { format!("\x1b[7m{part}\x1b[27m") }
    });
    runs.collect()
}

fn end(line: &[u8]) -> &'static str {
    if line.ends_with(b"\n") { "\n" } else { "\n\\ no newline at the end\n" }
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
