//! Names of files that are made from other names, and must not become too long for the system.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use xxhash_rust::xxh3::xxh3_64;

/// The longest name that common file systems take, in bytes.
const LONGEST: usize = 255;

/// Returns the name if it leaves room for this many further bytes; else its beginning and a hash of
/// it all, so that different names stay different.
pub fn shortened(name: &OsStr, room: usize) -> OsString {
    let bytes = name.as_bytes();
    if bytes.len() + room <= LONGEST {
        return name.to_owned();
    }
    let hash = format!("~{:016x}", xxh3_64(bytes));
    let mut end = LONGEST.saturating_sub(room + hash.len());
    // Not in the middle of a character, which some file systems refuse.
    while end > 0 && bytes[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    let mut short = bytes[..end].to_owned();
    short.extend_from_slice(hash.as_bytes());
    OsString::from_vec(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_near_the_limit_become_shorter_and_stay_different() {
        assert_eq!(shortened(OsStr::new("a.c"), 20), "a.c");
        let long = |last: &str| OsString::from("ü".repeat(126) + last);
        let [a, b] = ["a", "b"].map(|last| shortened(&long(last), 20));
        assert!(a != b && a.len() <= 235 && a.to_str().is_some());
    }
}
