//! Whether a command that stands in a journal may be run: the journal may be somebody else's.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use minirepro_program::Invocation;

use crate::args::Cli;
use crate::error::CliError;
use crate::report::shell::{quote, quote_all};
use crate::report::terminal::shown;

/// Returns the command that began a run, as a person would type it.
pub fn command_line(invocation: &Invocation) -> String {
    let directory = quote(invocation.directory.as_os_str());
    format!("cd {directory} && minirepro {}", quote_all(&invocation.arguments))
}

/// Checks that the grammars of a journal may be loaded: they are native code, even if no test is
/// run.
///
/// # Errors
/// If it has grammars and is not certainly the user's own.
pub fn check_grammars(journal: &Path, cli: &Cli) -> Result<(), CliError> {
    let grammars = cli.grammars();
    let Some(doubt) = doubt(journal).filter(|_| !grammars.is_empty()) else { return Ok(()) };
    let names: Vec<String> = grammars.iter().map(|path| quote(path.as_os_str())).collect();
    Err(CliError::usage(format_args!("{doubt}, so its grammar was not loaded")).advise(format!(
        "A grammar is native code, here {}. If you know it, copy the journal, so that it is your own.\n",
        names.join(", ")
    )))
}

/// Refuses the command of a journal that is not certainly the user's own.
///
/// # Errors
/// If it may be somebody else's.
pub fn check(journal: &Path, invocation: &Invocation) -> Result<(), CliError> {
    let Some(doubt) = doubt(journal) else { return Ok(()) };
    let command = command_line(invocation);
    Err(CliError::usage(format_args!("{doubt}, so its command was not run")).advise(format!(
        "The command is\n  {command}\nIf you know it, copy the journal, so that it is your own.\n"
    )))
}

/// Returns why a journal may not be the user's own. What cannot be looked at cannot be read either.
pub fn doubt(journal: &Path) -> Option<String> {
    let user = rustix::process::geteuid().as_raw();
    let doubt_of = |path: PathBuf| {
        let why = doubt_about(&path.metadata().ok()?, user)?;
        Some(format!("{} {why}", shown(&path)))
    };
    doubt_of(journal.to_owned()).or_else(|| doubt_of(journal.join("journal")))
}

fn doubt_about(data: &Metadata, user: u32) -> Option<String> {
    // In a directory like `/tmp`, nobody can replace what belongs to another.
    let is_sticky = data.is_dir() && data.mode() & 0o1000 != 0;
    if data.uid() != user {
        return Some(format!("belongs to another user ({})", data.uid()));
    }
    (data.mode() & 0o002 != 0 && !is_sticky).then(|| "can be changed by every user".to_owned())
}
