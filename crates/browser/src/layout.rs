//! Questions about boxes: does the layout that a page has after its own changes differ from the layout from
//! scratch, and do two browsers give elements the same boxes?

use serde_json::json;

/// Waits until fonts are there and two frames are drawn. A page that is not seen draws none.
const SETTLE: &str = "\
const settle = async () => {
    const wait = new Promise(done => setTimeout(done, 200));
    await Promise.race([document.fonts.ready, wait]);
    const frame = () => new Promise(done => requestAnimationFrame(done));
    await Promise.race([frame().then(frame), wait]);
};";

/// The elements that are looked at, and their boxes from the corner of the page.
const BOXES: &str = "\
const elements = [...document.querySelectorAll(SELECTOR)];
const top = () => {
    for (const e of [document.scrollingElement, ...document.querySelectorAll('*')])
        if (e && (e.scrollTop || e.scrollLeft)) e.scrollTop = e.scrollLeft = 0;
};
const boxes = () => (top(), elements.map(e => {
    const r = e.getBoundingClientRect();
    return [r.x + scrollX, r.y + scrollY, r.width, r.height];
}));";

/// Takes the whole page out of the layout and puts it back.
const AFRESH: &str = "\
const afresh = () => {
    const style = document.documentElement.style;
    const [value, priority] = [style.getPropertyValue('display'), style.getPropertyPriority('display')];
    style.setProperty('display', 'none', 'important');
    document.documentElement.getBoundingClientRect();
    style.setProperty('display', value, priority);
    return boxes();
};
const far = (a, b) => a.some((side, at) => Math.abs(side - b[at]) > BY);";

/// Returns the expression that is true where a box of an element that the selector fits is more than `by`
/// pixels away from where it is in a layout from scratch. Boxes that two layouts from scratch put in
/// different places do not count.
pub(crate) fn relayout_differs(selector: &str, by: f64) -> String {
    let all = format!(
        "(async () => {{ {SETTLE} {BOXES} {AFRESH}
        await settle();
        const kept = boxes(), once = afresh(), twice = afresh();
        return kept.some((box, at) => far(box, once[at]) && !far(once[at], twice[at]));
        }})()"
    );
    filled(&all, selector, by)
}

/// Returns the expression that gives the boxes of all elements that the selector fits, as JSON.
pub(crate) fn boxes(selector: &str) -> String {
    let all = format!(
        "(async () => {{ {SETTLE} {BOXES} await settle(); return JSON.stringify(boxes()); }})()"
    );
    filled(&all, selector, 0.0)
}

fn filled(code: &str, selector: &str, by: f64) -> String {
    code.replace("BY", &by.to_string()).replace("SELECTOR", &json!(selector).to_string())
}

/// Returns whether two browsers differ: in the number of elements, or in a side of a box by more than `by`
/// pixels.
pub(crate) fn differ(one: &[[f64; 4]], other: &[[f64; 4]], by: f64) -> bool {
    let is_far = |(a, b): (&[f64; 4], &[f64; 4])| a.iter().zip(b).any(|(a, b)| (a - b).abs() > by);
    one.len() != other.len() || one.iter().zip(other).any(is_far)
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
