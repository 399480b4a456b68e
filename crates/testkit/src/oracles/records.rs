//! Reads a binary file of segments, as JPEG has them: `PIKT`, two bytes of version, then `0xff`,
//! type (1 byte), length (2, big-endian) and payload; what is not a segment is skipped.

use minirepro_engine::Outcome;

use super::oracle::found;

/// A brush: width and height (2 bytes each), then its pixels.
const BRUSH: u8 = 7;

/// See [`StandIn::Overread`](super::StandIn::Overread).
pub(super) fn overread(file: &[u8]) -> Outcome {
    let Some(mut rest) = file.strip_prefix(b"PIKT").and_then(|rest| rest.get(2..)) else {
        return Outcome::Unresolved;
    };
    while let Some(at) = rest.iter().position(|&b| b == 0xff) {
        let &[kind, l1, l0, ref tail @ ..] = &rest[at + 1..] else { break };
        let length = usize::from(u16::from_be_bytes([l1, l0]));
        let Some((payload, tail)) = tail.split_at_checked(length) else { break };
        if let (BRUSH, &[w1, w0, h1, h0, ref pixels @ ..]) = (kind, payload) {
            let [width, height] = [[w1, w0], [h1, h0]].map(|n| usize::from(u16::from_be_bytes(n)));
            if width * height > pixels.len() {
                return Outcome::Fail;
            }
        }
        rest = tail;
    }
    found(false)
}
