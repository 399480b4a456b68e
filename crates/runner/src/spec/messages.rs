//! The messages in what a tool prints about a file, without knowing the tool: where they begin, the
//! place that they name, their words.

use std::ffi::OsStr;
use std::sync::LazyLock;

use minirepro_engine::Message;
use regex::{Captures, Regex};

use crate::mangled::demangled;
use crate::spec::listened::{MarkedLines, own_line};

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

/// Returns the messages about the file `name`, or about files that its line markers name: if some
/// are errors, these alone, and each once. Linear in the output.
pub(crate) fn messages(output: &[u8], name: &OsStr, lines: &MarkedLines) -> Vec<Message> {
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
            let line = own_line(lines, found.get(1)?.as_str(), number(&found, 2))?;
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
    for message in wanted.map(Block::message) {
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
    fn message(&self) -> Message {
        let text = self.lines.join("\n");
        // Before it may stand in which function the message is.
        let is_it = |line: &&&str| line.to_ascii_lowercase().contains("error");
        let first = self.lines.iter().find(is_it).or(self.lines.first());
        let first = first.copied().unwrap_or_default();
        let quoted = QUOTED.captures_iter(first).flat_map(|found| {
            let inside = found.get(1).map_or("", |inside| inside.as_str());
            words(inside).collect::<Vec<_>>()
        });
        Message { place: self.place, quoted: distinct(quoted), others: distinct(words(&text)) }
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

    fn shown(output: &str, name: &str) -> Vec<String> {
        let show = |message: &Message| {
            let place =
                message.place.map_or("-".into(), |(line, column)| format!("{line}:{column}"));
            let others = message.others.iter().filter(|word| !message.quoted.contains(word));
            let others: Vec<&str> = others.map(|word| &**word).collect();
            format!("{place} [{}] {}", message.quoted.join(" "), others.join(" "))
        };
        messages(output.as_bytes(), OsStr::new(name), &MarkedLines::new())
            .iter()
            .map(show)
            .collect()
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
