//! Numbers in a file that mention other parts of it (lengths, counts, places), padding and
//! checksums: how they follow when something goes.

use std::collections::HashMap;
use std::ops::Range;

use minirepro_syntax::Copied;

use crate::binary::number::Number;
use crate::binary::sums::SumOf;

/// All that depends on other parts of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    /// In the order of their places, each in one place of the file.
    pub(crate) links: Vec<Link>,
    /// The items of each list.
    pub(crate) lists: Vec<Vec<Item>>,
    pub(crate) couples: Vec<Couple>,
    /// Those that are right.
    pub(crate) sums: Vec<SumOf>,
}

/// An item of a list, its number there, and for how many it counts.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) span: Range<usize>,
    pub(crate) number: usize,
    pub(crate) weight: usize,
}

/// A number, and what it says.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) span: Range<usize>,
    pub(crate) number: Number,
    pub(crate) value: i64,
    /// How much more it says when the number is greater by one.
    pub(crate) slope: i64,
    pub(crate) says: Says,
}

/// What a number says.
#[derive(Clone, Debug)]
pub(crate) enum Says {
    /// How long a part is.
    Length(Range<usize>),
    /// How many items a list has.
    Count(usize),
    /// How far a place is from another.
    Place { at: usize, from: usize },
    /// Which item of a list is meant.
    Index { list: usize, item: usize },
    /// It is no number, but zeros up to a multiple of the length of a part.
    Pad { unit: usize, part: Range<usize> },
}

/// Where one part is gone, the other goes as well, unless it is there for others, too.
#[derive(Clone, Debug)]
pub(crate) struct Couple {
    pub(crate) cause: Range<usize>,
    pub(crate) effect: Range<usize>,
}

/// How often numbers are written anew, since those that are longer or shorter move others.
const MOST_TURNS: usize = 4;

impl Links {
    /// Puts links in order; of several that concern one number, the first counts.
    pub(crate) fn sort(&mut self) {
        self.links.sort_by_key(|link| link.span.start);
        self.links.dedup_by(|later, earlier| later.span.start < earlier.span.end);
        // What is inside comes before what is around it.
        self.sums.sort_by_key(|sum| sum.covered.len());
    }

    /// Returns a candidate, made of `copied` parts of a text and of others, with numbers that are
    /// right in it as they were in the text. `None` when the parts are in another order, so that
    /// nothing is known.
    ///
    /// Linear in the text, times a logarithm.
    pub(crate) fn correct(
        &self,
        text: &[u8],
        candidate: &[u8],
        copied: &[Copied],
    ) -> Option<Vec<u8>> {
        if copied.windows(2).any(|pair| pair[0].from.end > pair[1].from.start) {
            return None;
        }
        let mut parts = parts(text, candidate, copied);
        self.drop_coupled(&mut parts);
        let mut new = New::of(&parts);
        let there: Vec<&Link> = self.links.iter().filter(|link| new.holds(&link.span)).collect();
        let mut numbers: Vec<Vec<u8>> =
            there.iter().map(|link| text[link.span.clone()].to_vec()).collect();
        for _ in 0..MOST_TURNS {
            new.patch(&there, &numbers);
            let again = there.iter().map(|link| {
                let old = &text[link.span.clone()];
                self.rewritten(link, &new, old).unwrap_or_else(|| old.to_vec())
            });
            let again = again.collect();
            if std::mem::replace(&mut numbers, again) == numbers {
                break;
            }
        }
        new.patch(&there, &numbers);
        let mut out = new.text(&there, &numbers);
        for SumOf { sum, field, covered } in &self.sums {
            if new.holds(field) {
                let place = new.place(field.start);
                let field = place..place + field.len();
                let covered = new.place(covered.start)..new.place(covered.end);
                let right = sum.of(&out, covered, &field);
                out[field].copy_from_slice(&right);
            }
        }
        Some(out)
    }

    /// Returns the text of a number in a changed text.
    fn rewritten(&self, link: &Link, new: &New<'_>, old: &[u8]) -> Option<Vec<u8>> {
        let (before, now) = match &link.says {
            Says::Length(part) => (part.len(), new.length(part)),
            Says::Count(list) => {
                let items = &self.lists[*list];
                (items.iter().map(|item| item.weight).sum(), new.weight(items))
            }
            Says::Place { at, from } => {
                // Only the difference counts.
                (at + new.place(*from), new.place(*at) + from)
            }
            Says::Index { list, item } => {
                let (before, item) = (&self.lists[*list][..*item], &self.lists[*list][*item]);
                (item.number, if new.is_gone(&item.span) { 0 } else { new.weight(before) })
            }
            Says::Pad { unit, part } => {
                let length = new.length(part);
                return (length != part.len()).then(|| vec![0; padding(*unit, length)]);
            }
        };
        let difference = i64::try_from(now).ok()? - i64::try_from(before).ok()?;
        let more = difference.checked_div(link.slope)?;
        (more != 0 && more * link.slope == difference).then_some(())?;
        link.number.write(link.value + more, old)
    }

    /// Drops what is gone with something else.
    fn drop_coupled(&self, parts: &mut Vec<Part<'_>>) {
        let mut done = vec![false; self.couples.len()];
        loop {
            let new = New::of(parts);
            let gone: Vec<bool> = self.couples.iter().map(|c| new.is_gone(&c.cause)).collect();
            let is_needed = |effect: &Range<usize>| {
                let mut others = self.couples.iter().zip(&gone).filter(|(_, gone)| !**gone);
                others.any(|(other, _)| {
                    other.effect.start < effect.end
                        && effect.start < other.effect.end
                        && !other.cause.is_empty()
                })
            };
            let mut cuts: Vec<Range<usize>> = Vec::new();
            for (at, Couple { effect, .. }) in self.couples.iter().enumerate() {
                let is_fresh = gone[at] && !std::mem::replace(&mut done[at], gone[at]);
                if is_fresh && !is_needed(effect) && !new.is_gone(effect) {
                    cuts.push(effect.clone());
                }
            }
            if cuts.is_empty() {
                return;
            }
            cuts.sort_by_key(|cut| cut.start);
            *parts = cut(parts, &cuts);
        }
    }
}

/// Returns how many bytes are missing to a multiple of `unit`.
pub(super) fn padding(unit: usize, size: usize) -> usize {
    size.next_multiple_of(unit) - size
}

/// A part of a changed text, and where it stood or what it stands for.
#[derive(Clone, Debug)]
struct Part<'a> {
    old: Range<usize>,
    text: &'a [u8],
    is_copied: bool,
}

fn parts<'a>(text: &'a [u8], candidate: &'a [u8], copied: &[Copied]) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    let (mut old, mut to) = (0, 0);
    let other = |parts: &mut Vec<Part<'a>>, from: Range<usize>, text: &'a [u8]| {
        if !text.is_empty() {
            parts.push(Part { old: from, text, is_copied: false });
        }
    };
    for part in copied {
        other(&mut parts, old..part.from.start, &candidate[to..part.to.max(to)]);
        old = part.from.end;
        to = part.to + part.from.len();
        match parts.last_mut() {
            Some(last) if last.is_copied && last.old.end == part.from.start => {
                last.old.end = part.from.end;
                last.text = &text[last.old.clone()];
            }
            _ => parts.push(Part {
                old: part.from.clone(),
                text: &text[part.from.clone()],
                is_copied: true,
            }),
        }
    }
    other(&mut parts, old..text.len(), &candidate[to..]);
    parts
}

/// Returns the parts without what stood in these places, which are in order.
fn cut<'a>(parts: &[Part<'a>], cuts: &[Range<usize>]) -> Vec<Part<'a>> {
    let mut left = Vec::new();
    for part in parts {
        let first = cuts.partition_point(|cut| cut.end <= part.old.start);
        let mut at = part.old.start;
        for cut in cuts[first..].iter().take_while(|cut| cut.start < part.old.end) {
            if part.is_copied && cut.start > at {
                let text = &part.text[at - part.old.start..cut.start - part.old.start];
                left.push(Part { old: at..cut.start, text, is_copied: true });
            }
            at = at.max(cut.end.min(part.old.end));
        }
        if at == part.old.start {
            left.push(part.clone());
        } else if part.is_copied && at < part.old.end {
            let text = &part.text[at - part.old.start..];
            left.push(Part { old: at..part.old.end, text, is_copied: true });
        }
    }
    left
}

/// A text made of parts of an old one, in which numbers are written anew.
struct New<'a> {
    parts: &'a [Part<'a>],
    /// Where each of them begins, as long as no number is longer or shorter.
    starts: Vec<usize>,
    /// Where each number stood that is there, and how many bytes the numbers up to it have more.
    patched: Vec<(Range<usize>, isize)>,
    /// How much padding is new where a part ended that had none.
    pads: HashMap<(usize, usize), usize>,
}

impl<'a> New<'a> {
    fn of(parts: &'a [Part<'a>]) -> Self {
        let mut end = 0;
        let starts = parts.iter().map(|part| {
            end += part.text.len();
            end - part.text.len()
        });
        Self { parts, starts: starts.collect(), patched: Vec::new(), pads: HashMap::new() }
    }

    fn patch(&mut self, links: &[&Link], texts: &[Vec<u8>]) {
        self.pads.clear();
        // Of several at one place, the innermost comes first: others end after its padding.
        let (mut place, mut there) = (usize::MAX, 0);
        for (link, text) in links.iter().zip(texts).rev().filter(|(link, _)| link.span.is_empty()) {
            if let Says::Pad { part, .. } = &link.says {
                there = if place == link.span.start { there } else { 0 } + text.len();
                place = link.span.start;
                self.pads.insert((part.start, part.end), there);
            }
        }
        let mut more = 0;
        let patched = links.iter().zip(texts).map(|(link, text)| {
            more += text.len().cast_signed() - link.span.len().cast_signed();
            (link.span.clone(), more)
        });
        self.patched = patched.collect();
    }

    /// Returns where a place of the old text is now; that of what follows if it is gone.
    fn place(&self, old: usize) -> usize {
        let at = self.parts.partition_point(|part| part.old.end <= old);
        let here = match self.parts.get(at) {
            Some(part) => self.starts[at] + old.saturating_sub(part.old.start).min(part.text.len()),
            None => self.starts.last().map_or(0, |&s| s + self.parts[at - 1].text.len()),
        };
        let before = self.patched.partition_point(|(number, _)| number.end <= old);
        let more = before.checked_sub(1).map_or(0, |last| self.patched[last].1);
        here.saturating_add_signed(more)
    }

    fn length(&self, old: &Range<usize>) -> usize {
        let padding = self.pads.get(&(old.start, old.end)).copied().unwrap_or(0);
        self.place(old.end).saturating_sub(self.place(old.start) + padding)
    }

    fn is_gone(&self, old: &Range<usize>) -> bool {
        let at = self.parts.partition_point(|part| part.old.end <= old.start);
        !old.is_empty() && self.parts.get(at).is_none_or(|part| part.old.start >= old.end)
    }

    /// Returns for how many items those of a list count that are there.
    fn weight(&self, items: &[Item]) -> usize {
        items.iter().filter(|item| !self.is_gone(&item.span)).map(|item| item.weight).sum()
    }

    /// Returns whether a part of the old text is there as it was.
    fn holds(&self, old: &Range<usize>) -> bool {
        let at = self.parts.partition_point(|part| part.old.end < old.end);
        self.parts.get(at).is_some_and(|part| part.is_copied && part.old.start <= old.start)
    }

    fn text(&self, links: &[&Link], texts: &[Vec<u8>]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut numbers = links.iter().zip(texts).peekable();
        for part in self.parts {
            let mut at = part.old.start;
            let old =
                |from: usize, to: usize| &part.text[from - part.old.start..to - part.old.start];
            let is_in =
                |number: &(&&Link, &Vec<u8>)| part.is_copied && number.0.span.end <= part.old.end;
            while let Some((link, text)) = numbers.next_if(is_in) {
                out.extend_from_slice(old(at, link.span.start));
                out.extend_from_slice(text);
                at = link.span.end;
            }
            out.extend_from_slice(&part.text[at - part.old.start..]);
        }
        out
    }
}
