//! A report as Markdown, for bug trackers.

use super::document::{Block, Document};

/// Writes a report as Markdown.
pub fn markdown(document: &Document) -> String {
    let failure = document.failure.as_ref().map(|failure| format!(": {}", inline(failure)));
    let mut text = format!("### {}{}\n", inline(&document.name), failure.unwrap_or_default());
    for section in document.sections() {
        let note = match &section.note[..] {
            "" => String::new(),
            note => format!(" ({})", inline(note)),
        };
        text += &format!("\n**{}**{note}:\n", inline(section.title));
        section.blocks.iter().for_each(|part| text += &format!("\n{}", block(part)));
    }
    let figures: Vec<String> =
        document.figures.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let certificate =
        document.certificate.first().map_or(String::new(), |line| format!(" {line}."));
    let figures = inline(&figures.join("; "));
    text + &format!("\n<sub>Reduced by minirepro: {figures}.{}</sub>\n", inline(&certificate))
}

fn block(block: &Block<'_>) -> String {
    match block {
        Block::Words(words) => inline(words) + "\n",
        Block::Text(text, language) => fenced(language, text),
        Block::Diff(diff) => fenced("diff", diff),
        Block::Picture(picture) => {
            format!("![{}]({})\n", inline(&picture.title()), picture.name)
        }
        Block::Table(rows) => {
            let row = |(name, value): &(String, String)| {
                format!("| {} | {} |\n", inline(name), inline(value))
            };
            "| | |\n|---|---|\n".to_owned() + &rows.iter().map(row).collect::<String>()
        }
        Block::Folded(title, inner) => {
            let inner = self::block(inner);
            format!("<details><summary>{}</summary>\n\n{inner}\n</details>\n", inline(title))
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
    use super::super::document::{ReportText, Reproduction};
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
            results: vec![ReportText::new("a.min.c", b"f();\n")],
            figures: vec![("Tokens", "9 → 4".into())],
            certificate: vec!["1-minimal".into()],
            surroundings: vec![("System".into(), "Linux".into())],
            started_with: "minirepro a.c".into(),
            ..Document::default()
        };
        expect_test::expect![[r#"
            ### a.c: assertion: x &gt; 0

            **a.min.c** (5 bytes):

            ```c
            f();
            ```

            **To reproduce**:

            ```sh
            cc -c a.min.c
            ```

            <details><summary>The command that reduced it</summary>

            ```sh
            minirepro a.c
            ```

            </details>

            **The machine**:

            | | |
            |---|---|
            | System | Linux |

            <sub>Reduced by minirepro: Tokens: 9 → 4. 1-minimal.</sub>
        "#]]
        .assert_eq(&markdown(&document));
    }
}
