//! Text with numbers that mention places: offsets, lengths, numbers of rows. They follow when
//! something goes, as `grammars/records/places.toml` describes.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use minirepro_syntax::Copied;
use regex::bytes::{Captures, Regex};
use serde::Deserialize;

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

/// A number in a text, and what it says.
#[derive(Clone, Debug)]
struct Number {
    span: Range<usize>,
    value: usize,
    says: Says,
}

#[derive(Clone, Debug)]
enum Says {
    /// Where a place is.
    Offset,
    /// How long a span is.
    Length(Range<usize>),
    /// How many rows there are.
    Count,
    /// Which row is meant.
    Row,
}

/// How often offsets are found anew, since those that are longer or shorter move others.
const MOST_TURNS: usize = 4;

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

    /// Returns the text made of `copied` parts of another, with numbers that are right in it as
    /// they were in the other. `None` when the parts are in another order, so that nothing is
    /// known.
    ///
    /// Linear in the text, times a logarithm.
    pub(crate) fn correct(&self, text: &[u8], copied: &[Copied]) -> Option<Vec<u8>> {
        if copied.windows(2).any(|pair| pair[0].from.end > pair[1].from.start) {
            return None;
        }
        let mut kept: Vec<Range<usize>> = Vec::new();
        for part in copied {
            match kept.last_mut() {
                Some(last) if last.end == part.from.start => last.end = part.from.end,
                _ => kept.push(part.from.clone()),
            }
        }
        let rows: Vec<Range<usize>> = self.rows.find_iter(text).map(|row| row.range()).collect();
        let gone = self.gone(text, &rows, &kept);
        self.drop_with(text, &rows, &gone, &mut kept);
        let gone: Vec<usize> = gone.into_iter().collect();
        let mut numbers = self.numbers(text);
        numbers.retain(|number| length_in(&kept, &number.span) == number.span.len());
        let mut written: Vec<Vec<u8>> = numbers
            .iter()
            .map(|Number { span, value, says }| match says {
                Says::Length(data) if data.len() == *value => decimal(length_in(&kept, data)),
                Says::Count if *value == rows.len() => decimal(rows.len() - gone.len()),
                Says::Row if *value < rows.len() => {
                    decimal(value - gone.partition_point(|row| row < value))
                }
                _ => text[span.clone()].to_vec(),
            })
            .collect();
        for _ in 0..MOST_TURNS {
            let rewritten = Rewritten::new(text, &kept, &numbers, &written);
            let offset = |(number, old): (&Number, &Vec<u8>)| match number.says {
                Says::Offset => match rewritten.place(number.value) {
                    Some(place) if text[number.span.start] == b'0' => {
                        format!("{place:0width$}", width = number.span.len()).into_bytes()
                    }
                    Some(place) => decimal(place),
                    None => old.clone(),
                },
                Says::Length(_) | Says::Count | Says::Row => old.clone(),
            };
            let again: Vec<Vec<u8>> = numbers.iter().zip(&written).map(offset).collect();
            if again == written {
                break;
            }
            written = again;
        }
        Some(Rewritten::new(text, &kept, &numbers, &written).text())
    }

    /// Returns the numbers of the rows that are gone, themselves or what they stand for.
    fn gone(&self, text: &[u8], rows: &[Range<usize>], kept: &[Range<usize>]) -> BTreeSet<usize> {
        let is_cut = |row: &usize| length_in(kept, &rows[*row]) < rows[*row].len();
        let mut gone: BTreeSet<usize> = (0..rows.len()).filter(is_cut).collect();
        let objects = self.objects.captures_iter(text).filter_map(|found| {
            let is_gone = length_in(kept, &found.get(0)?.range()) == 0;
            is_gone.then(|| number(&found)).flatten()
        });
        gone.extend(objects.filter(|&row| row < rows.len()));
        gone
    }

    /// Drops rows, what they stand for, and what leads there.
    fn drop_with(
        &self,
        text: &[u8],
        rows: &[Range<usize>],
        gone: &BTreeSet<usize>,
        kept: &mut Vec<Range<usize>>,
    ) {
        if gone.is_empty() {
            return;
        }
        let mut cuts: Vec<Range<usize>> = gone.iter().map(|&row| rows[row].clone()).collect();
        for regex in [&self.objects, &self.links] {
            let all = regex.captures_iter(text);
            let of_gone = all.filter(|found| number(found).is_some_and(|row| gone.contains(&row)));
            cuts.extend(of_gone.filter_map(|found| Some(found.get(0)?.range())));
        }
        cuts.sort_by_key(|cut| cut.start);
        let mut left = Vec::new();
        let mut cuts = cuts.into_iter().peekable();
        for part in std::mem::take(kept) {
            let mut at = part.start;
            while let Some(cut) = cuts.peek().filter(|cut| cut.start < part.end) {
                if cut.end > at {
                    left.push(at..cut.start.max(at));
                    at = cut.end.min(part.end);
                }
                if cut.end > part.end {
                    break;
                }
                cuts.next();
            }
            left.push(at..part.end);
        }
        left.retain(|part| !part.is_empty());
        *kept = left;
    }

    /// Returns all numbers that mention places, in document order.
    fn numbers(&self, text: &[u8]) -> Vec<Number> {
        let mut numbers: Vec<Number> = Vec::new();
        let mut add = |found: Captures<'_>, group: &str, says: Says| {
            let of_group = if group.is_empty() { found.get(1) } else { found.name(group) };
            let Some(digits) = of_group else { return };
            let value = std::str::from_utf8(digits.as_bytes()).ok().and_then(|d| d.parse().ok());
            if let Some(value) = value {
                numbers.push(Number { span: digits.range(), value, says });
            }
        };
        for regex in &self.offsets {
            regex.captures_iter(text).for_each(|found| add(found, "", Says::Offset));
        }
        for regex in &self.lengths {
            for found in regex.captures_iter(text) {
                if let Some(data) = found.name("data") {
                    let says = Says::Length(data.range());
                    add(found, "length", says);
                }
            }
        }
        for regex in &self.counts {
            regex.captures_iter(text).for_each(|found| add(found, "", Says::Count));
        }
        self.mentions.captures_iter(text).for_each(|found| add(found, "", Says::Row));
        numbers.sort_by_key(|number| number.span.start);
        numbers.dedup_by(|later, earlier| later.span.start < earlier.span.end);
        numbers
    }
}

/// Returns the number in the first group.
fn number(found: &Captures<'_>) -> Option<usize> {
    std::str::from_utf8(found.get(1)?.as_bytes()).ok()?.parse().ok()
}

fn decimal(value: usize) -> Vec<u8> {
    value.to_string().into_bytes()
}

/// A text made of kept parts of an old one, in which numbers are written anew.
struct Rewritten<'a> {
    text: &'a [u8],
    /// Parts that do not touch.
    kept: &'a [Range<usize>],
    /// Where each of them begins in the new text, as long as no number is longer or shorter.
    starts: Vec<usize>,
    /// The numbers that are kept.
    numbers: &'a [Number],
    written: &'a [Vec<u8>],
    /// How many bytes the numbers up to each of them have, before and now.
    lengths: Vec<(usize, usize)>,
}

impl<'a> Rewritten<'a> {
    fn new(
        text: &'a [u8],
        kept: &'a [Range<usize>],
        numbers: &'a [Number],
        written: &'a [Vec<u8>],
    ) -> Self {
        let mut end = 0;
        let starts = kept.iter().map(|part| {
            end += part.len();
            end - part.len()
        });
        let starts = starts.collect();
        let mut sum = (0, 0);
        let lengths = numbers.iter().zip(written).map(|(number, new)| {
            sum = (sum.0 + number.span.len(), sum.1 + new.len());
            sum
        });
        let lengths = lengths.collect();
        Self { text, kept, starts, numbers, written, lengths }
    }

    /// Returns where a place of the old text is now; `None` if it is gone.
    fn place(&self, old: usize) -> Option<usize> {
        let part = self.kept.partition_point(|part| part.end <= old);
        let inside = old.checked_sub(self.kept.get(part)?.start)?;
        let before = self.numbers.partition_point(|number| number.span.end <= old);
        let (was, is) = before.checked_sub(1).map_or((0, 0), |last| self.lengths[last]);
        (self.starts[part] + inside + is).checked_sub(was)
    }

    fn text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut numbers = self.numbers.iter().zip(self.written).peekable();
        for part in self.kept {
            let mut at = part.start;
            while let Some((number, new)) = numbers.next_if(|(n, _)| n.span.start < part.end) {
                out.extend_from_slice(&self.text[at..number.span.start]);
                out.extend_from_slice(new);
                at = number.span.end;
            }
            out.extend_from_slice(&self.text[at..part.end]);
        }
        out
    }
}

/// Returns how many bytes of a span are kept.
fn length_in(kept: &[Range<usize>], span: &Range<usize>) -> usize {
    let first = kept.partition_point(|part| part.end <= span.start);
    let parts = kept[first..].iter().take_while(|part| part.start < span.end);
    parts.map(|part| part.end.min(span.end) - part.start.max(span.start)).sum()
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
        String::from_utf8(FORMS[0].correct(text.as_bytes(), &copied).unwrap()).unwrap()
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
        assert_eq!(FORMS[0].correct(PDF.as_bytes(), &copied), None);
    }
}
