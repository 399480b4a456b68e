//! How the lines of a text without a grammar hold each other: by brackets, by pairs of words and
//! tags, by indentation, or as records that begin with lines of one shape. Each is tried as a
//! reading; the one that explains most lines wins.

use std::collections::HashSet;
use std::ops::Range;

use crate::plain::chunks::{brackets, lines, parts_of};
use crate::plain::line_shapes::records;

/// Deeper lines count as this deep.
const DEEPEST: u32 = 64;

/// A reading counts only if this part of the lines (one in …) stands below another one.
const SHARE: usize = 8;

/// A contradiction, such as a bracket without its partner, costs as much as n lines.
const CONTRADICTION: i64 = 8;

/// A line with the empty lines after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) span: Range<usize>,
    /// Whether empty lines follow.
    pub(crate) is_last: bool,
    /// How many lines stand around it.
    pub(crate) depth: u32,
    /// Whether it ends what the last line of the same depth began.
    pub(crate) closes: bool,
}

/// Returns the lines of a span as the best reading has them; all of one depth if none explains
/// enough. Linear.
pub(crate) fn outline(text: &[u8], span: Range<usize>) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for line in lines(text, span) {
        let is_empty = text[line.clone()].iter().all(u8::is_ascii_whitespace);
        match found.last_mut().filter(|_| is_empty) {
            Some(last) => {
                last.span.end = line.end;
                last.is_last = true;
            }
            None => found.push(Line { span: line, is_last: false, depth: 0, closes: false }),
        }
    }
    let of_brackets = found.iter().map(|line| {
        let brackets = brackets(text, line.span.clone());
        brackets.map(|(_, sign)| b"([{".contains(&sign)).collect()
    });
    let readings = [
        by_levels(of_brackets),
        by_levels(words(text, &found)),
        indentation(text, &found),
        records(text, found.iter().map(|line| &line.span)),
    ];
    // Of two that explain alike the first is the one that goes on to do so while lines go.
    let mut best: Option<Reading> = None;
    for reading in readings {
        let is_better = best.as_ref().is_none_or(|best| reading.score > best.score * 11 / 10);
        if is_better && reading.score * SHARE as i64 >= found.len() as i64 && reading.score > 0 {
            best = Some(reading);
        }
    }
    if let Some(Reading { depths, .. }) = best {
        for (line, (depth, closes)) in found.iter_mut().zip(depths) {
            (line.depth, line.closes) = (depth.min(DEEPEST), closes);
        }
    }
    found
}

/// Returns after which line what begins with the first one ends: of its depth only lines that close
/// it belong to it.
pub(crate) fn end_of_block(lines: &[Line]) -> usize {
    let depth = lines[0].depth;
    let end =
        lines[1..].iter().position(|line| line.depth <= depth).map_or(lines.len(), |at| at + 1);
    let closes = |line: &Line| line.depth == depth && line.closes;
    end + usize::from(lines.get(end).is_some_and(closes))
}

/// What a reading says of each line, and how well it explains the text.
#[derive(Default)]
pub(crate) struct Reading {
    /// The depth of each line, and whether it closes something.
    pub(crate) depths: Vec<(u32, bool)>,
    pub(crate) score: i64,
}

impl Reading {
    fn new(depths: Vec<(u32, bool)>, contradictions: i64) -> Self {
        let explained = depths.iter().filter(|(depth, closes)| *depth > 0 || *closes).count();
        Self { score: explained as i64 - CONTRADICTION * contradictions, depths }
    }
}

/// Reads by what opens and closes levels in each line, in order: `true` opens one. A line that
/// closes more than it has opened belongs to the one that began it.
fn by_levels(lines: impl Iterator<Item = Vec<bool>>) -> Reading {
    let (mut open, mut contradictions) = (0_u32, 0);
    let depths = lines.map(|signs| {
        let (before, mut least) = (open, open);
        for opens in signs {
            match open.checked_sub(1) {
                _ if opens => open = open.saturating_add(1),
                Some(less) => open = less,
                None => contradictions += 1,
            }
            least = least.min(open);
        }
        (least, least < before)
    });
    let depths = depths.collect();
    Reading::new(depths, contradictions + i64::from(open))
}

/// Returns what opens and closes levels: `begin` and `end`, words `x` with `endx`, and tags that
/// have an end tag.
fn words(text: &[u8], lines: &[Line]) -> impl Iterator<Item = Vec<bool>> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    // A word with the signs before it that make it a tag.
    let words = |line: &Line| -> Vec<(u8, &[u8])> {
        let line = &text[line.span.clone()];
        let word = |part: Range<usize>| match &line[..part.start] {
            [.., b'<', b'/'] => (b'/', &line[part]),
            [.., b'<'] => (b'<', &line[part]),
            _ => (b' ', &line[part]),
        };
        parts_of(line, is_word).map(word).collect()
    };
    let mut paired: HashSet<(u8, &[u8])> = HashSet::new();
    let all: Vec<Vec<(u8, &[u8])>> = lines.iter().map(words).collect();
    for &(sign, word) in all.iter().flatten() {
        paired.extend(match (sign, word.strip_prefix(b"end")) {
            (b'/', _) => Some((b'<', word)),
            (b' ', Some(b"")) => Some((b' ', &b"begin"[..])),
            (b' ', opener) => opener.map(|opener| (b' ', opener)),
            _ => None,
        });
    }
    all.into_iter().map(move |words| {
        let signs = words.into_iter().filter_map(|(sign, word)| {
            let closes = sign == b'/' || sign == b' ' && word.starts_with(b"end");
            (closes || paired.contains(&(sign, word))).then_some(!closes)
        });
        signs.collect()
    })
}

/// Reads by how far lines are indented. A line of signs only, or of a word that begins with `end`,
/// closes what has its own indentation.
fn indentation(text: &[u8], lines: &[Line]) -> Reading {
    let mut stack: Vec<usize> = Vec::new();
    let mut contradictions = 0;
    let mut depths = Vec::new();
    for line in lines {
        let line = &text[line.span.clone()];
        let width = line.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
        contradictions += i64::from(stack.first().is_some_and(|&outermost| outermost > width));
        stack.truncate(stack.partition_point(|&outer| outer < width));
        let rest = line[width..].trim_ascii_end();
        let is_end = rest.starts_with(b"end") || rest.starts_with(b"</");
        let closes = is_end || !rest.is_empty() && rest.iter().all(u8::is_ascii_punctuation);
        let depth = u32::try_from(stack.len()).unwrap_or(u32::MAX);
        depths.push((depth, closes && depths.last().is_some_and(|&(last, _)| last > depth)));
        stack.push(width);
    }
    Reading::new(depths, contradictions)
}

#[cfg(test)]
mod tests {
    use super::outline;

    /// Returns the depth of each line; `<` stands after that of a line that closes.
    fn depths(text: &str) -> String {
        let lines = outline(text.as_bytes(), 0..text.len());
        let shown = lines
            .iter()
            .map(|line| format!("{}{}", line.depth, if line.closes { "<" } else { "" }));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_reading_that_explains_most_lines_wins() {
        for (text, expected) in [
            ("a {\nb\n}\nc {\nd {\ne\n}\n}\n", "0 1 0< 0 1 2 1< 0<"),
            ("a:\n  b\n\n  c\n    d\ne\n", "0 1 1 2 0"),
            ("module a\nb\nbegin\nc\nend\nendmodule\n", "0 1 1 2 1< 0<"),
            ("<a>\n<b>\nc\n</b>\n</a>\n", "0 1 2 1< 0<"),
            ("f(\na,\n b)\nend \")\"\n", "0 1 0< 0"),
            ("P: a\nV: b\nP: c\nV: d\nP: e\nV: f\n", "0 1 0 1 0 1"),
            ("a\nb\n\nc\n", "0 0 0"),
            ("}}}}\n((\n", "0 0"),
            ("", ""),
        ] {
            assert_eq!(depths(text), expected, "{text}");
        }
    }
}
