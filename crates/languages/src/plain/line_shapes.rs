//! Records without brackets, indentation or empty lines, such as the files of a patch: what begins
//! one is a line of a shape that comes again and again, and the lines after it are of shapes that
//! come again, too.

use std::collections::HashMap;
use std::ops::Range;

use crate::plain::outline::Reading;

/// The shape of one of the first n lines begins a record.
const FIRST_LINES: usize = 3;

/// The least number of records.
const LEAST_RECORDS: usize = 3;

/// Reads lines as records: those that no line of the shape begins stand in one. The score is the
/// number of lines inside whose shapes stand in other records as well, less those whose shapes do
/// not. Linear.
pub(crate) fn records<'a>(
    text: &'a [u8],
    lines: impl Iterator<Item = &'a Range<usize>>,
) -> Reading {
    let shapes: Vec<&[u8]> = lines.map(|line| shape(&text[line.clone()])).collect();
    let mut first: Vec<&[u8]> = shapes.iter().take(FIRST_LINES).copied().collect();
    first.dedup();
    let found = first.into_iter().filter_map(|header| records_from(&shapes, header));
    // The first of those with the highest score.
    let best = found.reduce(|best, found| if found.score > best.score { found } else { best });
    best.unwrap_or_default()
}

/// Returns the records that lines of this shape begin.
fn records_from(shapes: &[&[u8]], header: &[u8]) -> Option<Reading> {
    let mut record = 0;
    // By shape: in how many records, and the last of them.
    let mut seen: HashMap<&[u8], (usize, usize)> = HashMap::new();
    for &shape in shapes {
        record += usize::from(shape == header);
        let (count, last) = seen.entry(shape).or_default();
        if *last != record {
            (*count, *last) = (*count + 1, record);
        }
    }
    if record < LEAST_RECORDS {
        return None;
    }
    let before = shapes.iter().position(|&shape| shape == header)?;
    let is_inside = |(i, shape): (usize, &&[u8])| i > before && *shape != header;
    let inside = shapes.iter().enumerate().filter(|&line| is_inside(line));
    let score = inside.map(|(_, shape)| if seen[shape].0 > 1 { 1 } else { -1 }).sum();
    let depths = shapes.iter().enumerate().map(|line| (u32::from(is_inside(line)), false));
    Some(Reading { depths: depths.collect(), score })
}

/// Returns the first run of letters, digits, blanks or signs of a line. All numbers have one shape,
/// and so have all blanks.
fn shape(line: &[u8]) -> &[u8] {
    let class = |b: u8| match b {
        b'0'..=b'9' => 0,
        _ if b.is_ascii_whitespace() => 1,
        _ if b.is_ascii_punctuation() && b != b'_' => 2,
        _ => 3,
    };
    let Some(&first) = line.first() else { return b"" };
    match class(first) {
        0 => b"0",
        1 => b" ",
        first => &line[..line.iter().take_while(|&&b| class(b) == first).count()],
    }
}

#[cfg(test)]
mod tests {
    use super::records;
    use crate::plain::chunks::lines;

    /// Returns one sign a line: `-` inside of a record, `H` elsewhere; then the score.
    fn check(text: &str) -> String {
        let lines: Vec<_> = lines(text.as_bytes(), 0..text.len()).collect();
        let found = records(text.as_bytes(), lines.iter());
        let signs = found.depths.iter().map(|&(depth, _)| if depth > 0 { '-' } else { 'H' });
        format!("{} {}", signs.collect::<String>(), found.score)
    }

    #[test]
    fn a_shape_that_comes_again_begins_records() {
        for (text, expected) in [
            ("diff a\n--- a\n+b\ndiff c\n--- c\n c\n+d\ndiff e\n+f\n", "H--H---H- 4"),
            ("# all\nFrom x\nA: 1\nFrom y\nA: 2\nFrom z\nB: 1\n", "HH-H-H- 1"),
            // Lines of a log, all of one shape.
            ("1 a\n2 b\n3 c\n4 d\n", "HHHH 0"),
            ("a\nb\nc\n", " 0"),
            ("", " 0"),
        ] {
            assert_eq!(check(text), expected, "{text}");
        }
    }
}
