//! Frames: how messages are told from each other in a stream of bytes, and damage is noticed.
//!
//! Pure functions of bytes. Whatever arrives, the decoder must not panic, and must not wait for
//! more bytes than an intact header asks for.

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

/// The most bytes of a message. Bodies may have as many as any file that is read.
const MOST_MESSAGE: u64 = 64 << 20;

/// A message, with bytes that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub message: Vec<u8>,
    pub body: Vec<u8>,
}

/// Why a stream cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameError {
    /// No agent has answered.
    #[error("it does not speak like an agent of minirepro")]
    NoPreamble,
    /// A checksum is wrong: somebody else writes there as well.
    #[error("what it sent is damaged")]
    Damaged,
    /// It is longer than any message.
    #[error("it sent more than a message may hold")]
    TooLong,
}

/// Returns the bytes of a frame.
///
/// # Errors
/// If the message or its body is too long.
pub(crate) fn encode(message: &[u8], body: &[u8]) -> Result<Vec<u8>, FrameError> {
    let lengths = (message.len() as u64, body.len() as u64);
    if lengths.0 > MOST_MESSAGE || lengths.1 > LIMIT {
        return Err(FrameError::TooLong);
    }
    let mut bytes = Vec::with_capacity(HEADER + message.len() + body.len() + 1);
    // Both limits are below 2^32.
    bytes.extend_from_slice(&(lengths.0 as u32).to_le_bytes());
    bytes.extend_from_slice(&(lengths.1 as u32).to_le_bytes());
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    bytes.extend_from_slice(&checksum(message, body).to_le_bytes());
    bytes.extend_from_slice(message);
    bytes.extend_from_slice(body);
    bytes.push(END);
    Ok(bytes)
}

fn checksum(message: &[u8], body: &[u8]) -> u64 {
    xxh3_64_with_seed(body, xxh3_64(message))
}

/// Finds the frames in a stream that comes piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    buffer: Vec<u8>,
    /// Up to where the buffer was understood.
    read: usize,
    has_begun: bool,
    /// What came before the preamble.
    noise: Vec<u8>,
}

impl Decoder {
    /// Takes bytes that have arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.read > 0 {
            self.buffer.drain(..self.read);
            self.read = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next frame, if all of it is there. Linear in its length.
    ///
    /// # Errors
    /// If the stream cannot be understood. It never can be again then.
    pub fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        if !self.has_begun && !self.begin()? {
            return Ok(None);
        }
        let rest = &self.buffer[self.read..];
        let Some((header, rest)) = rest.split_at_checked(HEADER) else { return Ok(None) };
        let number = |at: usize| {
            header[at..at + 8].iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        let lengths = number(0);
        if xxh3_64(&header[..8]) != number(8) {
            return Err(FrameError::Damaged);
        }
        let (message, body) = (lengths & 0xffff_ffff, lengths >> 32);
        if message > MOST_MESSAGE || body > LIMIT {
            return Err(FrameError::TooLong);
        }
        // Both are below 2^31.
        let (message, body) = (message as usize, body as usize);
        let Some(text) = rest.get(..=message + body) else { return Ok(None) };
        let length = text.len();
        let (text, end) = text.split_at(message + body);
        let (message, body) = text.split_at(message);
        if checksum(message, body) != number(16) || end != [END] {
            return Err(FrameError::Damaged);
        }
        self.read += HEADER + length;
        Ok(Some(Frame { message: message.to_owned(), body: body.to_owned() }))
    }

    /// Returns what came before the preamble, or what came if there is none yet.
    pub fn noise(&self) -> &[u8] {
        if self.has_begun { &self.noise } else { &self.buffer[self.read..] }
    }

    /// Looks for the preamble.
    fn begin(&mut self) -> Result<bool, FrameError> {
        let Some(at) = memchr::memmem::find(&self.buffer, PREAMBLE) else {
            let is_noise = self.buffer.len() > MOST_NOISE;
            return if is_noise { Err(FrameError::NoPreamble) } else { Ok(false) };
        };
        self.noise = self.buffer[..at].to_owned();
        self.read = at + PREAMBLE.len();
        self.has_begun = true;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Returns all frames of a stream that comes in pieces of these lengths, and whether it is
    /// damaged.
    fn decoded(stream: &[u8], pieces: &[usize]) -> (Vec<Frame>, Option<FrameError>) {
        let mut decoder = Decoder::default();
        let mut frames = Vec::new();
        let mut rest = stream;
        let mut pieces = pieces.iter().cycle();
        while !rest.is_empty() {
            let length = pieces.next().map_or(rest.len(), |length| (*length).clamp(1, rest.len()));
            let (piece, behind) = rest.split_at(length);
            rest = behind;
            decoder.push(piece);
            loop {
                match decoder.next() {
                    Ok(Some(frame)) => frames.push(frame),
                    Ok(None) => break,
                    Err(error) => return (frames, Some(error)),
                }
            }
        }
        (frames, None)
    }

    fn stream(noise: &[u8], frames: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
        let mut stream = [noise, PREAMBLE].concat();
        for (message, body) in frames {
            stream.extend(encode(message, body).unwrap());
        }
        stream
    }

    fn frames() -> impl Strategy<Value = Vec<(Vec<u8>, Vec<u8>)>> {
        vec((vec(any::<u8>(), 0..40), vec(any::<u8>(), 0..60)), 0..6)
    }

    proptest! {
        #[test]
        fn frames_arrive_as_they_were_sent_in_whatever_pieces(
            noise in "[ -~\n]{0,40}", sent in frames(), pieces in vec(1usize..50, 1..8),
        ) {
            let (got, error) = decoded(&stream(noise.as_bytes(), &sent), &pieces);
            let expected: Vec<Frame> =
                sent.into_iter().map(|(message, body)| Frame { message, body }).collect();
            prop_assert_eq!((got, error), (expected, None));
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
            let (got, _) = decoded(&damaged, &[7]);
            let sent = sent.into_iter().map(|(message, body)| Frame { message, body });
            prop_assert!(got.into_iter().zip(sent).all(|(got, sent)| got == sent));
        }

        #[test]
        fn any_bytes_are_refused_or_waited_for(bytes in vec(any::<u8>(), 0..200)) {
            let behind = [PREAMBLE, &bytes].concat();
            let (got, error) = decoded(&behind, &[3]);
            prop_assert!(got.is_empty());
            prop_assert!(bytes.len() < HEADER || error.is_some());
        }
    }

    #[test]
    fn endless_noise_and_lengths_are_refused() {
        let noise = vec![b'x'; MOST_NOISE + 1];
        assert_eq!(decoded(&noise, &[4096]).1, Some(FrameError::NoPreamble));
        let mut header = u64::MAX.to_le_bytes().to_vec();
        header.extend(xxh3_64(&header).to_le_bytes());
        header.extend([0; 8]);
        let long = [PREAMBLE, &header].concat();
        assert_eq!(decoded(&long, &[1]).1, Some(FrameError::TooLong));
    }
}
