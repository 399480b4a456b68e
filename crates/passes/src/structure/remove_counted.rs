//! Drops records of a text without a grammar that are counted: lines of one shape, as many as a
//! number before them says. That number follows, and so do those that number the records or refer
//! to them; what refers to a record that goes, goes with it.
//!
//! No format is known here: numbers are compared with how many lines of one shape follow.

use std::cmp::Reverse;
use std::ops::Range;

use minirepro_syntax::NodeId;

use crate::framework::counts::{CountingNumber, Counts};
use crate::framework::limits::{ENDING_TEXT, HEADER_LINES, SHAPE_WORDS};
use crate::{PassContext, Plan, Proposal};

/// Proposes the records of all lists, last first.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    // Where there is a grammar, lists are known by it.
    if cx.language.spacing.between_tokens {
        return None;
    }
    let lines: Vec<Line> = lines_in(cx, NodeId::ROOT).map(|line| Line::of(cx, line)).collect();
    let least = if cx.tokens(NodeId::ROOT) <= ENDING_TEXT { 1 } else { 2 };
    let lists = counted(cx, &lines, least);
    let mut counts = Counts::default();
    let mut items = Vec::new();
    for (list, Counted { records, count }) in lists.iter().enumerate() {
        let mut add = |place, parts, base| {
            counts.numbers.push(CountingNumber { place, list, parts, base });
        };
        add(*count, records.len(), 0);
        let index = indices(cx, &lines[records.clone()]);
        if let Some((column, base)) = index {
            let numbered = lines[records.clone()].iter().map(|line| line.words[column]);
            numbered.enumerate().for_each(|(rank, place)| add(place, rank, base));
        }
        // Each record, and those that refer to it.
        let mut gone: Vec<Vec<NodeId>> =
            lines[records.clone()].iter().map(|line| vec![line.node]).collect();
        let base = index.map(|(_, base)| base);
        let is_near = |other: &&Counted| other.records.start < records.end + HEADER_LINES;
        for other in lists[list + 1..].iter().take_while(is_near) {
            let users = &lines[other.records.clone()];
            for (line, place, value, base) in references(cx, users, records.len() as u64, base) {
                let rank = usize::try_from(value - base).unwrap_or(usize::MAX);
                add(place, rank, base);
                gone[rank].push(line);
            }
        }
        counts.lists.push(gone.iter().map(|all| all[0]).collect());
        let gone = gone.into_iter().filter(|all| cx.is_droppable(all[0]));
        items.extend(gone.map(|all| cx.drop_all(all)));
    }
    items.reverse();
    let proposal = cx.proposal(items, Plan::HALVES)?;
    Some(Proposal { counts, ..proposal })
}

/// A line and its words.
struct Line {
    node: NodeId,
    words: Vec<NodeId>,
    /// Which of the first words are numbers; of nothing but numbers there is one shape.
    shape: Option<Vec<bool>>,
}

impl Line {
    fn of(cx: &PassContext<'_>, node: NodeId) -> Self {
        let is_word = |&id: &NodeId| {
            !word(cx, id).is_empty() && !word(cx, id).iter().any(u8::is_ascii_whitespace)
        };
        let words: Vec<NodeId> = cx.outermost(cx.subtree(node).filter(is_word)).collect();
        let is_number = |&id: &NodeId| {
            let digits = word(cx, id).strip_prefix(b"-").unwrap_or(word(cx, id));
            digits.first().is_some_and(u8::is_ascii_digit)
        };
        let first = words.iter().take(SHAPE_WORDS).map(is_number);
        let shape = (!words.iter().all(is_number)).then(|| first.collect());
        Self { node, words, shape }
    }
}

/// Returns a word without the blank space around it.
fn word<'a>(cx: &PassContext<'a>, id: NodeId) -> &'a [u8] {
    cx.text_of(id).trim_ascii()
}

/// Returns the value of a word that is a whole number.
fn value(cx: &PassContext<'_>, id: NodeId) -> Option<u64> {
    std::str::from_utf8(word(cx, id)).ok()?.parse().ok()
}

/// Returns the parts of a node that are a line each. Linear in the nodes below it.
pub(crate) fn lines_in(cx: &PassContext<'_>, within: NodeId) -> impl Iterator<Item = NodeId> {
    let text = cx.text();
    let is_line = move |&id: &NodeId| {
        let span = cx.span(id);
        let begins = text[..span.start].last().is_none_or(|before| b"\n\0".contains(before));
        let ends = span.end == text.len() || text[..span.end].ends_with(b"\n");
        let line = cx.text_of(id).trim_ascii_end();
        begins && ends && !line.is_empty() && !line.contains(&b'\n')
    };
    cx.outermost(cx.subtree(within).skip(1).filter(is_line))
}

/// Lines that a number counts.
struct Counted {
    records: Range<usize>,
    count: NodeId,
}

/// Returns the lists of some length that numbers before them count, in the order of the text.
/// Linear in the lines.
fn counted(cx: &PassContext<'_>, lines: &[Line], least: usize) -> Vec<Counted> {
    let mut lists: Vec<Counted> = Vec::new();
    let mut start = 0;
    for run in lines.chunk_by(|line, next| line.shape == next.shape) {
        let all = start..start + run.len();
        start = all.end;
        if let Some(found) = counted_of(cx, lines, &lists, all.clone(), least) {
            lists.extend(found);
        } else if run[0].shape.is_none() {
            // Several lists of numbers, and what counts them.
            let mut start = all.start;
            for part in run.chunk_by(|line, next| line.words.len() == next.words.len()) {
                let found = counted_of(cx, lines, &lists, start..start + part.len(), least);
                lists.extend(found.into_iter().flatten());
                start += part.len();
            }
        }
    }
    lists
}

/// Returns a run of lines, but for the first if that counts the others, as lists that numbers count
/// which count none of the lists before them.
fn counted_of(
    cx: &PassContext<'_>,
    lines: &[Line],
    lists: &[Counted],
    all: Range<usize>,
    least: usize,
) -> Option<Vec<Counted>> {
    let last = || lists.iter().rev().take(HEADER_LINES);
    let is_record = |line: &usize| last().any(|list| list.records.contains(line));
    let is_free = |place| !last().any(|list| list.count == place);
    let runs = [all.clone(), all.start + 1..all.end].into_iter();
    runs.filter(|records| records.len() >= least).find_map(|records| {
        let before = (0..records.start).rev().filter(|line| !is_record(line));
        let mut before: Vec<usize> = before.take(HEADER_LINES).collect();
        // A line of its own says more than a number among words.
        let is_own = |line: usize| lines[line].shape.is_none() && line + 3 >= records.start;
        before.sort_by_key(|&line| Reverse((is_own(line), line)));
        let numbers = before.iter().rev().flat_map(|&line| {
            let words = lines[line].words.iter();
            words.filter_map(move |&word| Some((line, word, value(cx, word)?)))
        });
        let numbers = numbers.filter(|&(_, place, value)| value > 0 && is_free(place));
        let numbers: Vec<(usize, NodeId, u64)> = numbers.collect();
        tiles(&numbers, records)
    })
}

/// Returns the records as what one number counts, or two of the last ones after each other: of
/// several the last, and of one line the first.
fn tiles(numbers: &[(usize, NodeId, u64)], records: Range<usize>) -> Option<Vec<Counted>> {
    let Range { start, end } = records;
    let length = (end - start) as u64;
    let whole = || numbers.iter().filter(|(_, _, value)| *value == length);
    if let Some((line, ..)) = whole().next_back() {
        let (_, count, _) = *whole().find(|(at, ..)| at == line)?;
        return Some(vec![Counted { records, count }]);
    }
    let last = &numbers[numbers.len().saturating_sub(HEADER_LINES)..];
    let behind = |first: usize| last[first + 1..].iter().map(move |second| (last[first], *second));
    let mut pairs = (0..last.len()).rev().flat_map(behind);
    let sum = |((_, _, a), (_, _, b)): &((_, _, u64), (_, _, u64))| a.checked_add(*b);
    let ((_, first, value), (_, second, _)) = pairs.find(|two| sum(two) == Some(length))?;
    let middle = start + usize::try_from(value).ok()?;
    let list = |records, count| Counted { records, count };
    Some(vec![list(start..middle, first), list(middle..end, second)])
}

/// Returns the word that numbers the records, the first number in each, and what the first one is.
fn indices(cx: &PassContext<'_>, records: &[Line]) -> Option<(usize, u64)> {
    let mut words = (0..).zip(&records.first()?.words);
    let (column, base) = words.find_map(|(at, &word)| Some((at, value(cx, word)?)))?;
    let number = |line: &Line| line.words.get(column).and_then(|&word| value(cx, word));
    let are_indices = records.iter().zip(base..).all(|(line, next)| number(line) == Some(next));
    (records.len() > 1 && base < 2 && are_indices).then_some((column, base))
}

/// Returns where records refer to those of a list of this length, which begin with this number if
/// it is known: the record, the word, its value, and the number of the first.
fn references(
    cx: &PassContext<'_>,
    records: &[Line],
    length: u64,
    base: Option<u64>,
) -> Vec<(NodeId, NodeId, u64, u64)> {
    let own = indices(cx, records).map(|(column, _)| column);
    let longest = records.iter().map(|line| line.words.len()).max().unwrap_or(0);
    let column = |column: usize| {
        let with = records.iter().filter(|line| column < line.words.len());
        let places = with.map(|line| {
            let number = value(cx, line.words[column])?;
            // A record may say how many words follow.
            let is_rest = number == (line.words.len() - column - 1) as u64;
            Some(((line.node, line.words[column], number), is_rest))
        });
        let places: Vec<((NodeId, NodeId, u64), bool)> = places.collect::<Option<_>>()?;
        let largest = places.iter().map(|((_, _, value), _)| *value).max()?;
        let is_far = largest <= length && largest * 2 >= length;
        let refers = own != Some(column) && is_far && !places.iter().all(|(_, is_rest)| *is_rest);
        refers.then(|| places.into_iter().map(|(place, _)| place).collect::<Vec<_>>())
    };
    let columns: Vec<Vec<_>> = (0..longest).filter_map(column).collect();
    let values = || columns.iter().flatten().map(|(_, _, value)| *value);
    let has_last = values().any(|value| value == length) && values().all(|value| value > 0);
    let base = base.unwrap_or(u64::from(has_last));
    let is_known = |(_, _, value): &(_, _, u64)| (base..base + length).contains(value);
    let columns = columns.into_iter().filter(|column| column.iter().all(is_known));
    columns.flatten().map(|(line, place, value)| (line, place, value, base)).collect()
}
