//! The name of a failure, made from the output and the end of a run without the parts that change
//! from run to run. Two runs with the same signature show the same failure.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use signal_hook::low_level::signal_name;

use crate::TestEnd;
use crate::signature::message::{BLANK, QUOTED, normal, says_something};
use crate::signature::patterns::PATTERNS;
use crate::signature::stack::{frames, joined};

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
        let (message, frames, place) = (String::new(), Vec::new(), None);
        Self { kind: kind.to_owned(), message, frames, place, end: end.to_owned(), crash: false }
    }

    /// Returns the same without what stands in quotes in its message.
    #[must_use]
    pub fn without_quotes(&self) -> Self {
        let message = QUOTED.replace_all(&self.message, BLANK).into_owned();
        Self { message, ..self.clone() }
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
        fn words(signature: &Signature) -> Vec<&str> {
            let outside = signature.message.split(QUOTES).step_by(2);
            let words = outside.flat_map(|text| text.split(|c: char| !c.is_alphabetic()));
            words.filter(|word| word.len() > 1).collect()
        }
        (&self.kind, &self.end, words(self)) == (&other.kind, &other.end, words(other))
    }

    /// Leaves out of the message the words that another run on the same input writes otherwise,
    /// such as names of temporary files.
    pub fn without_differences(&mut self, seen: &Self) {
        let (own, others) = (self.message.split(' '), seen.message.split(' '));
        if own.clone().count() == others.clone().count() {
            let pairs = own.zip(others);
            let words = pairs.map(|(own, other)| if own == other { own } else { DIFFERENT });
            self.message = words.collect::<Vec<_>>().join(" ");
        }
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
        const WORDS: [&str; 4] =
            ["no such file or directory", "file not found", "cannot find module", "enoent"];
        let message = self.message.to_ascii_lowercase();
        !self.crash && WORDS.iter().any(|words| message.contains(words))
    }
}

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
        let all = QUOTED.find_iter(message).map(|found| found.as_str());
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
        // A complaint before a signal is not the reason for the signal.
        let complained = matches!(ending, TestEnd::Exited(1..=128 | 160..));
        for known in PATTERNS.failures.iter().filter(|known| known.crash || complained) {
            let Some(found) = known.pattern.captures(&text) else { continue };
            let mut report = found.get(0).map_or(0..0, |found| found.range());
            // Of several tracebacks in one report, the last is meant.
            report.start += text[report.clone()].rfind("\nTraceback (most ").unwrap_or(0);
            let (frames, place) = match known.frames {
                true => self.frames_in(&text, report),
                false => (Vec::new(), None),
            };
            let said = joined(&found, " ");
            let message = normal(&said, known.loose, keeps);
            // What nothing is left of tells no failure from another.
            if frames.is_empty() && !said.trim().is_empty() && !says_something(&message) {
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
        let last = last.lines().rev().find(|line| !line.trim().is_empty());
        let last = last.filter(|_| says_why && frames.is_empty()).unwrap_or_default();
        let message = normal(last, true, keeps);
        Some(Signature { kind: kind.to_owned(), message, frames, place, end, crash })
    }

    /// Returns the frames of a report that was found at `place`: those that stand in it (Python),
    /// or else after it, or else anywhere. There may be several stacks; the later ones are seldom
    /// about the failure itself. The place is that in the innermost of them, if it counts.
    fn frames_in(&self, text: &str, report: Range<usize>) -> (Vec<String>, Option<String>) {
        let texts = [&text[report.clone()], &text[report.start..], text];
        let mut stacks = texts.into_iter().map(frames);
        let mut frames = stacks.find(|frames| !frames.is_empty()).unwrap_or_default();
        frames.truncate(self.frames);
        let is_of_program = |place: &String| match &self.with_place {
            Some(candidate) => place.rsplit_once(':').is_some_and(|(file, _)| file != candidate),
            None => false,
        };
        let place = frames.first_mut().and_then(|frame| frame.place.take()).filter(is_of_program);
        (frames.into_iter().map(|frame| frame.function).collect(), place)
    }
}

/// Returns both outputs as one text, standard error first.
fn text(stdout: &[u8], stderr: &[u8]) -> String {
    let [stderr, stdout] = [stderr, stdout].map(String::from_utf8_lossy);
    format!("{stderr}\n{stdout}").replace('\r', "")
}

#[cfg(test)]
mod tests;
