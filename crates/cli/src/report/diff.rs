//! Two texts as a unified diff for people.

use std::fmt::{self, Write};

use imara_diff::{
    Algorithm, Diff, InternedInput, Interner, Token, UnifiedDiffConfig, UnifiedDiffPrinter,
};

use super::terminal::{name, plain};

/// The number of lines shown around a change, which is the printer's own.
const AROUND: usize = 3;
/// The length from which lines are shown in part.
const WIDTH: usize = 400;

/// Shows a unified diff with a header of two names. Bytes that are not UTF-8 are shown as `\xNN`.
pub fn unified(names: [&str; 2], old: &[u8], new: &[u8]) -> String {
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
    let lines = Lines { of: &input.interner, skipped };
    let [old, new] = names.map(name);
    let diff = diff.unified_diff(&lines, UnifiedDiffConfig::default(), &input);
    format!("--- {old}\n+++ {new}\n{diff}")
}

/// Writes the lines of a diff.
struct Lines<'a> {
    of: &'a Interner<&'a [u8]>,
    /// Lines of both texts before those that are compared.
    skipped: u32,
}

impl Lines<'_> {
    fn write(&self, f: &mut impl Write, sign: char, token: Token) -> fmt::Result {
        let line = self.of[token];
        let end = if line.ends_with(b"\n") { "" } else { "\\ no newline at the end\n" };
        write!(f, "{sign}{}\n{end}", brief(&shown(line), WIDTH))
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
        let range = |at, length| format!("{},{length}", at + self.skipped + u32::from(length > 0));
        writeln!(f, "@@ -{} +{} @@", range(old, olds), range(new, news))
    }

    fn display_context_token(&self, mut f: impl Write, token: Token) -> fmt::Result {
        self.write(&mut f, ' ', token)
    }

    fn display_hunk(&self, mut f: impl Write, olds: &[Token], news: &[Token]) -> fmt::Result {
        olds.iter().try_for_each(|&token| self.write(&mut f, '-', token))?;
        news.iter().try_for_each(|&token| self.write(&mut f, '+', token))
    }
}

/// Returns a line without its end, and without anything that would upset a terminal.
fn shown(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let mut text = String::new();
    for chunk in line.utf8_chunks() {
        text += &plain(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text += &format!("\\x{byte:02x}"));
    }
    text
}

/// Returns a line, of a long one this many characters.
pub fn brief(line: &str, width: usize) -> String {
    match line.char_indices().nth(width) {
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
            unified(["a", "b"], old, new),
            "--- a\n+++ b\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-five\n+fire\n 6\n 7\n 8\n 9\n+\\xff\n\
             \\ no newline at the end\n"
        );
        let hostile = unified(["a\x1b[31m", "b"], b"\x1b]0;x\x07\n", "\u{202e}\n".as_bytes());
        assert!(hostile.contains("a\\u{1b}[31m") && hostile.contains("\\u{1b}]0;x\\u{7}"));
        assert!(!hostile.contains(['\u{202e}', '\x07']), "{hostile:?}");
    }
}
