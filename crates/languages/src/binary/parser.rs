//! Trees for files of length-prefixed records, as `grammars/records/formats.txt` and users describe
//! them. Lengths, padding and checksums follow when something inside goes.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{
    Copied, Facts, Flags, Interruption, Kinds, Language, Parse, Roles, Spacing, TokenHash, Tree,
    TreeBuilder,
};

use crate::binary::fixup;
use crate::binary::layout::{Field, Found, Layout};

use crate::plain::chunks::join;

/// How names of such languages begin; the name of a form, or its words, follow.
pub(crate) const PREFIX: &str = "records:";
/// The line that describes them all.
pub(crate) const DESCRIPTION: &str =
    "records with their lengths, by form: guess, lines, png, riff, … (grammars/records)";

/// The forms that have names.
const FORMS: &str = include_str!("../../grammars/records/formats.txt");

/// Records inside of records are looked for so deep.
const DEEPEST: usize = 64;
/// Above this many bytes, data is cut into pieces of more than one byte.
const FINE: usize = 200_000;

/// Returns name and words of each form, in the order in which they are guessed.
pub(crate) fn forms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = FORMS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('=')).map(|(name, words)| (name.trim(), words.trim()))
}

/// Returns the language of a form: a name of `grammars/records/formats.txt`, or words as they stand
/// there.
///
/// # Errors
/// Says what is wrong with it.
pub(crate) fn language(form: &str) -> Result<Language, String> {
    let named = forms().find(|(name, _)| *name == form);
    let layout = Layout::parse(named.map_or(form, |(_, words)| words)).map_err(|error| {
        let known: Vec<&str> = forms().map(|(name, _)| name).collect();
        format!("{error}; forms with names are guess, lines, {}", known.join(", "))
    })?;
    let mut kinds = Kinds::default();
    let facts = Facts::parse(&facts(&layout), &mut kinds).expect("made in normal form");
    let kinds = Arc::new(kinds);
    let parser = Box::new(Reader { layout, kinds: Arc::clone(&kinds) });
    let spacing = Spacing { between_tokens: false, keep_words_apart: false, indentation: false };
    let name = format!("{PREFIX}{form}");
    let roles = Roles::default();
    let names = Box::new(());
    let interruption = Interruption::default();
    Ok(Language { name, kinds, facts, spacing, roles, names, parser, interruption })
}

/// Fields stay as they are; records and bytes of their data can go.
fn facts(layout: &Layout) -> String {
    let fields: Vec<&str> = layout.fields.iter().map(kind).collect();
    let any = "(record | byte | chunk)*";
    format!("records = head {any}\nrecord = {}\ndata = {any}\n", fields.join(" "))
}

fn kind(field: &Field) -> &'static str {
    match field {
        Field::Constant(_) | Field::Bytes(_) => "field",
        Field::Length(..) => "length",
        Field::Data => "data",
        Field::Crc32 => "check",
        Field::Pad(_) => "pad",
    }
}

struct Reader {
    layout: Layout,
    kinds: Arc<Kinds>,
}

impl Parse for Reader {
    fn parse(&self, text: &[u8]) -> Tree {
        let mut writer = Writer {
            layout: &self.layout,
            text,
            kinds: &self.kinds,
            builder: TreeBuilder::new(Arc::from(text), Arc::clone(&self.kinds)),
            piece: if text.len() <= FINE { 1 } else { text.len().div_ceil(FINE / 2) },
        };
        let kind = |name| self.kinds.named(name).expect("all kinds are in the facts");
        writer.builder.open(kind("records"), 0..text.len(), Flags::default());
        let first = self.layout.first(text);
        let flags = Flags { error: first.is_none(), ..Flags::default() };
        let head = 0..first.unwrap_or(0);
        writer.builder.leaf(kind("head"), head.clone(), flags, tokens(&head));
        let (found, end) = self.records(text, first);
        writer.records(&found, DEEPEST);
        writer.bytes(end..text.len());
        writer.builder.close();
        writer.builder.finish()
    }

    fn tokens(&self, text: &[u8]) -> Option<u64> {
        Some(text.len() as u64)
    }

    fn errors(&self, text: &[u8]) -> u32 {
        let first = self.layout.first(text);
        let (_, end) = self.records(text, first);
        u32::from(first.is_none()) + u32::from(end < text.len())
    }

    fn corrected(&self, base: &Tree, copied: &[Copied]) -> Option<(Vec<u8>, TokenHash)> {
        let text = fixup::correct(&self.layout, base, copied)?;
        let hash = TokenHash::token(&text);
        Some((text, hash))
    }
}

impl Reader {
    fn records(&self, text: &[u8], first: Option<usize>) -> (Vec<Found>, usize) {
        first.map_or((Vec::new(), 0), |first| self.layout.chain(text, first..text.len()))
    }
}

struct Writer<'a> {
    layout: &'a Layout,
    text: &'a [u8],
    kinds: &'a Kinds,
    builder: TreeBuilder,
    /// The size in bytes of the pieces into which data is cut.
    piece: usize,
}

impl Writer<'_> {
    /// Adds records and, so deep, the records in them.
    fn records(&mut self, found: &[Found], deep: usize) {
        for record in found {
            self.open("record", record.start()..record.end());
            for (field, span) in self.layout.fields.iter().zip(&record.fields) {
                if *field == Field::Data {
                    self.open("data", span.clone());
                    self.data(span.clone(), deep);
                    self.builder.close();
                } else {
                    let kind = self.kinds.named(kind(field)).expect("all kinds are in the facts");
                    self.builder.leaf(kind, span.clone(), Flags::default(), tokens(span));
                }
            }
            self.builder.close();
        }
    }

    fn data(&mut self, span: Range<usize>, deep: usize) {
        let inner = self.layout.nested.map(|behind| span.start + behind);
        if let Some(start) = inner.filter(|&start| deep > 0 && start < span.end) {
            let (found, end) = self.layout.chain(self.text, start..span.end);
            if end == span.end && !found.is_empty() {
                self.bytes(span.start..start);
                self.records(&found, deep - 1);
                return;
            }
        }
        self.bytes(span);
    }

    fn bytes(&mut self, span: Range<usize>) {
        for (piece, count) in join(span.map(|at| at..at + 1), self.piece) {
            let name = if count == 1 { "byte" } else { "chunk" };
            let kind = self.kinds.named(name).expect("all kinds are in the facts");
            self.builder.leaf(kind, piece.clone(), Flags::default(), tokens(&piece));
        }
    }

    fn open(&mut self, name: &str, span: Range<usize>) {
        let kind = self.kinds.named(name).expect("all kinds are in the facts");
        self.builder.open(kind, span, Flags::default());
    }
}

/// Returns one for each byte: every byte counts.
fn tokens(span: &Range<usize>) -> u32 {
    u32::try_from(span.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::{Edits, NodeId, close, render};

    use super::*;

    /// Drops the nodes with these texts; what becomes of the text.
    fn check(form: &str, text: &[u8], gone: &[&[u8]], expected: Option<&[u8]>) {
        let language = language(form).unwrap();
        let tree = language.parser.parse(text);
        assert_eq!(tree.errors(), language.parser.errors(text));
        let find = |text: &&[u8]| -> NodeId {
            let found = tree.ids().rfind(|&id| tree.text_of(id) == *text);
            found.unwrap_or_else(|| panic!("no {text:?}"))
        };
        let edits = Edits::drop_all(gone.iter().map(find));
        let candidate = close(&tree, &language, edits)
            .map(|closed| render(&tree, &closed.edits, language.spacing))
            .map(|candidate| match language.parser.corrected(&tree, &candidate.copied) {
                Some((text, _)) => text,
                None => candidate.text.to_vec(),
            });
        assert_eq!(candidate.as_deref(), expected, "{form}: {gone:?}");
    }

    #[test]
    fn lengths_follow_what_they_count() {
        let text = b"a\x02xyb\x03pqr";
        check("tlv-1-1", text, &[b"a\x02xy"], Some(b"b\x03pqr"));
        check("tlv-1-1", text, &[b"x", b"q"], Some(b"a\x01yb\x02pr"));
        check("tlv-1-1", text, &[b"\x02"], None);
        check("netstrings", b"10:abcdefghij,", &[b"a"], Some(b"9:bcdefghij,"));
        let nested = b"\x30\x07\x04\x02ab\x02\x01c";
        check("der", nested, &[b"a", b"\x02\x01c"], Some(b"\x30\x03\x04\x01b"));
        check(
            "skip:1 length:u16be+2 data nested:0",
            b"!\0\x05\0\x03x",
            &[b"x"],
            Some(b"!\0\x04\0\x02"),
        );
    }

    #[test]
    fn padding_and_checksums_follow_as_well() {
        let list = b"LIST\x10\0\0\0INFOabcd\x04\0\0\0wxyz";
        check("riff", list, &[b"x"], Some(b"LIST\x10\0\0\0INFOabcd\x03\0\0\0wyz\0"));
        check("riff", list, &[b"x", b"y"], Some(b"LIST\x0e\0\0\0INFOabcd\x02\0\0\0wz"));
        let chunk = |data: &[u8]| {
            let body = [b"tEXt", data].concat();
            let length = u32::try_from(data.len()).unwrap().to_be_bytes();
            [&length[..], &body, &crc32fast::hash(&body).to_be_bytes()].concat()
        };
        let png = |chunks: [Vec<u8>; 2]| [&b"\x89PNG\r\n\x1a\n"[..], &chunks.concat()].concat();
        let a = chunk(b"hello");
        let b = chunk(b"w");
        let all = png([a.clone(), b.clone()]);
        check("png", &all, &[b"h"], Some(&png([chunk(b"ello"), b.clone()])));
        let mut wrong = all.clone();
        *wrong.last_mut().unwrap() ^= 1;
        let expected =
            [&wrong[..wrong.len() - b.len()], b"\0\0\0\0tEXt", &wrong[wrong.len() - 4..]];
        check("png", &wrong, &[b"w"], Some(&expected.concat()));
    }

    #[test]
    fn every_byte_of_any_text_is_in_a_leaf() {
        for (name, _) in forms() {
            let language = language(name).unwrap();
            for text in [&b""[..], b"\0", b"RIFF", b"\x89PNG\r\n\x1a\n\0\0\0\x01x", &[0xff; 300]] {
                let tree = language.parser.parse(text);
                let leaves = tree.ids().filter(|&id| tree.is_leaf(id));
                let text_of: Vec<u8> = leaves.flat_map(|id| tree.text_of(id).to_vec()).collect();
                assert_eq!(text_of, text, "{name}");
            }
        }
    }
}
