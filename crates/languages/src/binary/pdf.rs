//! Numbers in a PDF: they mention places, lengths and objects, which stand elsewhere in it.
//! The table of places has a row for each object; both go together, and references go with them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use crate::binary::links::{Couple, Item, Link, Links, Says};
use crate::binary::number::Number;

/// The numbers of a PDF.
struct Numbers {
    rows: Regex,
    /// In rows, and at the end of the file.
    places: [Regex; 2],
    /// Of the data of streams.
    lengths: Regex,
    /// Of rows.
    counts: Regex,
    objects: Regex,
    references: Regex,
    /// In both.
    indices: Regex,
}

static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    let regex = |text| Regex::new(text).expect("the patterns below are right");
    Numbers {
        rows: regex(r"(?m)^\d{10} \d{5} [nf] ?\r?\n"),
        places: [regex(r"(?m)^(?<number>\d{10}) \d{5} n"), regex(r"startxref\s+(?<number>\d+)")],
        lengths: regex(
            r"/Length (?<number>\d+)[^<>]*>>\s*stream\r?\n(?<data>(?s:.*?))\s*endstream",
        ),
        counts: regex(r"(?:xref\s+0|/Size) (?<number>\d+)"),
        objects: regex(r"(?m)^(?<number>\d+) \d+ obj\b(?s-u:[^o]|o[^b]|ob[^j])*?endobj\s*"),
        references: regex(r" ?(?-u:\b)(?<number>\d+) \d+ R(?-u:\b)"),
        indices: regex(r"(?-u:\b)(?<number>\d+) \d+ (?:R|obj)(?-u:\b)"),
    }
});

/// Returns what the numbers mention, as far as they are right. Linear in the text.
pub(super) fn links(text: &[u8]) -> Links {
    let Numbers { rows, places, lengths, counts, objects, references, indices } = &*NUMBERS;
    let rows: Vec<Range<usize>> = rows.find_iter(text).map(|row| row.range()).collect();
    let mut links = Links::default();
    let mut add = |span: Range<usize>, value: usize, says| {
        let (number, value) = (Number::Decimal, i64::try_from(value).unwrap_or(0));
        links.links.push(Link { span, number, value, slope: 1, says });
    };
    for (_, span, at) in places.iter().flat_map(|regex| numbers(regex, text)) {
        add(span, at, Says::Place { at, from: 0 });
    }
    for (found, span, length) in numbers(lengths, text) {
        let data = found.name("data").map(|data| data.range());
        if let Some(data) = data.filter(|data| data.len() == length) {
            add(span, length, Says::Length(data));
        }
    }
    for (_, span, count) in numbers(counts, text).filter(|(.., count)| *count == rows.len()) {
        add(span, count, Says::Count(0));
    }
    for (_, span, item) in numbers(indices, text).filter(|(.., item)| *item < rows.len()) {
        add(span, item, Says::Index { list: 0, item });
    }
    for (regex, is_mutual) in [(objects, true), (references, false)] {
        for (found, _, number) in numbers(regex, text) {
            let (Some(row), Some(part)) = (rows.get(number), found.get(0)) else { continue };
            let couple = |cause: &Range<usize>, effect: &Range<usize>| {
                let (cause, effect) = (cause.clone(), effect.clone());
                Couple { cause, effect, is_shared: false }
            };
            links.couples.push(couple(row, &part.range()));
            links.couples.extend(is_mutual.then(|| couple(&part.range(), row)));
        }
    }
    let items = (0..).zip(rows).map(|(number, span)| Item { span, number, weight: 1 });
    links.lists.push(items.collect());
    links.sort();
    links
}

/// Returns what an expression finds, with the place and the value of its number.
fn numbers<'t>(
    regex: &Regex,
    text: &'t [u8],
) -> impl Iterator<Item = (Captures<'t>, Range<usize>, usize)> {
    regex.captures_iter(text).filter_map(|found| {
        let digits = found.name("number")?;
        let value = std::str::from_utf8(digits.as_bytes()).ok()?.parse().ok()?;
        let span = digits.range();
        Some((found, span, value))
    })
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::Copied;

    use super::links;

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
        let links = links(text.as_bytes());
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
}
