//! Writes a web-platform test from a result and the condition that it was reduced for: a reference
//! test where the failure can be seen, a crash test, or a script that checks the condition.

use std::path::{Path, PathBuf};

use crate::args::Conditions;
use crate::layout;

/// What kind of test is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Two pages that must look the same.
    Reference,
    /// A page that must load.
    Crash,
    /// A page that checks itself.
    Script,
}

/// The files of a test: names and texts.
type Files = Vec<(PathBuf, String)>;

/// Returns a test of two pages that must look the same, if that is what the condition means.
/// Whether they differ where the failure is can be seen from their pictures.
pub(crate) fn reference(result: &Path, text: &str, conditions: &Conditions) -> Option<Files> {
    let is_script = !conditions.holds.is_empty() || !conditions.console.is_empty();
    let reference = if conditions.relayout_differs.is_some() && !is_script {
        let afresh = "<script>\n\
            // The same page, laid out from scratch.\n\
            addEventListener('load', () => requestAnimationFrame(() => requestAnimationFrame(() => {\n\
            \u{20}   document.documentElement.style.display = 'none';\n\
            \u{20}   document.documentElement.getBoundingClientRect();\n\
            \u{20}   document.documentElement.style.display = '';\n\
            })));\n</script>\n";
        with_head(text, afresh)
    } else {
        return None;
    };
    let (name, other) = (named(result, ""), named(result, "-ref"));
    let link = format!(
        "<title>The layout after changes is the layout from scratch</title>\n\
         <link rel=\"match\" href=\"{}\">\n",
        escaped(&other.file_name().unwrap_or_default().to_string_lossy())
    );
    Some(vec![(name, with_head(text, &link)), (other, reference)])
}

/// Returns a test that needs no second page.
pub(crate) fn alone(result: &Path, text: &str, conditions: &Conditions) -> Files {
    match kind(conditions) {
        Kind::Crash => vec![(named(result, "-crash"), text.to_owned())],
        Kind::Reference => {
            let (name, other) = (named(result, ""), named(result, "-ref"));
            let file = other.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let link = format!("<link rel=\"match\" href=\"{}\">\n", escaped(&file));
            let reference = "<!doctype html>\n<title>Reference</title>\n\
                <!-- To be written: what the page should look like, by simpler means. -->\n";
            vec![(name, with_head(text, &link)), (other, reference.to_owned())]
        }
        Kind::Script => {
            let relayout = conditions.relayout_differs.as_ref();
            let relayout =
                relayout.map(|selector| layout::relayout_differs(selector, conditions.by, None));
            let failing: Vec<String> = conditions
                .holds
                .iter()
                .chain(&relayout)
                .map(|text| format!("(\n{text}\n)"))
                .collect();
            // An error that no script catches fails the test by itself.
            let check = match &failing[..] {
                [] => "true".to_owned(),
                all => format!("!({})", all.join(" && ")),
            };
            let head = format!(
                "<title>{}</title>\n<script src=\"/resources/testharness.js\"></script>\n\
                 <script src=\"/resources/testharnessreport.js\"></script>\n",
                escaped(&title(conditions))
            );
            let script = format!(
                "<script>\npromise_test(async () => {{\n\
                 \u{20}   await new Promise(done => addEventListener('load', done));\n\
                 \u{20}   await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));\n\
                 \u{20}   assert_true(await (async () => {check})());\n}});\n</script>\n",
            );
            vec![(named(result, ""), with_head(text, &(head + &script)))]
        }
    }
}

fn kind(conditions: &Conditions) -> Kind {
    if conditions.crash || conditions.hangs.is_some() {
        Kind::Crash
    } else if conditions.holds.is_empty()
        && conditions.console.is_empty()
        && conditions.relayout_differs.is_none()
    {
        Kind::Reference
    } else {
        Kind::Script
    }
}

fn title(conditions: &Conditions) -> String {
    match (&conditions.holds[..], conditions.relayout_differs.is_some()) {
        ([first, ..], _) => format!("Not: {}", first.trim().lines().next().unwrap_or_default()),
        ([], true) => "The layout after changes is the layout from scratch".to_owned(),
        ([], false) => "The page loads without an error".to_owned(),
    }
}

/// Returns the place of a file of the test: beside the result, `page.wpt.html` for `page.html`.
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{alone, reference};
    use crate::args::Conditions;

    const PAGE: &str = "<!doctype html>\n<p>a";

    #[test]
    fn the_condition_decides_about_the_kind_of_test() {
        let path = Path::new("d/a.min.html");
        let holds = Conditions { holds: vec!["a < 1".to_owned()], ..Conditions::default() };
        let files = alone(path, PAGE, &holds);
        assert_eq!(files[0].0, Path::new("d/a.min.wpt.html"));
        let text = &files[0].1;
        assert!(text.starts_with("<!doctype html>\n<title>Not: a &lt; 1</title>"), "{text}");
        assert!(text.contains("!((\na < 1\n))") && text.ends_with("</script>\n<p>a"), "{text}");
        assert!(reference(path, PAGE, &holds).is_none());

        let crash = Conditions { crash: true, ..Conditions::default() };
        let expected = (Path::new("d/a.min.wpt-crash.html").to_owned(), PAGE.to_owned());
        assert_eq!(alone(path, PAGE, &crash), [expected]);

        let relayout =
            Conditions { relayout_differs: Some("p".to_owned()), ..Conditions::default() };
        let files = reference(path, "<p>a", &relayout).unwrap();
        assert!(files[0].1.contains("<link rel=\"match\" href=\"a.min.wpt-ref.html\">"));
        assert!(files[1].1.starts_with("<script>"), "no document type is added");
        assert!(alone(path, PAGE, &relayout)[0].1.contains("querySelectorAll(\"p\")"));

        let picture = Conditions { looks_like: Some("x.png".into()), ..Conditions::default() };
        assert_eq!(alone(path, PAGE, &picture).len(), 2);
    }
}
