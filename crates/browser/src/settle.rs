//! Waits until a page has settled. Must change nothing that a page sees, save that clocks of its
//! own tick a little later.

use std::time::Duration;

/// Waits until fonts are there, no timer is about to fire, and frames are drawn: one, or `FRAMES`.
/// A page that is not seen draws none, and one that never ends with timers and frames is waited for
/// no longer than `LONGEST` milliseconds. Calls the functions of the browser, not what the page has
/// put in their place.
const SETTLE: &str = include_str!("scripts/settle.js");

/// How long a page may take to settle,
pub(crate) const LONGEST: Duration = Duration::from_millis(500);

/// and between two things that are done.
const LONGEST_BETWEEN: Duration = Duration::from_millis(100);

/// Has to run before the scripts of the page: counts the timers that will fire once and soon, and
/// the frames that were asked for, and knows whether another page is on its way.
pub(crate) const WATCH: &str = include_str!("scripts/watch.js");

/// Returns the expression that is true once the page has settled, or after this time; at least this
/// many frames are drawn.
pub(crate) fn settled(longest: Duration, frames: u32) -> String {
    let longest = longest.as_millis().to_string();
    SETTLE.replace("LONGEST", &longest).replace("FRAMES", &frames.to_string())
}

/// Returns the expression that is true once the page has settled for the next thing that is done:
/// for a page that goes, and the one that comes, a frame, and what begins soon.
pub(crate) fn between() -> String {
    let leaving = LONGEST.as_millis().to_string();
    let script = include_str!("scripts/between.js").replace("LEAVING", &leaving);
    script.replace("SETTLE", &settled(LONGEST_BETWEEN, 1))
}
