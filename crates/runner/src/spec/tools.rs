//! The programs that a test names.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Returns the words of a script, as far as they can be told without understanding it.
pub fn words_of_script(script: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+@%,:~".contains(b) || *b >= 0x80;
    script.split(move |b| !is_part(b)).filter(|word| !word.is_empty())
}

/// Returns the directories in which programs are looked for.
pub fn directories_of_programs() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// Returns whether a path is that of a program.
pub(crate) fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Returns the program that a shell would run for this word, if there is one.
pub fn program(word: &OsStr, directories: &[PathBuf]) -> Option<PathBuf> {
    if word.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(word)).filter(|path| is_program(path));
    }
    directories.iter().map(|directory| directory.join(word)).find(|path| is_program(path))
}
