//! Reads a file as its form says.

use std::collections::BTreeSet;
use std::ops::Range;

use memchr::memmem;

use crate::binary::expression::Expression;
use crate::binary::form::{Content, End, Form, Step, Word};
use crate::binary::links::{Couple, Item, Link, Links, Says, padding};
use crate::binary::number::Number;
use crate::binary::sums::{Sum, SumOf};
use crate::binary::text_numbers;
use crate::coded::Compressed;

/// Structures in structures are read to this depth.
const DEEPEST: usize = 64;
/// The most steps for each byte: a form may try many alternatives.
const STEPS_PER_BYTE: usize = 32;
const STEPS: usize = 10_000;
/// The same for all that lies elsewhere: where places are wrong, much is read again and again.
const STEPS_ELSEWHERE: usize = 4;
/// How many bytes of a member of tar its checksum covers.
const TAR_HEAD: usize = 512;

/// What was read of a file.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The first structure, and regions elsewhere, in the order in which they were found.
    pub(super) nodes: Vec<Node>,
    pub(super) links: Links,
    /// How many parts are not as the form says.
    pub(super) errors: u32,
    /// The parts that are compressed.
    pub(super) compressed: Vec<(Range<usize>, Compressed)>,
}

/// A part of a file.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) span: Range<usize>,
    pub(super) children: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    Structure(usize),
    Field,
    /// As many bytes as in every file of the form.
    Fixed,
    Sum,
    Pad,
    Data,
    Region,
}

/// Reads a whole file.
pub(super) fn read(form: &Form, text: &[u8]) -> Reading {
    let reading = read_within(form, text, &mut (text.len().saturating_mul(STEPS_PER_BYTE) + STEPS));
    match form.numbers.is_empty() {
        true => reading,
        false => Reading { links: text_numbers::links(form, text), ..reading },
    }
}

/// Does the same in at most this many steps, and takes those that were needed off; without a step
/// left nothing is read any more, which is an error.
pub(super) fn read_within(form: &Form, text: &[u8], steps: &mut usize) -> Reading {
    let mut reader = Reader {
        form,
        text,
        rest: text,
        is_big: true,
        facts: Vec::new(),
        lists: Vec::new(),
        errors: 0,
        frames: Vec::new(),
        frame: None,
        last: 0,
        rows: Vec::new(),
        steps: *steps,
    };
    let mut nodes = Vec::new();
    match reader.structure(0, 0..text.len(), 0) {
        Some(node) => {
            // After blocks nothing is left, unless one of them is too short.
            let is_elsewhere = |fact: &Fact<'_>| matches!(fact, Fact::Elsewhere { .. });
            let has_blocks = form.words().any(|word| word.step == Step::Data(End::Block));
            let is_all = has_blocks || !reader.facts.iter().any(is_elsewhere);
            reader.errors += u32::from(is_all && node.span.end < text.len());
            nodes.push(node);
        }
        None => reader.errors += 1,
    }
    reader.elsewhere(&mut nodes);
    *steps = reader.steps;
    reader.connected(nodes)
}

/// A number that was read.
#[derive(Clone, Debug)]
struct Field<'f> {
    name: &'f str,
    span: Range<usize>,
    number: Number,
    value: i64,
    /// What the file says; the form may take something off it.
    written: i64,
}

/// What was read of a structure so far.
#[derive(Debug, Default)]
struct Frame<'f> {
    start: usize,
    /// That of the structure around it.
    outer: Option<usize>,
    fields: Vec<Field<'f>>,
    data: Option<Range<usize>>,
    /// For how many items it counts beside itself.
    counts_more: usize,
    /// A checksum of the structure, or of the region that it will describe.
    sum: Option<(Sum, Range<usize>)>,
}

impl Frame<'_> {
    fn value(&self, name: &str) -> Option<i64> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value)
    }
}

/// An item of a list: the number of the list, and its place there.
type Row = (usize, usize);

/// What was found apart from the tree.
enum Fact<'f> {
    /// A number. An item that is mentioned is known by its structure and its number.
    Link(Link),
    Sum(SumOf),
    Couple(Couple),
    Compressed(Range<usize>, Compressed),
    /// Something lies elsewhere, and is read when all is known that was read before it: a word, and
    /// what was known where it stands.
    Elsewhere {
        word: &'f Word,
        frame: Option<usize>,
        row: Option<Row>,
        is_big: bool,
    },
}

#[derive(Default)]
struct List {
    structure: usize,
    items: Vec<Item>,
    /// Those of the items.
    frames: Vec<usize>,
}

impl List {
    fn place(&self, number: usize) -> Option<usize> {
        self.items.binary_search_by_key(&number, |item| item.number).ok()
    }
}

/// How much there was of everything, to go back to: facts, lists, frames, errors; and the order of
/// bytes.
type Mark = (usize, usize, usize, u32, bool);

struct Reader<'f> {
    form: &'f Form,
    text: &'f [u8],
    /// What follows in the structure.
    rest: &'f [u8],
    is_big: bool,
    facts: Vec<Fact<'f>>,
    lists: Vec<List>,
    errors: u32,
    /// All that may be asked for later; a structure elsewhere shares them with those around it.
    frames: Vec<Frame<'f>>,
    /// That of the innermost structure that is being read.
    frame: Option<usize>,
    /// That of the structure that was read last.
    last: usize,
    /// The items that are being read, the innermost last.
    rows: Vec<Row>,
    steps: usize,
}

impl<'f> Reader<'f> {
    /// Returns the structures that are being read, the innermost first.
    fn around(&self) -> impl Iterator<Item = &Frame<'f>> {
        let frame = |at: Option<usize>| self.frames.get(at?);
        std::iter::successors(frame(self.frame), move |inner| frame(inner.outer))
    }

    fn own(&mut self) -> Option<&mut Frame<'f>> {
        self.frames.get_mut(self.frame?)
    }

    fn field(&self, name: &str) -> Option<&Field<'f>> {
        self.around().find_map(|frame| frame.fields.iter().rev().find(|field| field.name == name))
    }

    /// Returns the value of an expression, in which one number may be greater by one.
    fn number(&self, expression: &Expression, greater: Option<&str>) -> Option<i64> {
        expression.value(&|name, item| {
            let Some((list, key, wanted)) = item else {
                let value = match (self.field(name), name) {
                    (Some(field), _) => field.value,
                    // The place of the item that is being read in its list.
                    (None, "row") => i64::try_from(self.rows.last()?.1).ok()?,
                    (None, "next") => i64::from(*self.rest.first()?),
                    _ => return None,
                };
                return Some(value + i64::from(greater == Some(name)));
            };
            let structures = &self.form.structures;
            let list = self.lists.iter().find(|l| structures[l.structure].name == list)?;
            let item = match key {
                None => list.frames.get(list.place(usize::try_from(wanted).ok()?)?),
                Some(key) => {
                    list.frames.iter().find(|&&at| self.frames[at].value(key) == Some(wanted))
                }
            };
            self.frames[*item?].value(name)
        })
    }

    fn value(&self, expression: &Expression) -> Option<usize> {
        usize::try_from(self.number(expression, None)?).ok()
    }

    /// Returns the number in an expression that follows what it mentions.
    fn link(&self, expression: &Expression, mut says: Says) -> Option<Link> {
        let name = expression.first_name()?;
        // A place that was only noted is no number in the file.
        let field = self.field(name).filter(|field| !field.span.is_empty())?;
        let Field { span, number, written: value, .. } = field.clone();
        let slope = self.number(expression, Some(name))? - self.number(expression, None)?;
        if let Says::Place { at, from } = &mut says {
            // It counts from what is left of it without the number.
            let counted = value.checked_mul(slope).zip(i64::try_from(*at).ok());
            *from = counted.and_then(|(c, at)| usize::try_from(at - c).ok()).unwrap_or(0);
        }
        (slope != 0).then_some(Link { span, number, value, slope, says })
    }

    fn add(&mut self, expression: &Expression, says: Says) {
        let link = self.link(expression, says);
        self.facts.extend(link.map(Fact::Link));
    }

    fn mark(&self) -> Mark {
        (self.facts.len(), self.lists.len(), self.frames.len(), self.errors, self.is_big)
    }

    fn go_back(&mut self, (facts, lists, frames, errors, is_big): Mark) {
        self.facts.truncate(facts);
        self.lists.truncate(lists);
        self.frames.truncate(frames);
        (self.errors, self.is_big) = (errors, is_big);
    }

    /// Reads a structure at the start of a span. Recurses on the depth, which is bounded.
    fn structure(&mut self, structure: usize, span: Range<usize>, depth: usize) -> Option<Node> {
        if depth > DEEPEST {
            return None;
        }
        let form = self.form;
        for words in &form.structures[structure].alternatives {
            let mark = self.mark();
            let outer = self.frame;
            self.frame = Some(self.frames.len());
            self.frames.push(Frame { start: span.start, outer, ..Frame::default() });
            let read = self.words(words, span.clone(), depth);
            (self.last, self.frame) = (mark.2, outer);
            if let Some(children) = read {
                let end = children.last().map_or(span.start, |node| node.span.end);
                let kind = NodeKind::Structure(structure);
                return Some(Node { kind, span: span.start..end, children });
            }
            self.go_back(mark);
        }
        None
    }

    fn words(&mut self, words: &'f [Word], span: Range<usize>, depth: usize) -> Option<Vec<Node>> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut at = span.start;
        for word in words {
            self.steps = self.steps.checked_sub(1)?;
            self.rest = &self.text[at..span.end];
            self.word(word, at..span.end, depth, &mut nodes)?;
            at = nodes.last().map_or(at, |node| node.span.end);
        }
        let frame = self.own()?;
        if let Some((sum @ Sum::Ogg, field)) = frame.sum.clone() {
            let covered = frame.start..at;
            self.add_sum(sum, field, covered);
        }
        Some(nodes)
    }

    /// Adds a checksum that is right.
    fn add_sum(&mut self, sum: Sum, field: Range<usize>, covered: Range<usize>) {
        if self.text[field.clone()] == sum.of(self.text, covered.clone(), &field) {
            self.facts.push(Fact::Sum(SumOf { sum, field, covered }));
        }
    }

    /// Adds that an item describes a region. Where others do so, too, the region stays without it.
    fn add_row(&mut self, (list, item): Row, region: &Range<usize>, is_shared: bool) {
        let item = self.lists.get(list).and_then(|list| list.items.get(item));
        let Some(Item { span, .. }) = item else { return };
        let couple = |cause: &Range<usize>, effect: &Range<usize>| {
            let (cause, effect) = (cause.clone(), effect.clone());
            Fact::Couple(Couple { cause, effect, is_shared: true })
        };
        self.facts.extend((!is_shared).then(|| couple(span, region)));
        self.facts.push(couple(region, span));
    }

    /// Returns a node of this size, if there is as much.
    fn leaf(&self, kind: NodeKind, at: usize, size: usize) -> Option<Node> {
        let span = at..at + size;
        (size <= self.rest.len()).then(|| Node { kind, span, children: Vec::new() })
    }

    /// Reads a word at the start of a span; `None` if it is not there.
    fn word(
        &mut self,
        word: &'f Word,
        span: Range<usize>,
        depth: usize,
        nodes: &mut Vec<Node>,
    ) -> Option<()> {
        let (at, rest, first) = (span.start, self.rest, word.numbers.first());
        match word.step {
            Step::Match => nodes.push(self.leaf(NodeKind::Field, at, word.matched(rest)?)?),
            Step::Bytes => {
                let kind = word.fixed_bytes().map_or(NodeKind::Field, |_| NodeKind::Fixed);
                nodes.push(self.leaf(kind, at, self.value(first?)?)?);
            }
            Step::Number(number, minus) => {
                let number = number.ordered(self.is_big);
                let (written, width) = match number {
                    Number::Here => (i64::try_from(at).ok()?, 0),
                    _ => number.read(rest)?,
                };
                let (leaf, value) =
                    (self.leaf(NodeKind::Field, at, width)?, written.checked_sub(minus)?);
                let (name, span) = (word.name.as_str(), leaf.span.clone());
                nodes.extend((width > 0).then_some(leaf));
                let field = Field { name, span, number, value, written };
                self.own()?.fields.push(field);
            }
            Step::Data(end) => {
                let size = match end {
                    End::Size | End::Block => self.value(first?)?,
                    End::Rest => rest.len(),
                    End::Before => memmem::find(rest, &word.bytes).unwrap_or(rest.len()),
                };
                let mut data = self.leaf(NodeKind::Data, at, size)?;
                if end == End::Size {
                    self.add(first?, Says::Length(data.span.clone()));
                }
                self.own()?.data = Some(data.span.clone());
                data.children = self.content(word.content, &data.span, depth);
                nodes.push(data);
            }
            Step::One => nodes.push(self.structure(word.structure, span, depth + 1)?),
            Step::List => nodes.extend(self.list(word.structure, first, span, depth)?),
            Step::Pad => {
                let unit = self.value(first?)?.max(1);
                let part = self.own()?.data.clone()?;
                // The last record of a file often goes without.
                let size = if rest.is_empty() { 0 } else { padding(unit, part.len()) };
                let pad = self.leaf(NodeKind::Pad, at, size)?;
                let (span, number) = (pad.span.clone(), Number::Decimal);
                let says = Says::Pad { unit, part };
                self.facts.push(Fact::Link(Link { span, number, value: 0, slope: 1, says }));
                nodes.push(pad);
            }
            Step::Sum(sum) => {
                let node = self.leaf(NodeKind::Sum, at, sum.width())?;
                let (field, frame) = (node.span.clone(), self.own()?);
                nodes.push(node);
                let covered = match sum {
                    Sum::Crc32 => frame.fields.first()?.span.end..at,
                    Sum::Tar => frame.start..frame.start + TAR_HEAD,
                    // Where that ends is only known later.
                    Sum::Ogg | Sum::Sum32 => {
                        frame.sum = Some((sum, field));
                        return Some(());
                    }
                };
                (covered.end <= span.end).then_some(())?;
                self.add_sum(sum, field, covered);
            }
            Step::Each => nodes.extend(self.each(word.structure, &word.name, span)?),
            Step::Length => {
                let data = self.own()?.data.clone()?;
                if self.value(first?) == Some(data.len()) {
                    self.add(first?, Says::Length(data));
                }
            }
            Step::Count => {
                let is_it = |list: &List| list.structure == word.structure;
                let list = self.lists.iter().rposition(is_it)?;
                if self.value(first?) == Some(self.lists[list].items.len()) {
                    self.add(first?, Says::Count(list));
                }
            }
            Step::Twice => self.own()?.counts_more = 1,
            Step::Is => {
                (self.number(first?, None)? != 0).then_some(())?;
            }
            Step::Order { is_big } => self.is_big = is_big,
            Step::At | Step::Part | Step::Span | Step::Index => {
                let (frame, row, is_big) = (self.frame, self.rows.last().copied(), self.is_big);
                self.facts.push(Fact::Elsewhere { word, frame, row, is_big });
            }
        }
        Some(())
    }

    /// Reads what a region holds; nothing where it is not as the form says.
    fn content(&mut self, content: Content, region: &Range<usize>, depth: usize) -> Vec<Node> {
        match content {
            Content::Bytes => {}
            Content::Packed(form) => self.facts.push(Fact::Compressed(region.clone(), form)),
            Content::List { structure, skip } => {
                let mark = self.mark();
                let start = (region.start + skip).min(region.end);
                let items = self.list(structure, None, start..region.end, depth + 1);
                let items = items.unwrap_or_default();
                if items.last().is_some_and(|item| item.span.end == region.end) {
                    return items;
                }
                self.go_back(mark);
            }
        }
        Vec::new()
    }

    /// Reads structures side by side. Fewer than the file says are an error in the file.
    fn list(
        &mut self,
        structure: usize,
        most: Option<&Expression>,
        span: Range<usize>,
        depth: usize,
    ) -> Option<Vec<Node>> {
        let wanted = match most {
            Some(most) => Some(self.value(most)?),
            None => None,
        };
        let list = self.lists.len();
        self.lists.push(List { structure, ..List::default() });
        let mut items: Vec<Node> = Vec::new();
        let (mut at, mut number) = (span.start, 0);
        while at < span.end && wanted.is_none_or(|wanted| number < wanted) {
            self.rows.push((list, items.len()));
            let item = self.structure(structure, at..span.end, depth + 1);
            self.rows.pop();
            let Some(item) = item.filter(|item| !item.span.is_empty()) else { break };
            at = item.span.end;
            let weight = 1 + self.frames[self.last].counts_more;
            self.lists[list].items.push(Item { span: item.span.clone(), number, weight });
            self.lists[list].frames.push(self.last);
            number += weight;
            items.push(item);
        }
        if let Some((most, wanted)) = most.zip(wanted) {
            if number == wanted {
                self.add(most, Says::Count(list));
            } else {
                self.errors += 1;
            }
        }
        Some(items)
    }

    /// Reads a region for each item of the last list of a structure.
    fn each(&mut self, structure: usize, size: &str, span: Range<usize>) -> Option<Vec<Node>> {
        let list = self.lists.iter().rposition(|list| list.structure == structure)?;
        let mut regions = Vec::new();
        let mut at = span.start;
        for (item, frame) in self.lists[list].frames.clone().into_iter().enumerate() {
            let mut fields = self.frames[frame].fields.iter();
            let field = fields.find(|field| field.name == size)?.clone();
            let region = at..at.checked_add(usize::try_from(field.value).ok()?)?;
            (region.end <= span.end).then_some(())?;
            at = region.end;
            let Field { span, number, written: value, .. } = field;
            let says = Says::Length(region.clone());
            self.facts.push(Fact::Link(Link { span, number, value, slope: 1, says }));
            self.add_row((list, item), &region, false);
            regions.push(Node { kind: NodeKind::Region, span: region, children: Vec::new() });
        }
        Some(regions)
    }

    /// Reads what lies elsewhere.
    fn elsewhere(&mut self, nodes: &mut Vec<Node>) {
        let mut known = BTreeSet::new();
        let mut next = 0;
        let least = self.steps.saturating_sub(self.text.len() * STEPS_ELSEWHERE + STEPS);
        while next < self.facts.len() && self.steps > least {
            if let Fact::Elsewhere { word, frame, row, is_big } = self.facts[next] {
                self.steps -= 1;
                (self.frame, self.is_big) = (frame, is_big);
                self.rows = row.into_iter().collect();
                nodes.extend(self.region(word, row, &mut known));
            }
            next += 1;
        }
    }

    /// Reads a region elsewhere, if it has not been read yet.
    fn region(
        &mut self,
        word: &'f Word,
        row: Option<Row>,
        known: &mut BTreeSet<(usize, usize)>,
    ) -> Option<Node> {
        let place = word.numbers.first()?;
        let start = self.value(place);
        if word.step == Step::Index {
            // Which list is only known when all of them were read.
            self.add(place, Says::Index { list: word.structure, item: start? });
            return None;
        }
        let Some(start) = start.filter(|start| *start <= self.text.len()) else {
            self.errors += u32::from(word.step != Step::Span);
            return None;
        };
        let here = Says::Place { at: start, from: 0 };
        let Some(size) = word.numbers.get(1) else {
            self.add(place, here);
            let Content::List { structure, .. } = word.content else { return None };
            known.insert((start, usize::MAX)).then_some(())?;
            let node = self.structure(structure, start..self.text.len(), 0);
            self.errors += u32::from(node.is_none());
            return node;
        };
        let length = self.value(size);
        let end = length.filter(|length| *length > 0).and_then(|l| start.checked_add(l));
        let end = end.filter(|end| *end <= self.text.len());
        if end.is_some() || word.step == Step::Part {
            self.add(place, here);
        }
        let Some(end) = end else {
            // Nothing of no size lies anywhere.
            self.errors += u32::from(word.step == Step::At && length != Some(0));
            return None;
        };
        let region = start..end;
        self.add(size, Says::Length(region.clone()));
        if let Some(row) = row.filter(|_| word.step != Step::Part) {
            self.add_row(row, &region, word.step == Step::Span);
        }
        if word.step == Step::Span {
            return None;
        }
        let sum = self.around().find_map(|frame| frame.sum.clone());
        if let Some((sum, field)) = sum.filter(|_| word.step == Step::At) {
            self.add_sum(sum, field, region.clone());
        }
        known.insert((start, end)).then_some(())?;
        let children = self.content(word.content, &region, 0);
        Some(Node { kind: NodeKind::Region, span: region, children })
    }

    /// Puts all that was found together.
    fn connected(self, nodes: Vec<Node>) -> Reading {
        let mut reading = Reading { nodes, errors: self.errors, ..Reading::default() };
        let links = &mut reading.links;
        for fact in self.facts {
            match fact {
                Fact::Link(mut link) => {
                    if let Says::Index { list, item } = &mut link.says {
                        let found = self.lists.iter().position(|known| known.structure == *list);
                        let place = found.and_then(|found| self.lists[found].place(*item));
                        let Some(place) = found.zip(place) else { continue };
                        (*list, *item) = place;
                    }
                    links.links.push(link);
                }
                Fact::Sum(sum) => links.sums.push(sum),
                Fact::Couple(couple) => links.couples.push(couple),
                Fact::Compressed(part, form) => reading.compressed.push((part, form)),
                Fact::Elsewhere { .. } => {}
            }
        }
        links.lists = self.lists.into_iter().map(|list| list.items).collect();
        links.sort();
        reading
    }
}
