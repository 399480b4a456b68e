//! What a text in C or C++ includes: nothing of that is reduced with it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::shell::quote_all;

/// Says that what a result includes was not reduced, if it includes anything; `preprocessor` would
/// print it.
pub fn not_reduced(result: &[u8], preprocessor: Option<&str>) -> String {
    let Some(includes) = includes(result) else { return String::new() };
    let mut told = String::new();
    if includes.trim_ascii().len() == result.trim_ascii().len() {
        told.push_str("  nothing but #include is left: the failure lies in what that brings\n");
    }
    let command = quote_all(&[preprocessor.unwrap_or("cc -E -P @@")]);
    told.push_str(&format!(
        "  what it includes was not reduced: --preprocess {command} would reduce that, too\n"
    ));
    if preprocessor.is_none() {
        told.push_str(
            "    (in the place of cc, the compiler of the test with its options; -E follows -cc1)\n",
        );
    }
    told
}

/// Returns the lines that include something, if there are any.
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
