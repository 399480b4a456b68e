//! Two texts cut into parts that lie side by side, so that any choice of their differences gives a
//! text between them.

use std::ops::Range;
use std::sync::Arc;

use minirepro_search::Configuration;
use minirepro_syntax::reads_as_one;

use crate::patch::align::align;

/// Returns the pieces of a run of units that differ: the bytes of the old and of the new text.
type Cut = fn(&[&[u8]], &[&[u8]]) -> Vec<(usize, usize)>;

/// A piece of both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Its place in the old text; empty if it was added.
    pub(crate) old: Range<usize>,
    /// Its place in the new text; empty if it was taken away.
    pub(crate) new: Range<usize>,
    /// Whether it is not a difference: the same in both, apart from blank space in front of it.
    pub(crate) common: bool,
}

/// Segments side by side.
#[derive(Default)]
pub(super) struct Segments {
    pub(super) all: Vec<Segment>,
    /// Where the last one ends in both texts.
    pub(super) end: (usize, usize),
}

impl Segments {
    /// Adds one up to these ends, unless it is empty.
    pub(super) fn push(&mut self, old: usize, new: usize, common: bool) {
        let (old, new) = (self.end.0..old.max(self.end.0), self.end.1..new.max(self.end.1));
        self.end = (old.end, new.end);
        if !old.is_empty() || !new.is_empty() {
            self.all.push(Segment { old, new, common });
        }
    }
}

/// A passing (old) and a failing (new) text, and what differs between them.
///
/// The parts cover both texts completely and in order.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    pub(crate) old: Arc<[u8]>,
    pub(crate) new: Arc<[u8]>,
    pub(crate) parts: Vec<Segment>,
}

impl Merge {
    /// Returns two texts that differ as a whole.
    pub(crate) fn whole(old: Arc<[u8]>, new: Arc<[u8]>) -> Self {
        let parts = vec![Segment { old: 0..old.len(), new: 0..new.len(), common: false }];
        Self { old, new, parts }
    }

    /// Returns the same texts in other parts.
    ///
    /// # Panics
    /// If these do not cover both texts.
    #[must_use]
    pub(crate) fn cut(&self, parts: Vec<Segment>) -> Self {
        let ends = parts.iter().fold((0, 0), |(old, new), part| {
            assert_eq!((part.old.start, part.new.start), (old, new), "parts lie side by side");
            (part.old.end, part.new.end)
        });
        assert_eq!(ends, (self.old.len(), self.new.len()), "parts cover both texts");
        Self { old: Arc::clone(&self.old), new: Arc::clone(&self.new), parts }
    }

    /// Returns the part's old and new text.
    pub(crate) fn texts(&self, part: &Segment) -> [&[u8]; 2] {
        [&self.old[part.old.clone()], &self.new[part.new.clone()]]
    }

    /// Opens parts: `units` takes both texts apart, and `cut` gives the pieces of a run that
    /// differs.
    pub(super) fn opened<'m>(
        &'m self,
        opens: impl Fn(&Segment) -> bool,
        units: impl Fn(&'m Segment) -> [Vec<&'m [u8]>; 2],
        cut: Cut,
    ) -> Self {
        let mut parts = Segments::default();
        for part in &self.parts {
            let [old, new] = self.texts(part);
            if old == new || !opens(part) {
                parts.push(part.old.end, part.new.end, part.common || old == new);
                continue;
            }
            let [olds, news] = units(part);
            for run in align(olds.iter().copied(), news.iter().copied()) {
                let (olds, news) = (&olds[run.old], &news[run.new]);
                let bytes = || olds.iter().map(|unit| unit.len()).sum();
                let pieces = if run.common { vec![(bytes(), bytes())] } else { cut(olds, news) };
                for (old, new) in pieces {
                    parts.push(parts.end.0 + old, parts.end.1 + new, run.common);
                }
            }
        }
        self.cut(parts.all)
    }

    /// Returns how many differences there are.
    pub(crate) fn differences(&self) -> usize {
        self.parts.iter().filter(|part| !part.common).count()
    }

    /// Returns the bytes of each difference.
    pub(crate) fn weights(&self) -> Vec<u32> {
        let bytes = |part: &Segment| part.old.len().max(part.new.len()).max(1);
        let all = self.parts.iter().filter(|part| !part.common);
        all.map(|part| u32::try_from(bytes(part)).unwrap_or(u32::MAX)).collect()
    }

    /// Returns the text with those differences that are in `applied`. Linear in the text.
    ///
    /// Blank space in front of a common part is that of the side on which the last difference
    /// before it is (or the first one after it), so that no difference gives the old text and all
    /// of them the new one.
    pub(crate) fn text(&self, applied: &Configuration) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.old.len().max(self.new.len()));
        for (part, is_new) in self.sides(applied) {
            text.extend_from_slice(self.texts(part)[usize::from(is_new)]);
        }
        text
    }

    /// Returns whether two tokens would read as one in the text with the differences in `applied`,
    /// at a place where neither text goes on like that. Linear in the parts.
    pub(crate) fn joins_tokens(&self, applied: &Configuration) -> bool {
        let mut before: Option<(u8, bool, usize)> = None;
        for (part, is_new) in self.sides(applied) {
            let span = if is_new { &part.new } else { &part.old };
            let text = self.texts(part)[usize::from(is_new)];
            let (Some(&first), Some(&last)) = (text.first(), text.last()) else { continue };
            if let Some((byte, was_new, end)) = before
                && (was_new, end) != (is_new, span.start)
                && reads_as_one(byte, first)
            {
                return true;
            }
            before = Some((last, is_new, span.end));
        }
        false
    }

    /// Returns what is between two choices of the differences: where they agree, nothing differs
    /// any more.
    ///
    /// # Panics
    /// If the choices are of another number of differences.
    #[must_use]
    pub(crate) fn between(&self, passing: &Configuration, failing: &Configuration) -> Self {
        let (old, new) = (self.text(passing).into(), self.text(failing).into());
        let mut parts: Vec<Segment> = Vec::new();
        let mut difference = 0;
        let mut end = (0, 0);
        for ((part, old_is_new), (_, new_is_new)) in self.sides(passing).zip(self.sides(failing)) {
            let mut common = part.common;
            if !common {
                common = passing.contains(difference) == failing.contains(difference);
                difference += 1;
            }
            let length = |is_new| if is_new { part.new.len() } else { part.old.len() };
            let start = end;
            end = (start.0 + length(old_is_new), start.1 + length(new_is_new));
            match parts.last_mut() {
                Some(last) if common && last.common => {
                    (last.old.end, last.new.end) = end;
                }
                _ => parts.push(Segment { old: start.0..end.0, new: start.1..end.1, common }),
            }
        }
        Self { old, new, parts }
    }

    /// Returns each part, and whether its new text counts.
    fn sides(&self, applied: &Configuration) -> impl Iterator<Item = (&Segment, bool)> {
        let mut difference = 0;
        let mut is_new = applied.universe() > 0 && applied.contains(0);
        let applied = applied.clone();
        self.parts.iter().map(move |part| {
            if !part.common {
                is_new = applied.contains(difference);
                difference += 1;
            }
            (part, is_new)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the merge of `a x  b` and `a b y`: ` x` goes, ` y` comes.
    fn example() -> Merge {
        let part = |old, new, common| Segment { old, new, common };
        Merge::whole(b"a x  b".as_slice().into(), b"a b y".as_slice().into()).cut(vec![
            part(0..1, 0..1, true),
            part(1..3, 1..1, false),
            part(3..6, 1..3, true),
            part(6..6, 3..5, false),
        ])
    }

    fn text(merge: &Merge, applied: &[usize]) -> String {
        let all = merge.differences();
        let applied = Configuration::of(all, applied.iter().copied());
        String::from_utf8(merge.text(&applied)).unwrap()
    }

    #[test]
    fn any_choice_of_differences_lies_between_the_texts() {
        let merge = example();
        assert_eq!([text(&merge, &[]), text(&merge, &[0, 1])], ["a x  b", "a b y"]);
        assert_eq!([text(&merge, &[0]), text(&merge, &[1])], ["a b", "a x  b y"]);
    }

    #[test]
    fn tokens_that_neither_text_joins_stay_apart() {
        let part = |old, new, common| Segment { old, new, common };
        // `a.b` and `a c`: without the dot and with the old name, there would be `ab`.
        let merge = Merge::whole(b"a.b".as_slice().into(), b"a c".as_slice().into()).cut(vec![
            part(0..1, 0..1, true),
            part(1..2, 1..1, false),
            part(2..3, 1..3, false),
        ]);
        let joins =
            |applied: &[usize]| merge.joins_tokens(&Configuration::of(2, applied.iter().copied()));
        assert_eq!(
            [joins(&[]), joins(&[0, 1]), joins(&[0]), joins(&[1])],
            [false, false, true, false]
        );
    }

    #[test]
    fn what_two_choices_agree_on_is_no_difference_any_more() {
        let left = example().between(&Configuration::of(2, [1]), &Configuration::all(2));
        assert_eq!(left.differences(), 1);
        assert_eq!([text(&left, &[]), text(&left, &[0])], ["a x  b y", "a b y"]);
    }
}
