//! Questions about boxes: does the layout that a page has after its own changes differ from the
//! layout from scratch, and do two browsers give elements the same boxes?

use serde_json::json;

use crate::args::EVERYTHING;

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
pub(crate) fn relayout_differs(selector: &str, by: f64) -> String {
    let all = format!(
        "(() => {{ {TOP} {BOXES} {AGAIN} {AFRESH}
        const kept = boxes(), once = afresh(), twice = afresh();
        return kept.some((box, at) => far(box, once[at]) && !far(once[at], twice[at]));
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
pub(crate) fn changes(by: f64) -> String {
    let all = format!(
        "(() => {{ {TOP} {BOXES} {AGAIN} {AFRESH} {NAME}
        const kept = boxes(), once = afresh(), twice = afresh();
        const all = elements.map((e, at) => [name(e), kept[at], once[at], twice[at]]);
        return JSON.stringify(all.filter(([, a, b, c]) => far(a, b) && !far(b, c)).map(all => all.slice(0, 3)));
        }})()"
    );
    filled(&all, EVERYTHING, by)
}

/// Returns the expression that gives names and boxes of all elements, as JSON.
pub(crate) fn named_boxes() -> String {
    let all = format!(
        "(() => {{ {TOP} {BOXES} {NAME} const all = boxes();
        return JSON.stringify(elements.map((e, at) => [name(e), all[at]])); }})()"
    );
    filled(&all, EVERYTHING, 0.0)
}

/// A selector that fits an element, and as few others as is easy.
const NAME: &str = "\
const name = e => e.id ? '#' + CSS.escape(e.id)
    : e.classList.length ? e.localName + '.' + CSS.escape(e.classList[0]) : e.localName;";

fn filled(code: &str, selector: &str, by: f64) -> String {
    code.replace("BY", &by.to_string()).replace("SELECTOR", &json!(selector).to_string())
}

/// Returns whether two browsers differ: in the number of elements, or in a side of a box by more
/// than `by` pixels.
pub(crate) fn differ(one: &[[f64; 4]], other: &[[f64; 4]], by: f64) -> bool {
    let is_far = |(a, b): (&[f64; 4], &[f64; 4])| a.iter().zip(b).any(|(a, b)| (a - b).abs() > by);
    one.len() != other.len() || one.iter().zip(other).any(is_far)
}

/// Returns the side that differs most, rounded in both boxes.
pub(crate) fn widest(one: &[f64; 4], other: &[f64; 4]) -> Option<(&'static str, f64, f64)> {
    let sides = ["left", "top", "width", "height"];
    let all = sides.iter().zip(one.iter().zip(other));
    let (side, (a, b)) =
        all.max_by(|(_, (a, b)), (_, (c, d))| (*a - *b).abs().total_cmp(&(*c - *d).abs()))?;
    let round = |x: f64| (x * 100.0).round() / 100.0;
    Some((side, round(*a), round(*b)))
}

#[cfg(test)]
mod tests {
    use super::{differ, relayout_differs};

    #[test]
    fn boxes_differ_by_more_than_what_is_allowed() {
        let one = [[0.0, 0.0, 10.0, 10.0]];
        assert!(!differ(&one, &[[0.0, 1.0, 10.0, 10.0]], 1.0));
        assert!(differ(&one, &[[0.0, 1.5, 10.0, 10.0]], 1.0));
        assert!(differ(&one, &[], 1.0));
    }

    #[test]
    fn a_selector_is_a_string_of_the_expression() {
        let expression = relayout_differs("a[href='\"']", 0.5);
        assert!(expression.contains(r#"querySelectorAll("a[href='\"']")"#), "{expression}");
        assert!(expression.contains("> 0.5"), "{expression}");
    }
}
