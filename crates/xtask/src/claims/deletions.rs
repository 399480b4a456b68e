//! Finds what can be deleted from a text by classes of bytes alone.

use std::ops::Range;

use minirepro_syntax::reads_as_one;

/// A text without a single token or character.
#[derive(Debug)]
pub(super) struct Deletion {
    pub(super) text: Vec<u8>,
    /// The same with other blank space in its place: a run may have tried one of these instead.
    pub(super) layouts: Vec<Vec<u8>>,
    /// What was deleted, in words.
    pub(super) kind: &'static str,
    /// Whether it is a part of a token, which certificates leave out.
    pub(super) is_inside: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Blank,
    Word,
    Quoted,
    Comment,
    Sign,
}

#[derive(Debug, PartialEq, Eq)]
struct Token {
    class: Class,
    span: Range<usize>,
}

/// Returns the text without each of its tokens, and without each character inside of a token. With
/// `keeps_apart`, what would grow together is kept apart. Blank space is not deleted: it is the layout, of
/// which no certificate speaks.
pub(super) fn deletions(text: &[u8], keeps_apart: bool) -> Vec<Deletion> {
    let mut found = Vec::new();
    for Token { class, span } in tokens(text) {
        let (token, character) = match class {
            Class::Blank => continue,
            Class::Word => ("a word", "a character of a word"),
            Class::Quoted => ("a quoted text", "a character of a quoted text"),
            Class::Comment => ("a comment", "a character of a comment"),
            Class::Sign => ("a sign", ""),
        };
        let is_inside = class != Class::Comment && is_part_of_token(text, &span);
        let layouts = layouts(text, &span);
        let text_left = without(text, &span, keeps_apart);
        found.push(Deletion { text: text_left, layouts, kind: token, is_inside });
        if class == Class::Sign || span.len() == 1 {
            continue;
        }
        let inner = if class == Class::Quoted { span.start + 1..span.end - 1 } else { span };
        for at in inner {
            let text = without(text, &(at..at + 1), false);
            let layouts = Vec::new();
            found.push(Deletion { text, layouts, kind: character, is_inside: true });
        }
    }
    found
}

/// Returns the text without a span and the blank space around it, with plain blank space instead.
fn layouts(text: &[u8], span: &Range<usize>) -> Vec<Vec<u8>> {
    let before = text[..span.start].trim_ascii_end();
    let behind = text[span.end..].trim_ascii_start();
    [&b""[..], b" ", b"\n"].map(|blank| [before, blank, behind].concat()).to_vec()
}

/// Returns whether what stands next to a span belongs to the same token: signs of several
/// characters, names with a hyphen.
fn is_part_of_token(text: &[u8], span: &Range<usize>) -> bool {
    let joined = |a: u8, b: u8| {
        matches!((a, b), (b'<', b'/' | b'!') | (b'/', b'>') | (b'-', b'-'))
            || a.is_ascii_punctuation() && b.is_ascii_punctuation() && reads_as_one(a, b)
            || a.is_ascii_digit() && b == b'.'
            || a == b'.' && b.is_ascii_digit()
            || a == b'-' && is_word(b)
            || is_word(a) && b == b'-'
    };
    let joins_before = span.start > 0 && joined(text[span.start - 1], text[span.start]);
    let joins_behind = span.end < text.len() && joined(text[span.end - 1], text[span.end]);
    joins_before || joins_behind
}

/// Cuts a span out; with `apart`, a blank stands in its place where two words would grow together.
fn without(text: &[u8], span: &Range<usize>, apart: bool) -> Vec<u8> {
    let before = &text[..span.start];
    let behind = &text[span.end..];
    let grows_together =
        before.last().copied().is_some_and(is_word) && behind.first().copied().is_some_and(is_word);
    let joint: &[u8] = if apart && grows_together { b" " } else { b"" };
    [before, joint, behind].concat()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn tokens(text: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (class, length) = first_token(&text[at..]);
        tokens.push(Token { class, span: at..at + length });
        at += length;
    }
    tokens
}

/// Returns the class and the length of the token that `text` begins with.
fn first_token(text: &[u8]) -> (Class, usize) {
    for (open, close) in [("/*", "*/"), ("<!--", "-->")] {
        if text.starts_with(open.as_bytes())
            && let Some(end) = find(&text[open.len()..], close.as_bytes())
        {
            return (Class::Comment, open.len() + end + close.len());
        }
    }
    let line = text.iter().position(|&b| b == b'\n').unwrap_or(text.len());
    if text.starts_with(b"//") {
        return (Class::Comment, line);
    }
    let first = text[0];
    if first.is_ascii_whitespace() {
        return (Class::Blank, run(text, |b| b.is_ascii_whitespace()));
    }
    if is_word(first) {
        return (Class::Word, run(text, is_word));
    }
    if matches!(first, b'"' | b'\'' | b'`')
        && let Some(end) = quoted_length(&text[..line])
    {
        return (Class::Quoted, end);
    }
    (Class::Sign, 1)
}

fn run(text: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&b| !belongs(b)).unwrap_or(text.len())
}

/// Returns the length of the quoted text that a line begins with, if its second quote is there.
fn quoted_length(line: &[u8]) -> Option<usize> {
    let mut at = 1;
    while at < line.len() {
        match line[at] {
            b'\\' => at += 1,
            byte if byte == line[0] => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|here| here == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let shown = |deletion: Deletion| {
            format!("{}: {}", deletion.kind, String::from_utf8(deletion.text).unwrap())
        };
        deletions(text.as_bytes(), true).into_iter().map(shown).collect()
    }

    #[test]
    fn words_signs_and_characters_go_one_by_one() {
        assert_eq!(
            shown("int a;"),
            [
                "a word:  a;",
                "a character of a word: nt a;",
                "a character of a word: it a;",
                "a character of a word: in a;",
                "a word: int ;",
                "a sign: int a",
            ]
        );
    }

    #[test]
    fn quotes_stay_around_what_is_left_of_a_quoted_text() {
        assert_eq!(
            shown("x\"a\\\"\"y")[1..5],
            [
                "a quoted text: x y",
                "a character of a quoted text: x\"\\\"\"y",
                "a character of a quoted text: x\"a\"\"y",
                "a character of a quoted text: x\"a\\\"y",
            ]
        );
    }

    #[test]
    fn parts_of_one_token_are_known_as_such() {
        let inside = |text: &str| -> Vec<bool> {
            deletions(text.as_bytes(), true).iter().map(|deletion| deletion.is_inside).collect()
        };
        assert_eq!(inside("</b>"), [true, true, false, false]);
        assert_eq!(inside("1.0;"), [true, true, true, false]);
        assert_eq!(inside("a = b"), [false, false, false]);
    }

    #[test]
    fn comments_are_one_token() {
        assert_eq!(shown("/* a */")[0], "a comment: ");
        assert_eq!(shown("a//b\nc")[1], "a comment: a\nc");
    }
}
