//! Applies the change between two texts to a third one, to take an isolated cause out of the text
//! in which it was found.

use crate::patch::align::align;
use crate::patch::counterpart::words;

/// The pieces that a text is compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Lines.
    Lines,
    /// Words, blank space, signs.
    Words,
    /// Bytes.
    Bytes,
}

impl Pieces {
    fn of(self, text: &[u8]) -> Vec<&[u8]> {
        match self {
            Self::Lines => text.split_inclusive(|&b| b == b'\n').collect(),
            Self::Words => words(text),
            Self::Bytes => text.chunks(1).collect(),
        }
    }
}

/// Returns `other` with what differs between `from` and `to` as it is in `to`; `None` where `other`
/// does not have it as it is in `from`. Near linear.
pub fn carried(pieces: Pieces, from: &[u8], to: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let [from, to, other] = [from, to, other].map(|text| pieces.of(text));
    let same = align(from.iter().copied(), other.iter().copied());
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0;
    for change in align(from.iter().copied(), to.iter().copied()).iter().filter(|run| !run.common) {
        // Where it stands in the other: in one run with what is in front of it, or after.
        let place = same.iter().filter(|run| run.common).find(|run| {
            run.old.start <= change.old.start
                && change.old.end <= run.old.end
                && (!change.old.is_empty() || run.old.start < run.old.end)
        })?;
        let start = place.new.start + change.old.start - place.old.start;
        out.extend(other.get(at..start)?.concat());
        out.extend(to[change.new.clone()].concat());
        at = start + change.old.len();
    }
    out.extend(other[at..].concat());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{Pieces, carried};

    #[test]
    fn a_change_is_made_where_the_other_text_has_its_place() {
        let check = |from: &str, to: &str, other: &str, expected: Option<&str>| {
            let [from, to, other] = [from, to, other].map(str::as_bytes);
            let found = carried(Pieces::Words, from, to, other);
            assert_eq!(found.as_deref(), expected.map(str::as_bytes));
        };
        check("a b c", "a x c", "z a b c d", Some("z a x c d"));
        check("f(1);", "f();", "g(2); f(1); h();", Some("g(2); f(); h();"));
        check("a c", "a b c", "a c d", Some("a b c d"));
        check("a b", "a x", "a y", None);
        check("", "x", "a", None);
        let [from, to, other] = [&b"1\n2\n3\n"[..], b"1\n3\n", b"0\n1\n2\n3\n4\n"];
        assert_eq!(carried(Pieces::Lines, from, to, other).as_deref(), Some(&b"0\n1\n3\n4\n"[..]));
    }
}
