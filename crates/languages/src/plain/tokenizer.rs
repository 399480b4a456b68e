//! Splitting a piece of text into tokens without a grammar: for counting and for broken regions.
//!
//! It distinguishes styles of writing, not languages. The benchmark counts the results of all
//! reducers by these rules, so that their sizes compare with ours.

use std::ops::Range;

use memchr::{memchr, memmem};
use serde::Deserialize;

/// How a language is written, as far as counting tokens needs to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Lexing {
    /// Like C: words, numbers, strings, operators of several signs; comments count nothing.
    #[default]
    Program,
    /// The same where `//` and `/*` begin no comments: they may be signs of an address, an
    /// operator, or a pattern of files. What is a comment there counts as words.
    Script,
    /// Like HTML: tag brackets, names, quoted values, words, single signs.
    Markup,
}

impl Lexing {
    /// Returns how many tokens `text` has. Linear.
    pub(crate) fn count(self, text: &[u8]) -> u32 {
        u32::try_from(self.tokens(text).count()).unwrap_or(u32::MAX)
    }

    /// Returns where the tokens of `text` stand; blank space and skipped comments lie between them.
    pub(crate) fn tokens(self, text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut at = 0;
        let parts = std::iter::from_fn(move || {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let (length, is_token) = self.first(rest);
            at += length;
            Some((at - length..at, is_token))
        });
        parts.filter_map(|(part, is_token)| is_token.then_some(part))
    }

    /// Returns the length of what comes first, never 0, and whether it is a token. Nothing before
    /// it matters.
    pub(crate) fn first(self, rest: &[u8]) -> (usize, bool) {
        match self {
            Self::Program => program(rest),
            Self::Script => script(rest),
            Self::Markup => markup(rest),
        }
    }

    /// Returns how many tokens there are in what a grammar does not split. A word or number with
    /// quotation marks in it or before it is one: `x'`, `8'hff`, `'b`, `f"`.
    pub(crate) fn of_leaf(self, text: &[u8]) -> u32 {
        let is_quote = |b: &u8| matches!(b, b'\'' | b'"');
        let begins = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80 || is_quote(b);
        let is_whole = text.first().is_some_and(begins)
            && text.iter().any(is_quote)
            && !text.iter().any(|&b| is_blank(b));
        if is_whole { 1 } else { self.count(text) }
    }
}

/// Returns whether a token is a name in the widest sense: it starts with a letter or an underscore.
pub(crate) fn is_name(token: &[u8]) -> bool {
    token.first().is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80)
        && !token.contains(&b'"')
        && !token.contains(&b'\'')
}

/// Returns the length of the first character: of valid UTF-8 all its bytes, otherwise 1.
pub(crate) fn char_length(rest: &[u8]) -> usize {
    first_char(rest).map_or(1, char::len_utf8)
}

/// Returns the first character, if it is valid UTF-8.
fn first_char(rest: &[u8]) -> Option<char> {
    let head = &rest[..rest.len().min(4)];
    head.utf8_chunks().next()?.valid().chars().next()
}

/// Returns the length of what comes first, never 0, and whether it is a token.
fn program(rest: &[u8]) -> (usize, bool) {
    match rest {
        [b'/', b'/', ..] => (memchr(b'\n', rest).unwrap_or(rest.len()), false),
        [b'/', b'*', inside @ ..] => {
            (memmem::find(inside, b"*/").map_or(rest.len(), |length| length + 4), false)
        }
        _ => script(rest),
    }
}

/// Does the same where no comments are known.
fn script(rest: &[u8]) -> (usize, bool) {
    match rest {
        [b'\\', b'\n', ..] => (2, false),
        [b'\\', b'\r', b'\n', ..] => (3, false),
        &[first, ..] if is_blank(first) => (1, false),
        _ => (program_token(rest), true),
    }
}

fn program_token(rest: &[u8]) -> usize {
    let prefix = match rest {
        [b'u', b'8', b'"' | b'\'', ..] => 2,
        [b'u' | b'U' | b'L', b'"' | b'\'', ..] => 1,
        _ => 0,
    };
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | 0x80..);
    if matches!(rest[prefix], b'"' | b'\'')
        && let Some(length) = quoted(&rest[prefix..])
    {
        return prefix + length;
    }
    match rest {
        [_] => 1,
        [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => number(rest),
        [first, ..] if is_word(first) => rest.iter().take_while(|b| is_word(b)).count(),
        _ => OPERATORS.iter().find(|sign| rest.starts_with(sign)).map_or(1, |sign| sign.len()),
    }
}

/// Signs that belong together, the longest first.
const OPERATORS: &[&[u8]] = &[
    b"<<=", b">>=", b"...", b"->", b"++", b"--", b"<<", b">>", b"&&", b"||", b"##", b"<=", b">=",
    b"==", b"!=", b"-=", b"+=", b"*=", b"/=", b"%=", b"&=", b"^=", b"|=",
];

/// Returns the length of a preprocessing number: also `1e+5`.
fn number(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match (rest[at], rest.get(at + 1)) {
            (b'e' | b'E' | b'p' | b'P', Some(b'+' | b'-')) => at += 2,
            (b, _) if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.') => at += 1,
            _ => break,
        }
    }
    at
}

/// Returns the length of a quoted text that ends on its line (a backslash takes the next byte
/// along); `None` for single quotes around nothing, or without an end.
fn quoted(rest: &[u8]) -> Option<usize> {
    let mut at = 1;
    let has_end = loop {
        match rest.get(at) {
            Some(b'\\') => at += 2,
            None | Some(b'\n') => break false,
            Some(byte) if *byte == rest[0] => break true,
            Some(_) => at += 1,
        }
    };
    let length = rest.len().min(at + usize::from(has_end));
    (rest[0] == b'"' || has_end && length > 2).then_some(length)
}

fn markup(rest: &[u8]) -> (usize, bool) {
    if is_blank(rest[0]) {
        return (1, false);
    }
    for sign in [&b"<!--"[..], b"-->", b"</", b"/>"] {
        if rest.starts_with(sign) {
            return (sign.len(), true);
        }
    }
    // A quoted value ends before any bracket.
    let ends = |b: &u8| *b == rest[0] || matches!(b, b'<' | b'>');
    if matches!(rest[0], b'"' | b'\'')
        && let Some(end) =
            rest.iter().skip(1).position(ends).filter(|&end| rest[end + 1] == rest[0])
    {
        return (end + 2, true);
    }
    let mut at = 0;
    while let Some(c) = first_char(&rest[at..]).filter(|&c| c.is_alphanumeric() || "_-".contains(c))
    {
        at += c.len_utf8();
    }
    match at {
        0 => (char_length(rest), !first_char(rest).is_some_and(char::is_whitespace)),
        length => (length, true),
    }
}

fn is_blank(b: u8) -> bool {
    b.is_ascii_whitespace() || b == 0x0B
}

#[cfg(test)]
mod tests {
    use super::Lexing;

    fn split(lexing: Lexing, text: &str) -> Vec<&str> {
        lexing.tokens(text.as_bytes()).map(|r| &text[r]).collect()
    }

    #[test]
    fn programs_are_split_into_words_numbers_strings_and_operators() {
        let text = "a->b+=0x1e+2 /* c */ 'x' '' u8\"s\\\"\" .5 ... // end\n\\\n##";
        assert_eq!(
            split(Lexing::Program, text),
            ["a", "->", "b", "+=", "0x1e+2", "'x'", "'", "'", "u8\"s\\\"\"", ".5", "...", "##"]
        );
        assert_eq!(split(Lexing::Program, "\"open\n'x"), ["\"open", "'", "x"]);
    }

    #[test]
    fn where_no_comments_are_known_two_slashes_hide_nothing() {
        let text = "case a in\n*/*) b;;\nhttp://c";
        assert_eq!(split(Lexing::Program, text), ["case", "a", "in", "*"]);
        let all =
            ["case", "a", "in", "*", "/", "*", ")", "b", ";", ";", "http", ":", "/", "/", "c"];
        assert_eq!(split(Lexing::Script, text), all);
    }

    #[test]
    fn markup_is_split_into_brackets_names_values_and_words() {
        let text = "<!--a b--><p class=\"x y\" id=\u{e9}t\u{e9}>don't</p><br/>\u{a0}&";
        assert_eq!(
            split(Lexing::Markup, text),
            [
                "<!--",
                "a",
                "b--",
                ">",
                "<",
                "p",
                "class",
                "=",
                "\"x y\"",
                "id",
                "=",
                "\u{e9}t\u{e9}",
                ">",
                "don",
                "'",
                "t",
                "</",
                "p",
                ">",
                "<",
                "br",
                "/>",
                "&"
            ]
        );
    }

    #[test]
    fn any_bytes_are_split_to_the_end() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        for lexing in [Lexing::Program, Lexing::Script, Lexing::Markup] {
            let mut end = 0;
            for token in lexing.tokens(&bytes) {
                assert!(end <= token.start && token.start < token.end);
                end = token.end;
            }
        }
    }
}
