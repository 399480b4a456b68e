//! Finds where a long text can be cut so that its parts can be parsed one by one: between items of
//! its outermost list and of long lists in it, such as those of namespaces. Brackets tell, and
//! lines that begin with `#`.

use std::ops::Range;

use minirepro_syntax::{Copied, Interruption, NodeId};

use crate::plain::tokenizer::Lexing;

/// A part of a text that was read by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) span: Range<usize>,
    pub(crate) verdict: Verdict,
    /// Its nodes in the tree of the text, if there is one.
    pub(crate) nodes: Range<NodeId>,
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

/// Returns the parts of the text, cut after a `;` or after the body of a function, outside of all
/// brackets and conditional lines, and around the items of long lists that begin with these words.
/// Together they are the text, but for blank space. Whether a part can be read alone is for its
/// reader to see. Linear. If this is interrupted, the last part is the rest of the text.
pub(crate) fn parts(
    text: &[u8],
    lists: &[Box<[Box<[u8]>]>],
    interruption: &Interruption,
) -> Vec<Part> {
    let mut open: Vec<OpenList> = Vec::new();
    let mut at = OpenList::default();
    for (end, cut) in cuts(text, lists, interruption) {
        match cut {
            Cut::AfterItem => at.item_ends(end),
            Cut::IntoList => {
                let head = at.item..end;
                let inside = OpenList { head, start: end, item: end, parts: Vec::new() };
                open.push(std::mem::replace(&mut at, inside));
            }
            Cut::OutOfList => {
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
    if outermost.start < text.len() || outermost.parts.is_empty() {
        outermost.parts.push(Part::Items(outermost.start..text.len()));
    }
    outermost.parts
}

/// A list that is being read, or the whole text.
#[derive(Default)]
struct OpenList {
    head: Range<usize>,
    /// Where the items begin that are in no part yet.
    start: usize,
    /// Where the last item ends.
    item: usize,
    parts: Vec<Part>,
}

impl OpenList {
    fn item_ends(&mut self, end: usize) {
        self.item = end;
        if end - self.start >= LEAST {
            self.parts.push(Part::Items(self.start..end));
            self.start = end;
        }
    }

    fn list_ends(&mut self, list: Self, end: usize) {
        let items = |span: Range<usize>| (!span.is_empty()).then_some(Part::Items(span));
        self.parts.extend(items(self.start..list.head.start));
        self.parts.push(Part::Head(list.head, end));
        self.parts.extend(list.parts);
        self.parts.extend(items(list.start..end - 1));
        self.parts.push(Part::End(end - 1..end));
        (self.start, self.item) = (end, end);
    }
}

/// Returns the parts that stand in no list, and the lists that stand in none with all their parts.
pub(crate) fn outermost(parts: &[Part]) -> impl Iterator<Item = &[Part]> {
    let mut depth = 0_u32;
    parts.split_inclusive(move |part| {
        match part {
            Part::Items(_) => {}
            Part::Head(..) => depth += 1,
            Part::End(_) => depth = depth.saturating_sub(1),
        }
        depth == 0
    })
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

/// Returns the places where a text can be cut, each with the end of its last token.
fn cuts<'a>(
    text: &'a [u8],
    lists: &'a [Box<[Box<[u8]>]>],
    interruption: &'a Interruption,
) -> impl Iterator<Item = (usize, Cut)> + use<'a> {
    let mut nesting = Nesting { lists, ..Nesting::default() };
    let (mut at, mut line_begins) = (0, true);
    let mut steps = interruption.until(0u64..);
    std::iter::from_fn(move || {
        loop {
            steps.next()?;
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            if line_begins && rest[0] == b'#' {
                nesting.directive(directive(rest));
                at += line_length(rest);
                continue;
            }
            let (length, is_token) = Lexing::Program.first(rest);
            line_begins = rest[0] == b'\n' || line_begins && !is_token;
            at += length;
            if is_token && let Some(cut) = nesting.token(&rest[..length]) {
                return Some((at, cut));
            }
        }
    })
}

/// Returns the length of the longest part that stands in no list. Linear.
pub(crate) fn longest(text: &[u8], interruption: &Interruption) -> usize {
    let parts = parts(text, &[], interruption);
    parts.iter().map(|part| span(std::slice::from_ref(part)).len()).max().unwrap_or(0)
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
    lists: &'a [Box<[Box<[u8]>]>],
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
        }
        let is_free = outside && self.conditions.is_empty();
        if is_free && token == b"{" && self.begins_list() {
            self.open += 1;
            return Some(self.cut(Cut::IntoList));
        }
        if is_free && token == b"}" && self.open > 0 {
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

    /// Returns whether a bracket opens a list of items, not the body of a function.
    fn begins_list(&self) -> bool {
        let begins = |words: &[Box<[u8]>]| {
            self.first.len() >= words.len()
                && words.iter().zip(&self.first).all(|(word, token)| **word == **token)
        };
        let is_body = self.last == b")" && !self.called.starts_with(b"__");
        !is_body && self.lists.iter().any(|words| begins(words))
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
    fn check(lists: &[Box<[Box<[u8]>]>], text: &str) -> String {
        let filler = "int x = 1; ".repeat(LEAST / 10);
        let text = text.replace('~', &filler);
        let parts = parts(text.as_bytes(), lists, &Interruption::default());
        let shown = parts.into_iter().map(|part| {
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
        let words = |list: &str| list.split(' ').map(|word| word.as_bytes().into()).collect();
        let lists = ["namespace", "inline namespace", "extern \"C\""].map(words);
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
        let piece = |span, errors| Piece {
            span,
            verdict: Verdict { errors, ends_badly: false },
            nodes: NodeId::ROOT..NodeId::ROOT,
        };
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
