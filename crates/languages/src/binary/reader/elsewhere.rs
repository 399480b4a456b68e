//! Reads the regions of a file whose places numbers say.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Frame, Node, NodeKind, Reader, Row};
use crate::binary::expression::Expression;
use crate::binary::form::{Content, Word};
use crate::binary::links::Says;
use crate::binary::sums::{Sum, SumOf};

/// The most regions that numbers say the place of.
const MOST_REGIONS: usize = 1 << 16;

/// A region that lies elsewhere, to be read when all is known that was read before it.
pub(super) struct Elsewhere<'f> {
    pub(super) word: &'f Word,
    pub(super) frames: Vec<Frame>,
    pub(super) row: Option<Row>,
    pub(super) is_big: bool,
}

impl Reader<'_> {
    /// Reads what lies elsewhere.
    pub(super) fn elsewhere(&mut self, nodes: &mut Vec<Node>) {
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
                    let none = Says::Index { list: 0, item: self.value(place).unwrap_or(0) };
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
                Word::At { place, size, content } => {
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
                            self.cover(&region, row);
                            if known.insert((region.start, region.end)) {
                                let children = self.content(*content, &region, 0);
                                let kind = NodeKind::Region;
                                nodes.push(Node { kind, span: region, children });
                            }
                        }
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
        if let Some(field) = self.frames.last().and_then(|frame| frame.sum.clone()) {
            let covered = region.clone();
            self.found.links.sums.push(SumOf { sum: Sum::Sum32, field, covered });
        }
    }
}
