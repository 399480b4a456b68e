//! How much a compiler of C or C++ has to read of a text, and whether it decides what it reads.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Returns whether a part of a text stands under a condition (`#if`).
pub fn has_conditions(text: &[u8]) -> bool {
    let mut state = Lines::default();
    let mut rest = text;
    while !rest.is_empty() {
        let begins_in_comment = state.in_comment;
        let (length, line) = state.next(rest);
        rest = &rest[length..];
        let directive = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        if !begins_in_comment && directive.is_some_and(|words| words.starts_with(b"if")) {
            return true;
        }
    }
    false
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

/// Returns the lines of a text that include something, if there are any.
pub fn includes(input: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<_> = lines(input).filter(|line| included(line).is_some()).collect();
    (!lines.is_empty()).then(|| lines.concat())
}

/// Returns what a line includes: `a.h` of `#include "a.h"`, nothing of `#include A_HEADER`.
pub fn included(line: &[u8]) -> Option<&Path> {
    let directive = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let rest = directive.strip_prefix(b"include")?;
    let mut parts = rest.split(|byte| b"\"<>".contains(byte)).skip(1);
    Some(Path::new(OsStr::from_bytes(parts.next().unwrap_or_default())))
}

/// Returns the lines of a text, with their ends.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
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
    fn lines_that_include() {
        let text = b"#include <a>\nint x;\n  # include \"b\"\n#define include\n";
        assert_eq!(includes(text).as_deref(), Some(&b"#include <a>\n  # include \"b\"\n"[..]));
        assert_eq!(includes(b"int x;\n"), None);
    }

    #[test]
    fn conditions_are_directives() {
        assert!(has_conditions(b"int a; /*\n*/\n # \\\n ifdef A\n#endif\n"));
        assert!(!has_conditions(b"#define A \\\n#if\n/*\n#if 1 */\n\"#if\"\n"));
    }

    #[test]
    fn blank_space_comments_and_markers_weigh_nothing() {
        assert_eq!(weight(b"# 1 \"a.c\" 2\n int /* b */ a; // \"\n#define X \\\n 1\n"), 5 + 9);
        assert_eq!(weight(b"\"/*\" '\\'' /* ' */ 1'000"), 4 + 4 + 5);
    }
}
