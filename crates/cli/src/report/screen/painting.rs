//! A text as styled lines, with what has just gone from it struck through.

use std::ops::Range;

use minirepro_program::{Language, align};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::report::document::code::{Class, classified};
use crate::report::terminal::is_hostile;

/// Of texts of more bytes, only what is around the change is looked at, and without colours.
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
pub fn paint(
    before: Option<&[u8]>,
    text: &[u8],
    language: Option<&Language>,
    width: u16,
    colors: bool,
) -> Painting {
    let old = before.unwrap_or(text);
    let mut canvas = Canvas::new(usize::from(width.max(1)), colors);
    if text.len() > LONGEST {
        // The one change that makes the text of that before.
        let begin = old.iter().zip(text).take_while(|(a, b)| a == b).count();
        let ends = old[begin..].iter().rev().zip(text[begin..].iter().rev());
        let end = ends.take_while(|(a, b)| a == b).count();
        let begin = if before.is_some() { begin } else { 0 };
        canvas.plain(&text[begin.saturating_sub(AROUND)..begin]);
        canvas.change();
        canvas.gone(&old[begin..(old.len() - end).max(begin)]);
        canvas.plain(&text[begin..(begin + AROUND).min(text.len())]);
        return canvas.finish();
    }
    let classes = language.map_or(Vec::new(), |language| classified(text, language));
    let (olds, news) = (words(old), words(text));
    // Words have no gaps between them.
    let start = |text: &[u8], words: &[Range<usize>], at: usize| {
        words.get(at).map_or(text.len(), |word| word.start)
    };
    let word = |at: usize| &old[olds[at].clone()];
    let begins_line = |at: usize| at == 0 || word(at - 1) == b"\n";
    let (mut shown, mut behind) = (0, 0);
    let old_words = olds.iter().map(|word| &old[word.clone()]);
    let runs = align(old_words, news.iter().map(|word| &text[word.clone()]));
    for run in runs.into_iter().filter(|run| !run.common) {
        let Range { start: first, end: last } = run.old;
        // The same text is left if lines go from their beginning on.
        let most = if run.new.is_empty() { first - behind } else { 0 };
        let same = (1..=most).take_while(|back| word(first - back) == word(last - back));
        let back = std::iter::once(0).chain(same).find(|back| begins_line(first - back));
        let back = back.unwrap_or(0);
        let at = start(text, &news, run.new.start - back);
        canvas.classified(text, shown..at, &classes);
        canvas.change();
        canvas.gone(&old[start(old, &olds, first - back)..start(old, &olds, last - back)]);
        (shown, behind) = (at, last - back);
    }
    canvas.classified(text, shown..text.len(), &classes);
    canvas.finish()
}

/// Splits a text into words, runs of blanks, line ends, and single signs.
fn words(text: &[u8]) -> Vec<Range<usize>> {
    let class = |byte: u8| match byte {
        b'_' | 0x80.. => 1,
        byte if byte.is_ascii_alphanumeric() => 1,
        b' ' | b'\t' | b'\r' => 2,
        _ => 0,
    };
    let mut at = 0;
    let words = text.chunk_by(|&a, &b| class(a) != 0 && class(a) == class(b)).map(|word| {
        at += word.len();
        at - word.len()..at
    });
    words.collect()
}

/// Collects pieces of text in lines.
struct Canvas {
    width: usize,
    colors: bool,
    lines: Vec<Line<'static>>,
    spans: Vec<Span<'static>>,
    column: usize,
    changed: Option<usize>,
}

impl Canvas {
    fn new(width: usize, colors: bool) -> Self {
        Self { width, colors, lines: Vec::new(), spans: Vec::new(), column: 0, changed: None }
    }

    fn finish(mut self) -> Painting {
        if !self.spans.is_empty() {
            self.end_line();
        }
        Painting { lines: self.lines, changed: self.changed.unwrap_or(0) }
    }

    /// Notes that a change is here.
    fn change(&mut self) {
        self.changed.get_or_insert(self.lines.len());
    }

    fn plain(&mut self, text: &[u8]) {
        self.add(&String::from_utf8_lossy(text), Style::new());
    }

    /// Adds a part of the text with the colours of its words.
    fn classified(&mut self, text: &[u8], part: Range<usize>, classes: &[(Range<usize>, Class)]) {
        let mut at = part.start;
        let first = classes.partition_point(|(span, _)| span.end <= part.start);
        for (span, class) in classes[first..].iter().take_while(|(span, _)| span.start < part.end) {
            let (start, end) = (span.start.max(part.start), span.end.min(part.end));
            if at < start {
                self.plain(&text[at..start]);
            }
            self.add(&String::from_utf8_lossy(&text[start..end]), self.style(*class));
            at = end;
        }
        if at < part.end {
            self.plain(&text[at..part.end]);
        }
    }

    /// Adds what has gone, in part if it is long.
    fn gone(&mut self, text: &[u8]) {
        let style = Style::new().add_modifier(Modifier::CROSSED_OUT | Modifier::DIM);
        let style = if self.colors { style.fg(Color::Red) } else { style };
        if text.len() <= 3 * ENDS {
            return self.add(&String::from_utf8_lossy(text), style);
        }
        self.add(&String::from_utf8_lossy(&text[..ENDS]), style);
        let bytes = text.len() - 2 * ENDS;
        let note = format!(" … {} bytes … ", crate::report::numbers::count(bytes as u64));
        self.add(&note, Style::new().add_modifier(Modifier::DIM));
        self.add(&String::from_utf8_lossy(&text[text.len() - ENDS..]), style);
    }

    fn style(&self, class: Class) -> Style {
        let style = Style::new();
        if !self.colors {
            return match class {
                Class::Keyword => style.add_modifier(Modifier::BOLD),
                _ => style,
            };
        }
        match class {
            Class::Keyword => style.fg(Color::Magenta),
            Class::Type => style.fg(Color::Cyan),
            Class::Number => style.fg(Color::Yellow),
            Class::Text => style.fg(Color::Green),
            Class::Comment => style.add_modifier(Modifier::DIM),
            Class::Plain | Class::Name | Class::Sign => style,
        }
    }

    /// Adds text; lines that are too long go on in the next one.
    fn add(&mut self, text: &str, style: Style) {
        let mut piece = String::new();
        for c in text.chars() {
            match c {
                '\n' => {
                    self.push(&mut piece, style);
                    self.end_line();
                    continue;
                }
                '\r' => continue,
                '\t' => {
                    let stop = 4 - self.column % 4;
                    self.put(&mut piece, &" ".repeat(stop), stop, style);
                }
                c if is_hostile(c) => {
                    for c in c.escape_default() {
                        self.put(&mut piece, c.encode_utf8(&mut [0; 4]), 1, style);
                    }
                }
                c => {
                    let mut buffer = [0; 4];
                    let shown = c.encode_utf8(&mut buffer);
                    let columns = Span::raw(&*shown).width();
                    self.put(&mut piece, shown, columns, style);
                }
            }
        }
        self.push(&mut piece, style);
    }

    fn put(&mut self, piece: &mut String, shown: &str, columns: usize, style: Style) {
        if self.column + columns > self.width {
            self.push(piece, style);
            self.end_line();
        }
        piece.push_str(shown);
        self.column += columns;
    }

    fn push(&mut self, piece: &mut String, style: Style) {
        if !piece.is_empty() {
            self.spans.push(Span::styled(std::mem::take(piece), style));
        }
    }

    fn end_line(&mut self) {
        self.lines.push(Line::from(std::mem::take(&mut self.spans)));
        self.column = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use minirepro_program::LanguageChoice;

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
        let painting = paint(Some(old), new, None, 80, true);
        assert_eq!(
            shown(&painting),
            ["[-int counter = 1;-]", "int main(void) { return f([-counter, -]2); }"]
        );
        assert_eq!(painting.changed, 0);
        let same = paint(None, new, None, 80, true);
        assert_eq!(shown(&same), ["int main(void) { return f(2); }"]);
    }

    #[test]
    fn code_is_coloured_and_long_lines_go_on_in_the_next() {
        let text = b"return \"a\";\n";
        let language = LanguageChoice::Named("c".into())
            .find(&minirepro_program::Languages::default(), Path::new("a.c"), text)
            .unwrap();
        let colored = paint(None, text, Some(&language), 80, true);
        assert_eq!(colored.lines[0].spans[0].style.fg, Some(Color::Magenta));
        let plain = paint(None, text, Some(&language), 80, false);
        assert!(plain.lines[0].spans.iter().all(|span| span.style.fg.is_none()));
        assert_eq!(
            shown(&paint(None, b"abcdefgh\tx\x1b", None, 5, true)),
            ["abcde", "fgh x", "\\u{1b", "}"]
        );
    }

    #[test]
    fn long_texts_are_shown_around_the_change_and_what_went_in_part() {
        let mut old = b"x\n".repeat(100_000);
        let at = 100_000;
        old.splice(at..at, b"gone ".repeat(1000));
        let new = b"x\n".repeat(100_000);
        let painting = paint(Some(&old), &new, None, 80, true);
        let all = shown(&painting).join("\n");
        assert!(all.contains("… 4,680 bytes …"), "{}", all.len());
        assert!(painting.lines.len() < 5000 && painting.changed > 1000);
    }
}
