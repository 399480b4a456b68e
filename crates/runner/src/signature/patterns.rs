//! The messages of failing programs, as `patterns.txt` lists them.

use std::sync::LazyLock;

use regex::Regex;

/// The table, compiled: some eighty regular expressions.
pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(Patterns::new);

/// One way to fail.
#[derive(Debug)]
pub(super) struct FailurePattern {
    /// The name that users see.
    pub kind: &'static str,
    /// The groups of it that match, joined, are the message.
    pub pattern: Regex,
    /// Whether names in quotes and numbers are blanked in the message, not only addresses, places
    /// in files and process ids.
    pub loose: bool,
    /// Whether stack frames are needed to tell one such failure from another.
    pub frames: bool,
    /// Whether this is a failure even if the program ends with exit code 0, and worth keeping in a
    /// search for another one.
    pub crash: bool,
}

#[derive(Debug)]
pub(super) struct Patterns {
    pub failures: Vec<FailurePattern>,
    /// Lines of stacks, and whether the innermost frame is the last one in such a stack.
    pub frames: Vec<(Regex, bool)>,
    /// The name of a file and a line in it.
    pub place: Regex,
    /// A line with which another stack begins.
    pub beginning: Regex,
    /// A function between the failure and its report.
    pub reporting: Regex,
    /// A function around every program.
    pub around: Regex,
}

impl Patterns {
    fn new() -> Self {
        let mut rows: Vec<(&str, &str, String)> = Vec::new();
        let lines = include_str!("patterns.txt").lines();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match rows.last_mut().filter(|_| line.starts_with(' ')) {
                Some((.., pattern)) => pattern.extend(["\n", line]),
                None => {
                    let mut parts = line.splitn(3, ": ").fuse();
                    let mut part = || parts.next().unwrap_or_default();
                    rows.push((part(), part(), part().to_owned()));
                }
            }
        }
        let one = |name: &str| {
            let found = rows.iter().find(|(kind, how, _)| (*kind, *how) == ("stack", name));
            compile(found.map_or("", |(.., pattern)| pattern))
        };
        let (place, beginning) = (one("place"), one("beginning"));
        let (reporting, around) = (one("reporting"), one("around"));
        let (mut failures, mut frames) = (Vec::new(), Vec::new());
        for (kind, how, pattern) in rows.iter().filter(|(kind, ..)| *kind != "stack") {
            let (pattern, has) = (compile(pattern), |word| how.split(' ').any(|one| one == word));
            let (loose, crash) = (has("loose"), !has("complaint"));
            match *kind {
                "frame" => frames.push((pattern, has("last"))),
                kind => {
                    let frames = has("frames");
                    failures.push(FailurePattern { kind, pattern, loose, frames, crash });
                }
            }
        }
        Self { failures, frames, place, beginning, reporting, around }
    }
}

pub(super) fn compile(pattern: &str) -> Regex {
    Regex::new(&format!("(?m){pattern}")).expect("the tables are tested")
}
