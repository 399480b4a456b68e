//! A text as styled lines, with what has just gone from it struck through.

use std::ops::Range;

use minirepro_program::align;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::report::numbers::count;
use crate::report::terminal::is_hostile;

/// Of texts of more bytes, only what is around the change is looked at.
const LONGEST: usize = 64 << 10;
/// How many bytes around a change are shown of such a text.
const AROUND: usize = 4 << 10;
/// Of what has gone, this many bytes are shown at its beginning and at its end.
const ENDS: usize = 160;

/// A text on its way to the screen.
#[derive(Clone, Debug, Default)]
pub struct Painting {
    /// Its lines, none wider than the screen.
    pub lines: Vec<Line<'static>>,
    /// The line of the first change.
    pub changed: usize,
}

/// Paints `text`, which has just taken the place of `before`. `width` is that of the screen, in
/// columns; no colours if `colors` is false.
pub fn paint(before: Option<&[u8]>, text: &[u8], width: u16, colors: bool) -> Painting {
    let width = usize::from(width.max(1));
    let lines = vec![Line::default()];
    let mut canvas = Canvas { width, colors, lines, column: 0, changed: None };
    let Some(old) = before else {
        canvas.plain(&text[..text.len().min(LONGEST)]);
        return canvas.finish();
    };
    if text.len() > LONGEST {
        // The one change that makes the text of that before.
        let begin = old.iter().zip(text).take_while(|(a, b)| a == b).count();
        let ends = old[begin..].iter().rev().zip(text[begin..].iter().rev());
        let end = ends.take_while(|(a, b)| a == b).count();
        canvas.plain(&text[begin.saturating_sub(AROUND)..begin]);
        canvas.gone(&old[begin..old.len() - end]);
        canvas.plain(&text[begin..(begin + AROUND).min(text.len())]);
        return canvas.finish();
    }
    let (olds, news) = (words(old), words(text));
    let begins_line = |at: usize| at == 0 || olds[at - 1] == b"\n";
    let (mut shown, mut behind) = (0, 0);
    let runs = align(olds.iter().copied(), news.iter().copied());
    for run in runs.into_iter().filter(|run| !run.common) {
        let Range { start: first, end: last } = run.old;
        // The same text is left if lines go from their beginning on.
        let most = if run.new.is_empty() { first - behind } else { 0 };
        let same = (1..=most).take_while(|back| olds[first - back] == olds[last - back]);
        let back = std::iter::once(0).chain(same).find(|back| begins_line(first - back));
        let back = back.unwrap_or(0);
        let at = run.new.start - back;
        canvas.plain(&news[shown..at].concat());
        canvas.gone(&olds[first - back..last - back].concat());
        (shown, behind) = (at, last - back);
    }
    canvas.plain(&news[shown..].concat());
    canvas.finish()
}

/// Splits a text into words, runs of blanks, line ends, and single signs.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let class = |byte: u8| match byte {
        b'_' | 0x80.. => 1,
        byte if byte.is_ascii_alphanumeric() => 1,
        b' ' | b'\t' | b'\r' => 2,
        _ => 0,
    };
    text.chunk_by(|&a, &b| class(a) != 0 && class(a) == class(b)).collect()
}

/// Collects pieces of text in lines.
struct Canvas {
    width: usize,
    colors: bool,
    lines: Vec<Line<'static>>,
    column: usize,
    changed: Option<usize>,
}

impl Canvas {
    fn finish(mut self) -> Painting {
        self.lines.pop_if(|line| line.spans.is_empty());
        Painting { lines: self.lines, changed: self.changed.unwrap_or(0) }
    }

    fn plain(&mut self, text: &[u8]) {
        self.add(text, Style::new());
    }

    /// Adds what has gone, in part if it is long, and notes that a change is here.
    fn gone(&mut self, text: &[u8]) {
        self.changed.get_or_insert(self.lines.len() - 1);
        let style = Style::new().add_modifier(Modifier::CROSSED_OUT | Modifier::DIM);
        let style = if self.colors { style.fg(Color::Red) } else { style };
        if text.len() <= 3 * ENDS {
            return self.add(text, style);
        }
        let bytes = count((text.len() - 2 * ENDS) as u64);
        self.add(&text[..ENDS], style);
        self.add(format!(" … {bytes} bytes … ").as_bytes(), Style::new().dim());
        self.add(&text[text.len() - ENDS..], style);
    }

    /// Adds text; lines that are too long go on in the next one.
    fn add(&mut self, text: &[u8], style: Style) {
        for c in String::from_utf8_lossy(text).chars() {
            match c {
                '\n' => self.begin_line(),
                '\r' => {}
                '\t' => (0..4 - self.column % 4).for_each(|_| self.put(' ', style)),
                c if is_hostile(c) => c.escape_default().for_each(|c| self.put(c, style)),
                c => self.put(c, style),
            }
        }
    }

    fn put(&mut self, c: char, style: Style) {
        let shown = Span::styled(c.to_string(), style);
        if self.column + shown.width() > self.width {
            self.begin_line();
        }
        self.column += shown.width();
        let line = self.lines.last_mut().expect("there is always one");
        match line.spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push(c),
            _ => line.push_span(shown),
        }
    }

    fn begin_line(&mut self) {
        self.lines.push(Line::default());
        self.column = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a painting with `[-…-]` around what is struck through.
    fn shown(painting: &Painting) -> Vec<String> {
        let span = |span: &Span<'_>| match span.style.add_modifier.contains(Modifier::CROSSED_OUT) {
            true => format!("[-{}-]", span.content),
            false => span.content.to_string(),
        };
        painting.lines.iter().map(|line| line.spans.iter().map(span).collect()).collect()
    }

    #[test]
    fn what_went_is_struck_through_where_it_was() {
        let old = b"int counter = 1;\nint main(void) { return f(counter, 2); }\n";
        let new = b"int main(void) { return f(2); }\n";
        let painting = paint(Some(old), new, 80, true);
        assert_eq!(
            shown(&painting),
            ["[-int counter = 1;-]", "int main(void) { return f([-counter, -]2); }"]
        );
        assert_eq!(painting.changed, 0);
        let same = paint(None, new, 80, true);
        assert_eq!(shown(&same), ["int main(void) { return f(2); }"]);
    }

    #[test]
    fn long_lines_go_on_in_the_next() {
        let painting = paint(None, b"abcdefgh\tx\x1b", 5, true);
        assert_eq!(shown(&painting), ["abcde", "fgh x", "\\u{1b", "}"]);
    }

    #[test]
    fn long_texts_are_shown_around_the_change_and_what_went_in_part() {
        let mut old = b"x\n".repeat(100_000);
        let at = 100_000;
        old.splice(at..at, b"gone ".repeat(1000));
        let new = b"x\n".repeat(100_000);
        let painting = paint(Some(&old), &new, 80, true);
        let all = shown(&painting).join("\n");
        assert!(all.contains("… 4,680 bytes …"), "{}", all.len());
        assert!(painting.lines.len() < 5000 && painting.changed > 1000);
    }
}
