//! Guesses the form of the records in a file.

use crate::binary::layout::{Field, Layout};
use crate::binary::parser::{PREFIX, forms};
use crate::plain::text::is_mostly_text;

/// The size in bytes up to which a head that no form mentions may stand before the records.
const LONGEST_HEAD: usize = 64;
/// Fewer records than these may fit by chance.
const LEAST: usize = 3;

/// Returns the name of the language that reads a file's records: `lines` for text; `None` when no
/// form of `grammars/records/formats.txt` fits the file to its end.
///
/// Linear in the file times the forms and the heads that are tried.
pub fn guess_records(text: &[u8]) -> Option<String> {
    let layouts: Vec<(&str, &str, Layout)> = forms()
        .filter_map(|(name, words)| Some((name, words, Layout::parse(words).ok()?)))
        .collect();
    let heads = if is_mostly_text(text) { 0 } else { LONGEST_HEAD.min(text.len()) };
    let found = (0..=heads).find_map(|head| {
        layouts.iter().find_map(|(name, words, layout)| {
            let fits = match layout.has_start() {
                true => head == 0 && is_marked(layout, text),
                false => fits(layout, text, head),
            };
            fits.then(|| match head {
                0 => format!("{PREFIX}{name}"),
                head => format!("{PREFIX}skip:{head} {words}"),
            })
        })
    });
    found.or_else(|| is_mostly_text(text).then(|| "lines".to_owned()))
}

/// Returns the language that reads the records of a file that begins as files of a form do, or has
/// the suffix of one whose records reach to its end.
pub(crate) fn marked_records(suffix: &str, text: &[u8]) -> Option<String> {
    let layouts = forms().filter_map(|(name, words)| Some((name, Layout::parse(words).ok()?)));
    let mut found = layouts.filter(|(_, layout)| match layout.has_start() {
        true => is_marked(layout, text),
        false => layout.suffixes.iter().any(|own| own == suffix) && fits(layout, text, 0),
    });
    found.next().map(|(name, _)| format!("{PREFIX}{name}"))
}

/// Returns whether the form's own first bytes are there, with a record after them.
fn is_marked(layout: &Layout, text: &[u8]) -> bool {
    layout.first(text).is_some_and(|first| layout.read(text, first..text.len()).is_some())
}

/// Returns whether enough records, most of them with data, reach to the end of the file.
fn fits(layout: &Layout, text: &[u8], first: usize) -> bool {
    let (found, end) = layout.chain(text, first..text.len());
    let data = layout.data();
    let full = found.iter().filter(|record| !record.fields[data].is_empty()).count();
    // A container that is all of the file is one record.
    let nested = found.len() == 1
        && layout.nested.is_some_and(|behind| {
            let inner = found[0].fields[data].clone();
            let (inside, end) =
                layout.chain(text, (inner.start + behind).min(inner.end)..inner.end);
            end == inner.end && inside.len() >= LEAST.min(2) && has_a_wide_length(layout)
        });
    end == text.len() && (found.len() >= LEAST && 2 * full >= found.len() || nested)
}

fn has_a_wide_length(layout: &Layout) -> bool {
    let Field::Length(number, _) = layout.fields[layout.length()] else { return false };
    number.read(&[0; 8]).is_some_and(|(_, width)| width >= 4)
}

#[cfg(test)]
mod tests {
    use super::guess_records;

    #[test]
    fn forms_are_told_from_each_other() {
        let check = |text: &[u8], expected: Option<&str>| {
            assert_eq!(guess_records(text).as_deref(), expected, "{text:?}");
        };
        check(b"one\ntwo\n", Some("lines"));
        check(b"\x89PNG\r\n\x1a\n\0\0\0\x01tEXtx\x01\x02\x03\x04", Some("records:png"));
        check(
            b"RIFF\x1a\0\0\0WAVEfmt \x02\0\0\0\x01\x02data\x04\0\0\0\x01\0\0\0",
            Some("records:riff"),
        );
        check(b"\0\0\0\x02ab\0\0\0\x01c\0\0\0\x03\x01\x02\x03", Some("records:u32be"));
        check(b"3:abc,1:x,2:yz,", Some("records:netstrings"));
        check(
            b"HEAD\x01\x02\0\x03abc\x07\0\x01x\x07\0\x02\xff\xfe",
            Some("records:skip:5 bytes:1 length:u16be data"),
        );
        check(&[0xff, 0xfe, 0xfd, 0xfc, 0x80, 0x90], None);
        check(b"", Some("lines"));
    }
}
