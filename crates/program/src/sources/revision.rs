//! Revisions of a git repository as archives.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use minirepro_circumstances::archive::Kind;

use crate::error::Error;
use crate::sources::files::{File, archive};

/// Begins a command of git for a repository.
fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository);
    command
}

/// Reads all files of a revision.
///
/// # Errors
/// If git cannot be run, or there is no such revision.
pub fn revision(repository: &Path, revision: &str) -> Result<Vec<u8>, Error> {
    let wrong = |message: &dyn fmt::Display| {
        let (repository, revision) = (repository.to_owned(), revision.to_owned());
        Error::RevisionUnreadable(repository, revision, message.to_string())
    };
    let listed = git(repository).args(["ls-tree", "-r", "-z", "--full-tree", revision]).output();
    let Output { status, stdout, stderr } =
        listed.map_err(|error| wrong(&format!("git: {error}")))?;
    if !status.success() {
        let message = String::from_utf8_lossy(&stderr);
        return Err(wrong(&message.lines().next().unwrap_or("git failed")));
    }
    let listed = stdout.split(|&b| b == 0).filter_map(listed_file).collect();
    let files = with_texts(git(repository), listed);
    archive(files.map_err(|error| wrong(&format!("git: {error}")))?).map_err(|cause| wrong(&cause))
}

/// A commit, as people know it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Commit {
    /// The beginning of its hash.
    pub hash: String,
    /// The first line of its message.
    pub subject: String,
}

/// Returns the commits between two revisions that have added or removed one of these lines of a
/// file, the oldest first. What git cannot tell is left out.
pub fn commits_of(
    repository: &Path,
    [passing, failing]: [&str; 2],
    path: &str,
    lines: &[String],
) -> Vec<Commit> {
    let mut found: Vec<Commit> = Vec::new();
    let between = format!("{passing}..{failing}");
    for line in lines.iter().take(MOST_LINES) {
        let Ok(Output { stdout, .. }) = git(repository)
            .args(["log", "--reverse", "--format=%h%x09%s", &format!("-S{line}"), &between, "--"])
            .arg(format!(":/{path}"))
            .output()
        else {
            return found;
        };
        for line in String::from_utf8_lossy(&stdout).lines() {
            let Some((hash, subject)) = line.split_once('\t') else { continue };
            let commit = Commit { hash: hash.to_owned(), subject: subject.to_owned() };
            if !found.contains(&commit) {
                found.push(commit);
            }
        }
    }
    found
}

/// Of longer changes, these many lines are enough to name their commits.
const MOST_LINES: usize = 20;

/// Reads a line of a list: a file without its text, and the hash of that.
fn listed_file(line: &[u8]) -> Option<(File, String)> {
    let tab = line.iter().position(|&b| b == b'\t')?;
    let head = String::from_utf8_lossy(&line[..tab]);
    let mut words = head.split(' ');
    let kind = match (words.next(), words.next()) {
        (Some("100755"), Some("blob")) => Kind::Executable,
        (Some("120000"), Some("blob")) => Kind::Link,
        (_, Some("blob")) => Kind::Plain,
        // Another repository inside of this one.
        _ => return None,
    };
    let (path, text) = (line[tab + 1..].to_vec(), Vec::new());
    Some((File { kind, path, text }, words.next()?.to_owned()))
}

/// Reads the texts of files by their hashes, all by one process.
fn with_texts(mut git: Command, files: Vec<(File, String)>) -> io::Result<Vec<File>> {
    git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = git.spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let mut output = BufReader::new(output);
    let mut read = Vec::new();
    for (file, hash) in files {
        writeln!(input, "{hash}")?;
        input.flush()?;
        let mut head = String::new();
        output.read_line(&mut head)?;
        let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse().ok());
        let Some(size) = size else { return Err(io::Error::other(head.trim_end().to_owned())) };
        let mut text = vec![0; size];
        output.read_exact(&mut text)?;
        output.read_exact(&mut [0])?;
        read.push(File { text, ..file });
    }
    drop(input);
    child.wait()?;
    Ok(read)
}
