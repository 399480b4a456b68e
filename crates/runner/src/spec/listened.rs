//! The answer of a test, with what its programs say about the candidate.

use std::collections::HashMap;
use std::ffi::OsStr;

use minirepro_engine::Message;

use crate::overhear::{HeardProgram, Overheard};
use crate::process::process::Ended;
use crate::spec::messages::messages;
use crate::{Observation, Signature, Signatures};

/// How many frames of a stack tell ends of programs from each other.
const FRAMES: usize = 3;

/// The answer of a test whose programs were overheard.
#[derive(Clone, Debug)]
pub struct Listened {
    /// The answer.
    pub seen: Observation,
    /// Their messages about the candidate.
    pub messages: Vec<Message>,
    /// Whether any program was heard.
    pub has_heard: bool,
    /// The programs that were heard.
    pub programs: Vec<HeardProgram>,
    /// The command that granted the wish.
    pub granted: Option<HeardProgram>,
}

impl Listened {
    /// Reads what was heard of a test on this candidate.
    pub(crate) fn new(
        seen: Observation,
        ended: &Ended,
        overheard: Overheard,
        name: &OsStr,
        candidate: &[u8],
    ) -> Self {
        let Overheard { programs, granted } = overheard;
        let mut all: Vec<&[u8]> = Vec::new();
        let outputs = programs.iter().flat_map(|program| [&program.stderr, &program.stdout]);
        for output in outputs.chain([&ended.stderr, &ended.stdout]) {
            // Whoever starts a program often passes on what it says.
            let is_new = |known: &&[u8]| memchr::memmem::find(known, output).is_none();
            if !output.is_empty() && all.iter().all(is_new) {
                all.push(output);
            }
        }
        let lines = marked_lines(candidate);
        let messages = messages(&all.join(&b'\n'), name, &lines);
        let has_heard = !programs.is_empty() || !all.is_empty();
        Self { seen, messages, has_heard, programs, granted }
    }

    /// Returns how the last program failed that failed on this candidate.
    pub fn failure(&self, candidate: &[u8]) -> Option<Signature> {
        let signatures = Signatures::new(FRAMES);
        self.programs.iter().rev().find_map(|program| {
            signatures.seen(program.ending, &program.stdout, &program.stderr, candidate)
        })
    }
}

/// The lines of a text by those that its line markers name (GCC's manual of the preprocessor,
/// "Preprocessor Output").
pub(crate) type MarkedLines = HashMap<String, Vec<Marked>>;

/// Lines after a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marked {
    /// The first of them, by the marker.
    there: u32,
    /// The first of them in the text.
    here: u32,
    count: u32,
}

/// Reads the line markers of a text. Linear in it.
fn marked_lines(text: &[u8]) -> MarkedLines {
    let mut all = MarkedLines::new();
    let mut current: Option<(String, Marked)> = None;
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        if let Some((there, name)) = marker(line) {
            let name = name.or_else(|| current.as_ref().map(|(name, _)| name.clone()));
            if let Some((name, marked)) = current.take() {
                all.entry(name).or_default().push(marked);
            }
            current = name.map(|name| (name, Marked { there, here: number + 1, count: 0 }));
        } else if let Some((_, marked)) = &mut current {
            marked.count += 1;
        }
    }
    if let Some((name, marked)) = current {
        all.entry(name).or_default().push(marked);
    }
    all
}

/// Returns the number and the name in a line marker.
fn marker(line: &[u8]) -> Option<(u32, Option<String>)> {
    let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let rest = std::str::from_utf8(rest.strip_prefix(b"line").unwrap_or(rest)).ok()?.trim();
    let (number, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = number.parse().ok()?;
    match rest.trim_start().strip_prefix('"').and_then(|rest| rest.rsplit_once('"')) {
        Some((name, _)) => Some((number, Some(name.to_owned()))),
        None => rest.is_empty().then_some((number, None)),
    }
}

/// Returns the line of the text that a message means.
pub(crate) fn own_line(lines: &MarkedLines, name: &str, line: u32) -> Option<u32> {
    let marked = lines.get(name)?;
    let found =
        marked.iter().find(|marked| (marked.there..marked.there + marked.count).contains(&line))?;
    Some(found.here + (line - found.there))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_by_line_markers_are_those_of_the_text() {
        let text =
            b"# 1 \"main.cc\"\n# 7 \"/usr/include/a.h\" 1 3 4\nint a;\n#pragma once\n  #line 9\n\
                     #define N 3\n# 2 \"main.cc\" 2\nint b;";
        let lines = marked_lines(text);
        for (name, line, expected) in [
            ("/usr/include/a.h", 8, Some(4)),
            ("/usr/include/a.h", 9, Some(6)),
            ("main.cc", 2, Some(8)),
            ("main.cc", 1, None),
            ("other.h", 1, None),
        ] {
            assert_eq!(own_line(&lines, name, line), expected, "{name}:{line}");
        }
    }
}
