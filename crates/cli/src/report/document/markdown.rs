//! A report as Markdown, for bug trackers.

use std::ffi::OsStr;
use std::fmt::Write;

use super::document::{Body, Document, ReportText, Reproduction};
use minirepro_program::shell;

use crate::report::numbers::counted;
use crate::report::shell::quote_all;

/// Writes a report as Markdown.
pub fn markdown(document: &Document) -> String {
    let mut text = String::new();
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    line(&match &document.failure {
        Some(failure) => format!("### {}: {}", inline(&document.name), inline(failure)),
        None => format!("### {}", inline(&document.name)),
    });
    line("");
    for part in &document.results {
        line(&format!("**{}** ({}):", inline(&part.name), counted(part.text.len() as u64, "byte")));
        line("");
        line(&block(part));
    }
    match &document.test {
        Reproduction::Unknown => {}
        Reproduction::Command(words) => {
            let file = document.results.first().map_or("FILE", |part| &part.name);
            let words = shell::words_with_name(words, OsStr::new(file));
            line("**To reproduce:**");
            line("");
            line(&fenced("sh", &format!("{}\n", quote_all(&words))));
        }
        Reproduction::Script { name, text } => {
            line(&format!(
                "**To reproduce:** `{name} FILE`, run in a directory that holds only FILE, exits with 0 \
                 if the failure is there."
            ));
            line("");
            line(&fenced("sh", text));
        }
    }
    if let Some(printed) = &document.printed {
        line(&format!("**What it prints** ({}):", inline(&printed.ending)));
        line("");
        line(&fenced("", &printed.text));
    }
    for added in &document.attachments {
        if added.is_picture() {
            line(&format!("**{0}:** ![{0}]({1})", inline(&added.title()), added.name));
            line("");
        } else if let Some(text) = added.text() {
            line(&format!("**{}:**", inline(&added.title())));
            line("");
            line(&fenced("", text));
        }
    }
    if !document.companions.is_empty() {
        line("**Files beside it:**");
        line("");
        for part in &document.companions {
            line(&details(&part.name, &block(part)));
        }
    }
    let rows = document.programs.iter().chain(&document.surroundings);
    line("| | |");
    line("|---|---|");
    for (name, value) in rows {
        line(&format!("| {} | {} |", inline(name), inline(value)));
    }
    line("");
    for (signature, part) in &document.other_failures {
        line(&details(&format!("Another failure that was met: {signature}"), &block(part)));
    }
    let figures: Vec<String> =
        document.figures.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let certificate = document.certificate.first().map_or("", |line| &line[..]);
    line(&format!(
        "<sub>Reduced by minirepro: {}. {}{}</sub>",
        inline(&figures.join("; ")),
        inline(certificate),
        if certificate.is_empty() { "" } else { "." }
    ));
    text
}

/// Writes a part of a report as a fenced block.
pub fn block(part: &ReportText) -> String {
    match &part.body {
        Body::Code(_) => fenced(&part.suffix, &String::from_utf8_lossy(&part.text)),
        Body::Diff(diff) => fenced("diff", diff),
        Body::Binary => {
            format!("({} that are not text)\n", counted(part.text.len() as u64, "byte"))
        }
    }
}

/// Fences a text with more backticks than stand in it.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}
/// Writes what is shown on demand.
pub fn details(summary: &str, text: &str) -> String {
    let mut all = String::new();
    write!(all, "<details><summary>{}</summary>\n\n{text}\n</details>\n", inline(summary))
        .expect("strings take anything");
    all
}

/// Writes text within a line so that it is taken for text.
pub fn inline(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let next = rest.as_str().chars().next();
        match c {
            // Bug trackers tell people and other bugs that they are mentioned, unless something
            // comes between.
            '@' | '#' if next.is_some_and(char::is_alphanumeric) => {
                shown += if c == '#' { "\\#" } else { "@" };
                shown += "<!-- -->";
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' => shown.extend(['\\', c]),
            '<' => shown += "&lt;",
            '>' => shown += "&gt;",
            '&' => shown += "&amp;",
            '\n' => shown.push(' '),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_taken_for_markup() {
        assert_eq!(inline("a*b|c<d>"), "a\\*b\\|c&lt;d&gt;");
        assert_eq!(inline("# @a @ b#7"), "\\# @<!-- -->a @ b\\#<!-- -->7");
        assert_eq!(fenced("c", "```\nx"), "````c\n```\nx\n````\n");
        assert_eq!(fenced("", ""), "```\n```\n");
    }

    #[test]
    fn a_report_has_what_a_bug_tracker_needs() {
        let document = Document {
            name: "a.c".into(),
            failure: Some("assertion: x > 0".into()),
            test: Reproduction::Command(vec!["cc".into(), "-c".into(), "@@".into()]),
            results: vec![ReportText {
                name: "a.min.c".into(),
                suffix: "c".into(),
                text: b"f();\n".to_vec(),
                ..ReportText::default()
            }],
            figures: vec![("Tokens".into(), "9 → 4".into())],
            certificate: vec!["1-minimal".into()],
            programs: vec![("cc".into(), "cc 1.0".into())],
            ..Document::default()
        };
        expect_test::expect![[r#"
            ### a.c: assertion: x &gt; 0

            **a.min.c** (5 bytes):

            ```c
            f();
            ```

            **To reproduce:**

            ```sh
            cc -c a.min.c
            ```

            | | |
            |---|---|
            | cc | cc 1.0 |

            <sub>Reduced by minirepro: Tokens: 9 → 4. 1-minimal.</sub>
        "#]]
        .assert_eq(&markdown(&document));
    }
}
