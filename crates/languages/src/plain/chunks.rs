//! Cuts a large text into a bounded number of pieces at sensible places.

use std::ops::Range;

use crate::plain::tokenizer::char_length;

/// Joins neighbouring `units`, which lie side by side, as long as a piece has at most `size` bytes;
/// with the number of units in each. There are at most 2·(bytes / size) + 1 pieces. Linear.
pub(crate) fn join(
    units: impl IntoIterator<Item = Range<usize>>,
    size: usize,
) -> Vec<(Range<usize>, usize)> {
    let mut pieces: Vec<(Range<usize>, usize)> = Vec::new();
    for unit in units {
        match pieces.last_mut() {
            Some((last, count)) if unit.end - last.start <= size => {
                last.end = unit.end;
                *count += 1;
            }
            _ => pieces.push((unit, 1)),
        }
    }
    pieces
}

/// Cuts a span into at most 4·(bytes / size) + 1 pieces of at most `size` bytes: between lines,
/// else between words and signs, else between characters. Linear.
pub(crate) fn pieces(text: &[u8], span: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let lines = join(lines(text, span), size).into_iter();
    let runs = lines.flat_map(|(line, _)| join(units_around(text, line, &[], in_run), size));
    let pieces = runs.flat_map(|(run, _)| join(characters(text, run), size));
    pieces.map(|(piece, _)| piece).collect()
}

/// Returns the lines of a span; each holds its line end.
pub(crate) fn lines(text: &[u8], span: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    text[span.clone()].split_inclusive(|&b| b == b'\n').scan(span.start, |at, line| {
        let start = *at;
        *at += line.len();
        Some(start..*at)
    })
}

/// Returns the paragraphs of a span: lines and the empty lines after them.
pub(crate) fn paragraphs(text: &[u8], span: Range<usize>) -> Vec<Range<usize>> {
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let mut between = false;
    for line in lines(text, span) {
        let empty = text[line.clone()].iter().all(u8::is_ascii_whitespace);
        match paragraphs.last_mut() {
            Some(last) if empty || !between => last.end = line.end,
            _ => paragraphs.push(line),
        }
        between = empty;
    }
    paragraphs
}

/// Returns whether two bytes stand in one line.
pub(crate) fn in_line(a: u8, _b: u8) -> bool {
    a != b'\n'
}

/// Returns whether two bytes belong to one word, which holds the blank space after it.
pub(crate) fn in_word(a: u8, b: u8) -> bool {
    !a.is_ascii_whitespace() || b.is_ascii_whitespace()
}

/// Returns whether two bytes belong to one run: of letters and digits, or a single sign; each holds
/// the blank space after it.
pub(crate) fn in_run(a: u8, b: u8) -> bool {
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    b.is_ascii_whitespace() || is_letter(a) && is_letter(b)
}

/// Cuts a span between two bytes that do not belong together, but not inside of a group.
pub(crate) fn units_around(
    text: &[u8],
    span: Range<usize>,
    groups: &[Range<usize>],
    goes_on: fn(u8, u8) -> bool,
) -> Vec<Range<usize>> {
    let mut groups = groups.iter().peekable();
    let mut units = Vec::new();
    let mut start = span.start;
    for at in span.start + 1..span.end {
        while groups.next_if(|group| group.end <= at).is_some() {}
        let is_inside = groups.peek().is_some_and(|group| group.start < at);
        if !is_inside && !goes_on(text[at - 1], text[at]) {
            units.push(start..at);
            start = at;
        }
    }
    if start < span.end {
        units.push(start..span.end);
    }
    units
}

/// Returns the brackets of a span and where they stand, but for those after a backslash or in a
/// quoted text of one line. Linear.
pub(crate) fn brackets(text: &[u8], span: Range<usize>) -> impl Iterator<Item = (usize, u8)> {
    let mut at = span.start;
    std::iter::from_fn(move || {
        while at < span.end {
            let (here, sign) = (at, text[at]);
            at += 1;
            let rest = text.get(at..span.end).unwrap_or_default();
            match sign {
                b'\\' => at += 1,
                b'"' => {
                    let end = rest.iter().position(|&b| b == b'"' || b == b'\n');
                    at += end.filter(|&end| rest[end] == b'"').map_or(0, |end| end + 1);
                }
                b'(' | b')' | b'[' | b']' | b'{' | b'}' => return Some((here, sign)),
                _ => {}
            }
        }
        None
    })
}

/// Returns the uppermost pairs of brackets in a span, with what they hold; those without a partner
/// do not count. Linear.
pub(crate) fn groups(text: &[u8], span: Range<usize>) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<(usize, u8)> = Vec::new();
    for (at, sign) in brackets(text, span) {
        if let Some(form) = b"([{".iter().position(|&opening| opening == sign) {
            open.push((at, b")]}"[form]));
        } else if let Some((start, _)) = open.pop_if(|(_, closing)| *closing == sign) {
            while groups.pop_if(|inner| inner.start > start).is_some() {}
            groups.push(start..at + 1);
        }
    }
    groups
}

/// Returns the longest parts of a text that consist of such bytes.
pub(crate) fn parts_of(text: &[u8], is_in: fn(u8) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.chunk_by(move |&a, &b| is_in(a) == is_in(b)).filter_map(move |part| {
        let start = at;
        at += part.len();
        is_in(part[0]).then_some(start..at)
    })
}

/// Returns the characters of a span: of valid UTF-8 all bytes of one, else single bytes.
pub(crate) fn characters(
    text: &[u8],
    span: Range<usize>,
) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = span.start;
    std::iter::from_fn(move || {
        let start = at;
        let rest = text.get(start..span.end).filter(|rest| !rest.is_empty())?;
        at += char_length(rest);
        Some(start..at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\n one  two\nthree\n\n\nf\u{fc}nf six";

    fn show(spans: impl IntoIterator<Item = std::ops::Range<usize>>) -> Vec<&'static str> {
        spans.into_iter().map(|s| &TEXT[s]).collect()
    }

    #[test]
    fn units_lie_side_by_side() {
        let text = TEXT.as_bytes();
        let all = 0..TEXT.len();
        assert_eq!(
            show(paragraphs(text, all.clone())),
            ["\n", " one  two\nthree\n\n\n", "f\u{fc}nf six"]
        );
        assert_eq!(show(lines(text, 1..17)), [" one  two\n", "three\n"]);
        assert_eq!(show(units_around(text, 1..11, &[], in_word)), [" ", "one  ", "two\n"]);
        assert_eq!(show(characters(text, 19..23)), ["f", "\u{fc}", "n"]);
    }

    #[test]
    fn brackets_hold_words_together() {
        let text = br#"f(a, [b c]) d} "(" {e"#;
        let show = |units: Vec<std::ops::Range<usize>>| {
            units.into_iter().map(|unit| text[unit].escape_ascii().to_string()).collect::<Vec<_>>()
        };
        let all = 0..text.len();
        let pairs = groups(text, all.clone());
        assert_eq!(show(pairs.clone()), ["(a, [b c])"]);
        let quoted = r#"\"(\" "#;
        assert_eq!(
            show(units_around(text, all, &pairs, in_word)),
            ["f(a, [b c]) ", "d} ", quoted, "{e"]
        );
        assert_eq!(show(units_around(text, 0..14, &pairs, in_run)), ["f", "(a, [b c]) ", "d", "}"]);
        assert_eq!(show(groups(text, 2..10)), ["[b c]"]);
    }

    #[test]
    fn pieces_are_bounded_and_cut_between_words_or_characters() {
        let text = TEXT.as_bytes();
        let cut = show(pieces(text, 0..TEXT.len(), 6));
        assert_eq!(cut, ["\n", " one  ", "two\n", "three\n", "\n\n", "f\u{fc}nf ", "six"]);
        let long = "\u{e4}".repeat(5);
        let cut = pieces(long.as_bytes(), 0..long.len(), 3);
        assert!(cut.iter().all(|c| long.is_char_boundary(c.end)), "{cut:?}");
    }

    #[test]
    fn small_units_are_joined_and_large_ones_kept() {
        assert_eq!(join([0..2, 2..3, 3..9, 9..10, 10..12], 3), [(0..3, 2), (3..9, 1), (9..12, 2)]);
    }
}
