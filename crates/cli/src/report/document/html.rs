//! A report as one self-contained page: no file and no network besides it, readable without
//! scripts.

use std::ffi::OsStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::code::{Class, Word};
use super::curve::svg;
use super::document::{Body, Document, ReportText, Reproduction};
use super::steps::ShownStep;
use minirepro_program::shell;

use crate::report::numbers::counted;
use crate::report::shell::quote_all;

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
            (figures(document))
        }
        main {
            (results(document))
            (how_to_reproduce(document))
            (evidence(document))
            (certificate(&document.certificate))
            (way_down(document))
            (other_failures(document))
            (machine(document))
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

fn figures(document: &Document) -> Markup {
    html! {
        dl.figures {
            @for (name, value) in &document.figures {
                div { dt { (name) } dd { (value) } }
            }
        }
    }
}

fn results(document: &Document) -> Markup {
    html! {
        @for part in &document.results {
            section {
                div.bar {
                    h2 { (part.name) }
                    span.size { (counted(part.text.len() as u64, "byte")) }
                    button type="button" class="copy" hidden { "Copy" }
                }
                (body(part))
            }
        }
    }
}

fn body(part: &ReportText) -> Markup {
    match &part.body {
        Body::Code(words) => html! {
            pre.code tabindex="0" { code { @for word in words { (shown_word(word)) } } }
        },
        Body::Diff(diff) => shown_diff(diff),
        Body::Binary => html! { p.hint { "This is not text." } },
    }
}

fn shown_word(word: &Word) -> Markup {
    let class = match word.class {
        Class::Plain => "",
        Class::Keyword => "k",
        Class::Name => "n",
        Class::Type => "t",
        Class::Number => "m",
        Class::Text => "s",
        Class::Comment => "c",
        Class::Sign => "o",
    };
    html! {
        @if class.is_empty() { (word.text) } @else { span class=(class) { (word.text) } }
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

fn how_to_reproduce(document: &Document) -> Markup {
    let file = document.results.first().map_or("FILE", |part| &part.name);
    html! {
        section {
            h2 { "How to reproduce" }
            @match &document.test {
                Reproduction::Unknown => {},
                Reproduction::Command(words) => {
                    @let words = shell::words_with_name(words, OsStr::new(file));
                    pre.shell tabindex="0" { code { (quote_all(&words)) } }
                },
                Reproduction::Script { name, text } => {
                    p { code { (name) } ", run in a directory that holds only the candidate and with its name as argument, exits with 0 if the failure is there:" }
                    pre.shell tabindex="0" { code { (text) } }
                },
            }
            @for part in &document.companions {
                details { summary { "Beside it: " (part.name) } (body(part)) }
            }
            details {
                summary { "The command that reduced it" }
                pre.shell tabindex="0" { code { (document.started_with) } }
            }
        }
    }
}

fn evidence(document: &Document) -> Markup {
    html! {
        @if let Some(printed) = &document.printed {
            section {
                div.bar { h2 { "What it prints" } span.size { (printed.ending) } }
                pre.shell tabindex="0" { code { (printed.text) } }
            }
        }
        @for added in &document.attachments {
            @if added.is_picture() {
                section {
                    h2 { (added.title()) }
                    figure { img alt=(added.title()) src=(format!("data:image/png;base64,{}", BASE64_STANDARD.encode(&added.bytes))); }
                }
            } @else if let Some(text) = added.text() {
                section { h2 { (added.title()) } pre.shell tabindex="0" { code { (text) } } }
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
    html! {
        @if let Some(curve) = svg(&document.curve) {
            section {
                h2 { "The way down" }
                figure { (curve) figcaption { "Tokens over tests, on a logarithmic scale" } }
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

fn other_failures(document: &Document) -> Markup {
    html! {
        @if !document.other_failures.is_empty() {
            section {
                h2 { "Other failures met on the way" }
                @for (signature, part) in &document.other_failures {
                    details {
                        summary { (signature) " " span.muted { (part.name) ", " (counted(part.text.len() as u64, "byte")) } }
                        (body(part))
                    }
                }
            }
        }
    }
}

fn machine(document: &Document) -> Markup {
    html! {
        section {
            h2 { "Programs and machine" }
            dl.facts {
                @for (name, value) in document.programs.iter().chain(&document.surroundings) {
                    dt { (name) } dd { (value) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let word = |text: &str, class| Word { text: text.into(), class };
        Document {
            name: "<b>.c".into(),
            failure: Some("assertion: a < b && \"c\"".into()),
            test: Reproduction::Command(vec!["cc".into(), "@@".into()]),
            results: vec![ReportText {
                name: "b.min.c".into(),
                suffix: "c".into(),
                text: b"</script>".to_vec(),
                body: Body::Code(vec![word("</script>", Class::Text), word("\n", Class::Plain)]),
            }],
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
        assert!(page.contains("<span class=\"s\">&lt;/script&gt;</span>"));
    }

    #[test]
    fn the_page_needs_no_network_and_no_script() {
        let document = document();
        let page = page(&document);
        assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("src="));
        assert!(page.contains("<details class=\"step\" data-nth=\"0\"><summary>"));
    }
}
