//! A journal may hold anything: it was torn, forged, or written by another program.

use std::fs;

use minirepro_runner::{Journal, PreviousRun};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Reads the bytes as a journal: as they are, and with the right checksum before every line.
pub fn journal(bytes: &[u8]) {
    for text in [bytes.to_vec(), with_checksums(bytes)] {
        // A journal with which nothing was begun removes its directory.
        let directory = tempfile::tempdir().expect("there is room for a small directory");
        fs::write(directory.path().join("journal"), &text).expect("there is room for a small file");
        if let Ok(past) = PreviousRun::read(directory.path()) {
            let _ = past.answers();
            let _ = past.header.differences(&past.header);
        }
        let _ = Journal::open(directory.path());
    }
}

/// Writes every line as one of a journal, so that what its records say is reached.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut chain = 0;
    let mut text = Vec::new();
    for line in bytes.split(|&b| b == b'\n') {
        chain = xxh3_64_with_seed(line, chain);
        text.extend_from_slice(format!("{chain:016x} ").as_bytes());
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}
