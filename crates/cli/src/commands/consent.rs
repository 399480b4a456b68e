//! Whether a command that stands in a directory may be run: the directory, the test or the program
//! may be somebody else's.

use std::env;
use std::fmt;
use std::fs::Metadata;
use std::io::{self, IsTerminal};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use minirepro_program::Invocation;

use crate::args::{Cli, TestProgram};
use crate::error::CliError;
use crate::report::shell::{quote, quote_all};
use crate::report::terminal::{self, say};

/// The user whose programs everybody has to trust.
const ROOT: u32 = 0;

/// Who may change a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    owner: u32,
    mode: u32,
    is_directory: bool,
}

/// Why a command may not be the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Doubt {
    /// Another user owns this.
    OwnedBy(PathBuf, u32),
    /// Every user may change this.
    WritableByAll(PathBuf),
}

/// Whose a file must be to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The user's own.
    User,
    /// The user's own, or the system's.
    UserOrSystem,
}

impl Access {
    fn of(data: &Metadata) -> Self {
        Self { owner: data.uid(), mode: data.mode(), is_directory: data.is_dir() }
    }

    /// Returns why somebody else than `user` may have made or changed what is at `path`.
    fn doubt(self, path: &Path, user: u32, trusted: Owner) -> Option<Doubt> {
        let is_system = trusted == Owner::UserOrSystem && self.owner == ROOT;
        if self.owner != user && !is_system {
            return Some(Doubt::OwnedBy(path.to_owned(), self.owner));
        }
        // In a directory like `/tmp`, nobody can replace what belongs to another.
        let is_sticky = self.is_directory && self.mode & 0o1000 != 0;
        let by_all = self.mode & 0o002 != 0 && !is_sticky;
        by_all.then(|| Doubt::WritableByAll(path.to_owned()))
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnedBy(path, owner) => {
                write!(f, "{} belongs to another user ({owner})", terminal::shown(path))
            }
            Self::WritableByAll(path) => {
                write!(f, "{} can be changed by every user", terminal::shown(path))
            }
        }
    }
}

/// Returns the command that began a run, as a person would type it.
pub fn command_line(invocation: &Invocation) -> String {
    let directory = quote(invocation.directory.as_os_str());
    format!("cd {directory} && minirepro {}", quote_all(&invocation.arguments))
}

/// Returns whether the command of a journal is certainly the user's own.
pub fn is_own(journal: &Path, cli: &Cli, invocation: &Invocation) -> bool {
    let user = rustix::process::geteuid().as_raw();
    doubt(journal, cli, invocation, user).is_none()
}

/// Checks that the grammars of a journal may be loaded: they are native code, even if no test is
/// run.
///
/// # Errors
/// If it has grammars and is not certainly the user's own.
pub fn check_grammars(journal: &Path, cli: &Cli, invocation: &Invocation) -> Result<(), CliError> {
    let user = rustix::process::geteuid().as_raw();
    let grammars = cli.grammars();
    let doubt = doubt(journal, cli, invocation, user).filter(|_| !grammars.is_empty());
    let Some(doubt) = doubt else { return Ok(()) };
    let names: Vec<String> = grammars.iter().map(|path| quote(path.as_os_str())).collect();
    Err(CliError::usage(format_args!("{doubt}, so its grammar was not loaded")).advise(format!(
        "A grammar is native code, here {}. If you know it, copy the journal, so that it is your own.\n",
        names.join(", ")
    )))
}

/// Asks whether the command of a journal may be run, unless it is certainly the user's own. Who has
/// agreed before (`is_agreed`) is told what is run and believed; returns whether that was said.
///
/// # Errors
/// If the user does not agree, or cannot be asked.
pub fn check(
    journal: &Path,
    cli: &Cli,
    invocation: &Invocation,
    is_agreed: bool,
    is_quiet: bool,
) -> Result<bool, CliError> {
    let user = rustix::process::geteuid().as_raw();
    let Some(doubt) = doubt(journal, cli, invocation, user) else { return Ok(false) };
    let command = command_line(invocation);
    if is_agreed {
        if !is_quiet {
            say!(
                "{doubt}. By --yes, its answers are believed and its command is run:\n  {command}"
            );
        }
        return Ok(!is_quiet);
    }
    let refused = CliError::usage(format_args!("{doubt}, so its command was not run"));
    let advice =
        format!("The command is\n  {command}\nIf you know it and want it to be run, add --yes.\n");
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(refused.advise(advice));
    }
    say!("{doubt}. The command is\n  {command}");
    terminal::error(format_args!("Run it? [y/N] "));
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    if read.is_ok() && is_yes(&answer) { Ok(true) } else { Err(refused) }
}

/// Returns whether the text of an answer is consent.
pub fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Returns why the command of a journal may not be the user's own. What cannot be looked at raises
/// no doubt here: it cannot be run either.
fn doubt(journal: &Path, cli: &Cli, invocation: &Invocation, user: u32) -> Option<Doubt> {
    let ours = [journal.to_owned(), journal.join("journal")];
    let mut theirs = Vec::new();
    if let Some(program) = cli.program_of_test()
        && let Some(path) = found(program, &invocation.directory)
    {
        theirs.extend(path.parent().map(Path::to_owned));
        theirs.push(path);
    }
    theirs.extend(cli.grammars().iter().map(|path| invocation.directory.join(path)));
    let ours = ours.into_iter().map(|path| (path, Owner::User));
    let theirs = theirs.into_iter().map(|path| (path, Owner::UserOrSystem));
    ours.chain(theirs).find_map(|(path, trusted)| {
        let access = Access::of(&path.metadata().ok()?);
        access.doubt(&path, user, trusted)
    })
}

/// Returns where the program of a test is, for a run that began in `directory`.
fn found(program: TestProgram<'_>, directory: &Path) -> Option<PathBuf> {
    match program {
        TestProgram::File(path) => Some(directory.join(path)),
        TestProgram::Word(word) if word.as_os_str().as_encoded_bytes().contains(&b'/') => {
            Some(directory.join(word))
        }
        TestProgram::Word(word) => {
            let path = env::var_os("PATH")?;
            let mut places = env::split_paths(&path).map(|place| directory.join(place).join(word));
            places.find(|place| place.is_file())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: u32 = 1000;

    #[test]
    fn only_what_is_certainly_the_users_own_runs_unasked() {
        let path = Path::new("x");
        let other = || Some(Doubt::OwnedBy(path.to_owned(), 1001));
        let root = || Some(Doubt::OwnedBy(path.to_owned(), ROOT));
        let open = || Some(Doubt::WritableByAll(path.to_owned()));
        for (owner, mode, is_directory, trusted, expected) in [
            (USER, 0o700, true, Owner::User, None),
            (USER, 0o775, true, Owner::User, None),
            (USER, 0o600, false, Owner::User, None),
            (1001, 0o700, true, Owner::User, other()),
            (1001, 0o755, false, Owner::UserOrSystem, other()),
            (ROOT, 0o755, true, Owner::User, root()),
            (ROOT, 0o755, false, Owner::UserOrSystem, None),
            (ROOT, 0o1777, true, Owner::UserOrSystem, None),
            (ROOT, 0o777, true, Owner::UserOrSystem, open()),
            (USER, 0o777, true, Owner::User, open()),
            (USER, 0o757, false, Owner::UserOrSystem, open()),
            (USER, 0o1757, false, Owner::UserOrSystem, open()),
        ] {
            let access = Access { owner, mode, is_directory };
            assert_eq!(access.doubt(path, USER, trusted), expected, "{access:?} {trusted:?}");
        }
    }

    #[test]
    fn nothing_but_yes_is_consent() {
        assert!(["y\n", "Yes\n", " YES "].iter().all(|answer| is_yes(answer)));
        assert!(["", "\n", "n\n", "yesterday\n"].iter().all(|answer| !is_yes(answer)));
    }
}
