//! Writes a web-platform test from a result and the condition that it was reduced for: a crash test,
//! or a script that checks the condition.

use std::path::{Path, PathBuf};

use crate::args::{Conditions, is_by_pixels};
use crate::layout;

/// Returns a test as the name and the text of a file: a page that must load, or one that checks
/// itself; `None` if no script can.
pub(crate) fn test(
    result: &Path,
    text: &str,
    conditions: &Conditions,
) -> Option<(PathBuf, String)> {
    if conditions.crash.is_some() || conditions.hangs.is_some() {
        return Some((named(result, "-crash"), text.to_owned()));
    }
    let relayout = conditions.relayout_differs.iter().find(|selector| !is_by_pixels(selector));
    let relayout =
        relayout.map(|selector| layout::relayout_differs(selector, conditions.by(), None));
    let failing: Vec<String> =
        conditions.holds.iter().chain(&relayout).map(|text| format!("(\n{text}\n)")).collect();
    let title = match (&conditions.holds[..], &relayout, &conditions.console[..]) {
        ([first, ..], ..) => format!("Not: {}", first.trim().lines().next().unwrap_or_default()),
        ([], Some(_), _) => "The layout after changes is the layout from scratch".to_owned(),
        // An error that no script catches fails the test by itself.
        ([], None, [_, ..]) => "The page loads without an error".to_owned(),
        ([], None, []) => return None,
    };
    let check = match &failing[..] {
        [] => "true".to_owned(),
        all => format!("!({})", all.join(" && ")),
    };
    let head = format!(
        "<title>{}</title>\n<script src=\"/resources/testharness.js\"></script>\n\
         <script src=\"/resources/testharnessreport.js\"></script>\n<script>\npromise_test(async () => {{\n\
         \u{20}   await new Promise(done => addEventListener('load', done));\n\
         \u{20}   await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));\n\
         \u{20}   assert_true(await (async () => {check})());\n}});\n</script>\n",
        title.replace('&', "&amp;").replace('<', "&lt;")
    );
    Some((named(result, ""), with_head(text, &head)))
}

/// Returns the place of the test: beside the result, `page.wpt.html` for `page.html`.
fn named(result: &Path, suffix: &str) -> PathBuf {
    let stem = result.file_stem().unwrap_or_default().to_string_lossy();
    result.with_file_name(format!("{stem}.wpt{suffix}.html"))
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
    use std::path::Path;

    use regex::Regex;

    use super::test;
    use crate::args::Conditions;

    const PAGE: &str = "<!doctype html>\n<p>a";

    #[test]
    fn the_condition_decides_about_the_kind_of_test() {
        let path = Path::new("d/a.min.html");
        let holds = Conditions { holds: vec!["a < 1".to_owned()], ..Conditions::default() };
        let (name, text) = test(path, PAGE, &holds).unwrap();
        assert_eq!(name, Path::new("d/a.min.wpt.html"));
        assert!(text.starts_with("<!doctype html>\n<title>Not: a &lt; 1</title>"), "{text}");
        assert!(text.contains("!((\na < 1\n))") && text.ends_with("</script>\n<p>a"), "{text}");

        let crash = Conditions { crash: Regex::new("").ok(), ..Conditions::default() };
        let expected = (Path::new("d/a.min.wpt-crash.html").to_owned(), PAGE.to_owned());
        assert_eq!(test(path, PAGE, &crash), Some(expected));

        let relayout =
            Conditions { relayout_differs: Some("p".to_owned()), ..Conditions::default() };
        let (_, text) = test(path, "<p>a", &relayout).unwrap();
        assert!(text.starts_with("<title>"), "no document type is added");
        assert!(text.contains("querySelectorAll(\"p\")"), "{text}");

        let picture = Conditions { looks_like: Some("x.png".into()), ..Conditions::default() };
        assert!(test(path, PAGE, &picture).is_none());
    }
}
