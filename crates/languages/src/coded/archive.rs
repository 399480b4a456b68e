//! Archives of files: ZIP, in which documents and programs come as well, and tar. Their members are
//! reduced as the files of a directory are.

use std::io::{Cursor, Read, Write};

use minirepro_syntax::archive::{Entry, Kind, entries, pack};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::coded::{Codec, LARGEST};

/// A member that its archive may hold as it is or compressed is held as it is below this size.
const SHORT: usize = 64;
/// What the modes of files say of those that can be run.
const EXECUTABLE: u32 = 0o100;

/// The form of ZIP files.
pub(crate) struct Zip;

impl Codec for Zip {
    fn decode(&self, file: &[u8]) -> Option<Vec<u8>> {
        file.starts_with(b"PK\x03\x04").then_some(())?;
        let mut archive = ZipArchive::new(Cursor::new(file)).ok()?;
        let mut members = Vec::new();
        let mut left = LARGEST as u64;
        for place in 0..archive.len() {
            let member = archive.by_index(place).ok()?;
            if member.is_dir() {
                continue;
            }
            let kind = match member.unix_mode() {
                _ if member.is_symlink() => Kind::Link,
                Some(mode) if mode & EXECUTABLE != 0 => Kind::Executable,
                _ => Kind::Plain,
            };
            let name = member.name().ok()?.as_bytes().to_vec();
            let mut text = Vec::new();
            member.take(left + 1).read_to_end(&mut text).ok()?;
            left = left.checked_sub(text.len() as u64)?;
            members.push((kind, name, text));
        }
        packed(&members)
    }

    fn encode(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for Entry { kind, path, text, .. } in entries(text) {
            let name = std::str::from_utf8(path).ok()?;
            // No time: the same members make the same file.
            let (stored, deflated) = (CompressionMethod::Stored, CompressionMethod::Deflated);
            let options = SimpleFileOptions::default()
                .compression_method(if text.len() < SHORT { stored } else { deflated })
                .last_modified_time(zip::DateTime::DEFAULT);
            let options = match kind {
                Kind::Executable => options.unix_permissions(0o755),
                Kind::Plain => options,
                Kind::Link => {
                    writer.add_symlink(name, std::str::from_utf8(text).ok()?, options).ok()?;
                    continue;
                }
            };
            writer.start_file(name, options).ok()?;
            writer.write_all(text).ok()?;
        }
        Some(writer.finish().ok()?.into_inner())
    }
}

/// The form of tar files.
pub(crate) struct Tar;

impl Codec for Tar {
    fn decode(&self, file: &[u8]) -> Option<Vec<u8>> {
        file.get(257..262).filter(|mark| *mark == b"ustar")?;
        let mut members = Vec::new();
        for member in tar::Archive::new(file).entries().ok()? {
            let mut member = member.ok()?;
            let mode = member.header().mode().ok()?;
            let kind = match member.header().entry_type() {
                tar::EntryType::Directory => continue,
                tar::EntryType::Symlink => Kind::Link,
                tar::EntryType::Regular if mode & EXECUTABLE != 0 => Kind::Executable,
                tar::EntryType::Regular => Kind::Plain,
                // What else there is would not come back.
                _ => return None,
            };
            let path = member.path_bytes().into_owned();
            let mut text = match kind {
                Kind::Link => member.link_name_bytes()?.into_owned(),
                _ => Vec::new(),
            };
            member.read_to_end(&mut text).ok()?;
            members.push((kind, path, text));
        }
        packed(&members)
    }

    fn encode(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut builder = tar::Builder::new(Vec::new());
        for Entry { kind, path, text, .. } in entries(text) {
            let path = std::str::from_utf8(path).ok()?;
            let mut header = tar::Header::new_ustar();
            header.set_mode(if kind == Kind::Executable { 0o755 } else { 0o644 });
            header.set_mtime(0);
            if kind == Kind::Link {
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_size(0);
                builder.append_link(&mut header, path, std::str::from_utf8(text).ok()?).ok()?;
            } else {
                header.set_size(text.len() as u64);
                builder.append_data(&mut header, path, text).ok()?;
            }
        }
        builder.into_inner().ok()
    }
}

pub(super) fn packed(members: &[(Kind, Vec<u8>, Vec<u8>)]) -> Option<Vec<u8>> {
    (!members.is_empty()).then_some(())?;
    pack(members.iter().map(|(kind, path, text)| (*kind, &path[..], &text[..])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coded::archive_named;
    use crate::guess;

    #[test]
    fn members_go_into_an_archive_and_come_out() {
        let members = [
            (Kind::Plain, &b"mimetype"[..], &b"application/epub+zip"[..]),
            (Kind::Executable, b"bin/run", b"#!/bin/sh\n"),
            (Kind::Link, b"run", b"bin/run"),
            (Kind::Plain, b"word/document.xml", &b"<a>b</a>".repeat(100)),
        ];
        let text = pack(members).unwrap();
        for (name, codec) in ["zip", "tar"].map(|name| (name, archive_named(name).unwrap())) {
            let file = codec.encode(&text).unwrap();
            assert_eq!(codec.encode(&text), Some(file.clone()), "{name}");
            assert_eq!(codec.decode(&file).as_deref(), Some(&text[..]), "{name}");
            assert_eq!(guess("a.docx", &file), name);
            assert_ne!(codec.decode(&file[..file.len() / 2]).as_ref(), Some(&text), "{name}");
            assert_eq!(codec.decode(b"PK\x03\x04"), None, "{name}");
        }
    }
}
