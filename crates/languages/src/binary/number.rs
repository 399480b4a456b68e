//! The ways to write a number in a file.

/// A way to write a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// This number of bytes, in the order that the file says.
    Ordered(usize),
    /// This number of bytes, the highest first.
    Big(usize),
    /// This number of bytes, the lowest first.
    Little(usize),
    /// Seven bits a byte, the lowest first; all but the last byte have the eighth bit (LEB128).
    Varint,
    /// ASCII digits.
    Decimal,
    /// The lowest bits of a byte.
    Low(u32),
    /// As in EBML: the zeros before the first one say how many bytes follow.
    Ebml,
    /// Seven bits a byte, in four bytes, the highest first.
    Synchsafe,
    /// Octal digits, and a blank or NUL after them, in this number of bytes: as in tar.
    Octal(usize),
    /// As in BER and DER: one byte, or `80 + n` and then `n` bytes, the highest first.
    Der,
}

impl Number {
    /// Returns the number that a form calls so.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "u8" => return Some(Self::Big(1)),
            "varint" => return Some(Self::Varint),
            "decimal" => return Some(Self::Decimal),
            "der" => return Some(Self::Der),
            "ebml" => return Some(Self::Ebml),
            "synchsafe" => return Some(Self::Synchsafe),
            _ => {}
        }
        if let Some(width) = name.strip_prefix("octal") {
            return width.parse().ok().filter(|width| (2..=22).contains(width)).map(Self::Octal);
        }
        if let Some(bits) = name.strip_prefix("low") {
            return bits.parse().ok().filter(|bits| (1..=8).contains(bits)).map(Self::Low);
        }
        let bytes = match name.get(..3)? {
            "u16" => 2,
            "u24" => 3,
            "u32" => 4,
            "u64" => 8,
            _ => return None,
        };
        match &name[3..] {
            "be" => Some(Self::Big(bytes)),
            "le" => Some(Self::Little(bytes)),
            "" => Some(Self::Ordered(bytes)),
            _ => None,
        }
    }

    /// Returns the same in a file with this order of bytes.
    pub(super) fn ordered(self, is_big: bool) -> Self {
        match self {
            Self::Ordered(width) if is_big => Self::Big(width),
            Self::Ordered(width) => Self::Little(width),
            other => other,
        }
    }

    /// Returns whether all numbers take the same number of bytes.
    pub(super) fn has_one_width(self) -> bool {
        matches!(self, Self::Big(_) | Self::Little(_) | Self::Ordered(_) | Self::Octal(_))
    }

    /// Returns the number at the start of `text`, and how many bytes it takes.
    pub(crate) fn read(self, text: &[u8]) -> Option<(usize, usize)> {
        match self {
            Self::Big(width) => Some((big(text.get(..width)?)?, width)),
            Self::Low(bits) => {
                let mask = (1_usize << bits) - 1;
                Some((usize::from(*text.first()?) & mask, 1))
            }
            Self::Ebml => {
                let zeros = text.first()?.leading_zeros() as usize;
                let bytes = text.get(..=zeros).filter(|_| zeros < 8)?;
                let value = big(bytes)? & ((1 << (7 * (zeros + 1))) - 1);
                Some((value, zeros + 1))
            }
            Self::Synchsafe => {
                let bytes = text.get(..4)?.iter();
                let value = bytes.fold(0, |value, &b| value << 7 | usize::from(b & 0x7f));
                Some((value, 4))
            }
            Self::Ordered(width) | Self::Little(width) => {
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
            Self::Octal(width) => {
                let digits = std::str::from_utf8(text.get(..width)?).ok()?;
                let digits = digits.trim_end_matches(['\0', ' ']).trim_start_matches(' ');
                Some((usize::from_str_radix(digits, 8).ok()?, width))
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

    /// Writes a number in place of this one, in as many bytes, or in as few as it takes where the
    /// width is free. `None` when it does not fit.
    pub(crate) fn write(self, value: usize, old: &[u8]) -> Option<Vec<u8>> {
        let width = old.len();
        let bytes = value.to_be_bytes();
        let fixed = |width: usize| -> Option<Vec<u8>> {
            let zeros = vec![0; width.saturating_sub(bytes.len())];
            let from = bytes.len().saturating_sub(width);
            let fits = bytes[..from].iter().all(|&b| b == 0);
            fits.then(|| [&zeros[..], &bytes[from..]].concat())
        };
        match self {
            Self::Big(width) => fixed(width),
            Self::Ordered(width) | Self::Little(width) => {
                fixed(width).map(|bytes| bytes.into_iter().rev().collect())
            }
            Self::Low(bits) => {
                let mask = u8::try_from((1_u32 << bits) - 1).ok()?;
                let low = u8::try_from(value).ok().filter(|low| *low <= mask)?;
                Some(vec![old.first()? & !mask | low])
            }
            Self::Ebml => {
                let free = 7 * width;
                (value < (1 << free) - 1).then(|| fixed(width))?.map(|mut bytes| {
                    bytes[0] |=
                        0x80_u8.checked_shr(u32::try_from(width).unwrap_or(8) - 1).unwrap_or(0);
                    bytes
                })
            }
            Self::Synchsafe => (value < 1 << 28).then(|| {
                let seven = |shift: u32| u8::try_from(value >> shift & 0x7f).expect("seven bits");
                [21, 14, 7, 0].map(seven).to_vec()
            }),
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
            Self::Octal(width) => {
                let end = old.iter().rposition(u8::is_ascii_digit)? + 1;
                let text = format!("{value:0end$o}").into_bytes();
                (text.len() == end).then(|| [&text, &old[end..width]].concat())
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
        let names = [
            "u8",
            "u16le",
            "u24be",
            "u32be",
            "u32le",
            "u64be",
            "varint",
            "decimal",
            "der",
            "low5",
            "ebml",
            "synchsafe",
            "u16",
        ];
        for name in names {
            let number = Number::named(name).unwrap();
            for value in [0, 1, 127, 128, 200, 255, 300, 65_535, 70_000] {
                let wide = if name == "ebml" { vec![0; 3] } else { vec![0; 1] };
                let Some(text) = number.write(value, &wide) else {
                    assert!(value > 255 || value > 31 && name == "low5", "{name} {value}");
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
        assert_eq!(Number::Varint.write(5, &[0; 2]), Some(vec![0x85, 0]));
        // The other bits of a byte stay, and so do zeros before a number.
        assert_eq!(Number::Low(5).write(3, &[0xa7]), Some(vec![0xa3]));
        let octal = Number::named("octal8").unwrap();
        assert_eq!(octal.read(b"0000017\0rest"), Some((15, 8)));
        assert_eq!(octal.write(64, b"  17   \0"), Some(b"0100   \0".to_vec()));
        assert_eq!(octal.write(8 * 8, b"17      "), None);
        assert!(Number::named("u7").is_none() && Number::named("low9").is_none());
        assert_eq!(Number::Der.read(&[0x82, 1]), None);
        assert_eq!(Number::Decimal.read(b":"), None);
    }
}
