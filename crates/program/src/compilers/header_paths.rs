//! Options of compilers that say where headers are: their paths must mean the same in the directory
//! of a test.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::compilers::options::PATHS;

/// Returns words in which the places of headers are absolute paths if they are there by relative
/// ones. What is reduced, as `is_own` says, must stay a relative path.
pub fn with_absolute_header_paths(
    words: &[OsString],
    is_own: &dyn Fn(&Path) -> bool,
) -> Vec<OsString> {
    let mut previous = None;
    let absolute = |word: &OsString| {
        let before = previous.replace(word.clone());
        absolute_in(before.as_deref(), word, is_own).unwrap_or_else(|| word.clone())
    };
    words.iter().map(absolute).collect()
}

/// Returns a word with an absolute path if it says, alone or after the word `previous`, where
/// headers are, and they are there by a relative path.
fn absolute_in(
    previous: Option<&OsStr>,
    word: &OsStr,
    is_own: &dyn Fn(&Path) -> bool,
) -> Option<OsString> {
    let is_apart = previous.is_some_and(|previous| PATHS.iter().any(|&o| previous == o));
    if is_apart {
        return absolute(word, is_own);
    }
    PATHS.iter().find_map(|option| {
        let joined = word.as_bytes().strip_prefix(option.as_bytes())?;
        let (equals, path) = match joined.strip_prefix(b"=") {
            Some(path) => ("=", path),
            None => ("", joined),
        };
        let mut whole = OsString::from(format!("{option}{equals}"));
        whole.push(absolute(OsStr::from_bytes(path), is_own)?);
        Some(whole)
    })
}

fn absolute(path: &OsStr, is_own: &dyn Fn(&Path) -> bool) -> Option<OsString> {
    let path = Path::new(path);
    if path.is_absolute() || is_own(path) || !path.exists() {
        return None;
    }
    std::path::absolute(path).ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_headers_become_absolute() {
        let here = std::env::current_dir().unwrap();
        // Tests run in the directory of the crate.
        let words = "cc -Isrc -I ./src -isystem=src -iquote no -Ino -include src/lib.rs -O src -Isrc/run @@";
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let found = with_absolute_header_paths(&words, &|path| path.starts_with("src/run"));
        let shown = found.join(OsStr::new(" ")).into_string().unwrap();
        assert_eq!(
            shown.replace(here.to_str().unwrap(), "HERE"),
            "cc -IHERE/src -I HERE/src -isystem=HERE/src -iquote no -Ino -include HERE/src/lib.rs -O src -Isrc/run @@"
        );
    }
}
