//! Two texts cut into parts that lie side by side, so that any choice of their differences gives a
//! text between them.

use std::hash::Hash;
use std::sync::Arc;

use minirepro_search::Configuration;
use minirepro_syntax::reads_as_one;

use crate::align::{Run, align};

/// A piece into which a part of one text is cut.
pub(crate) struct Unit<K> {
    /// Where it ends, counted from where the part begins.
    pub(crate) end: usize,
    /// The same for units that are equal.
    pub(crate) key: K,
    /// Units of one class take the place of each other.
    pub(crate) class: u16,
    /// Whether it takes the place of any other token: a choice with both, or with neither, would
    /// hold something that nobody wrote.
    pub(crate) is_token: bool,
}

/// A passing (old) and a failing (new) text, and what differs between them.
///
/// The parts cover both texts completely and in order. Those that are common may differ in the
/// blank space in front of them.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    pub(crate) old: Arc<[u8]>,
    pub(crate) new: Arc<[u8]>,
    pub(crate) parts: Vec<Run>,
}

impl Merge {
    /// Returns two texts without parts: all is to be pushed.
    pub(crate) fn uncut(old: Arc<[u8]>, new: Arc<[u8]>) -> Self {
        Self { old, new, parts: Vec::new() }
    }

    /// Returns two texts that differ as a whole.
    pub(crate) fn whole(old: Arc<[u8]>, new: Arc<[u8]>) -> Self {
        let mut merge = Self::uncut(old, new);
        merge.push(merge.old.len(), merge.new.len(), false);
        merge
    }

    /// Adds a part that goes on to these ends, if any of them lies ahead.
    pub(crate) fn push(&mut self, old: usize, new: usize, common: bool) {
        let (old_end, new_end) = self.parts.last().map_or((0, 0), |p| (p.old.end, p.new.end));
        let (old, new) = (old_end..old.max(old_end), new_end..new.max(new_end));
        if !old.is_empty() || !new.is_empty() {
            let common = common || self.old[old.clone()] == self.new[new.clone()];
            self.parts.push(Run { old, new, common });
        }
    }

    /// Returns the part's old and new text.
    pub(crate) fn texts(&self, part: &Run) -> [&[u8]; 2] {
        [&self.old[part.old.clone()], &self.new[part.new.clone()]]
    }

    /// Cuts parts whose texts differ into these units: equal ones are common, and others of one
    /// class stand for each other, or all of a run if it stays `whole`. Near linear.
    pub(crate) fn opened<K: Copy + Eq + Hash>(
        &self,
        whole: bool,
        mut units: impl FnMut(&Run) -> Option<[Vec<Unit<K>>; 2]>,
    ) -> Self {
        let mut merge = Self::uncut(Arc::clone(&self.old), Arc::clone(&self.new));
        for part in &self.parts {
            let [old, new] = self.texts(part);
            let units = if old == new { None } else { units(part) };
            let [olds, news] = units.unwrap_or_default();
            let mut push = |old: Option<&Unit<K>>, new: Option<&Unit<K>>, common| {
                let end = |start, unit: Option<&Unit<K>>| unit.map_or(0, |unit| start + unit.end);
                merge.push(end(part.old.start, old), end(part.new.start, new), common);
            };
            for run in align(olds.iter().map(|unit| unit.key), news.iter().map(|unit| unit.key)) {
                let (olds, news) = (&olds[run.old], &news[run.new]);
                if run.common || whole {
                    push(olds.last(), news.last(), run.common);
                    continue;
                }
                let classes = |units: &[Unit<K>]| units.iter().map(|u| u.class).collect::<Vec<_>>();
                for run in align(classes(olds), classes(news)) {
                    let (olds, news) = (&olds[run.old], &news[run.new]);
                    for at in 0..olds.len().max(news.len()) {
                        let (old, new) = (olds.get(at), news.get(at));
                        let are_tokens = [old, new].iter().all(|u| u.is_some_and(|u| u.is_token));
                        if run.common || are_tokens {
                            push(old, new, false);
                        } else {
                            push(old, None, false);
                            push(None, new, false);
                        }
                    }
                }
            }
            merge.push(part.old.end, part.new.end, part.common);
        }
        merge
    }

    /// Returns how many differences there are.
    pub(crate) fn differences(&self) -> usize {
        self.parts.iter().filter(|part| !part.common).count()
    }

    /// Returns the bytes of each difference.
    pub(crate) fn weights(&self) -> Vec<u32> {
        let bytes = |part: &Run| part.old.len().max(part.new.len()).max(1);
        let all = self.parts.iter().filter(|part| !part.common);
        all.map(|part| u32::try_from(bytes(part)).unwrap_or(u32::MAX)).collect()
    }

    /// Returns the text with those differences that are in `applied`. Linear in the text.
    ///
    /// Blank space in front of a common part is that of the side on which the last difference
    /// before it is (or the first one after it), so that no difference gives the old text and all
    /// of them the new one.
    pub(crate) fn text(&self, applied: &Configuration) -> Vec<u8> {
        let texts = self.sides(applied).map(|(part, is_new)| self.texts(part)[usize::from(is_new)]);
        texts.collect::<Vec<_>>().concat()
    }

    /// Returns whether two tokens would read as one in the text with the differences in `applied`,
    /// at a place where neither text goes on like that. Linear in the parts.
    pub(crate) fn joins_tokens(&self, applied: &Configuration) -> bool {
        let mut before = None;
        for (part, is_new) in self.sides(applied) {
            let span = if is_new { &part.new } else { &part.old };
            let text = self.texts(part)[usize::from(is_new)];
            let (Some(&first), Some(&last)) = (text.first(), text.last()) else { continue };
            if before.is_some_and(|(byte, goes_on)| {
                goes_on != (is_new, span.start) && reads_as_one(byte, first)
            }) {
                return true;
            }
            before = Some((last, (is_new, span.end)));
        }
        false
    }

    /// Returns what is between two choices of the differences: where they agree, nothing differs
    /// any more.
    pub(crate) fn between(&self, passing: &Configuration, failing: &Configuration) -> Self {
        let mut merge = Self::uncut(self.text(passing).into(), self.text(failing).into());
        let (mut old, mut new) = (0, 0);
        for ((part, is_new), (_, becomes_new)) in self.sides(passing).zip(self.sides(failing)) {
            let length = |is_new| if is_new { part.new.len() } else { part.old.len() };
            (old, new) = (old + length(is_new), new + length(becomes_new));
            match merge.parts.last_mut() {
                Some(last) if last.common && (part.common || is_new == becomes_new) => {
                    (last.old.end, last.new.end) = (old, new);
                }
                _ => merge.push(old, new, part.common || is_new == becomes_new),
            }
        }
        merge
    }

    /// Returns each part, and whether its new text counts.
    fn sides(&self, applied: &Configuration) -> impl Iterator<Item = (&Run, bool)> {
        let mut is_new = applied.universe() > 0 && applied.contains(0);
        let applied = applied.clone();
        self.numbered().map(move |(part, difference)| {
            is_new = difference.map_or(is_new, |difference| applied.contains(difference));
            (part, is_new)
        })
    }

    /// Returns each part, with the number of its difference if it is one.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (&Run, Option<usize>)> {
        let mut differences = 0..;
        self.parts.iter().map(move |part| {
            let number = if part.common { None } else { differences.next() };
            (part, number)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a merge of two texts in parts that end there, each with whether it is common.
    fn merge(old: &str, new: &str, parts: &[(usize, usize, bool)]) -> Merge {
        let mut merge = Merge::uncut(old.as_bytes().into(), new.as_bytes().into());
        parts.iter().for_each(|&(old, new, common)| merge.push(old, new, common));
        merge
    }

    /// Returns the merge of `a x  b` and `a b y`: ` x` goes, ` y` comes.
    fn example() -> Merge {
        merge("a x  b", "a b y", &[(1, 1, true), (3, 1, false), (6, 3, true), (6, 5, false)])
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
        // `a.b` and `a c`: without the dot and with the old name, there would be `ab`.
        let merge = merge("a.b", "a c", &[(1, 1, true), (2, 1, false), (3, 3, false)]);
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
