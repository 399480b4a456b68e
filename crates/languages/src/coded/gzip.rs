//! Files that gzip has compressed.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::coded::{Codec, LARGEST};

/// The form.
pub(crate) const GZIP: Gzip = Gzip;

/// The form of files that gzip has compressed.
pub(crate) struct Gzip;

impl Codec for Gzip {
    fn is_binary(&self) -> bool {
        true
    }

    fn decode(&self, file: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        MultiGzDecoder::new(file).take(LARGEST as u64 + 1).read_to_end(&mut text).ok()?;
        (text.len() <= LARGEST).then_some(text)
    }

    fn encode(&self, text: &[u8]) -> Option<Vec<u8>> {
        // Neither a time nor a name: the same text makes the same file.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).ok()?;
        encoder.finish().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{by_name, guess};

    #[test]
    fn a_file_is_decompressed_once_and_only_as_far_as_it_may_be_large() {
        let once = GZIP.encode(b"int main;").unwrap();
        assert_eq!(guess("a.c.gz", &once), "gzip:c");
        let twice = GZIP.encode(&once).unwrap();
        assert_eq!(guess("a.c.gz.gz", &twice), "gzip:bytes");
        assert!(by_name("gzip:gzip:c").is_err());
        let zeros = GZIP.encode(&vec![0; 1 << 20]).unwrap();
        assert_eq!(guess("a.gz", &zeros), "gzip:bytes");
        assert_eq!(guess("a.gz", &zeros.repeat(65)), "bytes");
    }

    #[cfg(feature = "wat")]
    #[test]
    fn a_module_can_be_compressed() {
        let module = b"\0asm\x01\0\0\0";
        let file = GZIP.encode(module).unwrap();
        assert_eq!(guess("a.wasm.gz", &file), "gzip:wasm");
        let language = by_name("gzip:wasm").unwrap();
        let text = language.parser.canonical_form(&file).unwrap();
        assert_eq!(language.parser.file_of(&text).as_deref(), Some(&file[..]));
    }
}
