//! The programs that a test names, and whether they are the same on two machines.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::system::{LIMIT, read_limited};
use crate::{Digest, Fingerprint};

/// How many differences are told.
const MOST_TOLD: usize = 5;

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

/// Returns which programs the words name on this machine, with digests of their contents. Where
/// they are does not matter. Does not see what a program calls or reads. Linear in the programs.
///
/// Words that are paths relative to some directory are left out: tests have another one.
pub(crate) fn tools<'a>(words: impl Iterator<Item = &'a [u8]>) -> Fingerprint {
    let directories = directories_of_programs();
    let known = words.filter(|word| !word.contains(&b'/') || word.starts_with(b"/"));
    let digest = |word: &[u8]| {
        let path = program(OsStr::from_bytes(word), &directories)?;
        let digest = match read_limited(&path, LIMIT) {
            Ok(text) => Digest::of(&text).as_str().to_owned(),
            // It can be run though nobody may read it.
            Err(_) => "unreadable".to_owned(),
        };
        Some((String::from_utf8_lossy(word).into_owned(), digest))
    };
    let mut words: Vec<&[u8]> = known.collect();
    words.sort_unstable();
    words.dedup();
    words.into_iter().filter_map(digest).collect()
}

/// Says in words what differs between the tools of this machine and those of another; `None` if
/// nothing does.
pub fn difference(here: &Fingerprint, there: &Fingerprint) -> Option<String> {
    let mut all = Vec::new();
    for (name, ours) in here {
        match there.get(name) {
            None => all.push(format!("{name} is only here")),
            Some(theirs) if theirs != ours => all.push(format!("{name} is another program there")),
            Some(_) => {}
        }
    }
    let only_there = there.keys().filter(|name| !here.contains_key(*name));
    all.extend(only_there.map(|name| format!("{name} is only there")));
    let more = all.len().saturating_sub(MOST_TOLD);
    all.truncate(MOST_TOLD);
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    (!all.is_empty()).then(|| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_their_content() {
        let place = tempfile::tempdir().unwrap();
        let tool = place.path().join("tool");
        let put = |text: &str| {
            fs::write(&tool, text).unwrap();
            fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
            let script = format!("#!/bin/sh\n{} -c x | sh; ./no/tool", tool.display());
            tools(words_of_script(script.as_bytes()))
        };
        let (first, same, other) = (put("1"), put("1"), put("2"));
        let mut names: Vec<&str> = first.keys().map(String::as_str).collect();
        names.sort_unstable();
        let mut expected = ["/bin/sh", "sh", tool.to_str().unwrap()];
        expected.sort_unstable();
        assert_eq!(names, expected);
        assert_eq!(first, same);
        assert_ne!(first, other);
    }

    #[test]
    fn differences_are_told() {
        let facts = |pairs: &[(&str, &str)]| -> Fingerprint {
            pairs.iter().map(|(name, digest)| ((*name).into(), (*digest).into())).collect()
        };
        let here = facts(&[("cc", "1"), ("grep", "1"), ("sed", "1")]);
        assert_eq!(difference(&here, &here), None);
        let there = facts(&[("cc", "2"), ("sed", "1"), ("clang", "1")]);
        let told = "cc is another program there, grep is only here, clang is only there";
        assert_eq!(difference(&here, &there).unwrap(), told);
        let told =
            difference(&facts(&[]), &facts(&["a", "b", "c", "d", "e", "f"].map(|n| (n, ""))));
        assert!(told.unwrap().ends_with("e is only there, and 1 more"));
    }
}
