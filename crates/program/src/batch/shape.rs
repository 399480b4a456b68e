//! The shape of a result: its tokens, without the names and values that could be any others.

use minirepro_syntax::Language;
use serde::{Deserialize, Serialize};

/// The shape of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shape(Vec<String>);

impl Shape {
    /// Returns the shape of a text. Tokens of a grammar that have a kind of their own (names,
    /// numbers) count by their kind; all others by their text.
    pub fn of(language: &Language, text: &[u8]) -> Self {
        let tree = language.parser.parse(text);
        let leaves = tree.ids().filter(|&id| tree.is_leaf(id) && tree.tokens(id) > 0);
        let word = |id| match tree.is_named(id) && language.spacing.between_tokens {
            true => tree.kind_name(id).to_owned(),
            false => String::from_utf8_lossy(tree.text_of(id)).into_owned(),
        };
        Self(leaves.map(word).collect())
    }

    /// Returns whether the tokens of another shape stand in this one, in the same order.
    pub fn contains(&self, other: &Self) -> bool {
        let mut rest = self.0.iter();
        other.0.iter().all(|word| rest.any(|here| here == word))
    }
}

#[cfg(test)]
mod tests {
    use crate::Languages;

    use super::*;

    /// Checks whether two texts have the same shape, and whether the second contains the first.
    fn check(language: &str, a: &str, b: &str, expected: (bool, bool)) {
        let language = Languages::default().by_name(language).unwrap();
        let [a, b] = [a, b].map(|text| Shape::of(&language, text.as_bytes()));
        assert_eq!((a == b, b.contains(&a)), expected, "{a:?} {b:?}");
    }

    #[test]
    fn names_and_values_do_not_count() {
        check("json", "[1, {\"a\": 2}]", "[7,{\"b\":3}]", (true, true));
        check("json", "[1]", "[[2], 3]", (false, true));
        check("json", "{\"a\": 1}", "[1]", (false, false));
        check("c", "f(x);", "g(y);", (true, true));
        check("c", "f(x + 1);", "f(x - 1);", (false, false));
        check("lines", "a\nb\n", "a\nc\n", (false, false));
    }
}
