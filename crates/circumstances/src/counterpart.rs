//! Follows a reduction of a failing text in a passing text that differs from it in one place.

use std::ops::Range;

use crate::align::align;

/// The two texts, and where they differ.
#[derive(Clone, Debug)]
pub struct Pair {
    failing: Vec<Vec<u8>>,
    /// The words and signs of the failing text that are between its first and its last difference.
    place: Range<usize>,
    /// What stands there in the passing text.
    instead: Vec<u8>,
}

impl Pair {
    /// Returns the place that holds all differences of the two.
    pub fn new(passing: &[u8], failing: &[u8]) -> Self {
        let [old, new] = [passing, failing].map(|text| words(text).collect::<Vec<_>>());
        let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let rests = old[start..].iter().rev().zip(new[start..].iter().rev());
        let end = rests.take_while(|(a, b)| a == b).count();
        Self {
            instead: old[start..old.len() - end].concat(),
            place: start..new.len() - end,
            failing: new.into_iter().map(<[u8]>::to_vec).collect(),
        }
    }

    /// Returns the text that must pass where `candidate`, which was made from the failing text,
    /// fails: the same with the difference taken back. `None` when the difference is not all there
    /// any more. Near linear.
    pub fn counterpart(&self, candidate: &[u8]) -> Option<Vec<u8>> {
        let new: Vec<&[u8]> = words(candidate).collect();
        let runs = align(self.failing.iter().map(|w| &w[..]), new.iter().copied());
        // Where each word of the place, and the one after it, stands now.
        let now = |at: usize| {
            let run = runs.iter().find(|run| run.common && run.old.contains(&at))?;
            Some(run.new.start + at - run.old.start)
        };
        let behind = || (self.place.end..self.failing.len()).find_map(now).unwrap_or(new.len());
        let start = if self.place.is_empty() { behind() } else { now(self.place.start)? };
        let in_order = self.place.clone().enumerate().all(|(i, at)| now(at) == Some(start + i));
        let end = start + self.place.len();
        in_order.then(|| [&new[..start].concat()[..], &self.instead, &new[end..].concat()].concat())
    }
}

/// Returns words, blank space and single signs, in order.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let class = |b: u8| match b {
        b if b.is_ascii_whitespace() => 0,
        b if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 => 1,
        _ => 2,
    };
    text.chunk_by(move |&a, &b| class(a) == class(b) && class(a) < 2)
}

#[cfg(test)]
mod tests {
    use super::Pair;

    #[test]
    fn the_difference_is_taken_back_as_long_as_it_is_there() {
        let check = |passing: &str, failing: &str, candidate: &str, expected: Option<&str>| {
            let pair = Pair::new(passing.as_bytes(), failing.as_bytes());
            let found = pair.counterpart(candidate.as_bytes());
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{candidate}");
        };
        check("int a; b; c;", "int a; b++; c;", "b++;", Some("b;"));
        check("int a; b; c;", "int a; b++; c;", "int a; c;", None);
        check("f(1); g(1, 2); h();", "f(1); g(2); h();", "g(2);", Some("g(1, 2);"));
        check("a b c", "a x c", "x", Some("b"));
        check("same", "same", "same", Some("same"));
    }
}
