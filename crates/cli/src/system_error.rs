//! Finds the system's reason for an error, and says how to allow the program more where a limit
//! is the reason.

use std::io;

use minirepro_program::{
    BaselineError, CommandError, Error, JournalError, OracleError, ScriptError, SetupError,
    Unreadable,
};
use rustix::io::Errno;

/// Returns what to do if an error comes from a limit of the system; whole lines, or nothing.
pub fn advice(error: &Error) -> &'static str {
    io_error(error).map_or("", advice_on)
}

/// Returns the same for an error of the system itself.
pub fn advice_on(error: &io::Error) -> &'static str {
    match Errno::from_io_error(error) {
        Some(Errno::MFILE) => "Too many files are open: raise the limit with `ulimit -n`.\n",
        Some(Errno::NFILE) => "All programs together have too many files open: end some of them.\n",
        Some(Errno::AGAIN) => {
            "There are too many processes or threads: raise the limit with `ulimit -u`.\n"
        }
        _ => "",
    }
}

/// Returns the error of the system that caused this one.
fn io_error(error: &Error) -> Option<&io::Error> {
    match error {
        Error::System(error) => Some(error),
        Error::InputUnreadable { cause: Unreadable::Io(error), .. } => Some(error),
        Error::Script(ScriptError::Missing { error, .. }) => Some(error),
        Error::Setup(error) => of_setup(error),
        Error::Command { error: CommandError::Oracle(error), .. }
        | Error::NotReproduced { error: BaselineError::Oracle(error), .. }
        | Error::TestBroken { error, .. } => of_test(error),
        Error::ResultNotWritten { error, .. } => Some(&error.error),
        Error::Journal(JournalError::Read { error, .. } | JournalError::Write { error, .. }) => {
            Some(error)
        }
        _ => None,
    }
}

fn of_setup(error: &SetupError) -> Option<&io::Error> {
    match error {
        SetupError::Scratch { error, .. }
        | SetupError::Processes(error)
        | SetupError::Companions(error) => Some(error),
    }
}

fn of_test(error: &OracleError) -> Option<&io::Error> {
    match error {
        OracleError::Start { error, .. } | OracleError::Scratch { error, .. } => Some(error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_open_files_and_processes_are_said_in_words() {
        let advice = |number: Errno| advice(&Error::System(number.into()));
        assert!(advice(Errno::MFILE).contains("`ulimit -n`"));
        assert!(advice(Errno::AGAIN).contains("`ulimit -u`"));
        assert_eq!(advice(Errno::NOENT), "");
        let path = std::path::PathBuf::new();
        let start = OracleError::Start { program: path, error: Errno::MFILE.into() };
        let broken = Error::TestBroken { error: start, reproduce: None };
        assert!(super::advice(&broken).contains("`ulimit -n`"));
    }
}
