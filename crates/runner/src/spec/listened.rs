//! The answer of a test, with what its programs say about the candidate: messages are found without
//! knowing the tool, by where they begin, the place that they name, and their words.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::sync::LazyLock;

use minirepro_engine::Message;
use regex::{Captures, Regex};

use crate::overhear::{HeardProgram, Overheard};
use crate::process::process::Ended;
use crate::signature::stack::demangled;
use crate::spec::lines::Lines;
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
        let messages = messages(&all.join(&b'\n'), name, candidate);
        let has_heard = !programs.is_empty() || !all.is_empty();
        Self { seen, messages, has_heard, programs, granted }
    }

    /// Returns how the last program failed that failed on this candidate.
    pub fn failure(&self, candidate: &[u8]) -> Option<Signature> {
        let signatures = Signatures::new(FRAMES, None);
        self.programs.iter().rev().find_map(|program| {
            signatures.seen(program.ending, &program.stdout, &program.stderr, candidate)
        })
    }
}

/// The lines of a text by those that its line markers name.
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
        if let Some(LineMarker { number: there, name, .. }) = LineMarker::read(line) {
            let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
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

/// A line marker (GCC's manual of the preprocessor, "Preprocessor Output").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineMarker<'l> {
    /// The number of the next line.
    pub number: u32,
    /// The name of the file, if it is another one.
    pub name: Option<&'l [u8]>,
    /// What follows it.
    pub flags: &'l [u8],
}

impl<'l> LineMarker<'l> {
    /// Reads a line, if it is one.
    pub fn read(line: &'l [u8]) -> Option<Self> {
        let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
        let rest = rest.strip_prefix(b"line").unwrap_or(rest).trim_ascii();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at(digits);
        let number = std::str::from_utf8(number).ok()?.parse().ok()?;
        let quoted = rest.trim_ascii_start().strip_prefix(b"\"");
        let end = quoted.and_then(|rest| rest.iter().rposition(|&byte| byte == b'"'));
        match quoted.zip(end) {
            Some((rest, end)) => {
                Some(Self { number, name: Some(&rest[..end]), flags: &rest[end + 1..] })
            }
            None => rest.is_empty().then_some(Self { number, name: None, flags: b"" }),
        }
    }
}

/// Returns the line of the text that a message means.
pub(crate) fn own_line(lines: &MarkedLines, name: &str, line: u32) -> Option<u32> {
    let marked = lines.get(name)?;
    let found =
        marked.iter().find(|marked| (marked.there..marked.there + marked.count).contains(&line))?;
    Some(found.here + (line - found.there))
}

/// More messages than that say nothing new.
const MOST_MESSAGES: usize = 100;
/// Longer messages quote the file at length.
const MOST_WORDS: usize = 100;

static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\p{L}_$][\p{L}\p{N}_$]*").expect("the pattern is valid"));
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"['‘`"“]([^'’`"“”\n]+)['’`"”]"#).expect("the pattern is valid"));

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    let place = r#"([^\s"'(,:]+)"?(?:[:(]|, line )(\d+)(?:[:,](\d+))?"#;
    Regex::new(place).expect("the pattern is valid")
});
/// Sequences that only a terminal understands, such as colours.
static ESCAPED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
        .expect("the pattern is valid")
});

/// Returns the messages about the file `name` with this text, or about files that its line markers
/// name: if some are errors, these alone, and each once. Linear in the output.
pub(crate) fn messages(output: &[u8], name: &OsStr, text: &[u8]) -> Vec<Message> {
    let (text, lines) = (Lines::of(text), marked_lines(text));
    let output = String::from_utf8_lossy(output);
    let output = ESCAPED.replace_all(&output, "");
    let name = regex::escape(&name.to_string_lossy());
    let place = Regex::new(&format!(r#"{name}"?(?:[:(]|, line )(\d+)(?:[:,](\d+))?"#));
    let (Ok(place), Ok(about)) = (place, Regex::new(&format!("(?:^|[/ ]){name}[:(\"]"))) else {
        return Vec::new();
    };
    let mut blocks: Vec<Block<'_>> = vec![Block::default()];
    // Lines that say in which function the next message is.
    let mut before: Vec<&str> = Vec::new();
    for line in output.lines() {
        let number = |found: &Captures<'_>, at| {
            found.get(at).and_then(|found| found.as_str().parse().ok()).unwrap_or(0)
        };
        let marked = |found: Captures<'_>| {
            let line = own_line(&lines, found.get(1)?.as_str(), number(&found, 2))?;
            Some((line, number(&found, 3)))
        };
        let by_marker = || PLACE.captures_iter(line).find_map(marked);
        let found = (!lines.is_empty()).then(by_marker).flatten();
        let found = found
            .or_else(|| place.captures(line).map(|found| (number(&found, 1), number(&found, 2))));
        let is_error = line.to_ascii_lowercase().contains("error");
        let is_first = blocks.last().is_some_and(|block| block.lines.is_empty());
        if found.is_some() || is_error && !is_first {
            let lines = before.drain(..).chain([line]).collect();
            blocks.push(Block { place: found, is_error, lines });
        } else if about.is_match(line) {
            before.push(line);
        } else if let Some(last) = blocks.last_mut() {
            last.is_error |= is_error;
            // A message may say where it is on the next line.
            last.lines.push(line);
        }
    }
    let has_errors = blocks.iter().any(|block| block.is_error);
    let wanted = blocks.iter().filter(|block| block.is_error || !has_errors);
    let wanted = wanted.filter(|block| !block.lines.is_empty());
    let mut all: Vec<Message> = Vec::new();
    for message in wanted.map(|block| block.message(&text)) {
        if all.len() == MOST_MESSAGES {
            break;
        }
        if !all.contains(&message) {
            all.push(message);
        }
    }
    all
}

/// The lines of a message.
#[derive(Default)]
struct Block<'o> {
    place: Option<(u32, u32)>,
    is_error: bool,
    lines: Vec<&'o str>,
}

impl Block<'_> {
    fn message(&self, of: &Lines<'_>) -> Message {
        let text = self.lines.join("\n");
        // Before it may stand in which function the message is.
        let is_it = |line: &&&str| line.to_ascii_lowercase().contains("error");
        let first = self.lines.iter().find(is_it).or(self.lines.first());
        let first = first.copied().unwrap_or_default();
        let quoted = QUOTED.captures_iter(first).flat_map(|found| {
            let inside = found.get(1).map_or("", |inside| inside.as_str());
            words(inside).collect::<Vec<_>>()
        });
        let at = self.place.and_then(|place| of.offset(place));
        let here = at.map(|at| of.token(at)).into_iter().collect();
        Message { at, quoted: distinct(quoted), here, others: distinct(words(&text)) }
    }
}

fn distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        if all.len() >= MOST_WORDS {
            break;
        }
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// Returns the words of a text; of a mangled name, the words of what it stands for.
fn words(text: &str) -> impl Iterator<Item = String> {
    let inside = |word: &str| WORD.find_iter(word).map(|word| word.as_str().to_owned()).collect();
    let whole = |word: &str| vec![word.to_owned()];
    let words = WORD.find_iter(text).map(|word| word.as_str());
    words.flat_map(move |word| -> Vec<String> {
        demangled(word).map_or_else(|| whole(word), |name| inside(&name))
    })
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

#[cfg(test)]
mod messages_tests {
    use super::*;

    fn shown(output: &str, name: &str) -> Vec<String> {
        // Lines of 99 blanks.
        let text = format!("{:99}\n", "").repeat(20);
        let show = |message: &Message| {
            let place =
                message.at.map_or("-".into(), |at| format!("{}:{}", at / 100 + 1, at % 100 + 1));
            let others = message.others.iter().filter(|word| !message.quoted.contains(word));
            let others: Vec<&str> = others.map(|word| &**word).collect();
            format!("{place} [{}] {}", message.quoted.join(" "), others.join(" "))
        };
        messages(output.as_bytes(), OsStr::new(name), text.as_bytes()).iter().map(show).collect()
    }

    #[test]
    fn errors_of_compilers_have_places_and_quoted_words() {
        let clang = "a.cc:1:2: warning: unused variable 'x'\n\
                     a.cc:3:14: error: no member named 'f' in 'n::s<int>'\n  s.f(g);\n    ^\n\
                     a.cc:9:1: note: declared here\n1 error generated.\n";
        assert_eq!(
            shown(clang, "a.cc"),
            ["3:14 [f n s int] a cc error no member named in g", "- [] error generated"]
        );
        let gcc = "a.c: In function ‘main’:\na.c:4:3: error: ‘y’ undeclared\n";
        assert_eq!(shown(gcc, "a.c"), ["4:3 [y] a c In function main error undeclared"]);
        let rustc = "error[E0425]: cannot find value `x` in this scope\n --> src/a.rs:2:5\n";
        assert_eq!(shown(rustc, "a.rs")[0], "- [x] error E0425 cannot find value in this scope");
        let tsc = "a.ts(7,12): error TS2304: Cannot find name 'q'.\n";
        assert_eq!(shown(tsc, "a.ts"), ["7:12 [q] a ts error TS2304 Cannot find name"]);
        let go = "./a.go:3:5: undefined: foo\n";
        assert_eq!(shown(go, "a.go"), ["3:5 [] a go undefined foo"]);
        let python =
            "  File \"a.py\", line 12, in f\n    g()\nNameError: name 'g' is not defined\n";
        assert!(shown(python, "a.py").iter().any(|message| message.contains("[g]")));
        assert_eq!(shown("", "a.c"), [""; 0]);
    }

    #[test]
    fn a_mangled_name_is_the_names_in_it() {
        let crash = "fatal error: cannot select (in function: _ZN3foo6detail3barEv)\n";
        assert_eq!(
            shown(crash, "a.cc"),
            ["- [] fatal error cannot select in function foo detail bar"]
        );
    }
}
