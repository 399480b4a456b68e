//! Finds elements by selectors, and gives elements the shortest selector that is unique. Runs in
//! the page, and must change nothing in it but where it is scrolled to.
//!
//! A selector is one of style sheets, or `aria/NAME[role="ROLE"]`, `text/TEXT`, `xpath/PATH`,
//! `has/TEXT` (those that have the text), `nth/N`, `frame/N`, `at/X,Y` (a place in the window).
//! Parts with ` >>> ` between them lead from an element into it, into its shadow tree, or into the
//! document of a frame.

use serde_json::json;

use super::Target;

/// Finds the elements that a selector says.
const FIND: &str = include_str!("../scripts/find.js");

/// Gives elements a name: `unique(e)`.
pub(crate) const UNIQUE: &str = include_str!("../scripts/unique.js");

/// Where an element is in the window, and which place of it that is; it is scrolled there if it is
/// not.
const PLACE: &str = include_str!("../scripts/place.js");

/// Gives a field a text or a list a choice; returns whether the text has to be typed.
const FILL: &str = include_str!("../scripts/fill.js");

/// Returns the expression that finds the first of some selectors that says an element, and does
/// something with it (`e`); it gives `null` if there is none. `give` is an expression.
fn found(target: &Target, more: &str, give: &str) -> String {
    let selectors = json!(target.0);
    format!(
        "(() => {{ {FIND} {more}
        for (const selector of {selectors}) {{ const e = find(selector); if (e) return {give}; }}
        return null; }})()"
    )
}

/// Returns the expression that gives an element's place as JSON, and with `named` its name.
pub(crate) fn place(target: &Target, at: Option<[f64; 2]>, named: bool) -> String {
    let name = if named { "unique(e)" } else { "null" };
    let give = format!("JSON.stringify([{name}, ...place(e, {}, selector)])", json!(at));
    found(target, &format!("{PLACE} {}", if named { UNIQUE } else { "" }), &give)
}

/// Returns the expression that begins to fill a field: it gives its name and whether the text has
/// to be typed, as JSON.
pub(crate) fn fill(target: &Target, text: &str, named: bool) -> String {
    let name = if named { "unique(e)" } else { "null" };
    let give = format!("JSON.stringify([{name}, fill(e, {})])", json!(text));
    found(target, &format!("{FILL} {}", if named { UNIQUE } else { "" }), &give)
}

/// Returns the expression that scrolls an element, or the page.
pub(crate) fn scroll(target: Option<&Target>, [x, y]: [f64; 2], named: bool) -> String {
    let Some(target) = target else {
        return format!("(scrollTo({{ left: {x}, top: {y}, behavior: 'instant' }}), '[null]')");
    };
    let name = if named { "unique(e)" } else { "null" };
    let to = format!("{{ left: {x}, top: {y}, behavior: 'instant' }}");
    let give = format!("(e.scrollTo({to}), JSON.stringify([{name}]))");
    found(target, if named { UNIQUE } else { "" }, &give)
}
