//! Numbers that are written as text, far from the places, lengths and items that they mention, as
//! in a PDF. The table of places has a row for each part; both go together, and references with
//! them.

use std::ops::Range;

use regex::bytes::{Captures, Regex};
use strum::EnumString;

use crate::binary::form::Form;
use crate::binary::links::{Couple, Item, Link, Links, Says};
use crate::binary::number::Number;

/// The subject of a line `numbers` of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(super) enum TextNumber {
    /// A row of the table of places.
    Row,
    /// A place.
    Place,
    /// The length of the group `data`.
    Length,
    /// How many rows there are.
    Count,
    /// The number of a row.
    Index,
    /// A part that goes with the row of its number, and takes it along.
    Part,
    /// A part that goes with the row of its number, but does not take it along.
    Reference,
}

/// Returns the links between the numbers of a form and the parts that they mention, as far as the
/// numbers are right. Linear in the text.
pub(super) fn links(form: &Form, text: &[u8]) -> Links {
    let rows = form.numbers.iter().filter(|(kind, _)| *kind == TextNumber::Row);
    let rows = rows.flat_map(|(_, regex)| regex.find_iter(text));
    let rows: Vec<Range<usize>> = rows.map(|row| row.range()).collect();
    let mut links = Links::default();
    for (kind, regex) in &form.numbers {
        for (found, span, value) in numbers(regex, text) {
            let row = rows.get(value).cloned();
            let data = found.name("data").map(|data| data.range());
            let says = match kind {
                TextNumber::Place => Some(Says::Place { at: value, from: 0 }),
                TextNumber::Length => data.filter(|data| data.len() == value).map(Says::Length),
                TextNumber::Count => (value == rows.len()).then_some(Says::Count(0)),
                TextNumber::Index => row.map(|_| Says::Index { list: 0, item: value }),
                TextNumber::Row => None,
                TextNumber::Part | TextNumber::Reference => {
                    if let (Some(row), Some(part)) = (row, found.get(0)) {
                        let couple = |cause, effect| Couple { cause, effect, is_shared: false };
                        links.couples.push(couple(row.clone(), part.range()));
                        let is_mutual = *kind == TextNumber::Part;
                        links.couples.extend(is_mutual.then(|| couple(part.range(), row)));
                    }
                    None
                }
            };
            let (number, value) = (Number::Decimal, i64::try_from(value).unwrap_or(0));
            links.links.extend(says.map(|says| Link { span, number, value, slope: 1, says }));
        }
    }
    let items = (0..).zip(rows).map(|(number, span)| Item { span, number, weight: 1 });
    links.lists.push(items.collect());
    links.sort();
    links
}

/// Returns the matches of an expression, each with the place and the value of its number.
fn numbers<'t>(
    regex: &Regex,
    text: &'t [u8],
) -> impl Iterator<Item = (Captures<'t>, Range<usize>, usize)> {
    regex.captures_iter(text).filter_map(|found| {
        let digits = found.name("number")?;
        let value = std::str::from_utf8(digits.as_bytes()).ok()?.parse().ok()?;
        Some((found, digits.range(), value))
    })
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::Copied;

    use super::links;
    use crate::binary::form::Form;

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
        let form = include_str!("../../grammars/records/pdf.form");
        let links = links(&Form::parse(form).unwrap(), text.as_bytes());
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
