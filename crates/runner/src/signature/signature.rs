//! The name of a failure, made from the output and the end of a run without the parts that change
//! from run to run. Two runs with the same signature show the same failure.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use cpp_demangle::{DemangleOptions, Symbol};
use regex::{Captures, Regex};
use serde::{Deserialize, Serialize};
use signal_hook::low_level::signal_name;

use crate::TestEnd;
use crate::signature::patterns::{
    AROUND, BEGINNING, FRAMES, FailurePattern, Order, PATTERNS, PLACE, REPORTING, Text,
};

/// The kind of a failure of which only the signal is known.
const KILLED: &str = "killed";

/// What names in messages stand between.
const QUOTES: [char; 7] = ['\'', '"', '`', '‘', '’', '“', '”'];

/// A word of a message that is another one in each run.
const DIFFERENT: &str = "[…]";

/// Returns whether a message says the same as one in which some words are left out.
fn is_like(message: &str, seen: &str) -> bool {
    let (own, others) = (message.split(' '), seen.split(' '));
    own.clone().count() == others.clone().count()
        && own.zip(others).all(|(own, other)| own == other || own == DIFFERENT)
}

/// The number of characters of a message that count.
const MESSAGE: usize = 200;
/// The number of innermost frames that may belong to the report of a failure.
const TOP: usize = 16;

/// The name of a failure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Signature {
    /// The kind of failure, in a few words.
    pub kind: String,
    /// The program's message, normalised; may be empty.
    pub message: String,
    /// The innermost functions, innermost first; may be empty.
    pub frames: Vec<String>,
    /// The file and the line in the innermost function, where they count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The exit code or the signal.
    pub end: String,
    /// Whether the program crashed, not only complained.
    pub crash: bool,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        if !self.frames.is_empty() {
            write!(f, " in {}", self.frames.join(" < "))?;
        }
        if let Some(place) = &self.place {
            write!(f, " at {place}")?;
        }
        write!(f, " ({})", self.end)
    }
}

impl Signature {
    /// Makes the signature of a failure of which nothing is known but its kind and how it ends.
    pub fn bare(kind: &str, end: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            message: String::new(),
            frames: Vec::new(),
            place: None,
            end: end.to_owned(),
            crash: false,
        }
    }

    /// Returns whether only a signal is known of the failure: any other one with that signal has
    /// the same signature.
    pub fn is_weak(&self) -> bool {
        self.kind == KILLED && self.message.is_empty() && self.frames.is_empty()
    }

    /// Returns whether another run shows this failure.
    pub fn is_shown_by(&self, seen: &Self) -> bool {
        self.frames == seen.frames
            && self.place == seen.place
            && (&self.kind, &self.end, self.crash) == (&seen.kind, &seen.end, seen.crash)
            && (self.message == seen.message || is_like(&self.message, &seen.message))
    }

    /// Returns whether another failure differs in nothing but names, numbers and values.
    pub fn is_alike(&self, other: &Self) -> bool {
        let words = |signature: &Self| {
            let message = signature.message.clone();
            let outside = message.split(QUOTES).step_by(2).map(str::to_owned);
            let words = outside.flat_map(|text| {
                let words = text.split(|c: char| !c.is_alphabetic()).map(str::to_owned);
                words.filter(|word| word.len() > 1).collect::<Vec<_>>()
            });
            words.collect::<Vec<_>>()
        };
        (&self.kind, &self.end, words(self)) == (&other.kind, &other.end, words(other))
    }

    /// Leaves out of the message the words that another run on the same input writes otherwise,
    /// such as names of temporary files.
    pub fn without_differences(&mut self, seen: &Self) {
        let (own, others) = (self.message.split(' '), seen.message.split(' '));
        if own.clone().count() != others.clone().count() {
            return;
        }
        let words = own
            .zip(others)
            .map(|(own, other)| if own == other { own.to_owned() } else { DIFFERENT.to_owned() });
        self.message = words.collect::<Vec<_>>().join(" ");
    }

    /// Returns the same without what stands in quotes in its message.
    #[must_use]
    pub fn without_quotes(&self) -> Self {
        let message = NORMAL.quoted.replace_all(&self.message, BLANK).into_owned();
        Self { message, ..self.clone() }
    }

    /// Leaves out of the message what is left out of it where the signature is written like this.
    pub fn pin(&mut self, written: &str) {
        let whole = self.to_string();
        let message = written
            .strip_prefix(&format!("{}: ", self.kind))
            .and_then(|rest| rest.strip_suffix(whole.rsplit_once(&self.message)?.1));
        if let Some(message) = message.filter(|message| is_like(message, &self.message)) {
            self.message = message.to_owned();
        }
    }

    /// Returns whether the program only complains that it does not find a file. In the directory of
    /// a test, that is seldom the failure that a user wants to see reduced.
    pub fn is_about_a_missing_file(&self) -> bool {
        const WORDS: &[&str] =
            &["No such file or directory", "file not found", "cannot find module", "ENOENT"];
        let message = self.message.to_ascii_lowercase();
        !self.crash && WORDS.iter().any(|words| message.contains(&words.to_ascii_lowercase()))
    }
}

/// The table of messages, with the expressions compiled.
static MESSAGES: LazyLock<Vec<(&FailurePattern, Regex)>> =
    LazyLock::new(|| PATTERNS.iter().map(|known| (known, compile(known.pattern))).collect());

static STACK: LazyLock<Stack> = LazyLock::new(|| Stack {
    lines: FRAMES.iter().map(|(pattern, order)| (compile(pattern), *order)).collect(),
    place: compile(PLACE),
    beginning: compile(BEGINNING),
    reporting: compile(REPORTING),
    around: compile(AROUND),
});

static NORMAL: LazyLock<Normal> = LazyLock::new(|| Normal {
    exact: table(&[(r"0x[0-9a-fA-F]+", "0x"), (r"(\.\w+):\d+(?::\d+)*", "$1"), (r"\s+", " ")]),
    quoted: compile(r#"‘[^’]*’|“[^”]*”|"[^"]*"|`[^`]*`|`[^`']*'|\B'[^']*'"#),
    loose: table(&[
        (r"(?:[\w.+-]*/)+([\w.+-]+)", "$1"),
        (r"<[^<>]*>", "<…>"),
        // A variable of PHP, Perl or a shell.
        (r"\$[A-Za-z_]\w*", "$…"),
        // A symbol, as LLVM writes it.
        (r"@[A-Za-z_$.][\w$.]*", "@…"),
        (r"\b\d+\b", "N"),
    ]),
});

/// Recognises failures.
#[derive(Debug)]
pub struct Signatures {
    frames: usize,
    /// What stands in quotes in messages, and is not blanked.
    kept: BTreeSet<String>,
    /// If the place in the innermost function counts: the name of the candidate, in which no place
    /// does.
    with_place: Option<String>,
}

impl Signatures {
    /// Returns a recogniser of signatures with at most `frames` stack frames: the more, the more
    /// precise.
    ///
    /// With the name of the candidate, the file and the line in the innermost function count, too:
    /// two failures of one function are two then, and so is one failure in two builds of the
    /// program. Lines of the candidate itself, which an interpreter names, never count.
    pub fn new(frames: usize, with_place: Option<String>) -> Self {
        Self { frames, kept: BTreeSet::new(), with_place }
    }

    /// Returns the signature of a run on the unchanged input. What stands in quotes in its message
    /// and is not a name of the input (`'NoneType' object has no attribute …`) tells it from
    /// others; in later runs it is not blanked, either. Linear in the sizes of the input and the
    /// outputs.
    pub fn learn(
        &mut self,
        ending: TestEnd,
        stdout: &[u8],
        stderr: &[u8],
        input: &[u8],
    ) -> Option<Signature> {
        let signature = self.seen(ending, stdout, stderr, input)?;
        self.keep(&signature.message);
        Some(signature)
    }

    /// Returns the signature that [`learn`](Self::learn) does, and learns nothing.
    pub fn seen(
        &self,
        ending: TestEnd,
        stdout: &[u8],
        stderr: &[u8],
        input: &[u8],
    ) -> Option<Signature> {
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || !b.is_ascii();
        let words: HashSet<&[u8]> = input.split(|b| !is_word(b)).collect();
        let keeps = |quoted: &str| {
            let mut all = quoted.as_bytes().split(|b| !is_word(b)).filter(|word| !word.is_empty());
            all.clone().next().is_some() && all.all(|word| !words.contains(word))
        };
        self.of_keeping(ending, stdout, stderr, &keeps)
    }

    /// Blanks nothing from now on that stands in quotes in this message of a signature.
    pub fn keep(&mut self, message: &str) {
        let all = NORMAL.quoted.find_iter(message).map(|found| found.as_str());
        self.kept = all.filter(|quoted| *quoted != BLANK).map(str::to_owned).collect();
    }

    /// Returns the signature of a run; `None` if nothing went wrong, or if we ended it ourselves.
    /// Standard error comes before standard output. Linear in the size of the outputs.
    pub fn of(&self, ending: TestEnd, stdout: &[u8], stderr: &[u8]) -> Option<Signature> {
        self.of_keeping(ending, stdout, stderr, &|quoted| self.kept.contains(quoted))
    }

    fn of_keeping(
        &self,
        ending: TestEnd,
        stdout: &[u8],
        stderr: &[u8],
        keeps: &dyn Fn(&str) -> bool,
    ) -> Option<Signature> {
        let end = match ending {
            TestEnd::Exited(code) => format!("exit code {code}"),
            TestEnd::Signaled(signal) => {
                signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
            }
            TestEnd::TimedOut | TestEnd::TooMuchOutput | TestEnd::Stopped => return None,
        };
        let text = text(stdout, stderr);
        for (known, found) in self.recognised(ending, &text) {
            let mut report = found.get(0).map_or(0..0, |found| found.range());
            // Of several tracebacks in one report, the last is meant.
            report.start += text[report.clone()].rfind("\nTraceback (most ").unwrap_or(0);
            let (frames, place) = match known.frames {
                true => self.frames_in(&text, report),
                false => (Vec::new(), None),
            };
            let said = joined(&found, " ");
            let message = NORMAL.message(&said, known.text, keeps);
            // What nothing is left of tells no failure from another.
            if frames.is_empty() && !said.trim().is_empty() && !NORMAL.says_something(&message) {
                continue;
            }
            let (kind, crash) = (known.kind.to_owned(), known.crash);
            return Some(Signature { kind, message, frames, place, end, crash });
        }
        let (kind, crash) = match ending {
            TestEnd::Exited(0) => return None,
            // These are a shell's exit codes for a program that was killed by a signal.
            TestEnd::Exited(code) => ("failure", (129..160).contains(&code)),
            _ => (KILLED, true),
        };
        let (frames, place) = if crash { self.frames_in(&text, 0..0) } else { (Vec::new(), None) };
        // Whoever ends itself says why before.
        let says_why = matches!(ending, TestEnd::Signaled(6) | TestEnd::Exited(134));
        let last = String::from_utf8_lossy(stderr);
        let last = last.lines().rev().find(|line| !line.trim().is_empty()).filter(|_| says_why);
        let last = last.filter(|_| frames.is_empty()).unwrap_or_default();
        let message = NORMAL.message(last, Text::Loose, keeps);
        Some(Signature { kind: kind.to_owned(), message, frames, place, end, crash })
    }

    fn recognised<'t>(
        &'t self,
        ending: TestEnd,
        text: &'t str,
    ) -> impl Iterator<Item = (&'static FailurePattern, Captures<'t>)> {
        // A complaint before a signal is not the reason for the signal.
        let complained = matches!(ending, TestEnd::Exited(1..=128 | 160..));
        let possible = MESSAGES.iter().filter(move |(known, _)| known.crash || complained);
        possible.filter_map(move |(known, pattern)| Some((*known, pattern.captures(text)?)))
    }

    /// Returns the frames of a report that was found at `place`: those that stand in it (Python),
    /// or else after it, or else anywhere. There may be several stacks; the later ones are seldom
    /// about the failure itself. The place is that in the innermost of them, if it counts.
    fn frames_in(&self, text: &str, report: Range<usize>) -> (Vec<String>, Option<String>) {
        let texts = [&text[report.clone()], &text[report.start..], text];
        let stacks = texts.into_iter().map(|text| STACK.frames(text));
        let mut frames = stacks.into_iter().find(|frames| !frames.is_empty()).unwrap_or_default();
        frames.truncate(self.frames);
        let is_of_program = |place: &String| match &self.with_place {
            Some(candidate) => place.rsplit_once(':').is_some_and(|(file, _)| file != candidate),
            None => false,
        };
        let place = frames.first_mut().and_then(|frame| frame.place.take()).filter(is_of_program);
        (frames.into_iter().map(|frame| frame.function).collect(), place)
    }
}

/// A line of a stack.
#[derive(Clone, Debug)]
struct Frame {
    function: String,
    /// The name of the file, and the line.
    place: Option<String>,
}

#[derive(Debug)]
struct Stack {
    lines: Vec<(Regex, Order)>,
    place: Regex,
    beginning: Regex,
    reporting: Regex,
    around: Regex,
}

impl Stack {
    /// Returns the first stack in the text, innermost frame first, without the frames of every
    /// stack.
    fn frames(&self, text: &str) -> Vec<Frame> {
        let mut order = Order::InnermostFirst;
        let mut frames: Vec<Frame> = Vec::new();
        let mut others = 0;
        for line in text.lines() {
            // Another one begins.
            if !frames.is_empty() && self.beginning.is_match(line) {
                break;
            }
            let found = self.lines.iter().find_map(|(pattern, order)| {
                pattern.captures(line).map(|found| (joined(&found, ""), *order))
            });
            match found {
                Some((frame, o)) => {
                    order = o;
                    others = 0;
                    let function = demangled(&frame).map_or(frame, |name| without_arguments(&name));
                    frames.push(Frame { function, place: self.place_in(line) });
                }
                None => {
                    let Some(last) = frames.last_mut() else { continue };
                    // Some write the file on a line of its own.
                    if others == 0 && last.place.is_none() {
                        last.place = self.place_in(line);
                    }
                    // Source lines stand between frames; after several others, the stack is over.
                    others += if line.is_empty() { 9 } else { 1 };
                }
            }
            if others > 4 || frames.len() > 200 {
                break;
            }
        }
        if order == Order::InnermostLast {
            frames.reverse();
        }
        self.without_reporting(frames)
    }

    /// Returns the file and the line that a line of a stack names.
    fn place_in(&self, line: &str) -> Option<String> {
        let found = self.place.captures(line)?;
        Some(format!("{}:{}", &found[1], &found[2]))
    }

    fn without_reporting(&self, mut frames: Vec<Frame>) -> Vec<Frame> {
        let is_reporting = |frame: &Frame| self.reporting.is_match(&frame.function);
        let is_around = |frame: &Frame| self.around.is_match(&frame.function);
        let top = &frames[..frames.len().min(TOP)];
        if let Some(last) = top.iter().rposition(is_reporting) {
            // Short stacks end in the C library too.
            if frames[last + 1..].iter().any(|frame| !is_around(frame)) {
                frames.drain(..=last);
            } else {
                frames.retain(|frame| !is_reporting(frame));
            }
        }
        frames.retain(|frame| !is_around(frame));
        // Two functions with names say enough; an address without one changes with every build.
        let is_named = |frame: &Frame| !frame.function.contains("+0x");
        if frames.iter().filter(|frame| is_named(frame)).count() > 1 {
            frames.retain(is_named);
        }
        // Recursion may go deeper or less deep in a smaller input.
        frames.dedup_by(|later, frame| later.function == frame.function);
        frames
    }
}

/// Returns both outputs as one text, standard error first.
fn text(stdout: &[u8], stderr: &[u8]) -> String {
    let [stderr, stdout] = [stderr, stdout].map(String::from_utf8_lossy);
    format!("{stderr}\n{stdout}").replace('\r', "")
}

#[derive(Debug)]
struct Normal {
    exact: Vec<(Regex, &'static str)>,
    loose: Vec<(Regex, &'static str)>,
    /// What stands in quotes, with these.
    quoted: Regex,
}

/// The form of what stands in quotes and does not count.
const BLANK: &str = "'…'";

impl Normal {
    fn message(&self, text: &str, how: Text, keeps: &dyn Fn(&str) -> bool) -> String {
        let mut message = text.to_owned();
        let blank = |message: &mut String, patterns: &[(Regex, &str)]| {
            for (pattern, by) in patterns {
                *message = pattern.replace_all(message, *by).into_owned();
            }
        };
        blank(&mut message, &self.exact);
        if how == Text::Loose {
            let [paths, others @ ..] = &self.loose[..] else { return message };
            blank(&mut message, std::slice::from_ref(paths));
            let quoted = |found: &Captures<'_>| {
                let is_steady = |text: &str| !text.contains(['<', '@', '/']) && !self.numbers(text);
                let kept = Some(&found[0]).filter(|text| is_steady(text) && keeps(text));
                kept.unwrap_or(BLANK).to_owned()
            };
            message = self.quoted.replace_all(&message, quoted).into_owned();
            blank(&mut message, others);
        }
        message.trim().chars().take(MESSAGE).collect()
    }
}

impl Normal {
    /// Returns whether a message has words, or values.
    fn says_something(&self, message: &str) -> bool {
        let left = self.quoted.replace_all(message, "");
        left.split(|c: char| !c.is_alphanumeric()).any(|word| !word.is_empty() && word != "N")
    }

    /// Returns whether a text holds something that is blanked as a number.
    fn numbers(&self, text: &str) -> bool {
        self.loose.last().is_some_and(|(numbers, _)| numbers.is_match(text))
    }
}

/// Compiles expressions, each with what is put in place of a match.
fn table(rows: &[(&str, &'static str)]) -> Vec<(Regex, &'static str)> {
    rows.iter().map(|(pattern, text)| (compile(pattern), *text)).collect()
}

fn compile(pattern: &str) -> Regex {
    Regex::new(&format!("(?m){pattern}")).expect("the tables are tested")
}

fn joined(found: &Captures<'_>, by: &str) -> String {
    let mut text = String::new();
    for group in found.iter().skip(1).flatten() {
        let by = if text.is_empty() || group.as_str().starts_with(':') { "" } else { by };
        text.push_str(by);
        text.push_str(group.as_str());
    }
    text
}

/// Returns the qualified name that a mangled one of C++ or Rust stands for, with the arguments of
/// templates, without parameters; `None` for other names. Linear in the result, which may be
/// much longer.
pub(crate) fn demangled(name: &str) -> Option<String> {
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        return Some(format!("{name:#}"));
    }
    if !name.trim_start_matches('_').starts_with('Z') {
        return None;
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(name).ok()?.demangle_with_options(&options).ok()
}

/// Returns a qualified name without the arguments of templates.
pub(crate) fn without_arguments(name: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0;
    for character in name.chars() {
        // The sign of an operator is a part of its name.
        let is_sign = depth == 0 && kept.ends_with("operator")
            || kept.ends_with("operator<")
            || kept.ends_with("operator-");
        match character {
            '<' if !is_sign => depth += 1,
            '>' if !is_sign && depth > 0 => depth -= 1,
            _ if depth == 0 => kept.push(character),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests;
