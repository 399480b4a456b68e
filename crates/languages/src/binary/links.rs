//! Numbers in a file that mention other parts of it (lengths, counts, places), padding and
//! checksums: how they follow when something goes.

use std::borrow::Cow;
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

/// Where one part is gone, the other goes as well.
#[derive(Clone, Debug)]
pub(crate) struct Couple {
    pub(crate) cause: Range<usize>,
    pub(crate) effect: Range<usize>,
    /// Whether the other stays as long as it is there for others, too.
    pub(crate) is_shared: bool,
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
        let mut new = New::of(text, candidate, copied);
        self.drop_coupled(&mut new);
        let sums = self.sums.iter().filter(|sum| new.holds(&sum.field)).collect::<Vec<_>>();
        let there = new.set_apart(&self.links);
        for _ in 0..MOST_TURNS {
            let rewritten = |&(at, link): &(usize, &Link)| {
                let old = &text[link.span.clone()];
                let now = self.rewritten(link, &new, old).map_or(Cow::Borrowed(old), Cow::Owned);
                (new.text_of(at) != &*now).then_some((at, now))
            };
            let changed: Vec<_> = there.iter().filter_map(rewritten).collect();
            if changed.is_empty() {
                break;
            }
            changed.into_iter().for_each(|(at, now)| new.parts[at].new = Some(now));
            new.arrange();
        }
        let mut out: Vec<u8> =
            (0..new.parts.len()).flat_map(|at| new.text_of(at)).copied().collect();
        for SumOf { sum, field, covered } in sums {
            let [field, covered] =
                [field, covered].map(|old| new.place(old.start)..new.place(old.end));
            let right = sum.of(&out, covered, &field);
            out[field].copy_from_slice(&right);
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
            // Only the difference counts.
            Says::Place { at, from } => (at + new.place(*from), new.place(*at) + from),
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
    fn drop_coupled(&self, new: &mut New<'_>) {
        let mut done = vec![false; self.couples.len()];
        loop {
            let gone: Vec<bool> = self.couples.iter().map(|c| new.is_gone(&c.cause)).collect();
            let is_needed = |effect: &Range<usize>| {
                let mut others = self.couples.iter().zip(&gone).filter(|(_, gone)| !**gone);
                others.any(|(other, _)| {
                    other.is_shared
                        && other.effect.start < effect.end
                        && effect.start < other.effect.end
                        && !other.cause.is_empty()
                })
            };
            let mut cuts: Vec<Range<usize>> = Vec::new();
            for (at, Couple { effect, is_shared, .. }) in self.couples.iter().enumerate() {
                let is_fresh = gone[at] && !std::mem::replace(&mut done[at], gone[at]);
                if is_fresh && !(*is_shared && is_needed(effect)) && !new.is_gone(effect) {
                    cuts.push(effect.clone());
                }
            }
            if cuts.is_empty() {
                return;
            }
            cuts.sort_by_key(|cut| cut.start);
            new.cut(&cuts);
        }
    }
}

/// Returns how many bytes are missing to a multiple of `unit`.
pub(super) fn padding(unit: usize, size: usize) -> usize {
    size.next_multiple_of(unit) - size
}

/// A part of a changed text.
#[derive(Clone)]
struct Part<'a> {
    /// Where it stood, or what it stands for.
    old: Range<usize>,
    /// What stands there instead of the old text.
    new: Option<Cow<'a, [u8]>>,
}

/// A text made of parts of an old one and of others, in their order.
struct New<'a> {
    text: &'a [u8],
    parts: Vec<Part<'a>>,
    /// Where each of them begins, and where the last one ends.
    starts: Vec<usize>,
    /// The numbers of the parts that are to pad others which needed no padding.
    pads: HashMap<Range<usize>, usize>,
}

impl<'a> New<'a> {
    fn of(text: &'a [u8], candidate: &'a [u8], copied: &[Copied]) -> Self {
        let mut parts: Vec<Part<'a>> = Vec::new();
        let (mut old, mut to) = (0, 0);
        let end = Copied { from: text.len()..text.len(), to: candidate.len() };
        for part in copied.iter().chain([&end]) {
            let other = &candidate[to..part.to.max(to)];
            if !other.is_empty() {
                parts.push(Part { old: old..part.from.start, new: Some(other.into()) });
            }
            (old, to) = (part.from.end, part.to + part.from.len());
            match parts.last_mut() {
                Some(last) if last.new.is_none() && last.old.end == part.from.start => {
                    last.old.end = old;
                }
                _ if part.from.is_empty() => {}
                _ => parts.push(Part { old: part.from.clone(), new: None }),
            }
        }
        Self { text, parts, starts: Vec::new(), pads: HashMap::new() }
    }

    /// Drops what stood in these places, which are in order.
    fn cut(&mut self, cuts: &[Range<usize>]) {
        for Part { old, new } in std::mem::take(&mut self.parts) {
            let first = cuts.partition_point(|cut| cut.end <= old.start);
            let mut at = old.start;
            for cut in cuts[first..].iter().take_while(|cut| cut.start < old.end) {
                if new.is_none() && cut.start > at {
                    self.parts.push(Part { old: at..cut.start, new: None });
                }
                at = at.max(cut.end.min(old.end));
            }
            if at == old.start || new.is_none() && at < old.end {
                self.parts.push(Part { old: at..old.end, new });
            }
        }
    }

    /// Makes each number that is there a part of its own; returns those, with the numbers of their
    /// parts.
    fn set_apart<'l>(&mut self, links: &'l [Link]) -> Vec<(usize, &'l Link)> {
        let mut there = Vec::new();
        let mut links = links.iter().peekable();
        for mut part in std::mem::take(&mut self.parts) {
            while let Some(link) = links.next_if(|link| link.span.end <= part.old.end) {
                let span = link.span.clone();
                if part.new.is_none() && part.old.start <= span.start {
                    self.parts.push(Part { old: part.old.start..span.start, new: None });
                    part.old.start = span.end;
                    if let Says::Pad { part, .. } = &link.says
                        && span.is_empty()
                    {
                        self.pads.entry(part.clone()).or_insert(self.parts.len());
                    }
                    there.push((self.parts.len(), link));
                    self.parts.push(Part { old: span, new: None });
                }
            }
            self.parts.push(part);
        }
        self.arrange();
        there
    }

    fn arrange(&mut self) {
        let ends = (0..self.parts.len()).scan(0, |end, at| {
            *end += self.text_of(at).len();
            Some(*end)
        });
        self.starts = std::iter::once(0).chain(ends).collect();
    }

    fn text_of(&self, at: usize) -> &[u8] {
        let Part { old, new } = &self.parts[at];
        new.as_deref().unwrap_or(&self.text[old.clone()])
    }

    /// Returns where a place of the old text is now; that of what follows if it is gone.
    fn place(&self, old: usize) -> usize {
        let at = self.parts.partition_point(|part| part.old.end <= old);
        let within =
            |part: &Part<'_>| old.saturating_sub(part.old.start).min(self.text_of(at).len());
        self.starts[at] + self.parts.get(at).map_or(0, within)
    }

    fn length(&self, old: &Range<usize>) -> usize {
        let pad = self.pads.get(old).map(|&pad| self.starts[pad]);
        pad.unwrap_or_else(|| self.place(old.end)).saturating_sub(self.place(old.start))
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
        self.parts.get(at).is_some_and(|part| part.new.is_none() && part.old.start <= old.start)
    }
}
