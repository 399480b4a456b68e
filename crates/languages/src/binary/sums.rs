//! Checksums of parts of a file.

use std::ops::Range;

/// A kind of checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sum {
    /// CRC-32 of what stands between the first number of the structure and here, highest byte
    /// first.
    Crc32,
    /// The checksum of a page of Ogg, itself taken as zero.
    Ogg,
    /// The sum of the numbers of four bytes in the region that the structure describes.
    Sum32,
    /// The sum of the bytes in the head of a member of tar, the checksum itself taken as blanks.
    Tar,
}

/// A checksum in a file, and what it covers.
#[derive(Clone, Debug)]
pub(crate) struct SumOf {
    pub(crate) sum: Sum,
    pub(crate) field: Range<usize>,
    pub(crate) covered: Range<usize>,
}

impl Sum {
    /// Returns how many bytes the checksum has.
    pub(super) fn width(self) -> usize {
        if self == Self::Tar { 8 } else { 4 }
    }

    /// Returns the checksum of a part of a text; `field` is where the checksum itself stands.
    pub(crate) fn of(self, text: &[u8], covered: Range<usize>, field: &Range<usize>) -> Vec<u8> {
        let value = match self {
            Self::Crc32 => return crc32fast::hash(&text[covered]).to_be_bytes().to_vec(),
            Self::Ogg => {
                let byte = |at: usize| if field.contains(&at) { 0 } else { text[at] };
                return covered.map(byte).fold(0, ogg_step).to_le_bytes().to_vec();
            }
            Self::Tar => {
                let byte = |at: usize| if field.contains(&at) { b' ' } else { text[at] };
                let sum: u32 = covered.map(|at| u32::from(byte(at))).sum();
                return format!("{sum:06o}\0 ").into_bytes();
            }
            Self::Sum32 => text[covered].chunks(4).fold(0_u32, |sum, bytes| {
                let word = bytes.iter().fold(0_u32, |word, &b| word << 8 | u32::from(b));
                sum.wrapping_add(word << (8 * (4 - bytes.len())))
            }),
        };
        value.to_be_bytes().to_vec()
    }
}

/// Adds a byte to a checksum of Ogg: CRC-32 with the highest bit first.
fn ogg_step(sum: u32, byte: u8) -> u32 {
    (0..8).fold(sum ^ u32::from(byte) << 24, |sum, _| {
        if sum >> 31 == 1 { sum << 1 ^ 0x04c1_1db7 } else { sum << 1 }
    })
}
