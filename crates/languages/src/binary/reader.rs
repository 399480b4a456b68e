//! Reads a file as its form says.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use memchr::memmem;

use crate::binary::expression::{Expression, Values};
use crate::binary::form::{Content, End, Form, Word};
use crate::binary::links::{Couple, Item, Link, Links, Says, padding};
use crate::binary::number::Number;
use crate::binary::sums::{Sum, SumOf};
use crate::coded::Compressed;

/// Structures in structures are read to this depth.
const DEEPEST: usize = 64;
/// The most steps for each byte: a form may try many alternatives.
const STEPS_PER_BYTE: usize = 32;
const STEPS: usize = 10_000;
/// The most regions that numbers say the place of.
const MOST_REGIONS: usize = 1 << 16;

/// What an expression calls the place of the item that is being read in its list.
const ROW: &str = "row";
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) span: Range<usize>,
    pub(super) children: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

impl Node {
    fn leaf(kind: NodeKind, span: Range<usize>) -> Self {
        Self { kind, span, children: Vec::new() }
    }
}

/// Reads a whole file.
pub(super) fn read(form: &Form, text: &[u8]) -> Reading {
    read_within(form, text, &mut (text.len().saturating_mul(STEPS_PER_BYTE) + STEPS))
}

/// Does the same in at most this many steps, and takes those that were needed off; without a step
/// left nothing is read any more, which is an error.
pub(super) fn read_within(form: &Form, text: &[u8], steps: &mut usize) -> Reading {
    let mut reader = Reader {
        form,
        text,
        is_big: true,
        found: Found::default(),
        frames: Vec::new(),
        last: Frame::default(),
        rows: Vec::new(),
        steps: *steps,
    };
    let mut nodes = Vec::new();
    match reader.structure(0, 0..text.len(), 0) {
        Some(node) => {
            // After blocks nothing is left, unless one of them is too short.
            let is_all = reader.found.elsewhere.is_empty() || form.has_blocks();
            reader.found.errors += u32::from(is_all && node.span.end < text.len());
            nodes.push(node);
        }
        None => reader.found.errors += 1,
    }
    reader.elsewhere(&mut nodes);
    *steps = reader.steps;
    let mut found = reader.found;
    found.connect();
    let Found { mut links, errors, compressed, .. } = found;
    links.sums.retain(|SumOf { sum, field, covered }| {
        text[field.clone()] == sum.of(text, covered.clone(), field)
    });
    links.sort();
    Reading { nodes, links, errors, compressed }
}

/// A number that was read.
#[derive(Clone, Debug)]
struct Field {
    name: String,
    span: Range<usize>,
    number: Number,
    value: i64,
    /// What the file says; the form may take something off it.
    written: i64,
}

/// What was read of a structure so far.
#[derive(Clone, Debug, Default)]
struct Frame {
    start: usize,
    fields: Vec<Field>,
    data: Option<Range<usize>>,
    /// For how many items it counts beside itself.
    counts_more: usize,
    /// A checksum of the region that the structure will describe.
    sum: Option<Range<usize>>,
}

/// An item of a list: the number of the list, and its place there.
type Row = (usize, usize);

/// A region that lies elsewhere, to be read when all is known that was read before it.
struct Elsewhere<'f> {
    word: &'f Word,
    frames: Vec<Frame>,
    row: Option<Row>,
    is_big: bool,
}

#[derive(Default)]
struct List {
    structure: usize,
    items: Vec<Item>,
    /// The number of each item: one may count for several.
    numbers: Vec<usize>,
    frames: Vec<Frame>,
}

impl List {
    fn place(&self, number: usize) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }
}

/// All that was found so far apart from the tree.
#[derive(Default)]
struct Found<'f> {
    links: Links,
    lists: Vec<List>,
    elsewhere: VecDeque<Elsewhere<'f>>,
    indices: Vec<(Link, usize)>,
    /// A row and the region that it describes.
    rows: Vec<(Row, Range<usize>)>,
    /// A row, and a region that others describe as well: without it, there is nothing to say.
    described: Vec<(Row, Range<usize>)>,
    compressed: Vec<(Range<usize>, Compressed)>,
    errors: u32,
}

/// How much there was of everything, to go back to.
#[derive(Clone, Copy)]
struct Mark([usize; 7], u32, bool);

struct Reader<'f> {
    form: &'f Form,
    text: &'f [u8],
    is_big: bool,
    found: Found<'f>,
    frames: Vec<Frame>,
    /// That of the structure that was read last.
    last: Frame,
    /// The items that are being read, the innermost last.
    rows: Vec<Row>,
    steps: usize,
}

impl Values for Reader<'_> {
    fn named(&self, name: &str) -> Option<i64> {
        let row = || i64::try_from(self.rows.last().filter(|_| name == ROW)?.1).ok();
        self.field(name).map(|field| field.value).or_else(row)
    }

    fn of_item(&self, list: &str, place: i64, name: &str) -> Option<i64> {
        let is_it = |l: &&List| self.form.structures[l.structure].name == list;
        let list = self.found.lists.iter().find(is_it)?;
        list.frames.get(list.place(usize::try_from(place).ok()?)?)?.number(name)
    }

    fn of_found(&self, list: &str, key: &str, value: i64, name: &str) -> Option<i64> {
        let is_it = |l: &&List| self.form.structures[l.structure].name == list;
        let list = self.found.lists.iter().find(is_it)?;
        list.frames.iter().find(|frame| frame.number(key) == Some(value))?.number(name)
    }
}

impl Frame {
    fn number(&self, name: &str) -> Option<i64> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value)
    }
}

/// The values of a reader, but for one that is greater by one.
struct Greater<'r, 'f> {
    reader: &'r Reader<'f>,
    name: &'r str,
}

impl Values for Greater<'_, '_> {
    fn named(&self, name: &str) -> Option<i64> {
        self.reader.named(name).map(|value| value + i64::from(name == self.name))
    }

    fn of_item(&self, list: &str, place: i64, name: &str) -> Option<i64> {
        self.reader.of_item(list, place, name)
    }

    fn of_found(&self, list: &str, key: &str, value: i64, name: &str) -> Option<i64> {
        self.reader.of_found(list, key, value, name)
    }
}

impl<'f> Reader<'f> {
    fn field(&self, name: &str) -> Option<&Field> {
        let mut frames = self.frames.iter().rev();
        frames.find_map(|frame| frame.fields.iter().rev().find(|field| field.name == name))
    }

    fn value(&self, expression: &Expression) -> Option<usize> {
        usize::try_from(expression.value(self)?).ok()
    }

    /// Returns the number in an expression that follows what it mentions.
    fn link(&self, expression: &Expression, says: Says) -> Option<Link> {
        let name = expression.first_name()?;
        // A place that was only noted is no number in the file.
        let field = self.field(name).filter(|field| !field.span.is_empty())?;
        let greater = expression.value(&Greater { reader: self, name })?;
        let slope = greater - expression.value(self)?;
        (slope != 0).then(|| Link {
            span: field.span.clone(),
            number: field.number,
            value: field.written,
            slope,
            says,
        })
    }

    fn add(&mut self, expression: &Expression, says: Says) {
        let link = self.link(expression, says);
        self.found.links.links.extend(link);
    }

    fn mark(&self) -> Mark {
        let Found { links, lists, elsewhere, indices, rows, compressed, errors, .. } = &self.found;
        let sizes = [
            links.links.len(),
            links.sums.len(),
            lists.len(),
            elsewhere.len(),
            indices.len(),
            rows.len(),
            compressed.len(),
        ];
        Mark(sizes, *errors, self.is_big)
    }

    fn go_back(&mut self, mark: Mark) {
        let Mark([links, sums, lists, elsewhere, indices, rows, compressed], errors, is_big) = mark;
        let found = &mut self.found;
        found.links.links.truncate(links);
        found.links.sums.truncate(sums);
        found.lists.truncate(lists);
        found.elsewhere.truncate(elsewhere);
        found.indices.truncate(indices);
        found.rows.truncate(rows);
        found.compressed.truncate(compressed);
        found.errors = errors;
        self.is_big = is_big;
    }

    /// Reads a structure at the start of a span. Recurses on the depth, which is bounded.
    fn structure(&mut self, structure: usize, span: Range<usize>, depth: usize) -> Option<Node> {
        if depth > DEEPEST {
            return None;
        }
        let form = self.form;
        for words in &form.structures[structure].alternatives {
            let mark = self.mark();
            self.frames.push(Frame { start: span.start, ..Frame::default() });
            let read = self.words(words, span.clone(), depth);
            self.last = self.frames.pop().unwrap_or_default();
            if let Some((children, end)) = read {
                let kind = NodeKind::Structure(structure);
                return Some(Node { kind, span: span.start..end, children });
            }
            self.go_back(mark);
        }
        None
    }

    fn words(
        &mut self,
        words: &'f [Word],
        span: Range<usize>,
        depth: usize,
    ) -> Option<(Vec<Node>, usize)> {
        let text = self.text;
        let mut nodes = Vec::new();
        let mut at = span.start;
        for word in words {
            self.steps = self.steps.checked_sub(1)?;
            let rest = &text[at..span.end];
            let fits = |size: usize| (size <= rest.len()).then_some(at..at + size);
            let node = match word {
                Word::Constant(bytes) => {
                    rest.starts_with(bytes).then_some(())?;
                    Node::leaf(NodeKind::Field, fits(bytes.len())?)
                }
                Word::Bytes(size) => {
                    let kind = word.fixed_bytes().map_or(NodeKind::Field, |_| NodeKind::Fixed);
                    Node::leaf(kind, fits(self.value(size)?)?)
                }
                Word::Match(pattern) => {
                    let found = pattern.0.find(rest).filter(|found| !found.is_empty())?;
                    Node::leaf(NodeKind::Field, fits(found.len())?)
                }
                Word::Number { name, number, minus } => {
                    let number = number.ordered(self.is_big);
                    let (value, width) = number.read(rest)?;
                    let written = i64::try_from(value).ok()?;
                    let value = written.checked_sub(*minus)?;
                    let (name, span) = (name.clone(), fits(width)?);
                    let field = Field { name, span: span.clone(), number, value, written };
                    self.frames.last_mut()?.fields.push(field);
                    Node::leaf(NodeKind::Field, span)
                }
                Word::Here(name) => {
                    let value = i64::try_from(at).ok()?;
                    let (name, number) = (name.clone(), Number::Decimal);
                    let field = Field { name, span: at..at, number, value, written: value };
                    self.frames.last_mut()?.fields.push(field);
                    continue;
                }
                Word::Data { end, content } => {
                    let size = match end {
                        End::Size(size) | End::Block(size) => self.value(size)?,
                        End::Rest => rest.len(),
                        End::Before(bytes) => memmem::find(rest, bytes).unwrap_or(rest.len()),
                    };
                    let data = fits(size)?;
                    if let End::Size(size) = end {
                        self.add(size, Says::Length(data.clone()));
                    }
                    self.frames.last_mut()?.data = Some(data.clone());
                    let children = self.content(*content, &data, depth);
                    Node { kind: NodeKind::Data, span: data, children }
                }
                Word::One(structure) => self.structure(*structure, at..span.end, depth + 1)?,
                Word::List { structure, most } => {
                    let items = self.list(*structure, most.as_ref(), at..span.end, depth)?;
                    at = items.last().map_or(at, |item| item.span.end);
                    nodes.extend(items);
                    continue;
                }
                Word::Pad(unit) => {
                    let part = self.frames.last()?.data.clone()?;
                    let size = padding(*unit, part.len());
                    // The last record of a file often goes without.
                    let pad = fits(if rest.is_empty() { 0 } else { size })?;
                    let says = Says::Pad { unit: *unit, part };
                    self.pad(pad, says)
                }
                Word::Sum(sum) => {
                    let field = fits(sum.width())?;
                    let frame = self.frames.last_mut()?;
                    let covered = match sum {
                        Sum::Crc32 => Some(frame.fields.first()?.span.end..at),
                        Sum::Tar => {
                            let end = frame.start + TAR_HEAD;
                            (end <= span.end).then_some(())?;
                            Some(frame.start..end)
                        }
                        // Where the structure ends is only known later.
                        Sum::Ogg | Sum::Sum32 => {
                            frame.sum = Some(field.clone());
                            None
                        }
                    };
                    let add = |covered| SumOf { sum: *sum, field: field.clone(), covered };
                    self.found.links.sums.extend(covered.map(add));
                    Node::leaf(NodeKind::Sum, field)
                }
                Word::Each { structure, size } => {
                    let regions = self.each(*structure, size, at..span.end)?;
                    at = regions.last().map_or(at, |region| region.span.end);
                    nodes.extend(regions);
                    continue;
                }
                Word::Length(size) => {
                    let data = self.frames.last()?.data.clone()?;
                    if self.value(size) == Some(data.len()) {
                        self.add(size, Says::Length(data));
                    }
                    continue;
                }
                Word::Count { count, structure } => {
                    let is_it = |list: &List| list.structure == *structure;
                    let list = self.found.lists.iter().rposition(is_it)?;
                    if self.value(count) == Some(self.found.lists[list].items.len()) {
                        self.add(count, Says::Count(list));
                    }
                    continue;
                }
                Word::Peek { mask, value } => {
                    (rest.first()? & mask == *value).then_some(())?;
                    continue;
                }
                Word::Twice => {
                    self.frames.last_mut()?.counts_more = 1;
                    continue;
                }
                Word::Is(value) => {
                    (value.value(self)? != 0).then_some(())?;
                    continue;
                }
                Word::Order { is_big } => {
                    self.is_big = *is_big;
                    continue;
                }
                Word::At { .. } | Word::Span { .. } | Word::Index { .. } => {
                    let (frames, row) = (self.frames.clone(), self.rows.last().copied());
                    let is_big = self.is_big;
                    self.found.elsewhere.push_back(Elsewhere { word, frames, row, is_big });
                    continue;
                }
            };
            at = node.span.end;
            nodes.push(node);
        }
        let frame = self.frames.last()?;
        if let Some(field) = frame.sum.clone().filter(|_| words.contains(&Word::Sum(Sum::Ogg))) {
            let covered = frame.start..at;
            self.found.links.sums.push(SumOf { sum: Sum::Ogg, field, covered });
        }
        Some((nodes, at))
    }

    fn pad(&mut self, span: Range<usize>, says: Says) -> Node {
        let link = Link { span: span.clone(), number: Number::Decimal, value: 0, slope: 1, says };
        self.found.links.links.push(link);
        Node::leaf(NodeKind::Pad, span)
    }

    /// Reads what a region holds; nothing where it is not as the form says.
    fn content(&mut self, content: Content, region: &Range<usize>, depth: usize) -> Vec<Node> {
        match content {
            Content::Bytes => Vec::new(),
            Content::Packed(form) => {
                self.found.compressed.push((region.clone(), form));
                Vec::new()
            }
            Content::List { structure, skip } => {
                let mark = self.mark();
                let start = (region.start + skip).min(region.end);
                let items = self.list(structure, None, start..region.end, depth + 1);
                let items = items.unwrap_or_default();
                if items.last().is_some_and(|item| item.span.end == region.end) {
                    return items;
                }
                self.go_back(mark);
                Vec::new()
            }
        }
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
        let number = self.found.lists.len();
        self.found.lists.push(List { structure, ..List::default() });
        let mut items: Vec<Node> = Vec::new();
        let mut at = span.start;
        let mut more = 0;
        while at < span.end && wanted.is_none_or(|wanted| items.len() + more < wanted) {
            self.rows.push((number, items.len()));
            let item = self.item(structure, at..span.end, depth, number);
            self.rows.pop();
            let Some(item) = item else { break };
            at = item.span.end;
            let list = &mut self.found.lists[number];
            list.numbers.push(items.len() + more);
            list.items.push(Item { span: item.span.clone(), weight: 1 + self.last.counts_more });
            more += self.last.counts_more;
            items.push(item);
        }
        if let Some((most, wanted)) = most.zip(wanted) {
            if items.len() + more == wanted {
                self.add(most, Says::Count(number));
            } else {
                self.found.errors += 1;
            }
        }
        Some(items)
    }

    /// Reads an item of a list, whose numbers may be wanted later.
    fn item(
        &mut self,
        structure: usize,
        span: Range<usize>,
        depth: usize,
        list: usize,
    ) -> Option<Node> {
        let form = self.form;
        let known = &form.structures[structure];
        let item = self.structure(structure, span, depth + 1)?;
        (!item.span.is_empty()).then_some(())?;
        if known.is_looked_into {
            self.found.lists[list].frames.push(self.last.clone());
        }
        Some(item)
    }

    /// Reads a region for each item of the last list of a structure.
    fn each(&mut self, structure: usize, size: &str, span: Range<usize>) -> Option<Vec<Node>> {
        let list = self.found.lists.iter().rposition(|list| list.structure == structure)?;
        let frames = self.found.lists[list].frames.clone();
        let mut regions = Vec::new();
        let mut at = span.start;
        for (item, frame) in frames.into_iter().enumerate() {
            let field = frame.fields.into_iter().find(|field| field.name == size)?;
            let end = at.checked_add(usize::try_from(field.value).ok()?)?;
            (end <= span.end).then_some(())?;
            let Field { span, number, written: value, .. } = field;
            let says = Says::Length(at..end);
            self.found.links.links.push(Link { span, number, value, slope: 1, says });
            self.found.rows.push(((list, item), at..end));
            regions.push(Node::leaf(NodeKind::Region, at..end));
            at = end;
        }
        Some(regions)
    }

    /// Reads what lies elsewhere.
    fn elsewhere(&mut self, nodes: &mut Vec<Node>) {
        let mut known = BTreeSet::new();
        while let Some(next) = self.found.elsewhere.pop_front() {
            if known.len() > MOST_REGIONS {
                break;
            }
            let Elsewhere { word, frames, row, is_big } = next;
            self.frames = frames;
            self.is_big = is_big;
            self.rows = row.into_iter().collect();
            match word {
                Word::Index { place, structure } => {
                    // Which list is only known when all of them were read.
                    let Some(number) = self.value(place) else { continue };
                    let none = Says::Index { list: 0, item: number };
                    let link = self.link(place, none).map(|link| (link, *structure));
                    self.found.indices.extend(link);
                }
                Word::Span { place, size } => {
                    if let Some(region) = self.region(place, size) {
                        let from = self.origin(place, region.start);
                        self.add(place, Says::Place { at: region.start, from });
                        self.add(size, Says::Length(region.clone()));
                        self.found.described.extend(row.map(|row| (row, region)));
                    }
                }
                Word::At { place, size, content, is_free } => {
                    let row = row.filter(|_| !is_free);
                    let Some(start) = self.value(place).filter(|at| *at <= self.text.len()) else {
                        self.found.errors += 1;
                        continue;
                    };
                    let from = self.origin(place, start);
                    let says = Says::Place { at: start, from };
                    let region = match size {
                        Some(size) => self.region(place, size),
                        None => None,
                    };
                    match (size, region) {
                        (Some(size), Some(region)) => {
                            self.add(place, says);
                            self.add(size, Says::Length(region.clone()));
                            if !is_free {
                                self.cover(&region, row);
                            }
                            if known.insert((region.start, region.end)) {
                                let children = self.content(*content, &region, 0);
                                let kind = NodeKind::Region;
                                nodes.push(Node { kind, span: region, children });
                            }
                        }
                        (Some(_), None) if *is_free => self.add(place, says),
                        (Some(size), None) => {
                            // Nothing of no size lies anywhere.
                            self.found.errors += u32::from(self.value(size) != Some(0));
                        }
                        (None, _) => {
                            self.add(place, says);
                            let Content::List { structure, .. } = content else { continue };
                            if known.insert((start, usize::MAX)) {
                                match self.structure(*structure, start..self.text.len(), 0) {
                                    Some(node) => nodes.push(node),
                                    None => self.found.errors += 1,
                                }
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the region of a place and a size, unless it is empty or not in the file.
    fn region(&self, place: &Expression, size: &Expression) -> Option<Range<usize>> {
        let (start, size) = (self.value(place)?, self.value(size)?);
        let end = start.checked_add(size).filter(|end| *end <= self.text.len() && size > 0)?;
        Some(start..end)
    }

    /// Returns the place from which an expression counts: what is left of it without its number.
    fn origin(&self, place: &Expression, at: usize) -> usize {
        let counted = self.link(place, Says::Count(0)).and_then(|link| {
            let counted = link.value.checked_mul(link.slope)?;
            usize::try_from(i64::try_from(at).ok()? - counted).ok()
        });
        counted.unwrap_or(0)
    }

    /// Notes that a row describes a region.
    fn cover(&mut self, region: &Range<usize>, row: Option<Row>) {
        self.found.rows.extend(row.map(|row| (row, region.clone())));
        let mut frames = self.frames.iter().rev();
        if let Some(field) = frames.find_map(|frame| frame.sum.clone()) {
            let covered = region.clone();
            self.found.links.sums.push(SumOf { sum: Sum::Sum32, field, covered });
        }
    }
}

impl Found<'_> {
    /// Puts lists and what mentions them into the links.
    fn connect(&mut self) {
        let item = |row: &Row| Some(self.lists.get(row.0)?.items.get(row.1)?.span.clone());
        let couple = |cause: &Range<usize>, effect: &Range<usize>| Couple {
            cause: cause.clone(),
            effect: effect.clone(),
            is_shared: true,
        };
        let couples = &mut self.links.couples;
        for (row, region) in self.rows.iter().filter_map(|(row, r)| Some((item(row)?, r))) {
            couples.extend([couple(&row, region), couple(region, &row)]);
        }
        let described = self.described.iter().filter_map(|(row, r)| Some((item(row)?, r)));
        couples.extend(described.map(|(row, region)| couple(region, &row)));
        for (mut link, structure) in std::mem::take(&mut self.indices) {
            let list = self.lists.iter().position(|list| list.structure == structure);
            let Some((list, Says::Index { item, .. })) = list.zip(Some(link.says.clone())) else {
                continue;
            };
            if let Some(item) = self.lists[list].place(item) {
                link.says = Says::Index { list, item };
                self.links.links.push(link);
            }
        }
        self.links.lists = std::mem::take(&mut self.lists).into_iter().map(|l| l.items).collect();
    }
}
