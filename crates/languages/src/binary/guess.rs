//! Guesses the form of a binary file.

use std::sync::LazyLock;

use crate::binary::form::Form;
use crate::binary::parser::{PREFIX, forms};
use crate::binary::reader::{Node, NodeKind, Reading, read, read_within};
use crate::plain::text::is_mostly_text;

/// The size in bytes up to which a head that no form mentions may stand before the records.
const LONGEST_HEAD: usize = 64;
/// The steps that all forms and heads together may take, about a second: a file may fit many of
/// them nearly to its end (zeros are records of no length).
const STEPS: usize = 1 << 22;
/// Fewer records than these may fit by chance.
const LEAST: usize = 3;

/// Returns the name of the language that reads a file's records: `lines` for text; `None` when no
/// form of `grammars/records` fits the file to its end.
///
/// Linear in the file times the forms and the heads that are tried, up to a bound.
pub fn guess_records(text: &[u8]) -> Option<String> {
    let heads = if is_mostly_text(text) { 0 } else { LONGEST_HEAD.min(text.len()) };
    let mut steps = STEPS;
    let found = (0..=heads).find_map(|head| {
        FORMS.iter().find_map(|(name, words, form)| {
            let fits = match form.is_marked {
                true => head == 0 && is_marked(form, text),
                false => fits(form, &text[head..], &mut steps),
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
/// the suffix of one whose records make up most of it.
pub(crate) fn marked_records(suffix: &str, text: &[u8]) -> Option<String> {
    let mut found = FORMS.iter().filter(|(_, _, form)| match form.is_marked {
        true => is_marked(form, text),
        false => form.suffixes.iter().any(|own| own == suffix) && fits_mostly(form, text),
    });
    found.next().map(|(name, _, _)| format!("{PREFIX}{name}"))
}

/// The forms, with their names and words.
static FORMS: LazyLock<Vec<(&str, &str, Form)>> = LazyLock::new(|| {
    let read = |(name, words)| Some((name, words, Form::parse(words).ok()?));
    forms().filter_map(read).collect()
});

/// Returns whether the form's own first bytes are there, with something after them.
fn is_marked(form: &Form, text: &[u8]) -> bool {
    let Reading { nodes, .. } = read(form, text);
    let first = nodes.first().filter(|node| node.span.start == 0);
    first.is_some_and(|first| first.children.len() > 1)
}

/// Returns whether enough records, most of them with data, reach to the end of the file.
fn fits(form: &Form, text: &[u8], steps: &mut usize) -> bool {
    let Reading { nodes, errors, .. } = read_within(form, text, steps);
    let Some(file) = nodes.first().filter(|_| errors == 0) else { return false };
    let is_record = |node: &&Node| matches!(node.kind, NodeKind::Structure(_));
    let records: Vec<&Node> = file.children.iter().filter(is_record).collect();
    let is_data = |part: &Node| part.kind == NodeKind::Data && !part.span.is_empty();
    let full = records.iter().filter(|record| record.children.iter().any(is_data)).count();
    records.len() >= LEAST && 2 * full >= records.len()
}

/// Returns whether the form describes at least half of a file with its suffix: a file of which a
/// program takes harm is often broken.
fn fits_mostly(form: &Form, text: &[u8]) -> bool {
    let Reading { nodes, .. } = read(form, text);
    nodes.first().is_some_and(|file| 2 * file.span.end >= text.len() && !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{guess_records, marked_records};

    #[test]
    fn a_file_is_known_by_its_first_bytes_whatever_its_suffix_is() {
        let wave = b"RIFF\x1a\0\0\0WAVEfmt \x02\0\0\0\x01\x02data\x04\0\0\0\x01\0\0\0";
        let (cut, other) = (&wave[..26], b"FORM\0\0\0\x04AIFF");
        for (file, form) in [(&wave[..], "riff"), (cut, "riff"), (&other[..], "iff")] {
            assert_eq!(marked_records("bin", file), Some(format!("records:{form}")));
        }
        assert_eq!(marked_records("txt", b"FORM of a text\n"), None, "no more than a word");
    }

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
        // Many records of no length, and none that fits: not all that is tried is read to its end.
        check(&[&[0; 1 << 17][..], &[1]].concat(), None);
        check(b"", Some("lines"));
    }
}
