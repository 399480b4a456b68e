//! Waits until a page has settled, and says what it still waits for. Must change nothing that a
//! page sees, save that clocks of its own tick a little later.

use std::time::Duration;

use serde_json::Value;

/// Counts the timers that will fire once and soon, and the frames that were asked for, and knows
/// whether another page is on its way. Runs before the scripts of the page.
pub(crate) const WATCH: &str = include_str!("scripts/watch.js");

/// Waits until fonts are there, no timer is about to fire, and frames are drawn: one, or `FRAMES`.
/// A page that is not seen draws none, and one that never ends with timers and frames is waited for
/// no longer than `LONGEST` milliseconds. Calls the functions of the browser, not what the page has
/// put in their place.
const SETTLE: &str = include_str!("scripts/settle.js");

/// Waits between two things that are done: for a page that goes, and the one that comes, a frame,
/// and what begins soon.
const BETWEEN: &str = include_str!("scripts/between.js");

/// How long a page may take to settle between two things that are done, in milliseconds.
const LONGEST_BETWEEN: u32 = 100;

/// Timers are waited for if their delay is at most this, in milliseconds.
const SOON: u32 = 100;

/// How long a page may take to settle.
pub(crate) const LONGEST: Duration = Duration::from_millis(500);

/// Returns the script that has to run before those of the page.
pub(crate) fn watch() -> String {
    WATCH.replace("SOON", &SOON.to_string())
}

/// Returns the expression that is true once the page has settled; at least this many frames are
/// drawn.
pub(crate) fn settled(frames: u32) -> String {
    SETTLE
        .replace("LONGEST", &LONGEST.as_millis().to_string())
        .replace("FRAMES", &frames.to_string())
}

/// Returns the expression that is true once the page has settled for the next thing that is done.
pub(crate) fn between() -> String {
    let settle = SETTLE.replace("LONGEST", &LONGEST_BETWEEN.to_string()).replace("FRAMES", "1");
    BETWEEN.replace("LEAVING", &LONGEST.as_millis().to_string()).replace("SETTLE", &settle)
}

/// What a page that is not loaded can say of itself, as JSON.
pub(crate) const PENDING: &str = include_str!("scripts/pending.js");

/// Says in words what a page waits for: what it says itself (`None` if it does not answer), and the
/// requests that are open.
pub(crate) fn in_words(said: Option<&str>, requests: &[String]) -> String {
    let Some(said) = said else {
        return "a script runs without an end".to_owned();
    };
    let said: Value = serde_json::from_str(said).unwrap_or_default();
    let mut parts = Vec::new();
    let mut list = |what: &str, names: Vec<&str>| match &names[..] {
        [] => {}
        [one] => parts.push(format!("{what} {one}")),
        [first, ..] => parts.push(format!("{} {what}s, such as {first}", names.len())),
    };
    list("request", requests.iter().map(String::as_str).collect());
    for (what, key) in [("font", "fonts"), ("frame", "frames"), ("image", "images")] {
        list(what, said[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect());
    }
    match said["timers"].as_u64() {
        None | Some(0) => {}
        Some(1) => parts.push("a timer".to_owned()),
        Some(many) => parts.push(format!("{many} timers")),
    }
    let state = said["state"].as_str().unwrap_or("unknown");
    if parts.is_empty() {
        return format!("the document is {state}, and nothing is pending");
    }
    format!("the document is {state}; pending: {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn what_is_pending_is_said() {
        let said = |said: &str, requests: &[&str]| {
            let requests: Vec<String> = requests.iter().map(|&url| url.to_owned()).collect();
            in_words(Some(said), &requests)
        };
        assert_eq!(in_words(None, &[]), "a script runs without an end");
        assert_eq!(
            said(r#"{"state":"loading"}"#, &["http://a/"]),
            "the document is loading; pending: request http://a/"
        );
        assert_eq!(
            said(
                r#"{"state":"interactive","fonts":["A","B"],"timers":2,"frames":["f.html"]}"#,
                &[]
            ),
            "the document is interactive; pending: 2 fonts, such as A, frame f.html, 2 timers"
        );
        assert_eq!(
            said(r#"{"state":"complete"}"#, &[]),
            "the document is complete, and nothing is pending"
        );
    }
}
