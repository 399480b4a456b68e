//! Splitting a piece of text into tokens without a grammar: for counting and for broken regions.
//!
//! It distinguishes styles of writing, not languages. The benchmark counts the results of all
//! reducers by these rules, so that their sizes compare with ours.

use std::ops::Range;

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
        std::iter::from_fn(move || {
            loop {
                let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
                let start = at;
                let (length, is_token) = self.first(rest);
                at += length;
                if is_token {
                    return Some(start..at);
                }
            }
        })
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
    let length = match rest[0] {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    match rest.get(..length) {
        Some(bytes) if std::str::from_utf8(bytes).is_ok() => length,
        _ => 1,
    }
}

/// Returns the length of what comes first, never 0, and whether it is a token.
fn program(rest: &[u8]) -> (usize, bool) {
    match rest {
        [b'/', b'/', ..] => (find(rest, b"\n").unwrap_or(rest.len()), false),
        [b'/', b'*', ..] => (find(&rest[2..], b"*/").map_or(rest.len(), |i| i + 4), false),
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
    match rest[prefix] {
        b'"' => return prefix + quoted(&rest[prefix..]).0,
        b'\'' => {
            if let (length @ 3.., true) = quoted(&rest[prefix..]) {
                return prefix + length;
            }
        }
        _ => {}
    }
    let digit = |i: usize| rest.get(i).is_some_and(u8::is_ascii_digit);
    if digit(0) || rest[0] == b'.' && digit(1) {
        return number(rest);
    }
    let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | 0x80..);
    if word(rest[0]) {
        return rest.iter().position(|&b| !word(b)).unwrap_or(rest.len());
    }
    operator(rest)
}

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

fn operator(rest: &[u8]) -> usize {
    match rest {
        [b'<', b'<', b'=', ..] | [b'>', b'>', b'=', ..] | [b'.', b'.', b'.', ..] => 3,
        [b'-', b'>', ..]
        | [b'+', b'+', ..]
        | [b'-', b'-', ..]
        | [b'<', b'<', ..]
        | [b'>', b'>', ..]
        | [b'&', b'&', ..]
        | [b'|', b'|', ..]
        | [b'#', b'#', ..]
        | [
            b'<' | b'>' | b'=' | b'!' | b'-' | b'+' | b'*' | b'/' | b'%' | b'&' | b'^' | b'|',
            b'=',
            ..,
        ] => 2,
        _ => 1,
    }
}

/// Returns the length of a quoted text that ends on its line (a backslash takes the next byte
/// along), and whether it has its end.
fn quoted(rest: &[u8]) -> (usize, bool) {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at = (at + 2).min(rest.len()),
            b'\n' => return (at, false),
            b if b == rest[0] => return (at + 1, true),
            _ => at += 1,
        }
    }
    (at, false)
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
    if let quote @ (b'"' | b'\'') = rest[0]
        && let Some(end) = markup_quote(rest).filter(|&end| rest[end] == quote)
    {
        return (end + 1, true);
    }
    let mut at = 0;
    while at < rest.len() && is_markup_word(&rest[at..]) {
        at += char_length(&rest[at..]);
    }
    if at > 0 {
        return (at, true);
    }
    let length = char_length(rest);
    let blank = std::str::from_utf8(&rest[..length]).is_ok_and(|c| c.trim().is_empty());
    (length, !blank)
}

/// Returns where a quoted value ends, or the first bracket that shows that it does not end.
fn markup_quote(rest: &[u8]) -> Option<usize> {
    let end = rest[1..].iter().position(|&b| b == rest[0] || matches!(b, b'<' | b'>'));
    end.map(|end| end + 1)
}

fn is_markup_word(rest: &[u8]) -> bool {
    match rest[0] {
        b if b.is_ascii() => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'),
        _ => std::str::from_utf8(&rest[..char_length(rest)])
            .is_ok_and(|c| c.chars().all(char::is_alphanumeric)),
    }
}

fn is_blank(b: u8) -> bool {
    b.is_ascii_whitespace() || b == 0x0B
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|w| w == what)
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
