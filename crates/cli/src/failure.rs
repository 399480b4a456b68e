//! What went wrong, in words that say what to do. Knows the errors of all crates below.

use std::fmt;
use std::path::Path;

use minirepro_runner::{BaselineError, DriveError, OracleError};

use crate::exit::Exit;

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

    /// The tests before the search say that there is nothing to search for.
    pub fn baseline(error: &BaselineError, test: &Path, file: &Path) -> Self {
        let exit = match error {
            BaselineError::Oracle(error) => return Self::oracle(error, test, file),
            BaselineError::Stopped => Exit::Interrupted,
            _ => Exit::NotReproduced,
        };
        let advice = match error {
            BaselineError::NotReproduced { output, .. } => wrote(output) + &by_hand(test, file),
            BaselineError::TooSlow(_) => "Give it more time with --timeout SECONDS.\n".into(),
            BaselineError::Flaky { .. } => {
                "Let the script try several times and exit with 0 as soon as one try reproduces.\n"
                    .into()
            }
            BaselineError::AcceptsEmpty => {
                "The script must look for the failure itself, for instance with \
                 `grep -q 'text of the message'`.\n"
                    .to_owned()
                    + &by_hand(test, Path::new("/dev/null")).replacen(
                        "/dev/null .",
                        "/dev/null x",
                        1,
                    )
            }
            BaselineError::Stopped | BaselineError::Oracle(_) => String::new(),
        };
        Self::new(exit, error).advise(advice)
    }

    /// The run ended because of the test or the system.
    pub fn drive(error: &DriveError, test: &Path, file: &Path) -> Self {
        match error {
            DriveError::Oracle(error) => Self::oracle(error, test, file),
            DriveError::System(_) => Self::new(Exit::BrokenTest, error),
        }
    }

    fn oracle(error: &OracleError, test: &Path, file: &Path) -> Self {
        let advice = match error {
            OracleError::Broken { output, .. } => {
                wrote(output)
                    + "If a program may be missing on purpose, let the script exit with 1 \
                       then.\n"
                    + &by_hand(test, file)
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

fn wrote(output: &str) -> String {
    if output.is_empty() {
        return "The script wrote nothing.\n".into();
    }
    let lines = output.lines().map(|line| format!("  | {line}\n"));
    "The script wrote:\n".to_owned() + &lines.collect::<String>()
}

/// The commands that do what we do.
fn by_hand(test: &Path, file: &Path) -> String {
    let [test, file] = [test, file].map(|p| std::path::absolute(p).unwrap_or_else(|_| p.into()));
    let name = quote(Path::new(file.file_name().unwrap_or(file.as_os_str())));
    format!(
        "To try it by hand:\n  cd \"$(mktemp -d)\"\n  cp {} .\n  {} {name} < {name}; echo $?\n\
         It must print 0 when the failure is there.\n",
        quote(&file),
        quote(&test)
    )
}

/// As a word of the shell.
fn quote(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
