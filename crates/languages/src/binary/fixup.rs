//! Corrects lengths, padding and checksums around parts of records that are gone.

use std::collections::BTreeMap;
use std::ops::Range;

use minirepro_syntax::{Copied, Tree};

use crate::binary::layout::{Field, Found, Layout, padding};

/// Returns the text made of `copied` parts of `tree`'s, with correct fields. `None` when the parts
/// are in another order, so that nothing is known about the fields, or when a length cannot be
/// written.
///
/// Linear in the text times the depth of records in records.
pub(super) fn correct(layout: &Layout, tree: &Tree, copied: &[Copied]) -> Option<Vec<u8>> {
    if copied.windows(2).any(|pair| pair[0].from.end > pair[1].from.start) {
        return None;
    }
    let mut new = New { text: tree.text(), copied, records: BTreeMap::new() };
    let record = tree.kinds().named("record")?;
    // What is inside comes before what is around it.
    for id in tree.ids().rev().filter(|&id| tree.kind(id) == record) {
        let span = tree.span(id);
        let found = layout.read(tree.text(), span.clone());
        // A record whose head is gone, in part or whole, is not a record.
        let Some(found) = found.filter(|f| new.is_there(&f.fields[layout.length()])) else {
            continue;
        };
        if !new.is_there(&span) {
            let text = new.record(layout, &found)?;
            new.records.insert(span.start, (span.end, text));
        }
    }
    Some(new.take(0..tree.text().len()))
}

/// A text made of parts of an old one.
struct New<'a> {
    text: &'a [u8],
    copied: &'a [Copied],
    /// The outermost records so far that have changed: by their start, with their end.
    records: BTreeMap<usize, (usize, Vec<u8>)>,
}

impl New<'_> {
    /// Returns the parts of a span that were copied.
    fn parts(&self, span: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self.copied.partition_point(|part| part.from.end <= span.start);
        let parts = self.copied[first..].iter().take_while(move |part| part.from.start < span.end);
        parts.map(move |part| part.from.start.max(span.start)..part.from.end.min(span.end))
    }

    fn is_there(&self, span: &Range<usize>) -> bool {
        self.parts(span.clone()).map(|part| part.len()).sum::<usize>() == span.len()
    }

    fn copy(&self, span: Range<usize>, out: &mut Vec<u8>) {
        for part in self.parts(span) {
            out.extend_from_slice(&self.text[part]);
        }
    }

    /// Returns what has become of a span, with the records in it, which are then finished.
    fn take(&mut self, span: Range<usize>) -> Vec<u8> {
        let mut out = Vec::with_capacity(span.len());
        let mut at = span.start;
        let starts: Vec<usize> = self.records.range(span.clone()).map(|(&at, _)| at).collect();
        for start in starts {
            let Some((end, text)) = self.records.remove(&start) else { continue };
            self.copy(at..start, &mut out);
            out.extend_from_slice(&text);
            at = end;
        }
        self.copy(at..span.end, &mut out);
        out
    }

    /// Returns a record with correct fields.
    fn record(&mut self, layout: &Layout, found: &Found) -> Option<Vec<u8>> {
        let data = self.take(found.fields[layout.data()].clone());
        let is_as_before = data.len() == found.fields[layout.data()].len();
        let mut out = Vec::new();
        let mut covered = 0;
        for (field, span) in layout.fields.iter().zip(&found.fields) {
            match field {
                Field::Length(number, more) if !is_as_before => {
                    out.extend(number.write(data.len() + more, span.len())?);
                }
                Field::Pad(unit) if !is_as_before => {
                    out.resize(out.len() + padding(*unit, data.len()), 0);
                }
                Field::Data => out.extend_from_slice(&data),
                // One that was wrong before is so for a reason.
                Field::Crc32 if self.is_there(span) && layout.is_right(self.text, found) => {
                    let right = crc32fast::hash(&out[covered..]);
                    out.extend_from_slice(&right.to_be_bytes());
                }
                _ => self.copy(span.clone(), &mut out),
            }
            if matches!(field, Field::Length(..)) {
                covered = out.len();
            }
        }
        Some(out)
    }
}
