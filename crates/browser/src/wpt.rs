//! Writes a web-platform test from a result and the condition that it was reduced for: a crash test,
//! or a script that checks the condition.

use crate::args::{Conditions, is_by_pixels};
use crate::layout;

/// Returns a test as the end of a file's name and its text: a page that must load, or one that
/// checks itself; `None` if no script can.
pub(crate) fn test(text: &str, conditions: &Conditions) -> Option<(&'static str, String)> {
    if conditions.crash.is_some() || conditions.hangs.is_some() {
        return Some(("wpt-crash.html", text.to_owned()));
    }
    let relayout = conditions.relayout_differs.iter().find(|selector| !is_by_pixels(selector));
    let relayout = relayout.map(|selector| layout::is_moved(selector, conditions.by()));
    let failing: Vec<String> =
        conditions.holds.iter().chain(&relayout).map(|text| format!("(\n{text}\n)")).collect();
    if failing.is_empty() && conditions.console.is_empty() {
        return None;
    }
    let check = match &failing[..] {
        // An error that no script catches fails the test by itself.
        [] => "true".to_owned(),
        all => format!("!({})", all.join(" && ")),
    };
    let title = format!("Not: {}", conditions.in_words());
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let head = include_str!("scripts/wpt.html").replace("TITLE", &title).replace("CHECK", &check);
    Some(("wpt.html", with_head(text, &head)))
}

/// Puts something into the head: after the document type, if there is one, or else the page would
/// be shown in another mode.
fn with_head(text: &str, head: &str) -> String {
    let is_type = text.trim_start().get(..9).is_some_and(|t| t.eq_ignore_ascii_case("<!doctype"));
    let end = text.find('>').filter(|_| is_type).map_or(0, |at| at + 1);
    let (kind, rest) = text.split_at(end);
    let line = if kind.is_empty() { "" } else { "\n" };
    format!("{kind}{line}{head}{}", rest.trim_start_matches('\n'))
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::test;
    use crate::args::Conditions;

    const PAGE: &str = "<!doctype html>\n<p>a";

    #[test]
    fn the_condition_decides_about_the_kind_of_test() {
        let holds = Conditions { holds: vec!["a < 1".to_owned()], ..Conditions::default() };
        let (name, text) = test(PAGE, &holds).unwrap();
        assert_eq!(name, "wpt.html");
        assert!(
            text.starts_with("<!doctype html>\n<title>Not: `a &lt; 1` holds</title>"),
            "{text}"
        );
        assert!(text.contains("!((\na < 1\n))") && text.ends_with("</script>\n<p>a"), "{text}");

        let crash = Conditions { crash: Regex::new("").ok(), ..Conditions::default() };
        let expected = ("wpt-crash.html", PAGE.to_owned());
        assert_eq!(test(PAGE, &crash), Some(expected));

        let relayout =
            Conditions { relayout_differs: Some("p".to_owned()), ..Conditions::default() };
        let (_, text) = test("<p>a", &relayout).unwrap();
        assert!(text.starts_with("<title>"), "no document type is added");
        assert!(text.contains("querySelectorAll(\"p\")"), "{text}");

        let picture = Conditions { looks_like: Some("x.png".into()), ..Conditions::default() };
        assert!(test(PAGE, &picture).is_none());
    }
}
