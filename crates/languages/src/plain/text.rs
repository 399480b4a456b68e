//! Trees for text that no grammar parses: blocks, paragraphs, lines, words, characters; or bytes.
//!
//! Large texts get coarse leaves: finer ones appear by themselves when the text
//! has become small and is parsed again.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{
    Facts, Flags, Kind, Kinds, Language, Namespace, Parse, Reader, Role, Roles, Tree, TreeBuilder,
};

use crate::plain::chunks::{
    characters, groups, join, lines, lines_around, paragraphs, runs, words,
};
use crate::plain::filler;
use crate::plain::names::{LineWords, SIGILS};
use crate::plain::outline::{Line, end_of_block, outline};

/// Texts up to this many bytes are split down to the finest level.
const FINE: usize = 200_000;
/// Above, no unit of this many bytes or fewer is split further.
const WHOLE: usize = 16;
/// In longer texts, words of at most [`WHOLE`] bytes are not split into characters: nearly all are
/// known to who reads them (SPIR-V of 967 bytes: 7,439 tests, of which 5,588 for characters).
const CHARACTERS: usize = 400;
/// Brackets in a line that lie deeper are signs like others.
const DEEPEST: usize = 64;
/// Lines in brackets that together have no more bytes are read as one line.
const LINE: usize = 100;

/// Cuts a span around groups.
type Cut = fn(&[u8], Range<usize>, &[Range<usize>]) -> Vec<Range<usize>>;

/// How finely a text is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Lines that hold each other, and paragraphs of them.
    Outline,
    Paragraphs,
    Lines,
    Words,
    /// Letters and digits, one sign, or brackets with the words that they hold.
    Runs,
    Characters,
    Bytes,
}

/// Returns the units that count as tokens: words, characters, or those bytes that say something.
fn counted(levels: &[Level]) -> Level {
    match levels {
        [level @ (Level::Characters | Level::Bytes)] => *level,
        _ => Level::Words,
    }
}

/// A way to see any bytes as a tree: a list of units, which are lists of smaller units.
pub(crate) struct Hierarchy {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    levels: &'static [Level],
}

/// The hierarchies that are always there.
pub(crate) const HIERARCHIES: &[Hierarchy] = &[
    Hierarchy {
        name: "text",
        description: "any text: blocks of lines (by brackets, words or indentation), paragraphs, lines, \
                      words, characters",
        levels: &[Level::Outline, Level::Words, Level::Runs, Level::Characters],
    },
    Hierarchy { name: "lines", description: "any text, line by line", levels: &[Level::Lines] },
    Hierarchy {
        name: "chars",
        description: "any text, character by character",
        levels: &[Level::Characters],
    },
    Hierarchy { name: "bytes", description: "any file, byte by byte", levels: &[Level::Bytes] },
];

/// The kinds of nodes; each holds any number of the others. A `group` is a pair of brackets in a
/// line, a `chunk` what they hold, a part of a large unit, or several small ones.
const KINDS: [&str; 10] =
    ["text", "block", "paragraph", "line", "word", "run", "group", "character", "byte", "chunk"];

impl Hierarchy {
    /// Returns the hierarchy as a language.
    pub(crate) fn language(&'static self, kinds: &mut Kinds) -> Language {
        let any = KINDS.join(" | ");
        let facts: String = KINDS.iter().map(|kind| format!("{kind} = ({any})*\n")).collect();
        let facts = Facts::parse(&facts, kinds).expect("the text above is in normal form");
        let kinds = Arc::new(kinds.clone());
        let mut roles = Roles::default();
        if counted(self.levels) == Level::Bytes {
            let bytes = ["byte", "chunk"].into_iter().filter_map(|name| kinds.named(name));
            bytes.for_each(|kind| roles.assign(Role::Byte, kind));
        }
        let parser = Arc::new(Splitter { levels: self.levels, kinds: kinds.clone() });
        let [line, block] = ["line", "block"].map(|name| kinds.named(name));
        let mut language = Language::plain(self.name, kinds, facts, roles, parser);
        if let (Some(line), Some(block)) = (line, block)
            && self.levels.contains(&Level::Words)
        {
            let namespace = Namespace { name: "word".to_owned(), short: Vec::new() };
            language.names = Box::new(LineWords { line, block, namespace: Arc::new(namespace) });
        }
        language
    }
}

struct Splitter {
    levels: &'static [Level],
    kinds: Arc<Kinds>,
}

impl Parse for Splitter {
    fn parse(&self, text: &[u8]) -> Tree {
        let fine = text.len() <= FINE;
        let mut split = Split {
            text,
            kinds: KINDS.map(|name| self.kinds.named(name).expect("all kinds are in the facts")),
            builder: TreeBuilder::new(Arc::from(text), self.kinds.clone()),
            size: if fine { 1 } else { text.len().div_ceil(FINE / 2) },
            whole: if fine { 1 } else { WHOLE },
            has_whole_words: self.levels.contains(&Level::Words) && text.len() > CHARACTERS,
            counted: counted(self.levels),
            depth: 0,
        };
        split.builder.open(split.kind("text"), 0..text.len(), Flags::default());
        split.add(0..text.len(), self.levels);
        split.builder.close();
        split.builder.finish()
    }

    fn errors(&self, _text: &[u8]) -> u32 {
        0
    }
}

impl Reader for Splitter {
    fn tokens(&self, text: &[u8]) -> Option<u64> {
        let of_bytes = counted(self.levels) == Level::Bytes;
        of_bytes.then(|| filler::tokens(text, 0..text.len()) as u64)
    }
}

struct Split<'a> {
    text: &'a [u8],
    /// In the order of [`KINDS`].
    kinds: [Kind; KINDS.len()],
    builder: TreeBuilder,
    /// Units that are not split are joined to pieces of this many bytes.
    size: usize,
    /// Units of this many bytes or fewer are not split.
    whole: usize,
    has_whole_words: bool,
    counted: Level,
    /// How many groups are open.
    depth: usize,
}

impl Split<'_> {
    /// Adds the units of a span. Recurses on the levels, of which there are at most six, and on
    /// groups in each other, whose number is bounded.
    fn add(&mut self, span: Range<usize>, levels: &[Level]) {
        let Some((&level, finer)) = levels.split_first() else { return };
        let (text, all) = (self.text, span.clone());
        let around = |cut: Cut| Box::new(cut(text, span.clone(), &self.groups(&span)).into_iter());
        let units: Box<dyn Iterator<Item = Range<usize>>> = match level {
            Level::Outline => {
                let lines = outline(text, all);
                if lines.iter().any(|line| line.depth > 0) {
                    return self.add_lines(&lines, finer);
                }
                let levels = [&[Level::Paragraphs, Level::Lines], finer].concat();
                return self.add(span, &levels);
            }
            Level::Paragraphs => Box::new(paragraphs(text, all).into_iter()),
            Level::Lines if self.depth == 0 => Box::new(lines(text, all)),
            Level::Lines => around(lines_around),
            Level::Words => around(words),
            Level::Runs => around(runs),
            Level::Characters => Box::new(characters(text, all)),
            Level::Bytes => Box::new(filler::units(text, all).into_iter()),
        };
        self.add_units(units, &span, level, finer);
    }

    /// Adds the units into which a level cuts a span.
    fn add_units(
        &mut self,
        units: impl IntoIterator<Item = Range<usize>>,
        span: &Range<usize>,
        level: Level,
        finer: &[Level],
    ) {
        let mut whole: Vec<Range<usize>> = Vec::new();
        for unit in units {
            if unit.len() <= self.whole || finer.is_empty() || self.is_word(&unit) {
                // Without a size to reach, nothing is joined.
                if self.size > 1 {
                    whole.push(unit);
                } else {
                    self.leaf(unit, 1, level);
                }
                continue;
            }
            self.leaves(&mut whole, level);
            if level == Level::Runs && self.is_group(&unit) {
                self.add_group(unit, finer);
                continue;
            }
            // A unit that is all of its parent would be the same circumstance twice.
            let same = unit == *span;
            if !same {
                // Names are known by the lines outside of groups.
                let is_held = level == Level::Lines && self.depth > 0;
                let kind = self.kind(if is_held { "chunk" } else { level.name() });
                self.builder.open(kind, unit.clone(), Flags::default());
            }
            self.add(unit, finer);
            if !same {
                self.builder.close();
            }
        }
        self.leaves(&mut whole, level);
    }

    /// Returns whether a unit is a word, or blank space, of which the characters are no
    /// circumstances; with the sign of a name before it and the sign after it: `%3,`.
    fn is_word(&self, unit: &Range<usize>) -> bool {
        let unit = self.text[unit.clone()].trim_ascii();
        let word = unit.strip_suffix(b",").or_else(|| unit.strip_suffix(b";")).unwrap_or(unit);
        let (word, is_number) = match word {
            [sigil, word @ ..] if SIGILS.contains(sigil) => (word, false),
            word => (word, word.len() > 1 && word.iter().all(u8::is_ascii_digit)),
        };
        // A number has smaller ones.
        self.has_whole_words
            && unit.len() <= WHOLE
            && !is_number
            && word.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    /// Returns the uppermost groups of a span: none in large texts, whose trees must stay small.
    fn groups(&self, span: &Range<usize>) -> Vec<Range<usize>> {
        let are_nodes = self.depth < DEEPEST && self.size == 1;
        if are_nodes { groups(self.text, span.clone()) } else { Vec::new() }
    }

    /// Returns whether a run is more than one sign.
    fn is_group(&self, run: &Range<usize>) -> bool {
        let run = self.text[run.clone()].trim_ascii_end();
        self.size == 1 && run.len() > 1 && matches!(run[0], b'(' | b'[' | b'{')
    }

    /// Adds two brackets, and what they hold as one node.
    fn add_group(&mut self, group: Range<usize>, finer: &[Level]) {
        let text = &self.text[group.clone()];
        let end = group.start + text.trim_ascii_end().len() - 1;
        let blank = text[1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let inner = (group.start + 1 + blank).min(end)..end;
        self.builder.open(self.kind("group"), group.clone(), Flags::default());
        self.bracket(group.start..inner.start);
        if !inner.is_empty() {
            let levels = [&[Level::Lines, Level::Words, Level::Runs], finer].concat();
            self.builder.open(self.kind("chunk"), inner.clone(), Flags::default());
            self.depth += 1;
            self.add(inner, &levels);
            self.depth -= 1;
            self.builder.close();
        }
        self.bracket(end..group.end);
        self.builder.close();
    }

    /// Adds a bracket with the blank space after it.
    fn bracket(&mut self, span: Range<usize>) {
        let tokens = u32::from(self.words(&span) > 0);
        self.builder.leaf(self.kind("run"), span, Flags::default(), tokens);
    }

    /// Adds lines that hold each other. Recurses on their depth, which is bounded.
    fn add_lines(&mut self, lines: &[Line], finer: &[Level]) {
        // A unit is a line with all that it holds.
        let mut units: Vec<&[Line]> = Vec::new();
        let mut rest = lines;
        while !rest.is_empty() {
            let (unit, others) = rest.split_at(end_of_block(rest));
            units.push(unit);
            rest = others;
        }
        let ends_paragraph = |unit: &&[Line]| unit.last().is_some_and(|line| line.is_last);
        let paragraphs: Vec<&[&[Line]]> = units.chunk_by(|unit, _| !ends_paragraph(unit)).collect();
        for paragraph in &paragraphs {
            let is_node = paragraphs.len() > 1 && paragraph.len() > 1;
            if let [first, .., last] = paragraph
                && is_node
            {
                let span = span_of(first).start..span_of(last).end;
                self.builder.open(self.kind("paragraph"), span, Flags::default());
            }
            for unit in *paragraph {
                self.add_unit(unit, finer);
            }
            if is_node {
                self.builder.close();
            }
        }
    }

    /// Adds a line with all that it holds.
    fn add_unit(&mut self, unit: &[Line], finer: &[Level]) {
        let [first, inner @ ..] = unit else { return };
        let is_short = || span_of(unit).len() <= LINE && self.is_closed(unit);
        if inner.is_empty() || is_short() {
            self.add_line(&Line { span: span_of(unit), ..first.clone() }, finer);
            return;
        }
        self.builder.open(self.kind("block"), span_of(unit), Flags::default());
        self.add_line(first, finer);
        match inner {
            [held @ .., last] if last.depth == first.depth => {
                self.add_lines(held, finer);
                self.add_line(last, finer);
            }
            held => self.add_lines(held, finer),
        }
        self.builder.close();
    }

    /// Returns whether what the first line opens ends with the last one.
    fn is_closed(&self, unit: &[Line]) -> bool {
        let span = span_of(unit);
        let last = self.groups(&span).last().map(|group| group.end);
        let text = self.text[span.clone()].trim_ascii_end();
        unit.last().is_some_and(|last| last.closes) && last == Some(span.start + text.len())
    }

    fn add_line(&mut self, line: &Line, finer: &[Level]) {
        if line.span.len() <= self.whole {
            self.leaf(line.span.clone(), 1, Level::Lines);
            return;
        }
        self.builder.open(self.kind("line"), line.span.clone(), Flags::default());
        self.add(line.span.clone(), finer);
        self.builder.close();
    }

    fn leaves(&mut self, units: &mut Vec<Range<usize>>, level: Level) {
        for (leaf, count) in join(units.drain(..), self.size) {
            self.leaf(leaf, count, level);
        }
    }

    /// Adds a leaf of this many units.
    fn leaf(&mut self, leaf: Range<usize>, count: usize, level: Level) {
        let is_unit = count == 1 && (self.counted != Level::Bytes || leaf.len() == 1);
        let kind = self.kind(if is_unit { level.name() } else { "chunk" });
        let tokens = match self.counted {
            Level::Characters => count,
            Level::Bytes => filler::tokens(self.text, leaf.clone()),
            _ => self.words(&leaf),
        };
        let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        self.builder.leaf(kind, leaf, Flags::default(), tokens);
    }

    /// Returns how many words start in a span.
    fn words(&self, span: &Range<usize>) -> usize {
        let blank = |i: usize| self.text[i].is_ascii_whitespace();
        span.clone().filter(|&i| !blank(i) && (i == 0 || blank(i - 1))).count()
    }

    fn kind(&self, name: &str) -> Kind {
        let at = KINDS.iter().position(|kind| *kind == name);
        at.map(|at| self.kinds[at]).expect("all kinds are in the list")
    }
}

/// Returns what lines span.
fn span_of(lines: &[Line]) -> Range<usize> {
    let start = lines.first().map_or(0, |line| line.span.start);
    start..lines.last().map_or(start, |line| line.span.end)
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Outline => "block",
            Self::Paragraphs => "paragraph",
            Self::Lines => "line",
            Self::Words => "word",
            Self::Runs => "run",
            Self::Characters => "character",
            Self::Bytes => "byte",
        }
    }
}

/// Returns whether at most one byte in 32 of the first 64 KiB is a control character or invalid
/// UTF-8.
pub(crate) fn is_mostly_text(text: &[u8]) -> bool {
    let head = &text[..text.len().min(1 << 16)];
    let strange: usize = head
        .utf8_chunks()
        .map(|chunk| {
            let controls = chunk.valid().bytes().filter(|b| b.is_ascii_control());
            chunk.invalid().len() + controls.filter(|b| !b.is_ascii_whitespace()).count()
        })
        .sum();
    strange * 32 <= head.len()
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::{Kinds, NodeId, Tree};

    use super::HIERARCHIES;

    fn parse(name: &str, text: &[u8]) -> Tree {
        let hierarchy = HIERARCHIES.iter().find(|h| h.name == name).expect("a hierarchy");
        hierarchy.language(&mut Kinds::default()).parser.parse(text)
    }

    /// Leaves in brackets, inner nodes in parentheses.
    fn shape(name: &str, text: &str) -> String {
        let tree = parse(name, text.as_bytes());
        let mut out = String::new();
        let mut closing: Vec<NodeId> = Vec::new();
        for id in tree.ids().skip(1) {
            while closing.last().is_some_and(|&end| end <= id) {
                closing.pop();
                out.push(')');
            }
            if tree.is_leaf(id) {
                out += &format!("[{}]", String::from_utf8_lossy(tree.text_of(id)).escape_debug());
            } else {
                out.push_str(&tree.kind_name(id)[..1]);
                out.push('(');
                closing.push(tree.subtree_end(id));
            }
        }
        out + &")".repeat(closing.len())
    }

    #[test]
    fn text_is_a_hierarchy_and_levels_that_split_nothing_are_left_out() {
        assert_eq!(
            shape("text", "ab c\nd\n\ne"),
            "p(l(w([a][b][ ])w([c][\\n]))l([d][\\n])[\\n])[e]"
        );
        assert_eq!(
            shape("text", "f( a [b]) c"),
            "w([f]g([( ]c(w([a][ ])w(g([[]c([b])[]])))[) ]))[c]"
        );
        assert_eq!(shape("text", "ab"), "[a][b]");
        assert_eq!(shape("text", ""), "");
    }

    #[test]
    fn lines_characters_and_bytes_are_flat() {
        assert_eq!(shape("lines", "a b\r\n\nc"), "[a b\\r\\n][\\n][c]");
        assert_eq!(shape("chars", "\u{fc}\n"), "[\u{fc}][\\n]");
        assert_eq!(parse("bytes", "\u{fc}\n".as_bytes()).len(), 4);
        assert_eq!(parse("chars", b"\xfc\x80\xe2\x82\xac").len(), 4);
    }

    #[test]
    fn tokens_are_words_or_units() {
        let tokens = |name| parse(name, b" one two\nthree ").tokens(NodeId::ROOT);
        assert_eq!(
            [tokens("text"), tokens("lines"), tokens("chars"), tokens("bytes")],
            [3, 3, 15, 14]
        );
    }

    #[test]
    fn large_texts_have_bounded_trees_that_hold_every_byte() {
        let inputs = [
            b"x".repeat(3_000_000),
            b"lorem ipsum\n".repeat(100_000),
            b"\n".repeat(1_000_000),
            (0..=255).cycle().take(1_000_000).collect(),
        ];
        for text in &inputs {
            for hierarchy in HIERARCHIES {
                let tree = hierarchy.language(&mut Kinds::default()).parser.parse(text);
                assert!(tree.len() < 400_000, "{}: {}", hierarchy.name, tree.len());
                let leaves = tree.ids().filter(|&id| tree.is_leaf(id));
                let end = leaves.fold(0, |at, id| {
                    assert_eq!(tree.span(id).start, at);
                    tree.span(id).end
                });
                assert_eq!(end, text.len());
            }
        }
    }
}
