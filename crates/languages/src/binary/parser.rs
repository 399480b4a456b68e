//! Trees for binary files, as the forms in `grammars/records` and users describe them. Lengths,
//! counts, places, padding and checksums follow when something inside goes.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{
    Copied, Facts, Flags, Kinds, Language, Parse, Reader, Role, Roles, Tree, TreeBuilder,
};

use crate::binary::form::{Form, Step, Word};
use crate::binary::number::Number;
use crate::binary::reader::{Node, NodeKind, Reading, read};
use crate::coded::{Codec, Compressed};
use crate::plain::chunks::join;
use crate::plain::filler;

/// How names of such languages begin; the name of a form, or its words, follow.
pub(crate) const PREFIX: &str = "records:";
/// The line that describes them all.
pub(crate) const DESCRIPTION: &str =
    "binary files by form: guess, lines, png, elf, riff, … (grammars/records)";

/// The forms of one line.
const FORMS: &str = include_str!("../../grammars/records/formats.txt");

macro_rules! forms {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../grammars/records/", $name, ".form"))),)*]
    };
}

/// The forms of several lines.
const LONG_FORMS: &[(&str, &str)] = forms!(
    "elf" "png" "jpeg" "riff" "iff" "sfnt" "woff2" "tiff" "gif" "icc" "pe" "macho" "ogg" "flac" "mp3" "pcap"
    "class" "mkv" "zip" "mp4" "pdf" "tar" "sqlite" "cbor" "msgpack" "protobuf"
);

/// Regions in regions are shown so deep.
const DEEPEST: usize = 64;
/// Above this many bytes, data is cut into pieces of more than one byte.
const FINE: usize = 200_000;
/// Stands after a text in which compressed parts are unpacked.
const UNPACKED: &[u8] = b"\0unpacked";

/// Returns name and words of each form, in the order in which they are guessed.
pub(crate) fn forms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = FORMS.lines().filter(|line| !line.starts_with('#'));
    let short = lines.filter_map(|line| line.split_once(" = "));
    LONG_FORMS.iter().copied().chain(short.map(|(name, words)| (name.trim(), words.trim())))
}

/// Returns the language of a form: a name, or words as they stand in `grammars/records`.
///
/// # Errors
/// Says what is wrong with it.
pub(crate) fn language(name: &str, kinds: &mut Kinds) -> Result<Language, String> {
    let named = forms().find(|(known, _)| *known == name);
    let form = Form::parse(named.map_or(name, |(_, words)| words)).map_err(|error| {
        let known: Vec<&str> = forms().map(|(name, _)| name).collect();
        format!("{error}; forms with names are guess, lines, {}", known.join(", "))
    })?;
    let facts = Facts::parse(&facts(&form), kinds).map_err(|error| error.to_string())?;
    let kinds = Arc::new(kinds.clone());
    let mut roles = Roles::default();
    for name in ["byte", "chunk", "field", "fixed"] {
        kinds.named(name).into_iter().for_each(|kind| roles.assign(Role::Byte, kind));
    }
    let parser = Arc::new(Records { form, kinds: Arc::clone(&kinds) });
    Ok(Language::plain(format!("{PREFIX}{name}"), kinds, facts, roles, parser))
}

/// Items of lists, regions that numbers say the place of, and bytes of data can go.
fn facts(form: &Form) -> String {
    let name = |structure: usize| form.structures[structure].name.as_str();
    let all: Vec<&str> = form.structures.iter().map(|known| &*known.name).collect();
    let any = format!("(byte | chunk | region | {})*", all.join(" | "));
    let mut facts = format!("records = {} {any} mark?\nregion = {any}\ndata = {any}\n", name(0));
    let child = |word: &Word| {
        let child = match word.step {
            Step::Match | Step::Bytes => word.fixed_bytes().map_or("field".into(), fixed),
            Step::Number(Number::Here, _) => return None,
            Step::Number(..) => "(field | number)".to_owned(),
            Step::Data(_) => "data".to_owned(),
            Step::One => name(word.structure).to_owned(),
            Step::List => format!("{}*", name(word.structure)),
            Step::Pad => "pad".to_owned(),
            Step::Sum(_) => "check".to_owned(),
            Step::Each => "region*".to_owned(),
            _ => return None,
        };
        Some(child)
    };
    for structure in &form.structures {
        for words in &structure.alternatives {
            let children: Vec<String> = words.iter().filter_map(child).collect();
            facts.push_str(&format!("{} = {}\n", structure.name, children.join(" ")));
        }
    }
    let sizes: BTreeSet<usize> = form.words().filter_map(Word::fixed_bytes).collect();
    for size in sizes {
        facts.push_str(&format!("{} = {}\n", fixed(size), vec!["fixed"; size].join(" ")));
    }
    facts
}

/// Returns the name of a part of this many bytes, each of which can be overwritten but not go.
fn fixed(size: usize) -> String {
    format!("fixed{size}")
}

struct Records {
    form: Form,
    kinds: Arc<Kinds>,
}

impl Parse for Records {
    fn parse(&self, text: &[u8]) -> Tree {
        let (body, mark) = without_mark(text);
        let reading = Arc::new(read(&self.form, body));
        let mut nodes = reading.nodes.iter();
        let first = nodes.next().filter(|node| node.span.start == 0);
        let mut regions: Vec<&Node> = nodes.collect();
        regions.sort_by_key(|node| (node.span.start, std::cmp::Reverse(node.span.end)));
        let mut writer = Writer {
            form: &self.form,
            reading: &reading,
            regions: &regions,
            text,
            kinds: &self.kinds,
            builder: TreeBuilder::new(Arc::from(text), Arc::clone(&self.kinds)),
            piece: if text.len() <= FINE { 1 } else { text.len().div_ceil(FINE / 2) },
        };
        writer.open("records", 0..text.len());
        let mut end = 0;
        if let Some(first) = first {
            writer.node(first, 0, DEEPEST);
            end = first.span.end;
        }
        writer.raw(end..body.len(), 0, DEEPEST);
        if mark {
            writer.leaf("mark", body.len()..text.len(), 0);
        }
        writer.builder.close();
        let faults = reading.errors;
        writer.builder.keep(Some(Arc::clone(&reading) as Arc<_>));
        writer.builder.finish().with_faults(faults)
    }

    fn errors(&self, text: &[u8]) -> u32 {
        read(&self.form, without_mark(text).0).errors
    }
}

impl Reader for Records {
    fn tokens(&self, text: &[u8]) -> Option<u64> {
        Some(filler::tokens(text, 0..text.len()) as u64)
    }

    fn corrected(&self, base: &Tree, candidate: &[u8], copied: &[Copied]) -> Option<Vec<u8>> {
        let reading: &Reading = base.origin().as_ref()?.downcast_ref()?;
        reading.links.correct(base.text(), candidate, copied)
    }

    fn canonical_form(&self, file: &[u8]) -> Option<Vec<u8>> {
        let unpacked = self.recoded(file, |part, form| form.decode(part))?;
        Some([&unpacked, UNPACKED].concat())
    }

    fn file_of<'t>(&self, text: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        let (body, is_unpacked) = without_mark(text);
        if !is_unpacked {
            return Some(Cow::Borrowed(text));
        }
        let packed = self.recoded(body, |part, form| form.encode(part));
        Some(packed.map_or(Cow::Borrowed(body), Cow::Owned))
    }
}

/// Returns a text without the mark after it, and whether it was there.
fn without_mark(text: &[u8]) -> (&[u8], bool) {
    text.strip_suffix(UNPACKED).map_or((text, false), |body| (body, true))
}

impl Records {
    /// Returns the file with other bytes instead of all that is compressed; `None` if there is
    /// nothing, or it cannot be done.
    fn recoded(
        &self,
        file: &[u8],
        recode: impl Fn(&[u8], Compressed) -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let Reading { compressed, links, .. } = read(&self.form, file);
        (!compressed.is_empty()).then_some(())?;
        let (mut candidate, mut copied, mut at) = (Vec::new(), Vec::new(), 0);
        for (part, form) in compressed {
            copied.push(Copied { from: at..part.start, to: candidate.len() });
            candidate.extend_from_slice(&file[at..part.start]);
            candidate.extend(recode(&file[part.clone()], form)?);
            at = part.end;
        }
        copied.push(Copied { from: at..file.len(), to: candidate.len() });
        candidate.extend_from_slice(&file[at..]);
        links.correct(file, &candidate, &copied)
    }
}

struct Writer<'a> {
    form: &'a Form,
    reading: &'a Reading,
    /// Those that numbers say the place of, in the order of their places.
    regions: &'a [&'a Node],
    text: &'a [u8],
    kinds: &'a Kinds,
    builder: TreeBuilder,
    /// The size in bytes of the pieces into which data is cut.
    piece: usize,
}

impl Writer<'_> {
    /// Adds a node; regions in it are looked for from a place of their list on. Recurses on the
    /// depth, which is bounded.
    fn node(&mut self, node: &Node, regions: usize, deep: usize) {
        let span = node.span.clone();
        match node.kind {
            NodeKind::Structure(_) | NodeKind::Data | NodeKind::Region => {
                let form = self.form;
                let name = match node.kind {
                    NodeKind::Structure(structure) => &*form.structures[structure].name,
                    NodeKind::Data => "data",
                    _ => "region",
                };
                self.open(name, span.clone());
                match node.children.first() {
                    None => self.raw(span, regions, deep),
                    Some(first) => {
                        self.bytes(span.start..first.span.start);
                        node.children.iter().for_each(|child| self.node(child, regions, deep));
                    }
                }
                self.builder.close();
            }
            NodeKind::Field if self.is_linked(&span) => self.leaf("number", span, 1),
            NodeKind::Field => {
                let tokens = filler::tokens(self.text, span.clone());
                self.leaf("field", span, tokens);
            }
            NodeKind::Fixed => {
                self.open(&fixed(span.len()), span.clone());
                let region = &self.text[span.clone()];
                for (at, place) in span.enumerate() {
                    self.leaf("fixed", place..place + 1, filler::tokens(region, at..at + 1));
                }
                self.builder.close();
            }
            NodeKind::Sum => self.leaf("check", span, 1),
            NodeKind::Pad => self.leaf("pad", span, 0),
        }
    }

    fn is_linked(&self, span: &Range<usize>) -> bool {
        let links = &self.reading.links.links;
        let at = links.partition_point(|link| link.span.start < span.start);
        links.get(at).is_some_and(|link| link.span == *span)
    }

    /// Adds bytes, and the regions in them.
    fn raw(&mut self, span: Range<usize>, first: usize, deep: usize) {
        let all = self.regions;
        let mut at = span.start;
        let mut next = first + all[first..].partition_point(|region| region.span.start < at);
        while let Some(region) = all.get(next).filter(|region| region.span.start < span.end) {
            next += 1;
            if region.span.start >= at && region.span.end <= span.end && deep > 0 {
                self.bytes(at..region.span.start);
                self.node(region, next, deep - 1);
                at = region.span.end;
            }
        }
        self.bytes(at..span.end);
    }

    fn bytes(&mut self, span: Range<usize>) {
        // A byte says the same whatever stands before the region.
        let region = &self.text[span.clone()];
        for (piece, _) in join(filler::units(region, 0..region.len()), self.piece) {
            let name = if piece.len() == 1 { "byte" } else { "chunk" };
            let tokens = filler::tokens(region, piece.clone());
            self.leaf(name, span.start + piece.start..span.start + piece.end, tokens);
        }
    }

    fn leaf(&mut self, name: &str, span: Range<usize>, tokens: usize) {
        let kind = self.kinds.named(name).expect("all kinds are in the facts");
        let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        self.builder.leaf(kind, span, Flags::default(), tokens);
    }

    fn open(&mut self, name: &str, span: Range<usize>) {
        let kind = self.kinds.named(name).expect("all kinds are in the facts");
        self.builder.open(kind, span, Flags::default());
    }
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::{Edits, NodeId, close, render};

    use super::*;

    /// Drops the nodes with these texts; what becomes of the text.
    fn check(form: &str, text: &[u8], gone: &[&[u8]], expected: Option<&[u8]>) {
        let language = language(form, &mut Kinds::default()).unwrap();
        let tree = language.parser.parse(text);
        assert_eq!(tree.errors(), language.parser.errors(text));
        let find = |text: &&[u8]| -> NodeId {
            let found = tree.ids().rfind(|&id| tree.text_of(id) == *text);
            found.unwrap_or_else(|| panic!("no {text:?}"))
        };
        let edits = Edits::drop_all(gone.iter().map(find));
        let candidate = close(&tree, &language, edits)
            .map(|closed| render(&tree, &closed.edits, language.spacing))
            .map(|candidate| {
                match language.reader.corrected(&tree, &candidate.text, &candidate.copied) {
                    Some(text) => text,
                    None => candidate.text.to_vec(),
                }
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
            "skip:1 length:u16be+2 data:record",
            b"!\0\x05\0\x03x",
            &[b"x"],
            Some(b"!\0\x04\0\x02"),
        );
    }

    #[test]
    fn padding_and_checksums_follow_as_well() {
        let list = b"RIFF\x10\0\0\0INFOabcd\x04\0\0\0wxyz";
        check("riff", list, &[b"x"], Some(b"RIFF\x10\0\0\0INFOabcd\x03\0\0\0wyz\0"));
        check("riff", list, &[b"x", b"y"], Some(b"RIFF\x0e\0\0\0INFOabcd\x02\0\0\0wz"));
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
            let language = language(name, &mut Kinds::default()).unwrap();
            for text in [&b""[..], b"\0", b"RIFF", b"\x89PNG\r\n\x1a\n\0\0\0\x01x", &[0xff; 300]] {
                let tree = language.parser.parse(text);
                let leaves = tree.ids().filter(|&id| tree.is_leaf(id));
                let text_of: Vec<u8> = leaves.flat_map(|id| tree.text_of(id).to_vec()).collect();
                assert_eq!(text_of, text, "{name}");
            }
        }
    }
}

#[cfg(test)]
mod forms_of_files {
    use minirepro_syntax::{Edits, close, render};

    use super::*;
    use crate::binary::sums::Sum;

    /// Drops the only node of this kind with this text; what becomes of the file.
    fn check(form: &str, file: &[u8], kind: &str, gone: &[u8], expected: &[u8]) {
        let language = language(form, &mut Kinds::default()).unwrap();
        let tree = language.parser.parse(file);
        assert_eq!(tree.errors(), 0, "{form}");
        let is_it =
            |&id: &minirepro_syntax::NodeId| tree.kind_name(id) == kind && tree.text_of(id) == gone;
        let id = tree.ids().find(is_it).unwrap_or_else(|| panic!("{form}: no {kind}"));
        let edits = close(&tree, &language, Edits::drop(id)).expect("it can go").edits;
        let candidate = render(&tree, &edits, language.spacing);
        let corrected = language.reader.corrected(&tree, &candidate.text, &candidate.copied);
        assert_eq!(corrected.as_deref(), Some(expected), "{form}");
        assert_eq!(language.parser.errors(expected), 0, "{form}");
    }

    #[test]
    fn counts_and_sizes_in_a_few_bits_follow() {
        check("cbor", b"\x83\x01\x62ab\x03", "value", b"\x62ab", b"\x82\x01\x03");
        check("cbor", b"\xa2\x01\x02\x61a\x04", "pair", b"\x61a\x04", b"\xa1\x01\x02");
        check("cbor", b"\x83\x01\x62ab\x03", "byte", b"a", b"\x83\x01\x61b\x03");
        check("msgpack", b"\x92\xa1x\xc0", "value", b"\xa1x", b"\x91\xc0");
        check("protobuf", b"\x0a\x04\x10\x05\x18\x07", "entry", b"\x10\x05", b"\x0a\x02\x18\x07");
    }

    #[test]
    fn tables_of_places_and_lengths_follow() {
        let table = |tag: &[u8], data: &[u8], place: u8| -> Vec<u8> {
            let sum = Sum::Sum32.of(data, 0..data.len(), &(0..0));
            let size = u8::try_from(data.len()).unwrap();
            [tag, &sum, &[0, 0, 0, place, 0, 0, 0, size]].concat()
        };
        let file = |tables: &[(&[u8], &[u8])]| -> Vec<u8> {
            let count = u8::try_from(tables.len()).unwrap();
            let mut place = 12 + 16 * count;
            let mut out = [b"OTTO\0", &[count][..], &[0; 6]].concat();
            for (tag, data) in tables {
                out.extend(table(tag, data, place));
                place += u8::try_from(data.len()).unwrap();
            }
            tables.iter().for_each(|(_, data)| out.extend_from_slice(data));
            out
        };
        let both = file(&[(b"cvt ", b"abcd"), (b"glyf", b"wxyz!")]);
        let row = table(b"cvt ", b"abcd", 44);
        check("sfnt", &both, "table", &row, &file(&[(b"glyf", b"wxyz!")]));
        check("sfnt", &both, "region", b"abcd", &file(&[(b"glyf", b"wxyz!")]));
        check("sfnt", &both, "byte", b"b", &file(&[(b"cvt ", b"acd"), (b"glyf", b"wxyz!")]));
    }

    #[test]
    fn lengths_in_a_list_beside_the_data_follow() {
        let page = |segments: &[&[u8]]| -> Vec<u8> {
            let lengths: Vec<u8> =
                segments.iter().map(|s| u8::try_from(s.len()).unwrap()).collect();
            let count = u8::try_from(lengths.len()).unwrap();
            let head = [b"OggS", &[0; 22][..], &[count]].concat();
            let mut page = [head, lengths, segments.concat()].concat();
            let sum = Sum::Ogg.of(&page, 0..page.len(), &(22..26));
            page[22..26].copy_from_slice(&sum);
            page
        };
        let file = page(&[b"abc", b"de"]);
        check("ogg", &file, "byte", b"b", &page(&[b"ac", b"de"]));
        check("ogg", &file, "region", b"abc", &page(&[b"de"]));
        check("ogg", &file, "lace", b"\x02", &page(&[b"abc"]));
    }

    #[test]
    fn sections_take_their_names_and_mentions_along() {
        let wide = |value: u64| value.to_le_bytes();
        let section = |name: u32, kind: u32, place: u64, size: u64| -> Vec<u8> {
            let head = [name.to_le_bytes(), kind.to_le_bytes()].concat();
            [head, vec![0; 16], [wide(place), wide(size)].concat(), vec![0; 24]].concat()
        };
        let file = |names: &[u8], data: &[u8], sections: &[Vec<u8>], of_names: u16| -> Vec<u8> {
            let body = [names, data].concat();
            let table = wide(64 + body.len() as u64);
            let count = u16::try_from(sections.len()).unwrap().to_le_bytes();
            let ident = [&b"\x7fELF\x02\x01\x01"[..], &[0; 9], &[0; 16]].concat();
            let tail = [&[0; 8][..], &[0, 0, 64, 0], &count, &of_names.to_le_bytes()].concat();
            [ident, wide(0).to_vec(), table.to_vec(), tail, body, sections.concat()].concat()
        };
        let (first, names) = (section(1, 1, 71, 3), section(3, 3, 64, 7));
        let null = section(0, 0, 0, 0);
        let all = file(b"\0a\0bcd\0", b"xyz", &[null.clone(), first.clone(), names], 2);
        let without = file(b"\0a\0bcd\0", b"", &[null.clone(), section(3, 3, 64, 7)], 1);
        check("elf", &all, "section64", &first, &without);
        check("elf", &all, "region", b"xyz", &without);
        let shorter =
            file(b"\0bcd\0", b"xyz", &[null, section(1, 1, 69, 3), section(1, 3, 64, 5)], 2);
        check("elf", &all, "string", b"a\0", &shorter);
    }

    #[test]
    fn octal_lengths_and_sums_of_archives_follow() {
        let member = |name: &[u8], data: &[u8]| -> Vec<u8> {
            let mut head = vec![0; 512];
            head[..name.len()].copy_from_slice(name);
            head[124..136].copy_from_slice(format!("{:011o}\0", data.len()).as_bytes());
            head[257..262].copy_from_slice(b"ustar");
            let sum = Sum::Tar.of(&head, 0..512, &(148..156));
            head[148..156].copy_from_slice(&sum);
            let padding = vec![0; data.len().next_multiple_of(512) - data.len()];
            [head, data.to_vec(), padding].concat()
        };
        let two = [member(b"a", b"hello"), member(b"b", b"xy")].concat();
        check("tar", &two, "byte", b"e", &[member(b"a", b"hllo"), member(b"b", b"xy")].concat());
        check("tar", &two, "member", &member(b"a", b"hello"), &member(b"b", b"xy"));
        assert_eq!(crate::guess("of-no-suffix", &two[..1500]), "records:tar");
    }

    #[test]
    fn places_from_the_start_of_a_part_follow() {
        let file = |data: &[u8], place: u8| -> Vec<u8> {
            let seek = [&b"\x4d\xbb\x84\x53\xac\x81"[..], &[place]].concat();
            let void = [&[0xec, 0x80 | u8::try_from(data.len()).unwrap()], data].concat();
            let inside = [seek, void, b"\x16\x54\xae\x6b\x81x".to_vec()].concat();
            let size = 0x80 | u8::try_from(inside.len()).unwrap();
            [&b"\x1a\x45\xdf\xa3\x81\0\x18\x53\x80\x67"[..], &[size], &inside].concat()
        };
        check("mkv", &file(b"abc", 12), "byte", b"b", &file(b"ac", 11));
    }

    #[test]
    fn constants_are_mentioned_by_their_numbers() {
        let word =
            |text: &[u8]| [&b"\x01\0"[..], &[u8::try_from(text.len()).unwrap()], text].concat();
        let file = |constants: &[&[u8]], count: u8, name: u8, code: u8| -> Vec<u8> {
            let head =
                [&b"\xca\xfe\xba\xbe\0\0\0\x34\0"[..], &[count], &constants.concat()].concat();
            let field = [&b"\0\x01\0\0\0"[..], &[name], b"\0\0\0\0"].concat();
            let body = [&b"\0\0\0\0\0\0\0\x02\x12"[..], &[code], b"\0\0\0\0"].concat();
            let code = [&b"\0"[..], &[name], b"\0\0\0\x0e", &body].concat();
            let method = [&b"\0\x01\0\0\0"[..], &[name], b"\0\0\0\x01", &code].concat();
            [head, b"\0\0\0\0\0\0\0\0".to_vec(), field, method, b"\0\0".to_vec()].concat()
        };
        let long = [b"\x05", &[7; 8][..]].concat();
        let [a, b] = [word(b"Abc"), word(b"Code")];
        let expected = file(&[&a, &b], 3, 2, 1);
        // A long constant counts for two.
        check("class", &file(&[&long, &a, &b], 5, 4, 3), "constant", &long, &expected);
        let expected = file(&[&long, &b], 4, 3, 1);
        check("class", &file(&[&long, &a, &b], 5, 4, 1), "constant", &a, &expected);
    }

    #[test]
    fn shapes_of_letters_can_be_empty() {
        let table = |tag: &[u8], data: &[u8], place: u8| -> Vec<u8> {
            let sum = Sum::Sum32.of(data, 0..data.len(), &(0..0));
            let size = u8::try_from(data.len()).unwrap();
            [tag, &sum, &[0, 0, 0, place, 0, 0, 0, size]].concat()
        };
        let file = |shapes: &[u8], places: &[u8]| -> Vec<u8> {
            let head = [&[0; 50][..], b"\0\0\0\0"].concat();
            let end = 60 + 54 + u8::try_from(shapes.len()).unwrap();
            let tables = [
                table(b"glyf", shapes, 60 + 54),
                table(b"head", &head, 60),
                table(b"loca", places, end),
            ];
            let all =
                [&b"\0\x01\0\0\0\x03\0\0\0\0\0\0"[..], &tables.concat(), &head, shapes, places];
            all.concat()
        };
        let all = file(b"abcdefgh", &[0, 0, 0, 2, 0, 3, 0, 4]);
        check("sfnt", &all, "region", b"abcd", &file(b"efgh", &[0, 0, 0, 0, 0, 1, 0, 2]));
        check("sfnt", &all, "region", b"ef", &file(b"abcdgh", &[0, 0, 0, 2, 0, 2, 0, 3]));
    }

    #[test]
    fn pages_of_databases_are_mentioned_by_their_numbers() {
        let file = |pages: &[&[u8]], right: u8| -> Vec<u8> {
            let count = u8::try_from(pages.len() + 1).unwrap();
            let head = [&b"SQLite format 3\0\0\x80"[..], &[0; 10], &[0, 0, 0, count], &[0; 68]];
            let tree = [&b"\x05\0\0\0\0\0\0\0\0\0\0"[..], &[right], &[1; 16]].concat();
            [&head.concat()[..], &tree, &pages.concat()].concat()
        };
        let (one, two, three) = ([b'a'; 128], [b'b'; 128], [b'c'; 128]);
        check("sqlite", &file(&[&one, &two, &three], 4), "page", &two, &file(&[&one, &three], 3));
        // A page has all of its bytes.
        assert!(
            language("sqlite", &mut Kinds::default())
                .unwrap()
                .parser
                .errors(&file(&[&one, &two[1..]], 3))
                > 0
        );
    }

    #[cfg(feature = "archives")]
    #[test]
    fn a_compressed_part_is_unpacked_and_packed_again() {
        let language = language("png", &mut Kinds::default()).unwrap();
        let chunk = |name: &[u8], data: &[u8]| -> Vec<u8> {
            let body = [name, data].concat();
            let length = u32::try_from(data.len()).unwrap().to_be_bytes();
            [&length[..], &body, &crc32fast::hash(&body).to_be_bytes()].concat()
        };
        let packed = |text: &[u8]| Compressed::Zlib.encode(text).unwrap();
        let png = |text: &[u8]| {
            [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IDAT", &packed(text)), chunk(b"IEND", b"")]
                .concat()
        };
        let file = png(b"0123456789");
        let text = language.reader.canonical_form(&file).unwrap();
        assert!(text.windows(10).any(|part| part == b"0123456789"));
        assert_eq!(language.parser.errors(&text), 0);
        assert_eq!(language.reader.file_of(&text).as_deref(), Some(&file[..]));
        let font = |size: u8, tables: &[u8]| -> Vec<u8> {
            let total = 48 + 2 + u8::try_from(tables.len()).unwrap();
            let head = [&b"wOF2\0\x01\0\0\0\0\0"[..], &[total, 0, 1], &[0; 6], &[0, 0, 0, size]];
            [&head.concat()[..], &[0; 24], b"\x01\x0a", tables].concat()
        };
        let packed = Compressed::Brotli.encode(b"0123456789").unwrap();
        let file = font(u8::try_from(packed.len()).unwrap(), &packed);
        let woff2 = super::language("woff2", &mut Kinds::default()).unwrap();
        let text = woff2.reader.canonical_form(&file).unwrap();
        assert_eq!(without_mark(&text), (&font(10, b"0123456789")[..], true));
        assert_eq!(woff2.parser.errors(&text), 0);
        assert_eq!(woff2.reader.file_of(&text).as_deref(), Some(&file[..]));
        // What cannot be unpacked stays as it is.
        let broken = [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IDAT", b"no zlib")].concat();
        assert_eq!(language.reader.canonical_form(&broken), None);
        assert_eq!(language.reader.file_of(&broken).as_deref(), Some(&broken[..]));
    }
}
