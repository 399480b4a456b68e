//! A report as one self-contained page: no file and no network besides it, readable without
//! scripts.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::document::{Block, Document};
use super::steps::ShownStep;
use crate::report::numbers::counted;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Writes a report as a page.
pub fn page(document: &Document) -> String {
    let title = format!("{} · minirepro", document.name);
    let body = html! {
        header {
            p.brand { "minirepro" }
            h1 { (document.name) }
            @if let Some(failure) = &document.failure { p.failure { (failure) } }
            dl.figures {
                @for (name, value) in &document.figures { div { dt { (name) } dd { (value) } } }
            }
        }
        main {
            @for section in document.sections() {
                section {
                    div.bar {
                        h2 { (section.title) }
                        span.size { (section.note) }
                        button type="button" class="copy" hidden { "Copy" }
                    }
                    @for part in &section.blocks { (block(part)) }
                }
            }
            (certificate(&document.certificate))
            (way_down(document))
        }
        footer {
            p { "Written by minirepro " (env!("CARGO_PKG_VERSION")) "." }
        }
        script { (PreEscaped(SCRIPT)) }
    };
    frame(&title, &body)
}

/// Writes a page around its body.
pub fn frame(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    };
    page.into_string()
}

fn block(block: &Block<'_>) -> Markup {
    match block {
        Block::Words(words) => html! { p { (words) } },
        Block::Text(text, _) => html! { pre.code tabindex="0" { code { (text) } } },
        Block::Diff(diff) => shown_diff(diff),
        Block::Picture(picture) => {
            let data = format!("data:image/png;base64,{}", BASE64_STANDARD.encode(&picture.text));
            let title = picture.title();
            html! { figure { img alt=(title) src=(data); figcaption { (title) } } }
        }
        Block::Table(rows) => html! {
            dl.facts { @for (name, value) in *rows { dt { (name) } dd { (value) } } }
        },
        Block::Folded(title, inner) => html! {
            details { summary { (title) } (self::block(inner)) }
        },
    }
}

fn shown_diff(diff: &str) -> Markup {
    html! {
        pre.diff tabindex="0" {
            @for line in diff.lines() {
                @match line.as_bytes().first() {
                    Some(b'+') => ins { (line) "\n" },
                    Some(b'-') => del { (line) "\n" },
                    Some(b'@' | b'\\') => span.at { (line) "\n" },
                    _ => span { (line) "\n" },
                }
            }
        }
    }
}

fn certificate(lines: &[String]) -> Markup {
    let Some((first, rest)) = lines.split_first() else { return html! {} };
    html! {
        section {
            h2 { "What is certain" }
            p { (first) "." }
            @if !rest.is_empty() {
                details { summary { "The edits that were tried" }
                    ul { @for line in rest { li { (line) } } } }
            }
        }
    }
}

fn way_down(document: &Document) -> Markup {
    let sizes = serde_json::to_string(&document.curve).unwrap_or_default();
    let has_tests = document.curve.last().is_some_and(|&(tests, _)| tests > 0);
    html! {
        @if document.curve.len() > 1 && has_tests {
            section {
                h2 { "The way down" }
                figure hidden {
                    div.curve role="img" data-sizes=(sizes) {}
                    figcaption { "Tokens over tests, on a logarithmic scale" }
                }
                @if !document.steps.is_empty() { (steps(&document.steps)) }
            }
        }
    }
}

fn steps(steps: &[ShownStep]) -> Markup {
    let last = steps.len() - 1;
    html! {
        div.steps {
            label.slider hidden {
                span { "Version" }
                input type="range" min="0" max=(last) value=(last);
            }
            @for (nth, step) in steps.iter().enumerate() {
                details.step data-nth=(nth) {
                    summary {
                        b { (counted(step.tokens, "token")) } " "
                        span.muted {
                            "after " (counted(step.tests, "test")) " · " (counted(step.bytes, "byte")) " · "
                            (step.passes)
                        }
                    }
                    (shown_diff(&step.diff))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::{ReportText, Reproduction};
    use super::*;

    fn document() -> Document {
        Document {
            name: "<b>.c".into(),
            failure: Some("assertion: a < b && \"c\"".into()),
            test: Reproduction::Command(vec!["cc".into(), "@@".into()]),
            results: vec![ReportText::new("b.min.c", b"</script>")],
            curve: vec![(0, 100), (5, 10)],
            steps: vec![ShownStep {
                tests: 5,
                tokens: 10,
                bytes: 30,
                passes: "lists".into(),
                diff: "@@ -1,1 +1,1 @@\n-<old>\n+new\n".into(),
            }],
            ..Document::default()
        }
    }

    #[test]
    fn nothing_of_an_input_becomes_markup() {
        let document = document();
        let page = page(&document);
        for text in ["<b>.c", "a < b", "<old>"] {
            assert!(!page.contains(text), "{text}");
        }
        assert_eq!(page.matches("</script>").count(), 1, "that of the page");
        assert!(page.contains("&lt;/script&gt;"));
    }

    #[test]
    fn the_page_needs_no_network_and_no_script() {
        let document = document();
        let page = page(&document);
        assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("src="));
        assert!(page.contains("<details class=\"step\" data-nth=\"0\"><summary>"));
    }
}
