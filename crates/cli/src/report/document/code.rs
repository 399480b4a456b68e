//! Code as words with a colour, and for each word the reason why it is still there.

use std::ops::Range;
use std::sync::Arc;

use minirepro_program::{Language, NodeId, Outcome, Role, Tree};

/// Longer texts get no colours and no reasons.
const LONGEST: usize = 64 << 10;

/// What a word is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Blank space, and what has no other class.
    Plain,
    /// A word of the language itself.
    Keyword,
    /// A name.
    Name,
    /// The name of a type.
    Type,
    /// A number.
    Number,
    /// A text in quotes, or the text of a page.
    Text,
    /// A comment.
    Comment,
    /// Brackets and operators.
    Sign,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Its class.
    pub class: Class,
    /// Why it is still there.
    pub reason: Option<String>,
}

/// A candidate that differs from the result, and the answer of its test.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The candidate.
    pub candidate: Arc<[u8]>,
    /// The answer.
    pub outcome: Outcome,
}

/// Splits a text into words. `refused` are candidates that were not accepted instead of it.
pub fn words(text: &[u8], language: Option<&Language>, refused: &[Refused]) -> Vec<Word> {
    let Some(language) = language.filter(|_| text.len() <= LONGEST) else {
        return vec![plain(text)];
    };
    let changes: Vec<RefusedChange<'_>> =
        refused.iter().map(|refused| RefusedChange::between(text, refused)).collect();
    let mut words = Vec::new();
    let mut at = 0;
    for (span, class) in classified(text, language) {
        if at < span.start {
            words.push(plain(&text[at..span.start]));
        }
        words.push(Word {
            text: lossy(&text[span.clone()]),
            class,
            reason: Some(reason(text, &span, &changes)),
        });
        at = span.end;
    }
    if at < text.len() {
        words.push(plain(&text[at..]));
    }
    words
}

/// Returns where the words of a text are, and their classes, in order. Blank space is not a word.
pub fn classified(text: &[u8], language: &Language) -> Vec<(Range<usize>, Class)> {
    let tree = language.parser.parse(text);
    let leaves = tree.ids().filter(|&id| tree.is_leaf(id) && !tree.span(id).is_empty());
    let mut all: Vec<(Range<usize>, Class)> = Vec::new();
    for id in leaves {
        let span = tree.span(id);
        if all.last().is_none_or(|(last, _)| last.end <= span.start) {
            all.push((span, class(&tree, id, language)));
        }
    }
    all
}

fn plain(text: &[u8]) -> Word {
    Word { text: lossy(text), class: Class::Plain, reason: None }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Returns the class of a leaf: by the roles of its kind, else by what grammars call such leaves,
/// else by its text.
fn class(tree: &Tree, id: NodeId, language: &Language) -> Class {
    let kind = tree.kind(id);
    let name = tree.kind_name(id);
    let is_named = tree.is_named(id);
    let has = |parts: &[&str]| is_named && parts.iter().any(|part| name.contains(part));
    if has(&["comment"]) {
        Class::Comment
    } else if has(&["type"]) {
        Class::Type
    } else if language.roles.is(Role::Identifier, kind) || has(&["identifier", "name"]) {
        Class::Name
    } else if has(&["string", "char", "value"]) || language.roles.is(Role::Text, kind) {
        Class::Text
    } else if has(&["number", "integer", "float"]) {
        Class::Number
    } else if tree.text_of(id).first().is_some_and(u8::is_ascii_alphabetic) {
        if is_named { Class::Plain } else { Class::Keyword }
    } else {
        Class::Sign
    }
}

/// What a candidate changes: a part of the text, and what stands there instead.
struct RefusedChange<'a> {
    old: Range<usize>,
    new: &'a [u8],
    outcome: Outcome,
}

impl<'a> RefusedChange<'a> {
    fn between(text: &[u8], refused: &'a Refused) -> Self {
        let new = &refused.candidate[..];
        let begin = text.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (rest, new_rest) = (&text[begin..], &new[begin..]);
        let equal = rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b);
        let end = equal.count();
        Self {
            old: begin..text.len() - end,
            new: &new_rest[..new_rest.len() - end],
            outcome: refused.outcome,
        }
    }
}

/// Says what happened when the least was changed that contains a word.
fn reason(text: &[u8], span: &Range<usize>, changes: &[RefusedChange<'_>]) -> String {
    let covers = |change: &&RefusedChange<'_>| {
        change.old.start <= span.start
            && span.end <= change.old.end
            && change.new.len() < change.old.len()
    };
    let Some(change) = changes.iter().filter(covers).min_by_key(|change| change.old.len()) else {
        return "without it, nothing that the grammar allows is smaller".to_owned();
    };
    let old = brief(&text[change.old.clone()]);
    let what = match brief(change.new) {
        _ if change.old == *span && change.new.is_empty() => "without it".to_owned(),
        new if new.is_empty() => format!("without `{old}`"),
        new => format!("with `{new}` in place of `{old}`"),
    };
    let outcome = match change.outcome {
        Outcome::Pass => "the test does not reproduce",
        Outcome::Unresolved => "the test is unresolved",
        Outcome::Fail => "the test reproduces, but the result is not smaller",
    };
    format!("{what}: {outcome}")
}

/// Writes a text within a line, in part if it is long.
fn brief(text: &[u8]) -> String {
    let text = lossy(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(BRIEF) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// How many characters of a changed text are shown.
const BRIEF: usize = 60;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use minirepro_program::{LanguageChoice, Languages};

    use super::*;

    #[test]
    fn words_have_colours_and_reasons_and_make_up_the_text() {
        let text = b"int a = f(\"x\", 1);\n";
        let language = LanguageChoice::Named("c".into());
        let language = language.find(&Languages::default(), Path::new("a.c"), text).unwrap();
        let refused = |candidate: &[u8], outcome| Refused { candidate: candidate.into(), outcome };
        let words = words(
            text,
            Some(&language),
            &[
                refused(b";\n", Outcome::Pass),
                refused(b"int a = f(\"x\");\n", Outcome::Pass),
                refused(b"int a = f(0, 1);\n", Outcome::Unresolved),
            ],
        );
        let all: String = words.iter().map(|word| &word.text[..]).collect();
        assert_eq!(all.as_bytes(), text);
        let of = |text: &str| words.iter().find(|word| word.text == text).unwrap();
        assert_eq!(of("a").class, Class::Name);
        assert_eq!(of("int").class, Class::Type);
        assert_eq!((of("1").class, of("\"x\"").class), (Class::Number, Class::Text));
        let reason = |text| of(text).reason.clone().unwrap();
        assert_eq!(reason("1"), "without `, 1`: the test does not reproduce");
        assert_eq!(reason("\"x\""), "with `0` in place of `\"x\"`: the test is unresolved");
        assert_eq!(reason("int"), "without `int a = f(\"x\", 1)`: the test does not reproduce");
    }

    #[test]
    fn a_text_without_a_language_is_one_word() {
        assert_eq!(words(b"a b", None, &[]), [plain(b"a b")]);
    }
}
