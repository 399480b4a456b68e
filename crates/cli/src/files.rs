//! Several files as one candidate: directories and revisions of a git repository, in and out. Knows
//! no session.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use minirepro_circumstances::LanguageOf;
use minirepro_circumstances::archive::{Kind, entries, pack};
use minirepro_languages as languages;
use minirepro_runner::{Output as Place, exchange, unpack};
use minirepro_syntax::Language;

use crate::diff::unified;
use crate::exit::Exit;
use crate::failure::Failure;

/// Directories of version control, which belong to no candidate.
const IGNORED: [&str; 3] = [".git", ".hg", ".svn"];

type File = (Kind, Vec<u8>, Vec<u8>);

fn archive(mut files: Vec<File>, name: &str) -> Result<Vec<u8>, Failure> {
    files.sort_by(|(_, a, _), (_, b, _)| a.cmp(b));
    let archive = pack(files.iter().map(|(kind, path, text)| (*kind, &path[..], &text[..])));
    let usage = |message| Failure::new(Exit::Usage, message);
    let archive = archive
        .ok_or_else(|| usage(format!("{name}: a file holds the text that keeps files apart")))?;
    if u32::try_from(archive.len()).is_err() {
        return Err(usage(format!("{name}: 4 GiB and more are too large")));
    }
    Ok(archive)
}

/// All files below a directory. Links stay links; what is no file is left out.
///
/// # Errors
/// When something cannot be read.
pub fn read_directory(top: &Path) -> Result<Vec<u8>, Failure> {
    let mut files = Vec::new();
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        let told = |error: io::Error, path: &Path| {
            Failure::new(Exit::Usage, format!("cannot read {}: {error}", path.display()))
        };
        for entry in fs::read_dir(&directory).map_err(|error| told(error, &directory))? {
            let path = entry.map_err(|error| told(error, &directory))?.path();
            if IGNORED.iter().any(|name| path.file_name() == Some(OsStr::new(name))) {
                continue;
            }
            let file = read_entry(&path).map_err(|error| told(error, &path))?;
            let name = path.strip_prefix(top).unwrap_or(&path).as_os_str().as_bytes().to_vec();
            match file {
                Some((kind, text)) => files.push((kind, name, text)),
                None if path.is_dir() => open.push(path),
                None => {}
            }
        }
    }
    archive(files, &top.display().to_string())
}

fn read_entry(path: &Path) -> io::Result<Option<(Kind, Vec<u8>)>> {
    let data = fs::symlink_metadata(path)?;
    Ok(if data.is_symlink() {
        Some((Kind::Link, fs::read_link(path)?.into_os_string().as_bytes().to_vec()))
    } else if data.is_file() {
        let executable = data.permissions().mode() & 0o111 != 0;
        let kind = if executable { Kind::Executable } else { Kind::Plain };
        Some((kind, fs::read(path)?))
    } else {
        None
    })
}

/// All files of a revision.
///
/// # Errors
/// When git cannot be run, or there is no such revision.
pub fn read_revision(repository: &Path, revision: &str) -> Result<Vec<u8>, Failure> {
    let git = || {
        let mut command = Command::new("git");
        command.arg("-C").arg(repository);
        command
    };
    let wrong = |what: &dyn std::fmt::Display| {
        let message =
            format!("cannot read revision {revision} of {}: {what}", repository.display());
        Failure::new(Exit::Usage, message)
    };
    let listed = git().args(["ls-tree", "-r", "-z", "--full-tree", revision]).output();
    let Output { status, stdout, stderr } =
        listed.map_err(|error| wrong(&format!("git: {error}")))?;
    if !status.success() {
        let message = String::from_utf8_lossy(&stderr);
        return Err(wrong(&message.lines().next().unwrap_or("git failed")));
    }
    let mut wanted: Vec<(Kind, Vec<u8>, String)> = Vec::new();
    for line in stdout.split(|&b| b == 0).filter(|line| !line.is_empty()) {
        let Some(tab) = line.iter().position(|&b| b == b'\t') else { continue };
        let head = String::from_utf8_lossy(&line[..tab]).into_owned();
        let mut words = head.split(' ');
        let kind = match (words.next(), words.next()) {
            (Some("100755"), Some("blob")) => Kind::Executable,
            (Some("120000"), Some("blob")) => Kind::Link,
            (_, Some("blob")) => Kind::Plain,
            // Another repository inside of this one.
            _ => continue,
        };
        wanted.push((kind, line[tab + 1..].to_vec(), words.next().unwrap_or_default().to_owned()));
    }
    let texts = blobs(git(), &wanted.iter().map(|(_, _, hash)| &hash[..]).collect::<Vec<_>>());
    let texts = texts.map_err(|error| wrong(&format!("git: {error}")))?;
    let files = wanted.into_iter().zip(texts).map(|((kind, path, _), text)| (kind, path, text));
    archive(files.collect(), revision)
}

/// The contents of objects, all by one process.
fn blobs(mut git: Command, hashes: &[&str]) -> io::Result<Vec<Vec<u8>>> {
    git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = git.spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let mut output = BufReader::new(output);
    let mut texts = Vec::new();
    for hash in hashes {
        writeln!(input, "{hash}")?;
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

/// The grammar for each file, loaded when it is needed first.
pub fn grammars() -> Box<LanguageOf> {
    let known: Vec<(String, Arc<Language>)> = languages::all()
        .into_iter()
        .filter(|info| !info.suffixes.is_empty())
        .filter_map(|info| {
            Some((info.name.clone(), Arc::new(languages::by_name(&info.name).ok()?)))
        })
        .collect();
    Box::new(move |path, text| {
        let name = path.rsplit(|&b| b == b'/').next().unwrap_or_default();
        let language = languages::guess(&String::from_utf8_lossy(name), text);
        known.iter().find(|(name, _)| name == language).map(|(_, language)| Arc::clone(language))
    })
}

/// The differences of two archives as a patch.
pub fn patch(passing: &[u8], failing: &[u8], color: bool) -> String {
    let (olds, news) = (entries(passing), entries(failing));
    let mut paths: Vec<&[u8]> = olds.iter().chain(&news).map(|entry| entry.path).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut text = String::new();
    for path in paths {
        let [old, new] = [&olds, &news].map(|all| all.iter().find(|entry| entry.path == path));
        let same = old.map(|e| (e.kind, e.text)) == new.map(|e| (e.kind, e.text));
        if same {
            continue;
        }
        let shown = String::from_utf8_lossy(path);
        let name = |side, there: bool| {
            if there { format!("{side}/{shown}") } else { "/dev/null".to_owned() }
        };
        let [a, b] = [old, new].map(|entry| entry.map_or(&[][..], |entry| entry.text));
        let names = [name("a", old.is_some()), name("b", new.is_some())];
        if let (Some(old), Some(new)) = (old, new)
            && old.kind != new.kind
        {
            text += &format!("{shown}: {:?} → {:?}\n", old.kind, new.kind);
        }
        if [a, b].iter().any(|text| text.contains(&0)) {
            text += &format!("binary files {} and {} differ\n", names[0], names[1]);
        } else if a != b || old.is_none() || new.is_none() {
            text += &unified([&names[0], &names[1]], a, b, color);
        }
    }
    text
}

/// Writes an archive as a new directory, in one step.
///
/// # Errors
/// When it cannot be written, or is there already.
fn write_directory(archive: &[u8], path: &Path) -> Result<(), Failure> {
    let told = |error: io::Error| {
        Failure::new(Exit::NotWritten, format!("cannot write {}: {error}", path.display()))
    };
    let place = Place::new(path, path).workshop().map_err(told)?;
    let fresh: PathBuf = place.path().join("new");
    unpack(archive, &fresh).map_err(told)?;
    fs::rename(&fresh, path).map_err(told)
}

/// The same where an earlier result of ours is replaced.
///
/// # Errors
/// When it cannot be written. The old one is then still there, or in the way.
pub fn replace_directory(archive: &[u8], path: &Path) -> Result<(), Failure> {
    if !path.exists() {
        return write_directory(archive, path);
    }
    let told = |error: io::Error| {
        Failure::new(Exit::NotWritten, format!("cannot replace {}: {error}", path.display()))
    };
    let place = Place::new(path, path).workshop().map_err(told)?;
    let fresh = place.path().join("new");
    unpack(archive, &fresh)
        .and_then(|()| exchange(path, &fresh, &place.path().join("spare")))
        .map_err(told)
}

/// Refuses a place for a result that is taken.
///
/// # Errors
/// When something is there already.
pub fn check_free(path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let message = format!("the result would overwrite {}, which is there already", path.display());
    Err(Failure::new(Exit::Usage, message).advise("Remove it, or name another place with -o.\n"))
}
