//! Trees for text that no grammar parses: blocks, paragraphs, lines, words, characters; or bytes.
//!
//! Large texts get coarse leaves: finer ones appear by themselves when the text
//! has become small and is parsed again.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{
    Facts, Flags, Kind, Kinds, Language, Mention, Parse, Reader, Role, Roles, Tree, TreeBuilder,
};
use strum::{IntoStaticStr, VariantArray};

use crate::plain::chunks::{
    characters, groups, in_line, in_run, in_word, join, lines, paragraphs, units_around,
};
use crate::plain::filler;
use crate::plain::names::{self, SIGILS};
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

/// The kinds of nodes; each holds any number of the others. Those that cut a text are its levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
enum Unit {
    Text,
    /// Lines that hold each other, and paragraphs of them.
    Block,
    Paragraph,
    Line,
    Word,
    /// Letters and digits, one sign, or brackets with the words that they hold.
    Run,
    /// A pair of brackets in a line.
    Group,
    Character,
    Byte,
    /// What a group holds, a part of a large unit, or several small ones.
    Chunk,
}

/// Returns the units that count as tokens: words and signs, characters, or those bytes that say
/// something.
fn counted(levels: &[Unit]) -> Unit {
    match levels {
        [level @ (Unit::Character | Unit::Byte)] => *level,
        _ => Unit::Word,
    }
}

/// A way to see any bytes as a tree: a list of units, which are lists of smaller units.
pub(crate) struct Hierarchy {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    levels: &'static [Unit],
}

/// The hierarchies that are always there.
pub(crate) const HIERARCHIES: &[Hierarchy] = &[
    Hierarchy {
        name: "text",
        description: "any text: blocks of lines (by brackets, words or indentation), paragraphs, lines, \
                      words, characters",
        levels: &[Unit::Block, Unit::Word, Unit::Run, Unit::Character],
    },
    Hierarchy { name: "lines", description: "any text, line by line", levels: &[Unit::Line] },
    Hierarchy {
        name: "chars",
        description: "any text, character by character",
        levels: &[Unit::Character],
    },
    Hierarchy { name: "bytes", description: "any file, byte by byte", levels: &[Unit::Byte] },
];

impl Hierarchy {
    /// Returns the hierarchy as a language.
    pub(crate) fn language(&'static self, kinds: &mut Kinds) -> Language {
        let names: Vec<&'static str> = Unit::VARIANTS.iter().map(|unit| unit.into()).collect();
        let any = names.join(" | ");
        let facts: String = names.iter().map(|kind| format!("{kind} = ({any})*\n")).collect();
        let facts = Facts::parse(&facts, kinds).expect("the text above is in normal form");
        let of_units: Vec<Kind> = names.iter().map(|name| kinds.intern(name, true)).collect();
        let mut roles = Roles::default();
        roles.tokens = toml::from_str(include_str!("../../grammars/text.toml")).expect("is valid");
        if counted(self.levels) == Unit::Byte {
            for unit in [Unit::Byte, Unit::Chunk] {
                roles.assign(Role::Byte, of_units[unit as usize]);
            }
        }
        let kinds = Arc::new(kinds.clone());
        let parser = Arc::new(Splitter { levels: self.levels, kinds: kinds.clone(), of_units });
        Language::plain(self.name, kinds, facts, roles, parser)
    }
}

struct Splitter {
    levels: &'static [Unit],
    kinds: Arc<Kinds>,
    /// By the number of the unit.
    of_units: Vec<Kind>,
}

impl Parse for Splitter {
    fn parse(&self, text: &[u8]) -> Tree {
        let fine = text.len() <= FINE;
        let mut split = Split {
            text,
            kinds: &self.of_units,
            builder: TreeBuilder::new(Arc::from(text), self.kinds.clone()),
            size: if fine { 1 } else { text.len().div_ceil(FINE / 2) },
            whole: if fine { 1 } else { WHOLE },
            has_whole_words: self.levels.contains(&Unit::Word) && text.len() > CHARACTERS,
            counted: counted(self.levels),
            depth: 0,
        };
        split.node(Unit::Text, 0..text.len(), |split| split.add(0..text.len(), self.levels));
        split.builder.finish()
    }

    fn errors(&self, _text: &[u8]) -> u32 {
        0
    }
}

impl Reader for Splitter {
    fn tokens(&self, text: &[u8]) -> Option<u64> {
        let count = match counted(self.levels) {
            Unit::Byte => filler::tokens(text, 0..text.len()),
            Unit::Character => characters(text, 0..text.len()).count(),
            _ => words(text, 0..text.len()),
        };
        Some(count as u64)
    }

    fn mentions(&self, tree: &Tree) -> Vec<Mention> {
        let [line, block] = [Unit::Line, Unit::Block].map(|unit| self.of_units[unit as usize]);
        let has_words = self.levels.contains(&Unit::Word);
        if has_words { names::mentions(tree, line, block) } else { Vec::new() }
    }
}

struct Split<'a> {
    text: &'a [u8],
    kinds: &'a [Kind],
    builder: TreeBuilder,
    /// Units that are not split are joined to pieces of this many bytes.
    size: usize,
    /// Units of this many bytes or fewer are not split.
    whole: usize,
    has_whole_words: bool,
    counted: Unit,
    /// How many groups are open.
    depth: usize,
}

impl Split<'_> {
    /// Adds the units of a span. Recurses on the levels, of which there are at most six, and on
    /// groups in each other, whose number is bounded.
    fn add(&mut self, span: Range<usize>, levels: &[Unit]) {
        let Some((&level, finer)) = levels.split_first() else { return };
        let (text, all) = (self.text, span.clone());
        let around = |goes_on| units_around(text, span.clone(), &self.groups(&span), goes_on);
        let units = match level {
            Unit::Block => {
                let lines = outline(text, all);
                if lines.iter().any(|line| line.depth > 0) {
                    return self.add_lines(&lines, finer);
                }
                return self.add(span, &[&[Unit::Paragraph, Unit::Line], finer].concat());
            }
            Unit::Line if self.depth == 0 => lines(text, all).collect(),
            Unit::Character => characters(text, all).collect(),
            Unit::Paragraph => paragraphs(text, all),
            Unit::Line => around(in_line),
            Unit::Word => around(in_word),
            Unit::Run => around(in_run),
            _ => filler::units(text, all),
        };
        self.add_units(units, &span, level, finer);
    }

    /// Adds a node with what is added inside.
    fn node(&mut self, unit: Unit, span: Range<usize>, inside: impl FnOnce(&mut Self)) {
        self.builder.open(self.kinds[unit as usize], span, Flags::default());
        inside(self);
        self.builder.close();
    }

    /// Adds the units into which a level cuts a span.
    fn add_units(
        &mut self,
        units: Vec<Range<usize>>,
        span: &Range<usize>,
        level: Unit,
        finer: &[Unit],
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
            // Names are known by the lines outside of groups.
            let is_held = level == Unit::Line && self.depth > 0;
            let kind = if is_held { Unit::Chunk } else { level };
            if level == Unit::Run && self.is_group(&unit) {
                self.add_group(unit, finer);
            } else if unit == *span {
                // A unit that is all of its parent would be the same circumstance twice.
                self.add(unit, finer);
            } else {
                self.node(kind, unit.clone(), |split| split.add(unit, finer));
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
    fn add_group(&mut self, group: Range<usize>, finer: &[Unit]) {
        let text = &self.text[group.clone()];
        let end = group.start + text.trim_ascii_end().len() - 1;
        let inner = (group.end - text[1..].trim_ascii_start().len()).min(end)..end;
        self.node(Unit::Group, group.clone(), |split| {
            split.bracket(group.start..inner.start);
            if !inner.is_empty() {
                let levels = [&[Unit::Line, Unit::Word, Unit::Run], finer].concat();
                split.depth += 1;
                split.node(Unit::Chunk, inner.clone(), |split| split.add(inner, &levels));
                split.depth -= 1;
            }
            split.bracket(end..group.end);
        });
    }

    /// Adds a bracket with the blank space after it.
    fn bracket(&mut self, span: Range<usize>) {
        let tokens = u32::from(words(self.text, span.clone()) > 0);
        self.builder.leaf(self.kinds[Unit::Run as usize], span, Flags::default(), tokens);
    }

    /// Adds lines that hold each other. Recurses on their depth, which is bounded.
    fn add_lines(&mut self, lines: &[Line], finer: &[Unit]) {
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
        for &paragraph in &paragraphs {
            let add = |split: &mut Self| {
                paragraph.iter().for_each(|unit| split.add_unit(unit, finer));
            };
            match paragraph {
                [first, .., last] if paragraphs.len() > 1 => {
                    self.node(Unit::Paragraph, span_of(first).start..span_of(last).end, add);
                }
                _ => add(self),
            }
        }
    }

    /// Adds a line with all that it holds.
    fn add_unit(&mut self, unit: &[Line], finer: &[Unit]) {
        let [first, inner @ ..] = unit else { return };
        let span = span_of(unit);
        if inner.is_empty() || span.len() <= LINE && self.is_closed(unit) {
            return self.add_line(span, finer);
        }
        self.node(Unit::Block, span, |split| {
            split.add_line(first.span.clone(), finer);
            match inner {
                [held @ .., last] if last.depth == first.depth => {
                    split.add_lines(held, finer);
                    split.add_line(last.span.clone(), finer);
                }
                held => split.add_lines(held, finer),
            }
        });
    }

    /// Returns whether what the first line opens ends with the last one.
    fn is_closed(&self, unit: &[Line]) -> bool {
        let span = span_of(unit);
        let last = self.groups(&span).last().map(|group| group.end);
        let text = self.text[span.clone()].trim_ascii_end();
        unit.last().is_some_and(|last| last.closes) && last == Some(span.start + text.len())
    }

    fn add_line(&mut self, line: Range<usize>, finer: &[Unit]) {
        if line.len() <= self.whole {
            return self.leaf(line, 1, Unit::Line);
        }
        self.node(Unit::Line, line.clone(), |split| split.add(line, finer));
    }

    fn leaves(&mut self, units: &mut Vec<Range<usize>>, level: Unit) {
        for (leaf, count) in join(units.drain(..), self.size) {
            self.leaf(leaf, count, level);
        }
    }

    /// Adds a leaf of this many units.
    fn leaf(&mut self, leaf: Range<usize>, count: usize, level: Unit) {
        let is_unit = count == 1 && (self.counted != Unit::Byte || leaf.len() == 1);
        let unit = if is_unit { level } else { Unit::Chunk };
        let tokens = match self.counted {
            Unit::Character => count,
            Unit::Byte => filler::tokens(self.text, leaf.clone()),
            _ => words(self.text, leaf.clone()),
        };
        let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        self.builder.leaf(self.kinds[unit as usize], leaf, Flags::default(), tokens);
    }
}

/// Returns how many words and signs start in a span.
fn words(text: &[u8], span: Range<usize>) -> usize {
    let starts = |i: usize| i == 0 || !in_run(text[i - 1], text[i]);
    span.filter(|&i| !text[i].is_ascii_whitespace() && starts(i)).count()
}

/// Returns what lines span.
fn span_of(lines: &[Line]) -> Range<usize> {
    let start = lines.first().map_or(0, |line| line.span.start);
    start..lines.last().map_or(start, |line| line.span.end)
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
    fn tokens_are_words_and_signs_or_units() {
        let tokens = |name| parse(name, b" f(one)\nttwo ").tokens(NodeId::ROOT);
        assert_eq!(
            [tokens("text"), tokens("lines"), tokens("chars"), tokens("bytes")],
            [5, 5, 13, 12]
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
