//! The notation: a grammar as a text that a person can read.
//!
//! ```text
//! # A comment.
//! %name calculator
//! %extras /\s/ comment
//! %conflict call name
//!
//! sum = left(1, left: _value ("+" | "-") right: _value)
//! call = function: name "(" (_value ("," _value)*)? ")" -> end
//! name = /[a-z]+/
//! ```
//!
//! A line that begins with blank space goes on with the one before. `a b` is one after the other,
//! `a | b` one of both, `()` nothing, `a?` `a*` `a+` are optional and repeated parts, `name: a` is
//! a field, `a -> b` a node of the kind `b` (`a -> "b"`: without a name). Precedences are
//! `prec(1, …)`, `left(…)`, `right(…)` and `dynamic(…)`; `token(…)` is one token and
//! `immediate(…)` one without blank space before it. The lists are `%extras`, `%externals`,
//! `%inline`, `%supertypes`, `%without`, and for one entry each `%conflict` and `%precedence`.

mod reader;
mod writer;

pub(crate) use reader::read;

use crate::grammar::Grammar;

/// A text is not a grammar in the notation.
#[derive(Debug, thiserror::Error)]
#[error("{why}: {place}")]
pub struct NotationError {
    /// The statement, or what is left of it.
    place: String,
    why: &'static str,
}

impl NotationError {
    pub(crate) fn new(place: &str, why: &'static str) -> Self {
        Self { place: place.chars().take(80).collect(), why }
    }
}

impl Grammar {
    /// Reads a grammar in the notation.
    ///
    /// # Errors
    /// If the text is malformed.
    pub fn read(text: &str) -> Result<Self, NotationError> {
        read(text)
    }

    /// Writes the grammar in the notation.
    #[must_use]
    pub fn write(&self) -> String {
        writer::write(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::Grammar;

    const TEXT: &str = r#"%name calculator
%word name
%extras /\s/ comment
%externals end
%conflict call name
%precedence sum call
%inline _value
%supertypes expression

root = (sum | call ";")* _value?

sum = left(-1, left: _value ("+" | "-" | ()) right: _value)

call = prec("high", function: name "(" (_value ("," _value)*)? ")" -> end)

name = token(prec(1, /[a-z\/"]+/i))
"#;

    #[test]
    fn what_is_written_reads_the_same() {
        let grammar = Grammar::read(TEXT).unwrap();
        assert_eq!(grammar.write(), TEXT);
        assert_eq!(Grammar::from_json(&grammar.to_json()).unwrap(), grammar);
    }

    #[test]
    fn an_extension_replaces_and_adds() {
        let mut grammar = Grammar::read(TEXT).unwrap();
        let extension =
            "%without name\n%extras ... line\nroot = ... | name\nline = \"a\"\n    | \"b\" # c\n";
        grammar.extend(extension).unwrap();
        let text = grammar.write();
        assert!(text.contains("%extras /\\s/ comment line\n"), "{text}");
        assert!(text.contains("root = (sum | call \";\")* _value? | name\n"), "{text}");
        assert!(!text.contains("\nname ="), "{text}");
        assert!(text.ends_with("\n\nline = \"a\" | \"b\"\n"), "{text}");
        let error = grammar.extend("other = ... | name").unwrap_err();
        assert_eq!(error.to_string(), "there is no such rule: other = ...");
    }

    #[test]
    fn what_is_malformed_is_an_error() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Grammar::read(text).unwrap_err().to_string(), expected);
        };
        check("%nothing a", "no such statement: %nothing a");
        check("a = (b", "`)` is missing: ");
        check("a = b )", "unexpected: )");
        check("a = \"b", "a text without an end: \"b");
        check("a = left(b)", "a precedence is missing: b)");
        check("a b", "`=` is missing: b");
    }
}
