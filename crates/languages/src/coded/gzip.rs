//! Files that gzip has compressed.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::coded::Codec;

/// A larger text is not decompressed: it might be a bomb.
const LARGEST: u64 = 1 << 28;

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
        MultiGzDecoder::new(file).take(LARGEST + 1).read_to_end(&mut text).ok()?;
        (text.len() as u64 <= LARGEST).then_some(text)
    }

    fn encode(&self, text: &[u8]) -> Option<Vec<u8>> {
        // Neither a time nor a name: the same text makes the same file.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).ok()?;
        encoder.finish().ok()
    }
}
