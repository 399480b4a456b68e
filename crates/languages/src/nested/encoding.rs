//! Encodings in which a text stands inside of another: entities, percent signs.

use std::borrow::Cow;

use serde::Deserialize;

/// How a text is written where it would not be understood as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Encoding {
    /// `&quot;` in attributes of HTML. Those that people write; others stay as they are.
    Entities,
    /// `%20` in addresses.
    Percent,
}

/// A text, and where in its coded form each of its bytes begins.
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, [u8]>,
    /// One place more than there are bytes; none if nothing was coded.
    places: Vec<usize>,
}

impl<'a> Decoded<'a> {
    /// Returns the encoding of a text that stands there as it is.
    pub(crate) fn plain(text: &'a [u8]) -> Self {
        Self { text: Cow::Borrowed(text), places: Vec::new() }
    }

    /// Takes codes off, the outermost first. Linear.
    pub(crate) fn new(text: &'a [u8], codes: &[Encoding]) -> Self {
        codes.iter().fold(Self::plain(text), |outer, code| {
            let unit: fn(&[u8]) -> Option<(u8, usize)> = match code {
                Encoding::Entities if outer.text.contains(&b'&') => entity,
                Encoding::Percent if outer.text.contains(&b'%') => percent,
                _ => return outer,
            };
            let mut text = Vec::new();
            let mut places = Vec::new();
            let mut at = 0;
            while at < outer.text.len() {
                let (byte, length) = unit(&outer.text[at..]).unwrap_or((outer.text[at], 1));
                text.push(byte);
                places.push(outer.place(at));
                at += length;
            }
            places.push(outer.place(at));
            Self { text: Cow::Owned(text), places }
        })
    }

    /// Returns where a byte of the text begins in the coded form.
    pub(crate) fn place(&self, at: usize) -> usize {
        self.places.get(at).copied().unwrap_or(at)
    }
}

/// Returns the byte that an entity at the start of `text` stands for, and its length.
fn entity(text: &[u8]) -> Option<(u8, usize)> {
    const NAMED: [(&[u8], u8); 6] = [
        (b"amp", b'&'),
        (b"lt", b'<'),
        (b"gt", b'>'),
        (b"quot", b'"'),
        (b"apos", b'\''),
        (b"Tab", b'\t'),
    ];
    let rest = text.strip_prefix(b"&")?;
    let end = rest.iter().take(8).position(|&b| b == b';')?;
    let name = &rest[..end];
    let byte = match name.strip_prefix(b"#") {
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
        Some(number) => {
            let number = std::str::from_utf8(number).ok()?;
            match number.strip_prefix(['x', 'X']) {
                Some(hex) => u8::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            }
        }
    };
    byte.is_ascii().then_some((byte, end + 2))
}

fn percent(text: &[u8]) -> Option<(u8, usize)> {
    let digits = std::str::from_utf8(text.strip_prefix(b"%")?.get(..2)?).ok()?;
    Some((u8::from_str_radix(digits, 16).ok()?, 3))
}

#[cfg(test)]
mod tests {
    use super::{Decoded, Encoding};

    #[test]
    fn codes_are_taken_off_one_after_the_other() {
        let check = |coded: &str, codes: &[Encoding], text: &str, places: &[usize]| {
            let decoded = Decoded::new(coded.as_bytes(), codes);
            assert_eq!(String::from_utf8_lossy(&decoded.text), text);
            let found: Vec<usize> = (0..=text.len()).map(|at| decoded.place(at)).collect();
            assert_eq!(found, places);
        };
        check("a&lt;b", &[Encoding::Entities], "a<b", &[0, 1, 5, 6]);
        check("&#x26;&#65;", &[Encoding::Entities], "&A", &[0, 6, 11]);
        check("%3Cb%zz", &[Encoding::Percent], "<b%zz", &[0, 3, 4, 5, 6, 7]);
        check(
            "&amp;%26&x;",
            &[Encoding::Entities, Encoding::Percent],
            "&&&x;",
            &[0, 5, 8, 9, 10, 11],
        );
        check("plain", &[Encoding::Entities], "plain", &[0, 1, 2, 3, 4, 5]);
    }
}
