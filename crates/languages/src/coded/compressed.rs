//! Files, and parts of files, that are compressed.

use std::io::Read;

use flate2::Compression;
use flate2::read::{GzEncoder, MultiGzDecoder, ZlibDecoder, ZlibEncoder};
#[cfg(feature = "archives")]
use ruzstd::{
    decoding::StreamingDecoder,
    encoding::{CompressionLevel, compress_to_vec},
};
use strum::EnumString;

use crate::coded::{Codec, LARGEST};

/// What something is compressed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Compressed {
    Gzip,
    Zlib,
    Zstd,
    Brotli,
}

/// The forms of whole files, and how the names of languages begin whose files are compressed; that
/// of the language follows.
pub(crate) const FILES: &[(&str, &Compressed)] =
    &[("gzip:", &Compressed::Gzip), ("zstd:", &Compressed::Zstd), ("brotli:", &Compressed::Brotli)];

impl Compressed {
    /// Returns what a file holds; `None` if it is not of this form. Brotli has no mark, so only a
    /// name tells.
    pub(crate) fn of_file(self, name: &str, file: &[u8]) -> Option<Vec<u8>> {
        let may_be = self != Self::Brotli || name.ends_with(".br");
        may_be.then(|| self.decode(file)).flatten()
    }
}

impl Codec for Compressed {
    fn decode(&self, file: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let mut read = |from: &mut dyn Read| {
            from.take(LARGEST as u64 + 1).read_to_end(&mut text).is_ok() && text.len() <= LARGEST
        };
        let is_read = match self {
            Self::Gzip => read(&mut MultiGzDecoder::new(file)),
            Self::Zlib => read(&mut ZlibDecoder::new(file)),
            #[cfg(feature = "archives")]
            Self::Zstd => of_frames(file, read),
            #[cfg(feature = "archives")]
            Self::Brotli => read(&mut brotli_decompressor::Decompressor::new(file, 0)),
            #[cfg(not(feature = "archives"))]
            Self::Zstd | Self::Brotli => false,
        };
        is_read.then_some(text)
    }

    // Neither a time nor a name: the same text makes the same file.
    fn encode(&self, text: &[u8]) -> Option<Vec<u8>> {
        let (mut file, level) = (Vec::new(), Compression::default());
        let mut encoder: Box<dyn Read> = match self {
            Self::Gzip => Box::new(GzEncoder::new(text, level)),
            Self::Zlib => Box::new(ZlibEncoder::new(text, level)),
            #[cfg(feature = "archives")]
            Self::Brotli => return Some(stored(text)),
            #[cfg(feature = "archives")]
            Self::Zstd => return Some(compress_to_vec(text, CompressionLevel::Fastest)),
            #[cfg(not(feature = "archives"))]
            Self::Zstd | Self::Brotli => return None,
        };
        encoder.read_to_end(&mut file).ok()?;
        Some(file)
    }
}

/// Returns a stream of Brotli that holds a text as it is (RFC 7932, section 9.2): to compress it
/// would take an encoder, with a dictionary, for files that are small soon.
#[cfg(feature = "archives")]
fn stored(text: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    for block in text.chunks(1 << 16) {
        // It is not the last one; its length less one, in 16 bits; it is stored.
        let head = (block.len() as u32 - 1) << 3 | 1 << 19;
        // Before the first one stands the size of the window, in one bit.
        let head = head << u32::from(file.is_empty());
        file.extend(&head.to_le_bytes()[..3]);
        file.extend(block);
    }
    file.push(if file.is_empty() { 0b110 } else { 0b11 });
    file
}

/// Reads the frames of Zstandard that a file consists of; returns whether all could be read.
#[cfg(feature = "archives")]
fn of_frames(mut file: &[u8], mut read: impl FnMut(&mut dyn Read) -> bool) -> bool {
    loop {
        let frame = StreamingDecoder::new(&mut file);
        let is_read = frame.is_ok_and(|mut frame| read(&mut frame));
        if !is_read || file.is_empty() {
            return is_read;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{by_name, guess};

    #[test]
    fn a_file_is_decompressed_once_and_only_as_far_as_it_may_be_large() {
        let gzip = |text: &[u8]| Compressed::Gzip.encode(text).unwrap();
        let once = gzip(b"int main;");
        assert_eq!(guess("a.c.gz", &once), "gzip:c");
        let twice = gzip(&once);
        assert_eq!(guess("a.c.gz.gz", &twice), "gzip:bytes");
        assert!(by_name("gzip:gzip:c").is_err());
        assert!(by_name("gzip:zstd:c").is_err());
        let zeros = gzip(&vec![0; 1 << 20]);
        assert_eq!(guess("a.gz", &zeros), "gzip:bytes");
        assert_eq!(guess("a.gz", &zeros.repeat(65)), "bytes");
    }

    #[cfg(feature = "archives")]
    #[test]
    fn what_is_packed_is_unpacked_again() {
        let long: Vec<u8> = (0..150_000_u32).flat_map(u32::to_le_bytes).collect();
        for &(name, form) in FILES {
            for text in [&b""[..], b"int main;", &long[..1 << 16], &long] {
                let file = form.encode(text).unwrap();
                assert_eq!(form.decode(&file).as_deref(), Some(text), "{name}");
            }
            assert_eq!(form.decode(b"int main;"), None, "{name}");
            assert_eq!(form.decode(b""), None, "{name}");
        }
        let file = |form: Compressed| form.encode(b"int main;").unwrap();
        assert_eq!(guess("a.c.zst", &file(Compressed::Zstd)), "zstd:c");
        assert_eq!(guess("a.c.br", &file(Compressed::Brotli)), "brotli:c");
        assert_eq!(guess("a.c", &file(Compressed::Brotli)), "c");
        let two = [file(Compressed::Zstd), file(Compressed::Zstd)].concat();
        assert_eq!(Compressed::Zstd.decode(&two).as_deref(), Some(&b"int main;int main;"[..]));
        let language = by_name("brotli:c").unwrap();
        assert_eq!(
            language.reader.canonical_form(&file(Compressed::Brotli)).unwrap(),
            b"int main;"
        );
    }

    #[cfg(feature = "wat")]
    #[test]
    fn a_module_can_be_compressed() {
        let module = b"\0asm\x01\0\0\0";
        let file = Compressed::Gzip.encode(module).unwrap();
        assert_eq!(guess("a.wasm.gz", &file), "gzip:wasm");
        let language = by_name("gzip:wasm").unwrap();
        let text = language.reader.canonical_form(&file).unwrap();
        assert_eq!(language.reader.file_of(&text).as_deref(), Some(&file[..]));
    }
}
