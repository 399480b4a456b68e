//! Revisions of a git repository as archives.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use minirepro_circumstances::archive::Kind;

use crate::error::Error;
use crate::sources::files::{File, archive};

/// A file of a revision whose text is not read yet.
struct Listed {
    kind: Kind,
    path: Vec<u8>,
    hash: String,
}

/// Reads all files of a revision.
///
/// # Errors
/// If git cannot be run, or there is no such revision.
pub fn revision(repository: &Path, revision: &str) -> Result<Vec<u8>, Error> {
    let wrong = |message: &dyn fmt::Display| Error::RevisionUnreadable {
        repository: repository.to_owned(),
        revision: revision.to_owned(),
        message: message.to_string(),
    };
    let git = || {
        let mut command = Command::new("git");
        command.arg("-C").arg(repository);
        command
    };
    let listed = git().args(["ls-tree", "-r", "-z", "--full-tree", revision]).output();
    let Output { status, stdout, stderr } =
        listed.map_err(|error| wrong(&format!("git: {error}")))?;
    if !status.success() {
        let message = String::from_utf8_lossy(&stderr);
        return Err(wrong(&message.lines().next().unwrap_or("git failed")));
    }
    let wanted: Vec<Listed> = stdout.split(|&b| b == 0).filter_map(listed_file).collect();
    let texts = blobs(git(), &wanted).map_err(|error| wrong(&format!("git: {error}")))?;
    let files = wanted.into_iter().zip(texts);
    let files = files.map(|(file, text)| File { kind: file.kind, path: file.path, text });
    archive(files.collect()).map_err(|cause| wrong(&cause))
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
        let Ok(Output { stdout, .. }) = Command::new("git")
            .arg("-C")
            .arg(repository)
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

fn listed_file(line: &[u8]) -> Option<Listed> {
    let tab = line.iter().position(|&b| b == b'\t')?;
    let head = String::from_utf8_lossy(&line[..tab]).into_owned();
    let mut words = head.split(' ');
    let kind = match (words.next(), words.next()) {
        (Some("100755"), Some("blob")) => Kind::Executable,
        (Some("120000"), Some("blob")) => Kind::Link,
        (_, Some("blob")) => Kind::Plain,
        // Another repository inside of this one.
        _ => return None,
    };
    let hash = words.next().unwrap_or_default().to_owned();
    Some(Listed { kind, path: line[tab + 1..].to_vec(), hash })
}

/// Reads the contents of objects, all by one process.
fn blobs(mut git: Command, files: &[Listed]) -> io::Result<Vec<Vec<u8>>> {
    git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = git.spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let mut output = BufReader::new(output);
    let mut texts = Vec::new();
    for file in files {
        writeln!(input, "{}", file.hash)?;
        input.flush()?;
        let mut head = String::new();
        output.read_line(&mut head)?;
        let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse().ok());
        let Some(size) = size else { return Err(io::Error::other(head.trim_end().to_owned())) };
        let mut text = vec![0; size];
        output.read_exact(&mut text)?;
        output.read_exact(&mut [0])?;
        texts.push(text);
    }
    drop(input);
    child.wait()?;
    Ok(texts)
}
