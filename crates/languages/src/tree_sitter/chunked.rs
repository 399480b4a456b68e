//! Finds where a long text can be cut so that its parts can be parsed one by one: between items of
//! its outermost list and of long lists in it, such as those of namespaces. Brackets tell, and
//! lines that begin with `#`.

use std::ops::Range;

use minirepro_syntax::{Copied, Interruption};

use crate::plain::tokenizer::Lexing;

/// A part of a text that was read by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) span: Range<usize>,
    pub(crate) verdict: Verdict,
}

/// What a parser found wrong with a piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) errors: u32,
    /// Whether that may come of where the piece ends.
    pub(crate) ends_badly: bool,
}

impl Verdict {
    pub(crate) const SOUND: Self = Self { errors: 0, ends_badly: false };
}

/// Pieces are not shorter than this without need: each costs the start of a parser.
const LEAST: usize = 4 << 10;

/// A part of a text that can be read by itself, but for what stands around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Whole items.
    Items(Range<usize>),
    /// What stands before the items of a list, up to its `{`; and where the list ends, after its
    /// `}`.
    Head(Range<usize>, usize),
    /// The `}` of the last list that is still open.
    End(Range<usize>),
}

/// Returns the pieces of the text, cut after a `;` or after the body of a function, outside of all
/// brackets and conditional lines, and around the items of long lists that begin with these words:
/// each is some items, or a list with all its parts. Together they are the text, but for blank
/// space. Whether a part can be read alone is for its reader to see. Linear. If this is
/// interrupted, the last piece is the rest of the text.
pub(crate) fn pieces(text: &[u8], lists: &[String], interruption: &Interruption) -> Vec<Vec<Part>> {
    let mut nesting = Nesting { lists, ..Nesting::default() };
    let mut open: Vec<OpenList> = Vec::new();
    let mut at = OpenList::default();
    let (mut end, mut line_begins) = (0, true);
    for _ in interruption.until(0u64..) {
        let rest = &text[end..];
        if line_begins && rest.starts_with(b"#") {
            nesting.directive(directive(rest));
            end += line_length(rest);
            continue;
        } else if rest.is_empty() {
            break;
        }
        let (length, is_token) = Lexing::Program.first(rest);
        line_begins = rest[0] == b'\n' || line_begins && !is_token;
        end += length;
        match is_token.then(|| nesting.token(&rest[..length])).flatten() {
            None => {}
            Some(Cut::AfterItem) => at.item_ends(end),
            Some(Cut::IntoList) => {
                let head = at.item..end;
                let inside = OpenList { head, start: end, item: end, pieces: Vec::new() };
                open.push(std::mem::replace(&mut at, inside));
            }
            Some(Cut::OutOfList) => {
                let Some(around) = open.pop() else { continue };
                let inside = std::mem::replace(&mut at, around);
                // A short one is an item like others.
                if end - inside.head.start >= LEAST {
                    at.list_ends(inside, end);
                } else {
                    at.item_ends(end);
                }
            }
        }
    }
    // What does not end is not read as a list.
    let mut outermost = open.into_iter().next().unwrap_or(at);
    if outermost.start < text.len() || outermost.pieces.is_empty() {
        outermost.pieces.push(vec![Part::Items(outermost.start..text.len())]);
    }
    outermost.pieces
}

/// A list that is being read, or the whole text.
#[derive(Default)]
struct OpenList {
    head: Range<usize>,
    /// Where the items begin that are in no part yet.
    start: usize,
    /// Where the last item ends.
    item: usize,
    pieces: Vec<Vec<Part>>,
}

impl OpenList {
    fn item_ends(&mut self, end: usize) {
        self.item = end;
        if end - self.start >= LEAST {
            self.pieces.push(vec![Part::Items(self.start..end)]);
            self.start = end;
        }
    }

    fn list_ends(&mut self, list: Self, end: usize) {
        let items = |span: Range<usize>| (!span.is_empty()).then_some(Part::Items(span));
        self.pieces.extend(items(self.start..list.head.start).map(|items| vec![items]));
        let mut parts = vec![Part::Head(list.head, end)];
        parts.extend(list.pieces.into_iter().flatten());
        parts.extend(items(list.start..end - 1));
        parts.push(Part::End(end - 1..end));
        self.pieces.push(parts);
        (self.start, self.item) = (end, end);
    }
}

/// Returns where such a piece stands.
pub(crate) fn span(piece: &[Part]) -> Range<usize> {
    match piece {
        [Part::Head(head, end), ..] => head.start..*end,
        [Part::Items(span) | Part::End(span), ..] => span.clone(),
        [] => 0..0,
    }
}

/// A place where a text can be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    AfterItem,
    IntoList,
    OutOfList,
}

/// Returns the length of the longest part that stands in no list. Linear.
pub(crate) fn longest(text: &[u8], interruption: &Interruption) -> usize {
    let pieces = pieces(text, &[], interruption);
    pieces.iter().map(|piece| span(piece).len()).max().unwrap_or(0)
}

/// Where in brackets and conditional lines we are.
#[derive(Default)]
struct Nesting<'a> {
    depth: u32,
    /// How deep it was where conditional lines began.
    conditions: Vec<u32>,
    /// Tokens outside of all brackets: the last one, and the last one before a `(`.
    last: &'a [u8],
    called: &'a [u8],
    in_body: bool,
    /// The words that lists of items begin with.
    lists: &'a [String],
    /// How many of these lists are open.
    open: u32,
    /// The first tokens of the item, outside of all brackets.
    first: Vec<&'a [u8]>,
}

impl<'a> Nesting<'a> {
    fn directive(&mut self, word: &[u8]) {
        match word {
            b"if" | b"ifdef" | b"ifndef" => self.conditions.push(self.depth),
            b"else" | b"elif" => {
                self.depth = self.conditions.last().copied().unwrap_or(self.depth);
            }
            b"endif" => drop(self.conditions.pop()),
            _ => {}
        }
    }

    /// Returns how the text may be cut after this token.
    fn token(&mut self, token: &'a [u8]) -> Option<Cut> {
        let outside = self.depth == 0;
        if outside && token == b"(" {
            self.called = self.last;
        }
        if outside && token == b"{" {
            // What stands in brackets before may also be an attribute: `struct __packed(1) { … }
            // x;`
            self.in_body = self.last == b")" && !self.called.starts_with(b"__");
            if self.conditions.is_empty() && !self.in_body && self.begins_list() {
                self.open += 1;
                return Some(self.cut(Cut::IntoList));
            }
        }
        if outside && self.conditions.is_empty() && token == b"}" && self.open > 0 {
            self.open -= 1;
            return Some(self.cut(Cut::OutOfList));
        }
        match token {
            b"(" | b"[" | b"{" => self.depth += 1,
            b")" | b"]" | b"}" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if outside && self.first.len() < FIRST_TOKENS {
            self.first.push(token);
        }
        if self.depth > 0 {
            return None;
        }
        self.last = token;
        let ends = token == b";" || token == b"}" && self.in_body;
        (ends && self.conditions.is_empty()).then(|| self.cut(Cut::AfterItem))
    }

    /// Begins another item.
    fn cut(&mut self, cut: Cut) -> Cut {
        self.first.clear();
        if cut != Cut::AfterItem {
            self.last = b"";
        }
        cut
    }

    /// Returns whether a bracket opens a list of items.
    fn begins_list(&self) -> bool {
        let first = self.first.join(&b' ');
        let begins = |words: &String| {
            let rest = first.strip_prefix(words.as_bytes());
            rest.is_some_and(|rest| matches!(rest, [] | [b' ', ..]))
        };
        self.lists.iter().any(begins)
    }
}

/// The words that lists of items begin with are no more than this.
const FIRST_TOKENS: usize = 3;

/// Returns the word after the `#`.
fn directive(line: &[u8]) -> &[u8] {
    let word = line[1..].trim_ascii_start();
    let end = word.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(word.len());
    &word[..end]
}

/// Returns the length of a line with its end, and with the lines that it goes on in.
fn line_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(end) = memchr::memchr(b'\n', &text[at..]) {
        at += end + 1;
        let line = &text[..at - 1];
        if !line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\") {
            return at;
        }
    }
    text.len()
}

/// Returns the parts of a candidate that have to be parsed again, when it was made of a text with
/// these pieces by copying these parts; and the errors in the rest.
pub(crate) fn unread(
    pieces: &[Piece],
    copied: &[Copied],
    length: usize,
) -> (Vec<Range<usize>>, u32) {
    let mut unread = Vec::new();
    let mut errors = 0;
    let mut at = 0;
    for part in copied {
        let first = pieces.partition_point(|piece| piece.span.start < part.from.start);
        let last = pieces.partition_point(|piece| piece.span.end <= part.from.end);
        if first >= last {
            continue;
        }
        let whole = pieces[first].span.start..pieces[last - 1].span.end;
        let start = part.to + whole.start - part.from.start;
        if at < start {
            unread.push(at..start);
        }
        at = start + whole.len();
        errors += pieces[first..last].iter().map(|piece| piece.verdict.errors).sum::<u32>();
    }
    if at < length {
        unread.push(at..length);
    }
    (unread, errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the parts of a text in which `~` stands for as much as a part may hold.
    fn check(lists: &[String], text: &str) -> String {
        let filler = "int x = 1; ".repeat(LEAST / 10);
        let text = text.replace('~', &filler);
        let pieces = pieces(text.as_bytes(), lists, &Interruption::default());
        let shown = pieces.into_iter().flatten().map(|part| {
            let (mark, span) = match part {
                Part::Items(span) => ("", span),
                Part::Head(span, end) if text[..end].ends_with('}') => ("head: ", span),
                Part::Head(..) => ("wrong end", 0..0),
                Part::End(span) => ("end: ", span),
            };
            mark.to_owned() + text[span].replace(&filler, "~").trim()
        });
        shown.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn a_text_is_cut_between_its_outermost_items_only() {
        let check = |text: &str| check(&[], text);
        assert_eq!(check(""), "");
        assert_eq!(check("f(); g();"), "f(); g();", "short");
        // The filler is long enough for a piece by itself, but in brackets it is never cut.
        assert_eq!(check("f(){~} int y;"), "f(){~} | int y;");
        assert_eq!(check("struct {~} x; y"), "struct {~} x; | y");
        assert_eq!(check("struct __packed(1) {~} x; y"), "struct __packed(1) {~} x; | y");
        assert_eq!(check("f(\";\", '}', (~)) /* ; */ ; y"), "f(\";\", '}', (~)) /* ; */ ; | y");
        let conditional = "#if A\n f(){ ~\n# else\n g(){~\n#endif\n}";
        assert_eq!(check(&format!("{conditional} int y;")), format!("{conditional} | int y;"));
        assert_eq!(check("#define A ~ { \\\n ~ (\n{~}; a"), "#define A ~ { \\\n ~ (\n{~}; | a");
        assert_eq!(check("}}{~}; a"), "}}{~}; | a");
    }

    #[test]
    fn long_lists_are_looked_into() {
        let lists = ["namespace", "inline namespace", "extern \"C\""].map(str::to_owned);
        let check = |text: &str| check(&lists, text);
        let same = |text: &str| assert_eq!(check(text), text);
        assert_eq!(
            check("int x; namespace a { f(){~} int y; } z"),
            "int x; | head: namespace a { | f(){~} | int y; | end: } | z"
        );
        assert_eq!(
            check("inline namespace a __attribute__((b)) { namespace c { f(){~} g(); } } z"),
            "head: inline namespace a __attribute__((b)) { | head: namespace c { | f(){~} | g(); \
             | end: } | end: } | z"
        );
        assert_eq!(
            check("extern \"C\" { f(){~} } y"),
            "head: extern \"C\" { | f(){~} | end: } | y"
        );
        same("int x; namespace a { int y; } z");
        assert_eq!(
            check("namespace a { int x; namespace b { int y; } f(){~} }"),
            "head: namespace a { | int x; namespace b { int y; } f(){~} | end: }"
        );
        // Functions, brackets inside, lists that do not end, and those that end in one case only.
        same("extern \"C\" int f(a) { x; } y");
        same("class a { namespace b { int x; } };");
        same("namespace a { x;");
        same("#if A\nnamespace a {\n#endif\n x; }");
        assert_eq!(
            check("namespace a { f(){~} } } y"),
            "head: namespace a { | f(){~} | end: } | } y"
        );
    }

    #[test]
    fn only_what_is_new_is_read_again() {
        let piece = |span, errors| Piece { span, verdict: Verdict { errors, ends_badly: false } };
        let pieces = [piece(0..10, 1), piece(10..20, 2), piece(20..30, 4), piece(30..40, 8)];
        let check = |parts: &[(usize, usize)], expected: (&[[usize; 2]], u32)| {
            let mut to = 0;
            let copied = parts.iter().map(|&(start, end)| {
                let part = Copied { from: start..end, to };
                to += end - start;
                part
            });
            let copied: Vec<Copied> = copied.collect();
            let (unread, errors) = unread(&pieces, &copied, to);
            let unread: Vec<[usize; 2]> = unread.iter().map(|u| [u.start, u.end]).collect();
            assert_eq!((&unread[..], errors), expected);
        };
        check(&[(0, 40)], (&[], 15));
        check(&[(0, 15), (16, 40)], (&[[10, 19]], 13));
        check(&[(0, 10), (30, 40)], (&[], 9));
        check(&[(5, 12), (19, 25)], (&[[0, 13]], 0));
    }
}
