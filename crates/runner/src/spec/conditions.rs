//! Conditions by which users say what the failure is, in place of its signature. All must hold.

use regex::bytes::Regex;

use crate::TestEnd;

/// Conditions as the user wrote them.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// The program ends with this exit code.
    pub exit_code: Option<i32>,
    /// The program is killed by this signal (or a shell says so by its exit code).
    pub signal: Option<i32>,
    /// Standard output contains a match of each.
    pub stdout: Vec<Regex>,
    /// Standard error contains a match of each.
    pub stderr: Vec<Regex>,
    /// The program does not end in time.
    pub timeout: bool,
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
        let Self { exit_code, signal, stdout, stderr, timeout } = self;
        exit_code.is_none()
            && signal.is_none()
            && [stdout, stderr].iter().all(|list| list.is_empty())
            && !timeout
    }

    /// Returns whether a run satisfies all of them. A run that did not end in time does so only if
    /// that is a condition.
    pub fn hold(&self, ending: TestEnd, stdout: &[u8], stderr: &[u8]) -> bool {
        let in_time = match ending {
            TestEnd::TimedOut => self.timeout,
            TestEnd::TooMuchOutput => false,
            TestEnd::Stopped => false,
            TestEnd::Exited(_) | TestEnd::Signaled(_) => !self.timeout,
        };
        let all = |list: &[Regex], text| list.iter().all(|pattern| pattern.is_match(text));
        in_time
            && self.exit_code.is_none_or(|code| ending == TestEnd::Exited(code))
            && self.signal.is_none_or(|signal| {
                [TestEnd::Signaled(signal), TestEnd::Exited(128 + signal)].contains(&ending)
            })
            && all(&self.stdout, stdout)
            && all(&self.stderr, stderr)
    }

    /// Returns a regular expression in which `^` and `$` stand for the ends of lines.
    ///
    /// # Errors
    /// If the text is not a regular expression.
    pub fn pattern(text: &str) -> Result<Regex, ConditionsError> {
        Ok(Regex::new(&format!("(?m){text}"))?)
    }

    /// Returns the number of a signal that is given by name (`SEGV`, `SIGSEGV`) or number.
    ///
    /// # Errors
    /// If there is no such signal.
    pub fn signal_number(text: &str) -> Result<i32, ConditionsError> {
        const NAMES: [(&str, i32); 15] = [
            ("HUP", 1),
            ("INT", 2),
            ("QUIT", 3),
            ("ILL", 4),
            ("TRAP", 5),
            ("ABRT", 6),
            ("BUS", 7),
            ("FPE", 8),
            ("KILL", 9),
            ("USR1", 10),
            ("SEGV", 11),
            ("USR2", 12),
            ("PIPE", 13),
            ("ALRM", 14),
            ("TERM", 15),
        ];
        let name = text.to_ascii_uppercase();
        let name = name.strip_prefix("SIG").unwrap_or(&name);
        let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        let number = known.or_else(|| name.parse().ok().filter(|n| (1..=64).contains(n)));
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
        let slow = Conditions { timeout: true, ..Conditions::default() };
        let all = [&code, &crash, &says, &slow];
        let held = |ending, stderr: &[u8]| all.map(|c| u8::from(c.hold(ending, b"", stderr)));
        assert_eq!(held(TestEnd::Exited(1), b"x\nbad\ny"), [1, 0, 1, 0]);
        assert_eq!(held(TestEnd::Exited(1), b"bad other"), [1, 0, 0, 0]);
        assert_eq!(held(TestEnd::Signaled(11), b""), [0, 1, 0, 0]);
        assert_eq!(held(TestEnd::Exited(139), b""), [0, 1, 0, 0]);
        assert_eq!(held(TestEnd::TimedOut, b"bad"), [0, 0, 0, 1]);
        assert_eq!(held(TestEnd::Stopped, b""), [0; 4]);
    }

    #[test]
    fn signals_have_names_and_numbers() {
        let numbers = ["SEGV", "sigabrt", "9"].map(|t| Conditions::signal_number(t).unwrap());
        assert_eq!(numbers, [11, 6, 9]);
        assert!(["", "0", "FOO", "65"].iter().all(|t| Conditions::signal_number(t).is_err()));
    }
}
