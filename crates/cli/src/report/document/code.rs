//! Code as words with a colour.

use std::ops::Range;

use minirepro_program::{Language, NodeId, Role, Tree};

/// Longer texts get no colours.
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
}

/// Splits a text into words.
pub fn words(text: &[u8], language: Option<&Language>) -> Vec<Word> {
    let classes = language.filter(|_| text.len() <= LONGEST).map(|all| classified(text, all));
    let word = |span: Range<usize>, class| Word {
        text: String::from_utf8_lossy(&text[span]).into_owned(),
        class,
    };
    let mut words = Vec::new();
    let mut at = 0;
    for (span, class) in classes.unwrap_or_default() {
        words.push(word(at..span.start, Class::Plain));
        at = span.end;
        words.push(word(span, class));
    }
    words.push(word(at..text.len(), Class::Plain));
    words.retain(|word| !word.text.is_empty());
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use minirepro_program::{LanguageChoice, Languages};

    use super::*;

    #[test]
    fn words_have_colours_and_make_up_the_text() {
        let text = b"int a = f(\"x\", 1);\n";
        let language = LanguageChoice::Named("c".into());
        let language = language.find(&Languages::default(), Path::new("a.c"), text).unwrap();
        let words = words(text, Some(&language));
        let all: String = words.iter().map(|word| &word.text[..]).collect();
        assert_eq!(all.as_bytes(), text);
        let of = |text: &str| words.iter().find(|word| word.text == text).unwrap().class;
        assert_eq!((of("a"), of("int")), (Class::Name, Class::Type));
        assert_eq!((of("1"), of("\"x\"")), (Class::Number, Class::Text));
        assert_eq!(super::words(b"a b", None).len(), 1);
    }
}
