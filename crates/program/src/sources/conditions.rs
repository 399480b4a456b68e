//! A text in C or C++ with its conditions decided: of `#if … #else … #endif` only the branch is left
//! that a compiler reads. Macros and what is included stay.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;

use minirepro_runner::shell;

use super::preprocess::printed;
use crate::error::Error;

/// The line that stands in each branch when the preprocessor is asked, before the number of the
/// directive: preprocessors print it where they read the branch.
const MARK: &str = "#pragma minirepro_branch ";

/// Returns the text without conditions, as a command decides them that prints what the compiler
/// reads of a file (`cc -E @@`); `None` if there is no condition. The command runs in the file's
/// directory, on a file elsewhere.
///
/// # Errors
/// If the command fails or prints nothing.
pub fn decided(command: &str, file: &Path, text: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let lines = directives(text);
    if lines.is_empty() {
        return Ok(None);
    }
    let wrong =
        |message: String| Error::PreprocessingFailed { command: command.to_owned(), message };
    let mut marked = Vec::with_capacity(text.len() + lines.len() * 32);
    let mut end = 0;
    for (number, line) in lines.iter().enumerate() {
        marked.extend_from_slice(&text[end..line.span.end]);
        marked.extend_from_slice(format!("{MARK}{number}\n").as_bytes());
        end = line.span.end;
    }
    marked.extend_from_slice(&text[end..]);
    let place = tempfile::tempdir().map_err(|error| wrong(error.to_string()))?;
    let copy = place.path().join(file.file_name().unwrap_or_default());
    std::fs::write(&copy, marked).map_err(|error| wrong(error.to_string()))?;
    // What it includes lies beside the file.
    let script = command.replacen(" -E", " -E -iquote .", 1);
    let script = shell::with_name(OsStr::new(&script), copy.as_os_str());
    let output = printed(command, &script, file)?;
    let read: HashSet<usize> = output
        .split(|&byte| byte == b'\n')
        .filter_map(|line| std::str::from_utf8(line.strip_prefix(MARK.as_bytes())?).ok())
        .filter_map(|number| number.trim().parse().ok())
        .collect();
    Ok(Some(without_conditions(text, &lines, &read)))
}

/// Returns whether a part of a text stands under a condition.
#[must_use]
pub fn has_conditions(text: &[u8]) -> bool {
    !directives(text).is_empty()
}

/// Returns how many bytes of a text a compiler has to read: without blank space, comments and line
/// markers.
pub fn weight(text: &[u8]) -> usize {
    let mut weight = 0;
    let mut state = Lines::default();
    let mut rest = text;
    while !rest.is_empty() {
        let (length, line) = state.next(rest);
        rest = &rest[length..];
        let is_marker =
            line.strip_prefix(b"# ").and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit);
        if !is_marker {
            weight += line.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
        }
    }
    weight
}

/// A line that begins, divides or ends a condition.
struct Directive {
    span: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Begins,
    Divides,
    Ends,
}

/// Returns the directives of conditions, in their order.
fn directives(text: &[u8]) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut state = Lines::default();
    let mut at = 0;
    while at < text.len() {
        let begins_in_comment = state.in_comment;
        let (length, line) = state.next(&text[at..]);
        let span = at..at + length;
        at = span.end;
        let word = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let word = word.filter(|_| !begins_in_comment).unwrap_or_default();
        let end = word.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(word.len());
        let kind = match &word[..end] {
            b"if" | b"ifdef" | b"ifndef" => Kind::Begins,
            b"elif" | b"elifdef" | b"elifndef" | b"else" => Kind::Divides,
            b"endif" => Kind::Ends,
            _ => continue,
        };
        found.push(Directive { span, kind });
    }
    found
}

/// Returns the text of the branches that are read.
fn without_conditions(text: &[u8], lines: &[Directive], read: &HashSet<usize>) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut around = Vec::new();
    let mut is_read = true;
    let mut end = 0;
    for (number, line) in lines.iter().enumerate() {
        if is_read {
            kept.extend_from_slice(&text[end..line.span.start]);
        }
        end = line.span.end;
        is_read = match line.kind {
            Kind::Begins => {
                around.push(is_read);
                is_read && read.contains(&number)
            }
            Kind::Divides => around.last().is_none_or(|&around| around) && read.contains(&number),
            Kind::Ends => around.pop().unwrap_or(true),
        };
    }
    if is_read {
        kept.extend_from_slice(&text[end..]);
    }
    kept
}

/// Reads a text line by line, as a preprocessor does.
#[derive(Default)]
struct Lines {
    /// A comment has begun and not ended.
    in_comment: bool,
}

impl Lines {
    /// Returns the length of the first line, with those that continue it and with its end, and what
    /// it says without comments.
    fn next(&mut self, text: &[u8]) -> (usize, Vec<u8>) {
        let mut said = Vec::new();
        let mut quote = None;
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let rest = &text[at..];
            let joint = [&b"\\\n"[..], b"\\\r\n"].into_iter().find(|joint| rest.starts_with(joint));
            if let Some(joint) = joint {
                at += joint.len();
            } else if self.in_comment && rest.starts_with(b"*/") {
                self.in_comment = false;
                said.push(b' ');
                at += 2;
            } else if byte == b'\n' {
                at += 1;
                // The comment of a directive may go on in the next line, and so does the directive.
                if !(self.in_comment && said.trim_ascii_start().starts_with(b"#")) {
                    return (at, said);
                }
            } else if self.in_comment {
                at += 1;
            } else if let Some(end) = quote {
                let length = if byte == b'\\' { 2.min(rest.len()) } else { 1 };
                said.extend_from_slice(&rest[..length]);
                quote = (byte != end).then_some(end);
                at += length;
            } else if rest.starts_with(b"/*") {
                self.in_comment = true;
                at += 2;
            } else if rest.starts_with(b"//") {
                at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            } else {
                // A quote after a digit divides its digits.
                let digit = said.last().is_some_and(u8::is_ascii_alphanumeric);
                quote = (byte == b'"' || (byte == b'\'' && !digit)).then_some(byte);
                said.push(byte);
                at += 1;
            }
        }
        (at, said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_goes_with_its_conditions() {
        let text = b"#ifndef A /* \n */\n#  define A \\\n#if\n#endif // \"\nint a;\n#if 1'000 > 2\nint b;\n\
            #elif B\nint c; /*\n#else */\n#if C\nint d;\n#endif\n#else\nchar e = '\"';\n#endif\nint f;";
        let lines = directives(text);
        let kinds: Vec<_> = lines.iter().map(|line| text[line.span.clone()].trim_ascii()).collect();
        let expected: [&[u8]; 8] = [
            b"#ifndef A /* \n */",
            b"#endif // \"",
            b"#if 1'000 > 2",
            b"#elif B",
            b"#if C",
            b"#endif",
            b"#else",
            b"#endif",
        ];
        assert_eq!(kinds, expected);
        let of = |read: &[usize]| {
            let kept = without_conditions(text, &lines, &read.iter().copied().collect());
            String::from_utf8(kept).unwrap()
        };
        assert_eq!(of(&[0, 2]), "#  define A \\\n#if\nint a;\nint b;\nint f;");
        assert_eq!(of(&[3]), "int a;\nint c; /*\n#else */\nint f;");
        assert_eq!(of(&[6]), "int a;\nchar e = '\"';\nint f;");
    }

    #[test]
    fn blank_space_comments_and_markers_weigh_nothing() {
        assert_eq!(weight(b"# 1 \"a.c\" 2\n int /* b */ a; // \"\n#define X \\\n 1\n"), 4 + 9);
        assert_eq!(weight(b"\"/*\" '\\'' /* ' */ 1"), 4 + 4 + 1);
    }
}
