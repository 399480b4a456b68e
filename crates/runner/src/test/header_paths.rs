//! Options of compilers that say where headers are: their paths must mean the same in the directory
//! of a test.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::test::cc_options::PATHS;

/// Returns a word with an absolute path if it says, alone or after the word `previous`, where
/// headers are, and they are there by a relative path. What is reduced, as `is_own` says, must stay
/// a relative path.
pub fn with_absolute_header_path(
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
        let words = "cc -Isrc -I ./src -isystem=src -iquote no -Ino -include src/lib.rs -O src -Isrc/test @@";
        let words: Vec<&OsStr> = words.split(' ').map(OsStr::new).collect();
        let mut shown = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let previous = at.checked_sub(1).map(|at| words[at]);
            let found =
                with_absolute_header_path(previous, word, &|path| path.starts_with("src/test"));
            shown.push(found.unwrap_or_else(|| (*word).to_owned()).into_string().unwrap());
        }
        let shown = shown.join(" ").replace(here.to_str().unwrap(), "HERE");
        assert_eq!(
            shown,
            "cc -IHERE/src -I HERE/src -isystem=HERE/src -iquote no -Ino -include HERE/src/lib.rs -O src -Isrc/test @@"
        );
    }
}
