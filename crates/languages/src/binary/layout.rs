//! The layout of a record, as words that a user can write.

use std::ops::Range;

use crate::binary::number::Number;

/// Where records begin and what each is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// What stands before the first record.
    start: Vec<Field>,
    pub(super) fields: Vec<Field>,
    /// The data may be records again after this many bytes.
    pub(super) nested: Option<usize>,
    /// How the names of such files end.
    pub(super) suffixes: Vec<String>,
}

/// A part of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// These bytes.
    Constant(Vec<u8>),
    /// This number of bytes.
    Bytes(usize),
    /// The bytes of data, and this many more.
    Length(Number, usize),
    /// What the record holds.
    Data,
    /// CRC-32 of what is between the length and it, highest byte first.
    Crc32,
    /// Zeros after the data, up to a multiple of this.
    Pad(usize),
}

/// A record in a text: where its fields are, as the layout lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) fields: Vec<Range<usize>>,
}

impl Layout {
    /// Reads words like `bytes:1 length:u16be data`.
    ///
    /// # Errors
    /// If the text describes no layout; the message says what is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut layout = Self::default();
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once(':').unwrap_or((word, ""));
            let number = || value.parse::<usize>().map_err(|_| format!("`{word}` has no number"));
            let bytes = || hex(value).ok_or_else(|| format!("`{word}` has no hexadecimal bytes"));
            let field = match name {
                "start" => {
                    layout.start.push(Field::Constant(bytes()?));
                    continue;
                }
                "skip" => {
                    layout.start.push(Field::Bytes(number()?));
                    continue;
                }
                "nested" => {
                    layout.nested = Some(number()?);
                    continue;
                }
                "suffix" => {
                    layout.suffixes.push(value.to_owned());
                    continue;
                }
                "hex" => Field::Constant(bytes()?),
                "bytes" => Field::Bytes(number()?),
                "length" => {
                    let (kind, more) = value.split_once('+').unwrap_or((value, "0"));
                    let number = Number::named(kind).zip(more.parse().ok());
                    let (kind, more) = number.ok_or_else(|| format!("`{word}` is no length"))?;
                    Field::Length(kind, more)
                }
                "data" => Field::Data,
                "crc32" => Field::Crc32,
                "pad" => Field::Pad(number()?.max(1)),
                _ => return Err(format!("`{word}` is nothing that a record is made of")),
            };
            layout.fields.push(field);
        }
        let places = |is: fn(&Field) -> bool| -> Vec<usize> {
            (0..layout.fields.len()).filter(|&i| is(&layout.fields[i])).collect()
        };
        let lengths = places(|field| matches!(field, Field::Length(..)));
        let data = places(|field| *field == Field::Data);
        match (&lengths[..], &data[..]) {
            ([length], [data]) if length < data => Ok(layout),
            _ => Err("a record needs one `length:…` and, behind it, one `data`".into()),
        }
    }

    /// Returns the place of the data among the fields.
    pub(super) fn data(&self) -> usize {
        self.fields.iter().position(|f| *f == Field::Data).expect("checked when it was read")
    }

    /// Returns the place of the length among the fields.
    pub(super) fn length(&self) -> usize {
        let is_length = |field: &Field| matches!(field, Field::Length(..));
        self.fields.iter().position(is_length).expect("checked when it was read")
    }

    /// Returns whether the checksum of a record is that of what is between its length and it.
    pub(super) fn is_right(&self, text: &[u8], found: &Found) -> bool {
        let check = self.fields.iter().position(|field| *field == Field::Crc32);
        check.is_some_and(|check| {
            let length = &found.fields[self.length()];
            let check = &found.fields[check];
            let covered = text.get(length.end..check.start).unwrap_or_default();
            text[check.clone()] == crc32fast::hash(covered).to_be_bytes()
        })
    }

    /// Returns whether files of this form begin with bytes of their own.
    pub(super) fn has_start(&self) -> bool {
        !self.start.is_empty()
    }

    /// Returns where the first record begins; `None` when what stands before it is not there.
    pub(super) fn first(&self, text: &[u8]) -> Option<usize> {
        self.start.iter().try_fold(0, |at, field| self.field(field, text, at..text.len(), None))
    }

    /// Returns the record at the start of a span.
    pub(super) fn read(&self, text: &[u8], span: Range<usize>) -> Option<Found> {
        let mut fields = Vec::with_capacity(self.fields.len());
        let mut size = None;
        let mut at = span.start;
        for field in &self.fields {
            let end = self.field(field, text, at..span.end, size)?;
            if let Field::Length(number, more) = field {
                size = Some(number.read(&text[at..end])?.0.checked_sub(*more)?);
            }
            fields.push(at..end);
            at = end;
        }
        (at > span.start).then_some(Found { fields })
    }

    /// Returns where a field ends that begins with the span; `size` is that of the data.
    fn field(
        &self,
        field: &Field,
        text: &[u8],
        span: Range<usize>,
        size: Option<usize>,
    ) -> Option<usize> {
        let rest = &text[span.clone()];
        let length = match field {
            Field::Constant(bytes) => rest.starts_with(bytes).then_some(bytes.len())?,
            Field::Bytes(count) => *count,
            Field::Length(number, _) => number.read(rest)?.1,
            Field::Data => size?,
            Field::Crc32 => 4,
            // The last record of a file often goes without.
            Field::Pad(_) if rest.is_empty() => 0,
            Field::Pad(unit) => padding(*unit, size?),
        };
        (length <= rest.len()).then_some(span.start + length)
    }

    /// Returns the records that lie side by side from the start of a span, and where they end.
    pub(super) fn chain(&self, text: &[u8], span: Range<usize>) -> (Vec<Found>, usize) {
        let mut found: Vec<Found> = Vec::new();
        let mut at = span.start;
        while let Some(record) = self.read(text, at..span.end) {
            at = record.end();
            found.push(record);
        }
        (found, at)
    }
}

impl Found {
    /// Returns the start.
    pub(super) fn start(&self) -> usize {
        self.fields.first().map_or(0, |field| field.start)
    }

    /// Returns the end.
    pub(super) fn end(&self) -> usize {
        self.fields.last().map_or(0, |field| field.end)
    }
}

/// Returns how many bytes are missing to a multiple of `unit`.
pub(super) fn padding(unit: usize, size: usize) -> usize {
    size.next_multiple_of(unit) - size
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    };
    digits.map(byte).collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty())
}

#[cfg(test)]
mod tests {
    use super::Layout;

    #[test]
    fn records_lie_side_by_side() {
        let check = |words: &str, text: &[u8], records: usize, rest: usize| {
            let layout = Layout::parse(words).unwrap();
            let first = layout.first(text).unwrap();
            let (found, end) = layout.chain(text, first..text.len());
            assert_eq!((found.len(), text.len() - end), (records, rest), "{words}");
        };
        check("bytes:1 length:u8 data", b"a\x02xxb\0c\x01y", 3, 0);
        check("bytes:1 length:u8 data", b"a\x02xxb\x09y", 1, 3);
        check("start:50 skip:1 length:u16be+2 data", b"P.\0\x03x\0\x02", 2, 0);
        check("length:decimal hex:3a data hex:2c", b"3:abc,0:,2:x", 2, 3);
        check("bytes:4 length:u32le data pad:2", b"abcd\x01\0\0\0x\0efgh\x01\0\0\0y", 2, 0);
    }

    #[test]
    fn wrong_words_are_told() {
        for (words, told) in [
            ("", "needs one"),
            ("data length:u8", "needs one"),
            ("length:u8 length:u8 data", "needs one"),
            ("length:u9 data", "no length"),
            ("hex:0 length:u8 data", "hexadecimal"),
            ("bytes:x length:u8 data", "number"),
            ("what", "`what`"),
        ] {
            let error = Layout::parse(words).unwrap_err();
            assert!(error.contains(told), "{words}: {error}");
        }
    }
}
