//! What went wrong, in words that say what to do. Knows the errors of all crates below.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use minirepro_runner::{
    BaselineError, CommandError, DriveError, OracleError, Reliability, ScriptError,
};

use crate::exit::Exit;

const MORE_TIME: &str = "Give it more time with --timeout SECONDS.\n";

/// An end without the wanted result.
#[derive(Debug)]
pub struct Failure {
    /// How to exit.
    pub exit: Exit,
    /// What is wrong.
    message: String,
    /// What to do about it; whole lines, or nothing.
    advice: String,
}

impl Failure {
    /// A failure that needs no advice.
    pub fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string(), advice: String::new() }
    }

    /// The same with lines that say what to do.
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// The same with further lines that say what to do.
    pub fn advise_more(mut self, advice: &str) -> Self {
        self.advice += advice;
        self
    }

    /// The same, said about something.
    pub fn about(mut self, name: &str) -> Self {
        self.message = format!("{name}: {}", self.message);
        self
    }

    /// The same with what a test wrote, before any other advice.
    pub fn wrote(mut self, output: &str) -> Self {
        self.advice = wrote(output) + &self.advice;
        self
    }

    /// The script cannot be used.
    pub fn script(error: &ScriptError) -> Self {
        let exit = match error {
            ScriptError::Setup(_) => Exit::BrokenTest,
            _ => Exit::Usage,
        };
        Self::new(exit, error)
    }

    /// The program shows no failure to look for.
    pub fn program(error: &CommandError, by_hand: &str) -> Self {
        let (exit, advice) = match error {
            CommandError::Oracle(error) => return Self::oracle(error, by_hand),
            CommandError::Setup(_) => (Exit::BrokenTest, String::new()),
            CommandError::Stopped => (Exit::Interrupted, String::new()),
            CommandError::TooSlow(_) => (Exit::NotReproduced, MORE_TIME.into()),
            CommandError::Exceeds => {
                (Exit::NotReproduced, "Allow it more with these options.\n".into())
            }
            CommandError::Other(_) => (Exit::NotReproduced, String::new()),
            CommandError::Succeeds { output } => {
                let conditions = "If that is the failure, say how to know it, for instance with \
                                  --stdout or --stderr.\n";
                (Exit::NotReproduced, wrote(output) + conditions + by_hand)
            }
        };
        Self::new(exit, error).advise(advice)
    }

    /// The tests before the search say that there is nothing to search for.
    pub fn baseline(error: &BaselineError, by_hand: &str) -> Self {
        let exit = match error {
            BaselineError::Oracle(error) => return Self::oracle(error, by_hand),
            BaselineError::Stopped => Exit::Interrupted,
            _ => Exit::NotReproduced,
        };
        let advice = match error {
            BaselineError::NotReproduced { output, .. } => wrote(output) + by_hand,
            BaselineError::TooSlow(_) => MORE_TIME.into(),
            BaselineError::Flaky(seen) => flaky(seen),
            BaselineError::AcceptsEmpty => {
                "The test must look for the failure itself, for instance with \
                 `grep -q 'text of the message'`.\n"
                    .into()
            }
            BaselineError::Stopped | BaselineError::Oracle(_) => String::new(),
        };
        Self::new(exit, error).advise(advice)
    }

    /// The run ended because of the test or the system.
    pub fn drive(error: &DriveError, by_hand: &str) -> Self {
        match error {
            DriveError::Oracle(error) => Self::oracle(error, by_hand),
            DriveError::System(_) => Self::new(Exit::BrokenTest, error),
        }
    }

    /// The test cannot be run.
    pub fn oracle(error: &OracleError, by_hand: &str) -> Self {
        let advice = match error {
            OracleError::Broken { output, .. } => {
                wrote(output)
                    + "If a program may be missing on purpose, let the script exit with 1 \
                       then.\n"
                    + by_hand
            }
            _ => String::new(),
        };
        Self::new(Exit::BrokenTest, error).advise(advice)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "minirepro: {}", self.message)?;
        f.write_str(&self.advice)
    }
}

/// What to do about a failure that shows only at times.
fn flaky(seen: &Reliability) -> String {
    let enough = (2..=1000).find(|&tests| seen.all_miss(tests) <= 0.01).unwrap_or(1000);
    format!(
        "Test each candidate until it reproduces, up to N times, with --repeat N; with N = {enough} \
         fewer than 1 in 100 is missed.\nOr keep the failure frequent: with --min-rate 0.5 a \
         candidate must reproduce in half of its tests.\nIf it depends on where things are in memory, \
         `setarch -R` in front of the program may make it steady.\n"
    )
}

fn wrote(output: &str) -> String {
    if output.is_empty() {
        return "It wrote nothing.\n".into();
    }
    let lines = output.lines().map(|line| format!("  | {line}\n"));
    "It wrote:\n".to_owned() + &lines.collect::<String>()
}

/// The commands that do what a test does: `words` are the program and its arguments, `name` is
/// what the candidate is called.
pub fn by_hand(words: &[&OsStr], file: &Path, name: &OsStr, wanted: &str) -> String {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.into());
    let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
    let is_directory = file.is_dir();
    let (file, name) = (quote(file.as_os_str()), quote(name));
    let words = words.join(" ");
    let flag = if is_directory { "-r " } else { "" };
    let input = if is_directory { String::new() } else { format!(" < {name}") };
    format!(
        "To try it by hand:\n  cd \"$(mktemp -d)\"\n  cp {flag}{file} {name}\n  \
         {words}{input}; echo $?\n{wanted}"
    )
}

/// As a word of the shell.
pub fn quote(word: &OsStr) -> String {
    let text = word.to_string_lossy().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
