//! Whole numbers in a text.

use minirepro_syntax::{NodeId, Tree};

/// Returns the value of a leaf that is a whole number in decimal notation.
pub(crate) fn whole(tree: &Tree, leaf: NodeId) -> Option<u64> {
    let text = tree.text_of(leaf);
    let is_number = tree.is_leaf(leaf) && text.iter().all(u8::is_ascii_digit);
    is_number.then(|| std::str::from_utf8(text).ok()?.parse().ok())?
}

/// Returns the values below `value` to try one after the other, each only where those before it
/// were refused: half of it, then half of what is left above the last, as far as the one below
/// `value`.
pub(crate) fn smaller(value: u64) -> impl Iterator<Item = u64> {
    let half = move |&refused: &u64| {
        let next = refused + (value - refused) / 2;
        (next > refused && next < value).then_some(next)
    };
    std::iter::successors(Some(value / 2).filter(|_| value > 0), half)
}

#[cfg(test)]
mod tests {
    use super::smaller;

    #[test]
    fn each_halves_what_is_left() {
        let of = |value| smaller(value).collect::<Vec<_>>();
        assert_eq!(of(100), [50, 75, 87, 93, 96, 98, 99]);
        assert_eq!(of(2), [1]);
        assert_eq!(of(1), [0]);
        assert_eq!(of(0), [] as [u64; 0]);
        assert_eq!(of(u64::MAX).len(), 64);
    }
}
