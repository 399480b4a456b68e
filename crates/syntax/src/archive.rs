//! Several files as one candidate: how they become one string of bytes.

use std::ops::Range;

/// Stands before every file.
const MARK: &[u8] = b"\0minirepro file\0";

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    Plain,
    /// A file that can be run.
    Executable,
    /// A symbolic link; its text is where it points to.
    Link,
}

impl Kind {
    const ALL: [(Self, u8); 3] =
        [(Self::Plain, b'f'), (Self::Executable, b'x'), (Self::Link, b'l')];
}

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its path below the directory, with `/` between its parts.
    pub path: &'a [u8],
    /// Its text.
    pub text: &'a [u8],
    /// Where the entry stands in the archive.
    pub span: Range<usize>,
}

impl Entry<'_> {
    /// Returns where its text stands in the archive.
    pub fn body(&self) -> Range<usize> {
        self.span.end - self.text.len()..self.span.end
    }
}

/// Puts files together, in their order. `None` when a text holds the mark that stands between them.
pub fn pack<'a>(files: impl IntoIterator<Item = (Kind, &'a [u8], &'a [u8])>) -> Option<Vec<u8>> {
    let mut archive = Vec::new();
    for (kind, path, text) in files {
        if path.contains(&0) || find(text, MARK).is_some() {
            return None;
        }
        let (_, letter) = Kind::ALL.into_iter().find(|(k, _)| *k == kind)?;
        archive.extend_from_slice(MARK);
        archive.push(letter);
        archive.extend_from_slice(path);
        archive.push(0);
        archive.extend_from_slice(text);
    }
    Some(archive)
}

/// Returns the files of an archive. What does not belong to one is ignored. Linear.
pub fn entries(archive: &[u8]) -> Vec<Entry<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = find(&archive[at..], MARK).map(|i| at + i) {
        let head = start + MARK.len();
        let end = find(&archive[head..], MARK).map_or(archive.len(), |i| head + i);
        at = end;
        let Some((&letter, rest)) = archive[head..end].split_first() else { continue };
        let kind = Kind::ALL.into_iter().find(|(_, l)| *l == letter);
        let (Some((kind, _)), Some(length)) = (kind, rest.iter().position(|&b| b == 0)) else {
            continue;
        };
        found.push(Entry {
            kind,
            path: &rest[..length],
            text: &rest[length + 1..],
            span: start..end,
        });
    }
    found
}

/// Returns how many bytes a person would count: all of a text, or those in the files of an archive.
pub fn bytes_in(text: &[u8]) -> u64 {
    match text.starts_with(MARK) {
        true => entries(text).iter().map(|entry| entry.text.len() as u64).sum(),
        false => text.len() as u64,
    }
}

/// Returns the path of the file that begins a text.
pub fn path_of(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(MARK)?.get(1..)?.split(|&b| b == 0).next()
}

/// Returns where the path stands in a text: without quotes and brackets, and without `?` or `#` and
/// what follows.
pub fn path_in(text: &[u8]) -> Range<usize> {
    let is_sign =
        |b: &u8| matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`') || b.is_ascii_whitespace();
    let start = text.iter().position(|b| !is_sign(b)).unwrap_or(text.len());
    let length = text[start..].iter().position(|b| is_sign(b) || matches!(b, b'?' | b'#'));
    start..length.map_or(text.len(), |length| start + length)
}

fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    // The mark begins with a byte that texts seldom hold.
    let first = needle[0];
    let mut at = 0;
    while let Some(i) = text[at..].iter().position(|&b| b == first) {
        if text[at + i..].starts_with(needle) {
            return Some(at + i);
        }
        at += i + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_in_and_come_out() {
        let files = [
            (Kind::Plain, b"a.c".as_slice(), b"int a;\0".as_slice()),
            (Kind::Link, b"d/b".as_slice(), b"../a.c".as_slice()),
            (Kind::Executable, b"run".as_slice(), b"".as_slice()),
        ];
        let archive = pack(files).unwrap();
        let found = entries(&archive);
        let back: Vec<_> = found.iter().map(|e| (e.kind, e.path, e.text)).collect();
        assert_eq!(back, files);
        assert!(found.iter().all(|e| archive[e.body()] == *e.text));
        assert_eq!(found.last().map(|e| e.span.end), Some(archive.len()));
        assert_eq!(pack([(Kind::Plain, b"x".as_slice(), archive.as_slice())]), None);
        assert_eq!(entries(b"nothing"), []);
        assert_eq!((bytes_in(&archive), bytes_in(b"nothing")), (7 + 6, 7));
    }
}
