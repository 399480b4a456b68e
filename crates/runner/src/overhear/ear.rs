//! One end: the directory of a test, in which links to this program stand, and what was heard
//! there.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::overhear::names::is_program;
use crate::overhear::names::starts_others;
use crate::overhear::{
    EXECUTABLE, Granted, HEARD, Header, HeardProgram, LINKS, Overheard, WISH, Wish, Wished,
};
use crate::system::files;
use crate::system::read_limited;

/// Less is heard of a test than that.
const MOST_BYTES: u64 = 256 << 20;

/// Returns the command that starts the test with this directory, so that the programs of these
/// names are overheard in it, and itself if `hears_itself`.
///
/// # Errors
/// If files cannot be made.
pub(crate) fn listen(
    place: &Path,
    names: &[OsString],
    wish: Option<(Wish, &OsStr)>,
    hears_itself: bool,
    mut command: Command,
) -> io::Result<Command> {
    let Some(executable) = EXECUTABLE.get() else { return Ok(command) };
    files::create_private_directory(&place.join(HEARD))?;
    if let Some((wish, candidate)) = wish {
        let wished = serde_json::to_vec(&Wished { wish, candidate: candidate.to_owned() })?;
        files::write_at(&files::create_new(&place.join(HEARD).join(WISH), 0o600)?, &wished, 0)?;
    }
    let links = place.join(LINKS);
    files::create_private_directory(&links)?;
    for name in names {
        files::create_link(executable, &links.join(name))?;
    }
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let mut words: Vec<OsString> = words.map(OsStr::to_owned).collect();
    let own = words.iter().position(|word| !starts_others(word)).filter(|_| hears_itself);
    if let Some(at) = own
        && let program = PathBuf::from(&words[at])
        && let Some(name) = program.file_name()
        && program.is_absolute()
        && is_program(&program)
    {
        let link = links.join(name);
        files::create_link(&program, &place.join(HEARD).join(name))?;
        if !names.iter().any(|known| known == name) {
            files::create_link(executable, &link)?;
        }
        words[at] = link.into();
        command = Command::new(&words[0]);
        command.args(&words[1..]);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(links).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(all).map_err(io::Error::other)?);
    Ok(command)
}

/// Returns what was heard in the test that had this directory.
pub(crate) fn heard(place: &Path) -> Overheard {
    let place = place.join(HEARD);
    let mut names: Vec<OsString> = files::read_directory(&place)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| Path::new(name).extension() == Some(OsStr::new("run")))
        .collect();
    names.sort();
    let read = |name: &OsString| -> Option<HeardProgram> {
        let text = read_limited(&place.join(name), MOST_BYTES).ok()?;
        let end = memchr::memchr(b'\n', &text)?;
        let header: Header = serde_json::from_slice(&text[..end]).ok()?;
        let (stdout, stderr) = text[end + 1..].split_at_checked(header.stdout)?;
        let (stdout, stderr) = (stdout.to_vec(), stderr.to_vec());
        Some(HeardProgram { ending: header.ending(), words: header.words, stdout, stderr })
    };
    let programs = names.iter().filter_map(read).collect();
    let granted = || -> Option<Granted> {
        let header = fs::read(place.join("granted")).ok()?;
        let header: Header = serde_json::from_slice(&header).ok()?;
        let text = read_limited(&place.join("granted.text"), MOST_BYTES).ok()?;
        Some(Granted { ending: header.ending(), words: header.words, text })
    };
    Overheard { programs, granted: granted() }
}
