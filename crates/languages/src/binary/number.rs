//! The ways to write a number in a file.

/// A way to write a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// This number of bytes, and whether the highest comes first; `None` if the file says it.
    Bytes(usize, Option<bool>),
    /// No bytes: the place itself.
    Here,
    /// Seven bits a byte, the lowest first; all but the last byte have the eighth bit (LEB128).
    Varint,
    /// ASCII digits.
    Decimal,
    /// The lowest bits of a byte.
    Low(usize),
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
        let is_digit = |c: char| c.is_ascii_digit();
        let (kind, rest) = name.split_at(name.find(is_digit).unwrap_or(name.len()));
        let (size, order) = rest.split_at(rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
        Some(match (kind, size.parse().unwrap_or(0), order) {
            ("here", 0, "") => Self::Here,
            ("varint", 0, "") => Self::Varint,
            ("decimal", 0, "") => Self::Decimal,
            ("der", 0, "") => Self::Der,
            ("ebml", 0, "") => Self::Ebml,
            ("synchsafe", 0, "") => Self::Synchsafe,
            ("octal", width @ 2..=22, "") => Self::Octal(width),
            ("low", bits @ 1..=8, "") => Self::Low(bits),
            ("u", 8, "") => Self::Bytes(1, Some(true)),
            ("u", bits @ (16 | 24 | 32 | 64), "") => Self::Bytes(bits / 8, None),
            ("u", bits @ (16 | 24 | 32 | 64), "be" | "le") => {
                Self::Bytes(bits / 8, Some(order == "be"))
            }
            _ => return None,
        })
    }

    /// Returns the same in a file with this order of bytes.
    pub(super) fn ordered(self, is_big: bool) -> Self {
        match self {
            Self::Bytes(width, order) => Self::Bytes(width, order.or(Some(is_big))),
            other => other,
        }
    }

    /// Returns the number at the start of `text`, and how many bytes it takes.
    pub(super) fn read(self, text: &[u8]) -> Option<(i64, usize)> {
        let first = *text.first()?;
        let value = |width: usize, shift: u32, mask: u8| {
            let digits = text.get(..width)?.iter().map(|&byte| byte & mask);
            Some((joined(digits, shift)?, width))
        };
        match self {
            Self::Here => Some((0, 0)),
            Self::Bytes(width, Some(true)) => value(width, 8, 0xff),
            Self::Bytes(width, _) => {
                Some((joined(text.get(..width)?.iter().rev().copied(), 8)?, width))
            }
            Self::Low(bits) => Some((i64::from(first) & ((1 << bits) - 1), 1)),
            Self::Ebml => {
                let width = first.leading_zeros() as usize + 1;
                let (value, width) = value(width, 8, 0xff).filter(|_| width <= 8)?;
                Some((value & ((1 << (7 * width)) - 1), width))
            }
            Self::Synchsafe => value(4, 7, 0x7f),
            Self::Varint => {
                let width = text.iter().take(10).position(|b| b & 0x80 == 0)? + 1;
                Some((joined(text[..width].iter().rev().map(|b| b & 0x7f), 7)?, width))
            }
            Self::Decimal => {
                let width = text.iter().take_while(|b| b.is_ascii_digit()).count();
                Some((std::str::from_utf8(&text[..width]).ok()?.parse().ok()?, width))
            }
            Self::Octal(width) => {
                let digits = std::str::from_utf8(text.get(..width)?).ok()?;
                let digits = digits.trim_end_matches(['\0', ' ']).trim_start_matches(' ');
                Some((i64::from_str_radix(digits, 8).ok()?, width))
            }
            Self::Der if first < 0x80 => Some((first.into(), 1)),
            Self::Der => {
                let width = usize::from(first & 0x7f);
                let bytes = text.get(1..=width).filter(|_| width > 0)?;
                Some((joined(bytes.iter().copied(), 8)?, 1 + width))
            }
        }
    }

    /// Writes a number in place of this one, in as many bytes, or in as few as it takes where the
    /// width is free. `None` when it does not fit.
    pub(super) fn write(self, value: i64, old: &[u8]) -> Option<Vec<u8>> {
        let value = u64::try_from(value).ok()?;
        let (width, bits) = (old.len(), (u64::BITS - value.leading_zeros()) as usize);
        // How many digits of this many bits it takes.
        let needed = |of: usize| bits.div_ceil(of).max(1);
        match self {
            Self::Here => None,
            Self::Bytes(width, Some(true)) => digits(value, 8, width),
            Self::Bytes(width, _) => reversed(digits(value, 8, width)?),
            Self::Low(bits) => {
                let (low, mask) = (digits(value, bits, 1)?, u8::MAX >> (8 - bits));
                Some(vec![old.first()? & !mask | low[0]])
            }
            Self::Ebml => {
                let mut text =
                    digits(value, 8, width).filter(|_| value < (1 << (7 * width)) - 1)?;
                text[0] |= 0x80 >> (width - 1);
                Some(text)
            }
            Self::Synchsafe => digits(value, 7, 4),
            Self::Varint => {
                let mut text = digits(value, 7, needed(7).max(width))?;
                text[1..].iter_mut().for_each(|digit| *digit |= 0x80);
                reversed(text)
            }
            Self::Octal(width) => {
                let end = old.iter().rposition(u8::is_ascii_digit)? + 1;
                let text = format!("{value:0end$o}").into_bytes();
                (text.len() == end).then(|| [&text, &old[end..width]].concat())
            }
            // Zeros before it stay.
            Self::Decimal if old.starts_with(b"0") => Some(format!("{value:0width$}").into_bytes()),
            Self::Decimal => Some(value.to_string().into_bytes()),
            Self::Der if value < 0x80 => digits(value, 8, 1),
            Self::Der => {
                let count = u8::try_from(needed(8)).ok()?;
                Some([vec![0x80 | count], digits(value, 8, count.into())?].concat())
            }
        }
    }
}

/// Returns the digits of this many bits each that a number has, the highest first; `None` if it has
/// more of them.
fn digits(value: u64, bits: usize, width: usize) -> Option<Vec<u8>> {
    let mut rest = value;
    let mut digits = vec![0; width];
    for digit in digits.iter_mut().rev() {
        *digit = u8::try_from(rest & ((1 << bits) - 1)).ok()?;
        rest >>= bits;
    }
    (rest == 0).then_some(digits)
}

fn reversed(digits: Vec<u8>) -> Option<Vec<u8>> {
    Some(digits.into_iter().rev().collect())
}

/// Returns the number that digits of this many bits stand for, the highest first.
fn joined(digits: impl Iterator<Item = u8>, bits: u32) -> Option<i64> {
    let mut digits = digits;
    digits.try_fold(0_i64, |value, digit| value.checked_mul(1 << bits)?.checked_add(digit.into()))
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
