//! Lines: how messages are told from each other in a stream of bytes, and damage is noticed.
//!
//! Whatever arrives, reading must not panic.

use std::io::{self, BufRead, ErrorKind, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

use minirepro_runner::system::LIMIT;

/// How long a line may be, in bytes: any file that is read may be in it, in base64.
pub(crate) const MOST: u64 = 2 * LIMIT;

/// Returns a message as a line: its checksum, and JSON.
///
/// # Errors
/// If it is too long.
pub(crate) fn line(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(message)?;
    let line = [checksum(&json).as_bytes(), &json, b"\n"].concat();
    if line.len() as u64 > MOST { Err(ErrorKind::FileTooLarge.into()) } else { Ok(line) }
}

fn checksum(json: &[u8]) -> String {
    format!("{:016x} ", xxh3_64(json))
}

/// Reads a message.
///
/// # Errors
/// If the stream ends or fails, or cannot be understood ([`ErrorKind::InvalidData`]). It never can
/// be again then.
pub(crate) fn read<M: DeserializeOwned>(input: &mut impl BufRead) -> io::Result<M> {
    let mut line = Vec::new();
    input.by_ref().take(MOST).read_until(b'\n', &mut line)?;
    understood(&line)
}

/// Reads the first message, which ends before `most` bytes. What comes before it goes to `noise`: a
/// login shell may greet.
///
/// # Errors
/// If the stream ends before, or much else comes.
pub(crate) fn first<M: DeserializeOwned>(
    input: &mut impl BufRead,
    most: u64,
    noise: &mut Vec<u8>,
) -> io::Result<M> {
    let mut input = input.by_ref().take(most);
    loop {
        let begin = noise.len();
        if input.read_until(b'\n', noise)? == 0 {
            return Err(match input.limit() {
                0 => invalid("it does not speak like an agent of minirepro"),
                _ => ErrorKind::UnexpectedEof.into(),
            });
        }
        if let Ok(message) = understood(&noise[begin..]) {
            noise.truncate(begin);
            return Ok(message);
        }
    }
}

fn understood<M: DeserializeOwned>(line: &[u8]) -> io::Result<M> {
    let line = line.strip_suffix(b"\n").ok_or(ErrorKind::UnexpectedEof)?;
    let parts = line.split_at_checked(checksum(b"").len());
    let intact = parts.filter(|(sum, json)| *sum == checksum(json).as_bytes());
    let (_, json) = intact.ok_or_else(|| invalid("what it sent is damaged"))?;
    serde_json::from_slice(json).map_err(|_| invalid("what it sent makes no sense"))
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

    /// Returns all messages of a stream, and why there are no more.
    fn heard(mut stream: &[u8]) -> (Vec<String>, ErrorKind) {
        let mut next = first(&mut stream, 1 << 20, &mut Vec::new());
        let mut messages = Vec::new();
        loop {
            match next {
                Ok(message) => messages.push(message),
                Err(error) => return (messages, error.kind()),
            }
            next = read(&mut stream);
        }
    }

    fn stream(noise: &str, messages: &[String]) -> Vec<u8> {
        let lines = messages.iter().flat_map(|message| line(message).unwrap());
        format!("{noise}\n").into_bytes().into_iter().chain(lines).collect()
    }

    proptest! {
        #[test]
        fn messages_arrive_as_they_were_sent(
            noise in "[ -~\n]{0,40}", sent in vec("\\PC{0,40}", 0..6),
        ) {
            let (got, end) = heard(&stream(&noise, &sent));
            prop_assert_eq!((got, end), (sent, ErrorKind::UnexpectedEof));
        }

        #[test]
        fn no_message_arrives_that_was_not_sent(
            sent in vec("\\PC{0,40}", 0..6), at in any::<prop::sample::Index>(), by in 1u8..,
            cut in any::<prop::sample::Index>(), more in vec(any::<u8>(), 0..40),
        ) {
            let mut damaged = stream("", &sent);
            let place = at.index(damaged.len());
            damaged[place] ^= by;
            // Somebody else writes in between as well.
            let gap = cut.index(damaged.len());
            damaged.splice(gap..gap, more);
            let (got, _) = heard(&damaged);
            prop_assert!(got.iter().all(|got| sent.contains(got)));
        }
    }

    #[test]
    fn endless_noise_is_refused() {
        assert_eq!(heard(&vec![b'x'; 1 << 21]).1, ErrorKind::InvalidData);
    }
}
