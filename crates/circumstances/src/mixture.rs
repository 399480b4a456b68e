//! Two texts cut into parts that lie side by side, so that any choice of their differences gives a
//! text between them. Knows bytes only.

use std::ops::Range;
use std::sync::Arc;

/// A piece of both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its place in the old text; empty if it was added.
    pub old: Range<usize>,
    /// Its place in the new text; empty if it was taken away.
    pub new: Range<usize>,
    /// Whether it is no difference: the same in both, apart from blank space in front of it.
    pub common: bool,
}

/// A passing and a failing text, and what differs between them.
///
/// The parts cover both texts completely and in order.
#[derive(Clone, Debug)]
pub struct Mixture {
    old: Arc<[u8]>,
    new: Arc<[u8]>,
    parts: Vec<Part>,
}

impl Mixture {
    /// Puts parts together.
    ///
    /// # Panics
    /// When they do not cover both texts.
    pub fn new(old: Arc<[u8]>, new: Arc<[u8]>, parts: Vec<Part>) -> Self {
        let ends = parts.iter().fold((0, 0), |(old, new), part| {
            assert_eq!((part.old.start, part.new.start), (old, new), "parts lie side by side");
            (part.old.end, part.new.end)
        });
        assert_eq!(ends, (old.len(), new.len()), "parts cover both texts");
        Self { old, new, parts }
    }

    /// The parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The part's old and new text.
    pub fn texts(&self, part: &Part) -> (&[u8], &[u8]) {
        (&self.old[part.old.clone()], &self.new[part.new.clone()])
    }

    /// How many differences there are.
    pub fn differences(&self) -> usize {
        self.parts.iter().filter(|part| !part.common).count()
    }

    /// The text with those differences that `applied` wants, by their numbers from 0, and those
    /// common parts that `kept` wants, by theirs. Linear in the text.
    ///
    /// Blank space in front of a common part is that of the side on which the last difference
    /// before it is (or the first one behind it), so that no difference gives the old text and all
    /// of them the new one.
    pub fn text(&self, applied: impl Fn(usize) -> bool, kept: impl Fn(usize) -> bool) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.old.len().max(self.new.len()));
        let (mut difference, mut common) = (0, 0);
        let mut is_new = applied(0);
        for part in &self.parts {
            let there = if part.common {
                common += 1;
                kept(common - 1)
            } else {
                is_new = applied(difference);
                difference += 1;
                true
            };
            let (old, new) = self.texts(part);
            if there {
                text.extend_from_slice(if is_new { new } else { old });
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Mixture, Part};

    #[test]
    fn any_choice_of_differences_lies_between_the_texts() {
        let (old, new) = (b"a x  b".as_slice(), b"a b y".as_slice());
        let part = |old, new, common| Part { old, new, common };
        let parts = vec![
            part(0..1, 0..1, true),
            part(1..3, 1..1, false),
            part(3..6, 1..3, true),
            part(6..6, 3..5, false),
        ];
        let mixture = Mixture::new(old.into(), new.into(), parts);
        let text = |applied: &[usize]| {
            String::from_utf8(mixture.text(|i| applied.contains(&i), |_| true)).unwrap()
        };
        assert_eq!([text(&[]), text(&[0, 1])], ["a x  b", "a b y"]);
        assert_eq!([text(&[0]), text(&[1])], ["a b", "a x  b y"]);
        assert_eq!(mixture.text(|_| false, |i| i == 1), b" x  b");
    }
}
