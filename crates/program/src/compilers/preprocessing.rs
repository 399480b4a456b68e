//! Failures of a compiler that lie in what a header brings, or need a header of one's own: the file
//! itself would be reduced to an `#include`, which is not a result, or to one that nobody else can
//! compile.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use minirepro_engine::Outcome;
use minirepro_runner::{CancelToken, HeardProgram, LineMarker, TestEnd, Wish};
use regex::bytes::Regex;

use crate::compilers::compiler_of;
use crate::request::Reduction;
use crate::tester::subject::Test;

/// The least size of a text whose conditions are worth while to be without.
const LARGE: usize = 10_000;

/// What is reduced in place of the file.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// Why.
    pub reason: &'static str,
    /// The command that printed it.
    pub words: Vec<OsString>,
    /// What it printed.
    pub text: Vec<u8>,
}

impl Reduction<'_> {
    /// Returns what the compiler of the test makes of what the file includes, if the test runs one
    /// of C or C++, it fails in the same way on the file and on what is printed, and
    /// - it fails on the `#include` lines alone as well,
    /// - or not without the headers that are not the system's,
    /// - or what is printed is smaller: most of a large file is under conditions that do not hold.
    ///
    /// The compiler gets the arguments that it gets in the test, during which it is asked.
    pub fn preprocessed(&self, test: &dyn Test, stop: &CancelToken) -> Option<Preprocessed> {
        let input = &*self.input;
        let includes = includes(input);
        let is_large = input.len() >= LARGE && has_conditions(input);
        if includes.is_none() && !is_large || compiler_of(test).is_none() {
            return None;
        }
        // The run will say what is wrong with the test.
        let tester = self.tester(test, stop).ok()?;
        let fails = |text: &[u8]| {
            tester.oracle().test(text, stop).is_ok_and(|seen| seen.outcome == Outcome::Fail)
        };
        let listened = tester.listen(input, Some(Wish::Preprocessed), stop)?.ok()?;
        let HeardProgram { words, ending, stdout: text, .. } = listened.granted?;
        if listened.seen.outcome != Outcome::Fail || ending != TestEnd::Exited(0) || text.is_empty()
        {
            return None;
        }
        let reason = match without_own_headers(input, &text) {
            _ if includes.is_some_and(|includes| fails(&includes)) => {
                "the failure lies in what the file includes"
            }
            Some(without) if !fails(&without) => {
                "the failure needs headers that are not the system's"
            }
            _ if is_large && weight(&text) < weight(input) => "it is smaller without conditions",
            _ => return None,
        };
        fails(&text).then_some(Preprocessed { reason, words, text })
    }
}

/// Returns the text without the lines that include a header which is not the system's, if there are
/// any. `printed` is the text as it was preprocessed: its line markers tell whose a header is.
fn without_own_headers(input: &[u8], printed: &[u8]) -> Option<Vec<u8>> {
    let own: Vec<&Path> = lines(printed).filter_map(own_header).collect();
    let is_own = |line: &[u8]| {
        let name = included(line);
        name.is_some_and(|name| name != "" && own.iter().any(|header| header.ends_with(name)))
    };
    let kept: Vec<_> = lines(input).filter(|line| !is_own(line)).collect();
    let without = kept.concat();
    (without.len() < input.len()).then_some(without)
}

/// Returns the header that begins after a line marker `# 1 "DIR/a.h" 1`, unless it is the system's,
/// whose markers end in a 3.
fn own_header(line: &[u8]) -> Option<&Path> {
    let LineMarker { name, flags, .. } = LineMarker::read(line)?;
    let mut flags = flags.trim_ascii().split(|&byte| byte == b' ');
    let is_own = flags.next() == Some(b"1") && flags.next() != Some(b"3");
    name.filter(|_| is_own).map(|name| Path::new(OsStr::from_bytes(name)))
}

/// Returns the lines of a text as a compiler reads them: without comments and ends of lines that
/// are joined. Linear in the text.
fn said(text: &[u8]) -> Vec<u8> {
    // A quote after a digit divides its digits.
    let parts = r#"(?s)\\\r?\n|/\*.*?(?:\*/|$)|//(?:\\\r?\n|[^\n])*|(\w+(?:'\w+)*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"#;
    let parts = Regex::new(parts).expect("a test compiles it");
    parts.replace_all(text, &b"$1"[..]).into_owned()
}

/// Returns whether a part of a text stands under a condition (`#if`).
fn has_conditions(text: &[u8]) -> bool {
    let directive = |line| <[u8]>::trim_ascii_start(line).strip_prefix(b"#");
    let is_condition =
        |line| directive(line).is_some_and(|line| line.trim_ascii_start().starts_with(b"if"));
    lines(&said(text)).any(is_condition)
}

/// Returns how many bytes of a text a compiler has to read: without blank space, comments and line
/// markers.
fn weight(text: &[u8]) -> usize {
    let text = said(text);
    let is_marker = |line: &&[u8]| LineMarker::read(line).is_some();
    let read = lines(&text).filter(|line| !is_marker(line)).flatten();
    read.filter(|byte| !byte.is_ascii_whitespace()).count()
}

/// Returns the lines of a text that include something, if there are any.
pub fn includes(input: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<_> = lines(input).filter(|line| included(line).is_some()).collect();
    (!lines.is_empty()).then(|| lines.concat())
}

/// Returns what a line includes: `a.h` of `#include "a.h"`, nothing of `#include A_HEADER`.
fn included(line: &[u8]) -> Option<&Path> {
    let directive = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let rest = directive.strip_prefix(b"include")?;
    let mut parts = rest.split(|byte| b"\"<>".contains(byte)).skip(1);
    Some(Path::new(OsStr::from_bytes(parts.next().unwrap_or_default())))
}

/// Returns the lines of a text, with their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_are_not_the_systems() {
        let text =
            b"#include <vector>\n#include \"in/a.h\"\n#include <lib/b.h>\n#include H\nint x;\n";
        let printed = b"# 1 \"/usr/include/c++/vector\" 1 3\n# 5 \"/usr/include/c++/vector\" 3\n\
            # 1 \"/src/in/a.h\" 1\n# 2 \"x.cc\" 2\n# 1 \"/src/lib/b.h\" 1\n# 1 \"/usr/include/x.h\" 1 3 4\n";
        let expected = b"#include <vector>\n#include H\nint x;\n";
        assert_eq!(without_own_headers(text, printed).as_deref(), Some(&expected[..]));
        assert_eq!(without_own_headers(expected, printed), None);
    }

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
