//! Several files as one candidate: how they become one string of bytes.

use std::ops::Range;

use memchr::{memchr, memmem};
use strum::FromRepr;

/// Stands before every file.
const MARK: &[u8] = b"\0minirepro file\0";

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRepr)]
#[repr(u8)]
pub enum Kind {
    /// A file.
    Plain = b'f',
    /// A file that can be run.
    Executable = b'x',
    /// A symbolic link; its text is where it points to.
    Link = b'l',
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
        if path.contains(&0) || memmem::find(text, MARK).is_some() {
            return None;
        }
        for part in [MARK, &[kind as u8], path, b"\0", text] {
            archive.extend_from_slice(part);
        }
    }
    Some(archive)
}

/// Returns the files of an archive. What does not belong to one is ignored. Linear.
pub fn entries(archive: &[u8]) -> Vec<Entry<'_>> {
    let starts: Vec<usize> = memmem::find_iter(archive, MARK).collect();
    let ends = starts.iter().skip(1).copied().chain([archive.len()]);
    let found = starts.iter().zip(ends).filter_map(|(&start, end)| {
        let (&letter, rest) = archive[start + MARK.len()..end].split_first()?;
        let kind = Kind::from_repr(letter)?;
        let length = memchr(0, rest)?;
        Some(Entry { kind, path: &rest[..length], text: &rest[length + 1..], span: start..end })
    });
    found.collect()
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

/// Returns the name of a file, wherever it is.
pub fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// Returns the name of a file without its suffix, the way modules are imported.
pub fn stem_of(path: &[u8]) -> &[u8] {
    let name = name_of(path);
    let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0);
    dot.map_or(name, |dot| &name[..dot])
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
