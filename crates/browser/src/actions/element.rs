//! Finds elements by selectors, and gives elements the shortest selector that is unique. Runs in
//! the page, and must change nothing in it but where it is scrolled to.
//!
//! A selector is one of style sheets, or `aria/NAME[role="ROLE"]`, `text/TEXT`, `xpath/PATH`,
//! `has/TEXT` (those that have the text), `nth/N`, `frame/N`, `at/X,Y` (a place in the window).
//! Parts with ` >>> ` between them lead from an element into it, into its shadow tree, or into the
//! document of a frame.

use serde::Deserialize;
use serde_json::json;

use super::Action;

/// The element of an action, with which its part that a script can do is done.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Found {
    /// The shortest selector, if that was wanted.
    pub(crate) name: Option<String>,
    /// The place of the action in the window, and from the element's corner.
    pub(crate) at: [f64; 2],
    pub(crate) from_corner: [f64; 2],
    /// Whether the text has to be typed.
    pub(crate) is_typed: bool,
}

/// Returns the expression that finds the element of an action: the first one that a selector of its
/// says. It fills a field or scrolls, if that is the action.
pub(crate) fn find(action: &Action, is_named: bool) -> String {
    let scripts = [
        include_str!("../scripts/find.js"),
        include_str!("../scripts/unique.js"),
        include_str!("../scripts/place.js"),
        include_str!("../scripts/fill.js"),
        include_str!("../scripts/act.js"),
    ];
    format!("(() => {{ {} return act({}, {is_named}); }})()", scripts.concat(), json!(action))
}
