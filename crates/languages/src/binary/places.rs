//! Text with numbers that mention places: offsets, lengths, numbers of rows. They follow when
//! something goes, as `grammars/records/places.toml` describes.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};
use serde::Deserialize;

use crate::binary::links::{Couple, Item, Link, Links, Says};
use crate::binary::number::Number;

/// The forms that are described.
pub(crate) static FORMS: LazyLock<Vec<Places>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../grammars/records/places.toml"))
        .expect("a test reads this file");
    file.form.into_iter().map(Places::new).collect()
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    form: Vec<Form>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    name: String,
    suffixes: Vec<String>,
    start: String,
    description: String,
    offsets: Vec<String>,
    lengths: Vec<String>,
    counts: Vec<String>,
    rows: String,
    objects: String,
    links: String,
    mentions: String,
}

/// A form of text, and what its numbers mention.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) name: String,
    pub(crate) suffixes: Vec<String>,
    pub(crate) start: String,
    pub(crate) description: String,
    offsets: Vec<Regex>,
    lengths: Vec<Regex>,
    counts: Vec<Regex>,
    rows: Regex,
    objects: Regex,
    links: Regex,
    mentions: Regex,
}

impl Places {
    fn new(form: Form) -> Self {
        let regex = |text: &String| Regex::new(text).expect("a test reads this file");
        let all = |texts: &[String]| texts.iter().map(regex).collect();
        Self {
            offsets: all(&form.offsets),
            lengths: all(&form.lengths),
            counts: all(&form.counts),
            rows: regex(&form.rows),
            objects: regex(&form.objects),
            links: regex(&form.links),
            mentions: regex(&form.mentions),
            name: form.name,
            suffixes: form.suffixes,
            start: form.start,
            description: form.description,
        }
    }

    /// Returns what the numbers in a text mention, as far as they are right, and what goes with
    /// what.
    pub(crate) fn links(&self, text: &[u8]) -> Links {
        let rows: Vec<Range<usize>> = self.rows.find_iter(text).map(|row| row.range()).collect();
        let mut links = Links::default();
        for regex in &self.offsets {
            for (_, span, value) in numbers(regex, text, "") {
                add(&mut links, text, span, value, Says::Place { at: value, from: 0 });
            }
        }
        for regex in &self.lengths {
            for (found, span, value) in numbers(regex, text, "length") {
                let data = found.name("data").map(|data| data.range());
                if let Some(data) = data.filter(|data| data.len() == value) {
                    add(&mut links, text, span, value, Says::Length(data));
                }
            }
        }
        for regex in &self.counts {
            for (_, span, value) in numbers(regex, text, "") {
                if value == rows.len() {
                    add(&mut links, text, span, value, Says::Count(0));
                }
            }
        }
        for (_, span, value) in numbers(&self.mentions, text, "") {
            if value < rows.len() {
                add(&mut links, text, span, value, Says::Index { list: 0, item: value });
            }
        }
        for (regex, is_mutual) in [(&self.objects, true), (&self.links, false)] {
            for (found, _, value) in numbers(regex, text, "") {
                let (Some(row), Some(part)) = (rows.get(value), found.get(0)) else { continue };
                let couple = |cause: &Range<usize>, effect: &Range<usize>| Couple {
                    cause: cause.clone(),
                    effect: effect.clone(),
                    is_shared: false,
                };
                links.couples.push(couple(row, &part.range()));
                links.couples.extend(is_mutual.then(|| couple(&part.range(), row)));
            }
        }
        links.lists.push(rows.into_iter().map(|span| Item { span, weight: 1 }).collect());
        links.sort();
        links
    }
}

/// Returns the numbers in a group of what an expression finds, or in its first group.
fn numbers<'t>(
    regex: &Regex,
    text: &'t [u8],
    group: &str,
) -> impl Iterator<Item = (Captures<'t>, Range<usize>, usize)> {
    regex.captures_iter(text).filter_map(move |found| {
        let digits = if group.is_empty() { found.get(1) } else { found.name(group) }?;
        let value = std::str::from_utf8(digits.as_bytes()).ok()?.parse().ok()?;
        let span = digits.range();
        Some((found, span, value))
    })
}

/// Adds a number; zeros before it stay.
fn add(links: &mut Links, text: &[u8], span: Range<usize>, value: usize, says: Says) {
    let Ok(signed) = i64::try_from(value) else { return };
    let number = if text[span.start] == b'0' { Number::Digits } else { Number::Decimal };
    links.links.push(Link { span, number, value: signed, slope: 1, says });
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::Copied;

    use super::FORMS;

    const PDF: &str = "%PDF-1\n1 0 obj\n<</A 2 0 R>>\nendobj\n2 0 obj\n<</Length 12 >>\nstream\nabcdefghijkl\nendstream\nendobj\nxref\n0 3\n0000000000 65535 f \n0000000007 00000 n \n0000000035 00000 n \ntrailer <</Size 3>>\nstartxref\n96\n";

    /// Returns the text without its parts that are equal to these.
    fn without(text: &str, parts: &[&str]) -> String {
        let mut copied = Vec::new();
        let (mut at, mut to) = (0, 0);
        let mut keep = |from: std::ops::Range<usize>| {
            let length = from.len();
            copied.push(Copied { from, to });
            to += length;
        };
        for part in parts {
            let start = at + text[at..].find(part).unwrap();
            keep(at..start);
            at = start + part.len();
        }
        keep(at..text.len());
        let candidate: String = copied.iter().map(|part| &text[part.from.clone()]).collect();
        let links = FORMS[0].links(text.as_bytes());
        let corrected = links.correct(text.as_bytes(), candidate.as_bytes(), &copied);
        String::from_utf8(corrected.unwrap()).unwrap()
    }

    #[test]
    fn numbers_follow_what_goes() {
        assert_eq!(PDF.find("xref"), Some(96), "the text above is right");
        assert_eq!(without(PDF, &[]), PDF);
        let shorter = without(PDF, &["abcd"]);
        assert!(
            shorter.contains("/Length 8 ") && shorter.ends_with("startxref\n91\n"),
            "{shorter}"
        );
        let moved = without(PDF, &["/A 2 0 R"]);
        assert!(moved.contains("\n0000000027 00000 n"), "{moved}");
        assert!(moved.contains("\n0000000007 00000 n"), "{moved}");
        // An object goes with its row and what leads to it, and the next one has its number.
        for part in ["1 0 obj\n<</A 2 0 R>>\nendobj\n", "0000000007 00000 n \n"] {
            let one = without(PDF, &[part]);
            assert!(one.starts_with("%PDF-1\n1 0 obj\n<</Length 12 >>"), "{one}");
            assert!(one.contains("xref\n0 2\n0000000000 65535 f \n0000000007 00000 n"), "{one}");
        }
        let unlinked = without(PDF, &["0000000035 00000 n \n"]);
        assert!(unlinked.contains("<</A>>\nendobj\nxref\n0 2\n"), "{unlinked}");
        let renumbered =
            without(PDF, &["1 0 obj\n<</A 2 0 R>>\nendobj\n", "0000000007 00000 n \n"]);
        assert!(renumbered.starts_with("%PDF-1\n1 0 obj\n<</Length 12 >>"), "{renumbered}");
        assert!(
            renumbered.contains("xref\n0 2\n") && renumbered.contains("/Size 2"),
            "{renumbered}"
        );
        assert!(renumbered.contains("\n0000000007 00000 n"), "{renumbered}");
    }

    #[test]
    fn parts_in_another_order_are_left_alone() {
        let copied = [Copied { from: 9..20, to: 0 }, Copied { from: 0..9, to: 11 }];
        let candidate = [&PDF[9..20], &PDF[..9]].concat();
        let links = FORMS[0].links(PDF.as_bytes());
        assert_eq!(links.correct(PDF.as_bytes(), candidate.as_bytes(), &copied), None);
    }
}
