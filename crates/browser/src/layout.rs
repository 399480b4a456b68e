//! Questions about boxes: does the layout that a page has after its own changes differ from the
//! layout from scratch, and do two browsers give elements the same boxes?

use serde_json::json;

/// Where a box is: its left and upper side, its width and its height, in pixels of the page.
pub(crate) type Sides = [f64; 4];

/// An element with its box in two layouts, or in two browsers.
pub(crate) type Moved = (String, Sides, Sides);

/// Which side of a box is wrong, and whether it is larger than it should be: what is too wide is
/// not too narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Direction {
    side: usize,
    is_larger: bool,
}

/// Returns the expression that scrolls a page to its beginning, and lays it out from scratch if
/// that is wanted.
pub(crate) fn prepared(from_scratch: bool) -> String {
    script(if from_scratch { "(again(), top())" } else { "top()" }, "body", 0.0)
}

/// Returns the expression that gives the elements that the selector fits and that a layout from
/// scratch puts more than `by` pixels elsewhere: the name, the box, and the box from scratch of
/// each. Boxes that two layouts from scratch put in different places do not count.
pub(crate) fn moved(selector: &str, by: f64) -> String {
    script("moved()", selector, by)
}

/// Returns the expression that is true if there are such elements.
pub(crate) fn is_moved(selector: &str, by: f64) -> String {
    script("moved().length > 0", selector, by)
}

/// Returns the expression that gives names and boxes of all elements that the selector fits.
pub(crate) fn boxes(selector: &str) -> String {
    script("named()", selector, 0.0)
}

fn script(given: &str, selector: &str, by: f64) -> String {
    let script = include_str!("scripts/layout.js").replace("GIVEN", given);
    script.replace("BY", &by.to_string()).replace("SELECTOR", &json!(selector).to_string())
}

/// Pairs the elements of two browsers; `None` if there are more in one of them.
pub(crate) fn paired([one, other]: [Vec<(String, Sides)>; 2]) -> Option<Vec<Moved>> {
    let is_same = one.len() == other.len();
    let pairs = one.into_iter().zip(other).map(|((name, a), (_, b))| (name, a, b));
    is_same.then(|| pairs.collect())
}

/// Returns whether a side of a box differs by more than `by` pixels, and if there is a direction in
/// that one.
pub(crate) fn differs((_, a, b): &Moved, by: f64, direction: Option<Direction>) -> bool {
    match direction {
        Some(Direction { side, is_larger: true }) => a[side] - b[side] > by,
        Some(Direction { side, is_larger: false }) => b[side] - a[side] > by,
        None => a.iter().zip(b).any(|(a, b)| (a - b).abs() > by),
    }
}

/// Returns the side that differs most, by how much, and whether it is larger in the first box.
/// Where the size differs, the place does not matter: what stands before it may have moved it.
pub(crate) fn widest((_, one, other): &Moved) -> (Direction, f64) {
    let by = |side: usize| one[side] - other[side];
    let far = |sides: [usize; 2]| {
        if by(sides[0]).abs() < by(sides[1]).abs() { sides[1] } else { sides[0] }
    };
    let (size, place) = (far([2, 3]), far([0, 1]));
    let side = if by(size) == 0.0 { place } else { size };
    (Direction { side, is_larger: by(side) > 0.0 }, by(side).abs())
}

/// Returns how bad a difference is. Where a size is wrong, places do not matter.
pub(crate) fn badness(moved: &Moved) -> (bool, f64) {
    let (Direction { side, .. }, by) = widest(moved);
    (side > 1, by)
}

/// Says how a box differs in two places, which are named like `in chromium`.
pub(crate) fn in_words(moved: &Moved, [here, there]: &[String; 2]) -> String {
    let (Direction { side, .. }, _) = widest(moved);
    let how = ["from the left", "from the top", "wide", "high"][side];
    let (name, one, other) = moved;
    let [one, other] = [one, other].map(|sides| (sides[side] * 100.0).round() / 100.0);
    let here = if here.is_empty() { String::new() } else { format!(" {here}") };
    format!("{name} is {one} {how}{here}, {other} {there}")
}

#[cfg(test)]
mod tests {
    use super::{differs, in_words, moved, widest};

    #[test]
    fn boxes_differ_by_more_than_what_is_allowed() {
        let moved = |y| ("p".to_owned(), [0.0, 0.0, 10.0, 10.0], [0.0, y, 10.0, 10.0]);
        assert!(!differs(&moved(1.0), 1.0, None));
        assert!(differs(&moved(1.5), 1.0, None));
    }

    #[test]
    fn what_is_too_wide_is_not_too_narrow() {
        let moved = ("select".to_owned(), [0.0, 3.0, 22.0, 9.0], [0.0, 0.0, 2.0, 9.0]);
        let (direction, by) = widest(&moved);
        let words = in_words(&moved, &[String::new(), "after a fresh layout".to_owned()]);
        assert_eq!(words, "select is 22 wide, 2 after a fresh layout");
        assert!(differs(&moved, by / 2.0, Some(direction)));
        assert!(!differs(&(moved.0, moved.2, moved.1), by / 2.0, Some(direction)));
    }

    #[test]
    fn a_selector_is_a_string_of_the_expression() {
        let expression = moved("a[href='\"']", 0.5);
        assert!(expression.contains(r#"querySelectorAll("a[href='\"']")"#), "{expression}");
        assert!(expression.contains("> 0.5"), "{expression}");
    }
}
