//! Conditions by which users say what the failure is, in place of its signature. All must hold.

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};
use signal_hook::low_level::signal_name;

use crate::TestEnd;

/// Conditions as the user wrote them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// The program ends with this exit code.
    pub exit_code: Option<i32>,
    /// The program is killed by this signal (or a shell says so by its exit code).
    pub signal: Option<i32>,
    /// Standard output contains a match of each.
    pub stdout: Vec<Pattern>,
    /// Standard error contains a match of each.
    pub stderr: Vec<Pattern>,
    /// Standard error contains a match of none.
    pub no_stderr: Vec<Pattern>,
    /// The program does not end in time.
    pub timeout: bool,
}

/// A regular expression in which `^` and `$` stand for the ends of lines.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Self, regex::Error> {
        Ok(Self(Regex::new(&text)?))
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.as_str().to_owned()
    }
}

/// The error for a condition that makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum ConditionsError {
    /// No signal of that name.
    #[error("no signal `{0}`; write a name like SEGV or a number")]
    Signal(String),
    /// Not a regular expression.
    #[error("not a regular expression: {0}")]
    Regex(#[from] regex::Error),
}

impl Conditions {
    /// Returns whether there is no condition.
    pub fn is_empty(&self) -> bool {
        let Self { exit_code, signal, stdout, stderr, no_stderr, timeout } = self;
        exit_code.is_none()
            && signal.is_none()
            && [stdout, stderr, no_stderr].iter().all(|list| list.is_empty())
            && !timeout
    }

    /// Returns whether a run satisfies all of them. A run that did not end in time does so only if
    /// that is a condition.
    pub fn hold(&self, ending: TestEnd, stdout: &[u8], stderr: &[u8]) -> bool {
        let in_time = match ending {
            TestEnd::TimedOut => self.timeout,
            TestEnd::TooMuchOutput | TestEnd::Stopped => false,
            TestEnd::Exited(_) | TestEnd::Signaled(_) => !self.timeout,
        };
        let all = |list: &[Pattern], text| list.iter().all(|pattern| pattern.0.is_match(text));
        in_time
            && self.exit_code.is_none_or(|code| ending == TestEnd::Exited(code))
            && self.signal.is_none_or(|signal| {
                [TestEnd::Signaled(signal), TestEnd::Exited(128 + signal)].contains(&ending)
            })
            && all(&self.stdout, stdout)
            && all(&self.stderr, stderr)
            && !self.no_stderr.iter().any(|pattern| pattern.0.is_match(stderr))
    }

    /// Reads a pattern as users write it.
    ///
    /// # Errors
    /// If the text is not a regular expression.
    pub fn pattern(text: &str) -> Result<Pattern, ConditionsError> {
        Ok(Pattern::try_from(format!("(?m){text}"))?)
    }

    /// Returns the number of a signal that is given by name (`SEGV`, `SIGSEGV`) or number.
    ///
    /// # Errors
    /// If there is no such signal.
    pub fn signal_number(text: &str) -> Result<i32, ConditionsError> {
        let name = format!("SIG{}", text.to_ascii_uppercase().trim_start_matches("SIG"));
        let known = (1..=64).find(|&number| signal_name(number) == Some(&*name));
        let number = known.or_else(|| text.parse().ok().filter(|n| (1..=64).contains(n)));
        number.ok_or_else(|| ConditionsError::Signal(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_conditions_must_hold() {
        let pattern = |text| vec![Conditions::pattern(text).unwrap()];
        let code = Conditions { exit_code: Some(1), ..Conditions::default() };
        let crash = Conditions { signal: Some(11), ..Conditions::default() };
        let says =
            Conditions { stderr: pattern("^bad$"), exit_code: Some(1), ..Conditions::default() };
        let not = Conditions { no_stderr: pattern("other"), ..Conditions::default() };
        let slow = Conditions { timeout: true, ..Conditions::default() };
        let all = [&code, &crash, &says, &not, &slow];
        let held = |ending, stderr: &[u8]| all.map(|c| u8::from(c.hold(ending, b"", stderr)));
        assert_eq!(held(TestEnd::Exited(1), b"x\nbad\ny"), [1, 0, 1, 1, 0]);
        assert_eq!(held(TestEnd::Exited(1), b"bad other"), [1, 0, 0, 0, 0]);
        assert_eq!(held(TestEnd::Signaled(11), b""), [0, 1, 0, 1, 0]);
        assert_eq!(held(TestEnd::Exited(139), b""), [0, 1, 0, 1, 0]);
        assert_eq!(held(TestEnd::TimedOut, b"bad"), [0, 0, 0, 0, 1]);
        assert_eq!(held(TestEnd::Stopped, b""), [0; 5]);
    }

    #[test]
    fn signals_have_names_and_numbers() {
        let numbers = ["SEGV", "sigabrt", "9"].map(|t| Conditions::signal_number(t).unwrap());
        assert_eq!(numbers, [11, 6, 9]);
        assert!(["", "0", "FOO", "65"].iter().all(|t| Conditions::signal_number(t).is_err()));
    }
}
