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

/// Scrolls everything to its beginning, where a layout from scratch puts it.
const TOP: &str = "\
const top = () => {
    for (const e of [document.scrollingElement, ...document.querySelectorAll('*')])
        if (e && (e.scrollTop || e.scrollLeft)) e.scrollTop = e.scrollLeft = 0;
};";

/// The elements that are looked at, and their boxes from the corner of the page.
const BOXES: &str = "\
const elements = [...document.querySelectorAll(SELECTOR)];
const boxes = () => (top(), elements.map(e => {
    const r = e.getBoundingClientRect();
    return [r.x + scrollX, r.y + scrollY, r.width, r.height];
}));";

/// Takes the whole page out of the layout and puts it back.
const AGAIN: &str = "\
const again = () => {
    const style = document.documentElement.style;
    const [value, priority] = [style.getPropertyValue('display'), style.getPropertyPriority('display')];
    style.setProperty('display', 'none', 'important');
    document.documentElement.getBoundingClientRect();
    style.setProperty('display', value, priority);
};";

/// Asks for the boxes in a layout from scratch.
const AFRESH: &str = "\
const afresh = () => (again(), boxes());
const far = (a, b) => a.some((side, at) => Math.abs(side - b[at]) > BY);";

/// Returns the expression that scrolls a page to its beginning, and lays it out from scratch if
/// that is wanted.
pub(crate) fn prepared(from_scratch: bool) -> String {
    let again = if from_scratch { "again();" } else { "" };
    format!("(() => {{ {TOP} {AGAIN} {again} top(); return ''; }})()")
}

/// Returns the expression that is true where a box of an element that the selector fits is more
/// than `by` pixels away from where it is in a layout from scratch. Boxes that two layouts from
/// scratch put in different places do not count.
///
/// With a direction, only boxes count that are wrong in the same way.
pub(crate) fn relayout_differs(selector: &str, by: f64, direction: Option<Direction>) -> String {
    let wrong = direction.map_or("far(box, fresh)".to_owned(), |Direction { side, is_larger }| {
        let [a, b] = if is_larger { ["box", "fresh"] } else { ["fresh", "box"] };
        format!("{a}[{side}] - {b}[{side}] > BY")
    });
    let all = format!(
        "(() => {{ {TOP} {BOXES} {AGAIN} {AFRESH}
        const kept = boxes(), once = afresh(), twice = afresh();
        const wrong = (box, fresh) => {wrong};
        return kept.some((box, at) => wrong(box, once[at]) && !far(once[at], twice[at]));
        }})()"
    );
    filled(&all, selector, by)
}

/// Returns the expression that gives the boxes of all elements that the selector fits, as JSON.
pub(crate) fn boxes(selector: &str) -> String {
    let all = format!("(() => {{ {TOP} {BOXES} return JSON.stringify(boxes()); }})()");
    filled(&all, selector, 0.0)
}

/// Returns the expression that names the elements that a layout from scratch puts elsewhere, as
/// JSON: the name, the box, and the box from scratch of each.
pub(crate) fn changes(selector: &str, by: f64) -> String {
    let all = format!(
        "(() => {{ {TOP} {BOXES} {AGAIN} {AFRESH} {NAME}
        const kept = boxes(), once = afresh(), twice = afresh();
        const all = elements.map((e, at) => [name(e), kept[at], once[at], twice[at]]);
        return JSON.stringify(all.filter(([, a, b, c]) => far(a, b) && !far(b, c)).map(all => all.slice(0, 3)));
        }})()"
    );
    filled(&all, selector, by)
}

/// Returns the expression that gives names and boxes of all elements, as JSON.
pub(crate) fn named_boxes(selector: &str) -> String {
    let all = format!(
        "(() => {{ {TOP} {BOXES} {NAME} const all = boxes();
        return JSON.stringify(elements.map((e, at) => [name(e), all[at]])); }})()"
    );
    filled(&all, selector, 0.0)
}

/// A selector that fits an element, and as few others as is easy.
const NAME: &str = "\
const name = e => e.id ? '#' + CSS.escape(e.id)
    : e.classList.length ? e.localName + '.' + CSS.escape(e.classList[0]) : e.localName;";

fn filled(code: &str, selector: &str, by: f64) -> String {
    code.replace("BY", &by.to_string()).replace("SELECTOR", &json!(selector).to_string())
}

/// Returns whether two browsers differ: in the number of elements, or in a side of a box by more
/// than `by` pixels, and if there is a direction in that one.
pub(crate) fn differ(
    one: &[Sides],
    other: &[Sides],
    by: f64,
    direction: Option<Direction>,
) -> bool {
    let is_far = |(a, b): (&Sides, &Sides)| match direction {
        Some(Direction { side, is_larger: true }) => a[side] - b[side] > by,
        Some(Direction { side, is_larger: false }) => b[side] - a[side] > by,
        None => a.iter().zip(b).any(|(a, b)| (a - b).abs() > by),
    };
    one.len() != other.len() || one.iter().zip(other).any(is_far)
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

impl Direction {
    /// Returns whether it is about a size, not a place.
    pub(crate) fn is_of_size(self) -> bool {
        self.side > 1
    }
}

/// Says how a box differs in two places, which are named like `in chromium`.
pub(crate) fn in_words(moved: &Moved, places: [&str; 2]) -> String {
    let (Direction { side, .. }, _) = widest(moved);
    let how = ["from the left", "from the top", "wide", "high"][side];
    let (name, one, other) = moved;
    let [one, other] = [one, other].map(|sides| rounded(sides[side]));
    let [here, there] = places;
    let here = if here.is_empty() { String::new() } else { format!(" {here}") };
    format!("{name} is {one} {how}{here}, {other} {there}")
}

/// Rounds a number to what a reader wants to know of it.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::{differ, in_words, relayout_differs, widest};

    #[test]
    fn boxes_differ_by_more_than_what_is_allowed() {
        let one = [[0.0, 0.0, 10.0, 10.0]];
        assert!(!differ(&one, &[[0.0, 1.0, 10.0, 10.0]], 1.0, None));
        assert!(differ(&one, &[[0.0, 1.5, 10.0, 10.0]], 1.0, None));
        assert!(differ(&one, &[], 1.0, None));
    }

    #[test]
    fn what_is_too_wide_is_not_too_narrow() {
        let moved = ("select".to_owned(), [0.0, 3.0, 22.0, 9.0], [0.0, 0.0, 2.0, 9.0]);
        let (direction, by) = widest(&moved);
        let words = in_words(&moved, ["", "after a fresh layout"]);
        assert_eq!(words, "select is 22 wide, 2 after a fresh layout");
        let differ = |one, other| differ(&[one], &[other], by / 2.0, Some(direction));
        assert!(differ(moved.1, moved.2) && !differ(moved.2, moved.1));
        let expression = relayout_differs("p", 10.0, Some(direction));
        assert!(expression.contains("box[2] - fresh[2] > 10"), "{expression}");
    }

    #[test]
    fn a_selector_is_a_string_of_the_expression() {
        let expression = relayout_differs("a[href='\"']", 0.5, None);
        assert!(expression.contains(r#"querySelectorAll("a[href='\"']")"#), "{expression}");
        assert!(expression.contains("> 0.5"), "{expression}");
    }
}
