//! Frames: how messages are told from each other in a stream of bytes, and damage is noticed.
//!
//! Whatever arrives, reading must not panic, and must not wait for more bytes than an intact header
//! asks for.

use std::io::{self, ErrorKind, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use minirepro_runner::system::LIMIT;

/// What each side writes first. What comes before it (a login shell may greet) is passed over.
pub(crate) const PREAMBLE: &[u8] = b"\0minirepro-agent";

/// How much may come before the preamble, in bytes.
const MOST_NOISE: usize = 1 << 20;

/// The bytes of a header: two lengths, and two checksums.
const HEADER: usize = 24;

/// The last byte of a frame: launchers that pass on whole lines only, as `srun` does, pass it on at
/// once.
const END: u8 = b'\n';

/// Returns the bytes of a message with its body.
///
/// # Errors
/// If it is too long.
pub(crate) fn frame(message: &impl Serialize, body: &[u8]) -> io::Result<Vec<u8>> {
    let message = serde_json::to_vec(message)?;
    // As many as any file that is read may have.
    if message.len() as u64 > LIMIT || body.len() as u64 > LIMIT {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(HEADER + message.len() + body.len() + 1);
    // Both limits are below 2^32.
    bytes.extend_from_slice(&(message.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    bytes.extend_from_slice(&checksum(&message, body).to_le_bytes());
    bytes.extend_from_slice(&message);
    bytes.extend_from_slice(body);
    bytes.push(END);
    Ok(bytes)
}

fn checksum(message: &[u8], body: &[u8]) -> u64 {
    xxh3_64_with_seed(body, xxh3_64(message))
}

/// Reads up to the end of the preamble, into `noise`.
///
/// # Errors
/// If the stream ends before, or much else comes.
pub(crate) fn find_preamble(input: &mut impl Read, noise: &mut Vec<u8>) -> io::Result<()> {
    while !noise.ends_with(PREAMBLE) {
        if noise.len() > MOST_NOISE {
            return Err(invalid("it does not speak like an agent of minirepro"));
        }
        let mut byte = [0];
        input.read_exact(&mut byte)?;
        noise.extend(byte);
    }
    noise.truncate(noise.len() - PREAMBLE.len());
    Ok(())
}

/// Reads a message and its body.
///
/// # Errors
/// If the stream ends or fails, or cannot be understood ([`ErrorKind::InvalidData`]). It never can
/// be again then.
pub(crate) fn read<M: DeserializeOwned>(input: &mut impl Read) -> io::Result<(M, Vec<u8>)> {
    let mut header = [0; HEADER];
    input.read_exact(&mut header)?;
    let number = |at: usize, length: usize| {
        header[at..at + length].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    if xxh3_64(&header[..8]) != number(8, 8) {
        return Err(invalid("what it sent is damaged"));
    }
    let (message, body) = (number(0, 4), number(4, 4));
    if message > LIMIT || body > LIMIT {
        return Err(invalid("it sent more than a message may hold"));
    }
    let length = message + body + 1;
    let mut bytes = Vec::new();
    if input.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let end = bytes.pop();
    // It is below 2^31.
    let body = bytes.split_off(message as usize);
    if end != Some(END) || checksum(&bytes, &body) != number(16, 8) {
        return Err(invalid("what it sent is damaged"));
    }
    let message = serde_json::from_slice(&bytes);
    Ok((message.map_err(|_| invalid("what it sent makes no sense"))?, body))
}

/// Returns the error for a stream that cannot be understood.
pub(crate) fn invalid(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.into())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    type Sent = Vec<(String, Vec<u8>)>;

    /// Gives the bytes out in small pieces.
    struct Pieces<'a>(&'a [u8]);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(7);
            self.0.read(&mut buffer[..length])
        }
    }

    /// Returns all frames of a stream, and why there are no more.
    fn decoded(stream: &[u8]) -> (Sent, ErrorKind) {
        let mut input = Pieces(stream);
        if let Err(error) = find_preamble(&mut input, &mut Vec::new()) {
            return (Vec::new(), error.kind());
        }
        let mut frames = Vec::new();
        loop {
            match read(&mut input) {
                Ok(frame) => frames.push(frame),
                Err(error) => return (frames, error.kind()),
            }
        }
    }

    fn stream(noise: &[u8], frames: &Sent) -> Vec<u8> {
        let mut stream = [noise, PREAMBLE].concat();
        for (message, body) in frames {
            stream.extend(frame(message, body).unwrap());
        }
        stream
    }

    fn frames() -> impl Strategy<Value = Sent> {
        vec(("[ -~]{0,40}", vec(any::<u8>(), 0..60)), 0..6)
    }

    proptest! {
        #[test]
        fn frames_arrive_as_they_were_sent(noise in "[ -~\n]{0,40}", sent in frames()) {
            let (got, end) = decoded(&stream(noise.as_bytes(), &sent));
            prop_assert_eq!((got, end), (sent, ErrorKind::UnexpectedEof));
        }

        #[test]
        fn no_frame_arrives_that_was_not_sent(
            sent in frames(), at in any::<prop::sample::Index>(), by in 1u8..,
            cut in any::<prop::sample::Index>(), more in vec(any::<u8>(), 0..40),
        ) {
            let mut damaged = stream(b"", &sent);
            let place = at.index(damaged.len());
            damaged[place] ^= by;
            // Somebody else writes in between as well.
            let gap = cut.index(damaged.len());
            damaged.splice(gap..gap, more);
            let (got, _) = decoded(&damaged);
            prop_assert!(got.into_iter().zip(sent).all(|(got, sent)| got == sent));
        }
    }

    #[test]
    fn endless_noise_and_lengths_are_refused() {
        assert_eq!(decoded(&vec![b'x'; MOST_NOISE + 1]).1, ErrorKind::InvalidData);
        let mut header = u64::MAX.to_le_bytes().to_vec();
        header.extend(xxh3_64(&header).to_le_bytes());
        header.extend([0; 8]);
        assert_eq!(decoded(&[PREAMBLE, &header].concat()).1, ErrorKind::InvalidData);
    }
}
