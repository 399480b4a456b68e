//! What is read: files and directories with the languages of their parts, after a preprocessor too.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use minirepro_circumstances::LanguageOf;
use minirepro_circumstances::archive::{Kind, pack};
use minirepro_runner::system::{LIMIT, read_limited};
use minirepro_runner::{PreviousRun, shell};
use minirepro_syntax::Language;

use crate::error::{Error, Unreadable};
use crate::grammars::Languages;
use crate::sources::project::{Part, listed_but, read};

/// Reads a whole file.
///
/// # Errors
/// If it does not exist, is a directory, or it is too large for a tree.
pub fn file(path: &Path) -> Result<Vec<u8>, Error> {
    checked(path, read_limited(path, LIMIT))
}

/// Reads standard input to its end; `name` is what errors call it.
///
/// # Errors
/// If it cannot be read, or is too large for a tree.
pub fn standard_input(name: &Path) -> Result<Vec<u8>, Error> {
    checked(name, read_limited(Path::new("/dev/stdin"), LIMIT))
}

fn checked(path: &Path, read: io::Result<Vec<u8>>) -> Result<Vec<u8>, Error> {
    let unreadable = |cause| Error::InputUnreadable(path.to_owned(), cause);
    let text = read.map_err(|error| {
        unreadable(match error.kind() {
            io::ErrorKind::NotFound => Unreadable::Missing,
            io::ErrorKind::IsADirectory => Unreadable::IsDirectory,
            io::ErrorKind::FileTooLarge => Unreadable::Endless,
            _ => Unreadable::Io(error),
        })
    })?;
    if u32::try_from(text.len()).is_err() {
        return Err(unreadable(Unreadable::TooLarge));
    }
    Ok(text)
}

/// Reads the bytes with which the run in this journal began.
///
/// # Errors
/// If they are gone.
pub fn recorded_input(journal: &Path) -> Result<Vec<u8>, Error> {
    Ok(PreviousRun::input(journal)?)
}

/// A file on its way into an archive.
pub(super) struct File {
    pub(super) kind: Kind,
    pub(super) path: Vec<u8>,
    pub(super) text: Vec<u8>,
}

/// Packs files in the order of their paths.
pub(super) fn archive(mut files: Vec<File>) -> Result<Vec<u8>, Unreadable> {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let archive = pack(files.iter().map(|file| (file.kind, &file.path[..], &file.text[..])));
    let archive = archive.ok_or(Unreadable::HoldsSeparator)?;
    if u32::try_from(archive.len()).is_err() {
        return Err(Unreadable::TooLarge);
    }
    Ok(archive)
}

/// Reads all files below a directory but those of version control. Links stay links; what is not a
/// file is left out.
///
/// # Errors
/// If something cannot be read.
pub fn directory(top: &Path) -> Result<Vec<u8>, Error> {
    let is_of_control = |place: &Path| [".git", ".hg", ".svn"].iter().any(|n| place.ends_with(n));
    let files = listed_but(top, |place| is_of_control(place).then_some(None))?;
    read(&files, |_| Part::Whole)
}

/// Returns a function that finds the language of a file by its name and text. Each language is
/// loaded when it is first needed.
pub fn grammars(languages: &Languages) -> Arc<LanguageOf> {
    let languages = languages.clone();
    let all = languages.all().into_iter().filter(|info| !info.suffixes.is_empty());
    let known: HashSet<String> = all.map(|info| info.name).collect();
    let loaded: Mutex<HashMap<String, Option<Arc<Language>>>> = Mutex::default();
    Arc::new(move |path, text| {
        let name = path.rsplit(|&b| b == b'/').next().unwrap_or_default();
        let language = languages.guess(&String::from_utf8_lossy(name), text);
        if !known.contains(&language) {
            return None;
        }
        let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = loaded.entry(language.clone());
        entry.or_insert_with(|| languages.by_name(&language).ok().map(Arc::new)).clone()
    })
}

/// Returns what a shell command prints for a file: `@@` in it stands for the file's name, which
/// otherwise comes last. It runs in the file's directory, for the sake of what the file includes.
///
/// # Errors
/// If the command fails or prints nothing.
pub fn preprocessed(command: &str, file: &Path) -> Result<Vec<u8>, Error> {
    let name = Path::new(".").join(file.file_name().unwrap_or_default());
    let directory = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let script = if command.contains("@@") { command.to_owned() } else { format!("{command} @@") };
    let message = match shell_output(&script, name.as_os_str(), directory, b"") {
        Err(error) => error.to_string(),
        Ok(Output { status, stderr, .. }) if !status.success() => {
            format!("{status}\n{}", String::from_utf8_lossy(&stderr).trim_end())
        }
        Ok(Output { stdout, .. }) if stdout.is_empty() => "it printed nothing".to_owned(),
        Ok(Output { stdout, .. }) => return Ok(stdout),
    };
    Err(Error::PreprocessingFailed(command.to_owned(), message))
}

/// Runs a shell command, in which `@@` stands for a name, on a text as its standard input.
pub(crate) fn shell_output(
    command: &str,
    name: &OsStr,
    directory: &Path,
    text: &[u8],
) -> io::Result<Output> {
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(shell::with_name(OsStr::new(command), name))
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let input = child.stdin.take();
    thread::scope(|scope| {
        // It may write before it has read all. One that reads nothing ends on its own.
        scope.spawn(move || input.map(|mut input| input.write_all(text)));
        child.wait_with_output()
    })
}
