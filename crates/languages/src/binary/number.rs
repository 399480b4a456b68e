//! The ways to write the length of a record.

/// A way to write a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// This number of bytes, the highest first.
    Big(usize),
    /// This number of bytes, the lowest first.
    Little(usize),
    /// Seven bits a byte, the lowest first; all but the last byte have the eighth bit (LEB128).
    Varint,
    /// ASCII digits.
    Decimal,
    /// As in BER and DER: one byte, or `80 + n` and then `n` bytes, the highest first.
    Der,
}

impl Number {
    /// Returns what a layout calls it.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "u8" => return Some(Self::Big(1)),
            "varint" => return Some(Self::Varint),
            "decimal" => return Some(Self::Decimal),
            "der" => return Some(Self::Der),
            _ => {}
        }
        let bytes = match name.get(..name.len().checked_sub(2)?)? {
            "u16" => 2,
            "u24" => 3,
            "u32" => 4,
            "u64" => 8,
            _ => return None,
        };
        match name.get(name.len() - 2..)? {
            "be" => Some(Self::Big(bytes)),
            "le" => Some(Self::Little(bytes)),
            _ => None,
        }
    }

    /// Returns the number at the start of `text`, and how many bytes it takes.
    pub(super) fn read(self, text: &[u8]) -> Option<(usize, usize)> {
        match self {
            Self::Big(width) => Some((big(text.get(..width)?)?, width)),
            Self::Little(width) => {
                let bytes: Vec<u8> = text.get(..width)?.iter().rev().copied().collect();
                Some((big(&bytes)?, width))
            }
            Self::Varint => {
                let width = text.iter().take(10).position(|b| b & 0x80 == 0)? + 1;
                let mut low_first = text[..width].iter().rev();
                let value = low_first.try_fold(0_usize, |value, b| {
                    value.checked_mul(128)?.checked_add(usize::from(b & 0x7f))
                })?;
                Some((value, width))
            }
            Self::Decimal => {
                let width = text.iter().take_while(|b| b.is_ascii_digit()).count();
                let value = std::str::from_utf8(&text[..width]).ok()?.parse().ok()?;
                Some((value, width))
            }
            Self::Der => match *text.first()? {
                short @ 0..=0x7f => Some((short.into(), 1)),
                long => {
                    let width = usize::from(long & 0x7f);
                    let bytes = text.get(1..=width).filter(|_| width > 0)?;
                    Some((big(bytes)?, 1 + width))
                }
            },
        }
    }

    /// Writes a number in this many bytes, or in as few as it takes where the width is free. `None`
    /// when it does not fit.
    pub(super) fn write(self, value: usize, width: usize) -> Option<Vec<u8>> {
        let bytes = value.to_be_bytes();
        let fixed = |width: usize| -> Option<Vec<u8>> {
            let zeros = vec![0; width.saturating_sub(bytes.len())];
            let from = bytes.len().saturating_sub(width);
            let fits = bytes[..from].iter().all(|&b| b == 0);
            fits.then(|| [&zeros[..], &bytes[from..]].concat())
        };
        match self {
            Self::Big(width) => fixed(width),
            Self::Little(width) => fixed(width).map(|bytes| bytes.into_iter().rev().collect()),
            Self::Varint => {
                let mut rest = value;
                let mut text = Vec::new();
                while rest >= 0x80 || text.len() + 1 < width {
                    text.push(u8::try_from(rest & 0x7f).ok()? | 0x80);
                    rest >>= 7;
                }
                text.push(u8::try_from(rest).ok()?);
                Some(text)
            }
            Self::Decimal => Some(value.to_string().into_bytes()),
            Self::Der if value < 0x80 => Some(vec![u8::try_from(value).ok()?]),
            Self::Der => {
                let zeros = bytes.iter().take_while(|&&b| b == 0).count();
                let count = u8::try_from(bytes.len() - zeros).ok()?;
                Some([&[0x80 | count][..], &bytes[zeros..]].concat())
            }
        }
    }
}

fn big(bytes: &[u8]) -> Option<usize> {
    bytes.iter().try_fold(0_usize, |value, &b| value.checked_mul(256)?.checked_add(b.into()))
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn what_is_written_is_read_again() {
        let names = ["u8", "u16le", "u24be", "u32be", "u32le", "u64be", "varint", "decimal", "der"];
        for name in names {
            let number = Number::named(name).unwrap();
            for value in [0, 1, 127, 128, 200, 255, 300, 65_535, 70_000] {
                let Some(text) = number.write(value, 1) else {
                    assert!(value > 255, "{name} {value}");
                    continue;
                };
                let width = text.len();
                assert_eq!(
                    number.read(&[&text[..], b";"].concat()),
                    Some((value, width)),
                    "{name}"
                );
            }
        }
        // A varint keeps its width, which readers allow.
        assert_eq!(Number::Varint.write(5, 2), Some(vec![0x85, 0]));
        assert!(Number::named("u7").is_none() && Number::named("u16").is_none());
        assert_eq!(Number::Der.read(&[0x82, 1]), None);
        assert_eq!(Number::Decimal.read(b":"), None);
    }
}
