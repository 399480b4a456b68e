//! `[[implied]]`: tokens that a writer may leave out but that the grammar demands (the `int` of
//! `f() {}` in C).

use regex::bytes::Regex;
use serde::{Deserialize, Deserializer, de};

/// The forms of text in which a token is implied.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Implied(Vec<Form>);

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    /// Matches the form, with the group `here` where the token would stand, and `name`, the word
    /// after; or something that is no such form, without `here`.
    #[serde(deserialize_with = "pattern")]
    pattern: Regex,
    /// The token, with the blank space after it.
    text: String,
}

fn pattern<'de, D: Deserializer<'de>>(from: D) -> Result<Regex, D::Error> {
    Regex::new(&String::deserialize(from)?).map_err(de::Error::custom)
}

/// A text with its implied tokens written out.
pub(crate) struct Explicit {
    pub(crate) text: Vec<u8>,
    /// Where (in the new text) something was put in, and how many bytes.
    inserts: Vec<(usize, usize)>,
}

impl Explicit {
    /// Returns a text with tokens after its end.
    pub(crate) fn ending(text: &[u8], tokens: &[u8]) -> Self {
        Self { text: [text, tokens].concat(), inserts: vec![(text.len(), tokens.len())] }
    }

    /// Returns where a place of the new text stands in the old one. Logarithmic in the insertions.
    pub(crate) fn original(&self, place: usize) -> usize {
        let before = self.inserts.partition_point(|&(at, _)| at < place);
        let added: usize =
            self.inserts[..before].iter().map(|&(at, length)| length.min(place - at)).sum();
        place - added
    }
}

impl Implied {
    /// Returns whether there is no form.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text with the token at every match; `None` when there is none. Linear.
    pub(crate) fn write_out(&self, text: &[u8]) -> Option<Explicit> {
        write_out(self.0.iter(), text)
    }

    /// Returns the same for all forms but one, for each of them that has a match beside others: one
    /// form may be wrong where the others are right.
    pub(crate) fn all_but_one(&self, text: &[u8]) -> Vec<Explicit> {
        let matching: Vec<&Form> =
            self.0.iter().filter(|form| form.places(text).next().is_some()).collect();
        let others = |left_out: usize| {
            let kept = matching.iter().enumerate().filter(move |(i, _)| *i != left_out);
            write_out(kept.map(|(_, form)| *form), text)
        };
        (0..matching.len()).filter_map(others).collect()
    }
}

/// Returns the text with the tokens of these forms.
fn write_out<'a>(forms: impl Iterator<Item = &'a Form>, text: &[u8]) -> Option<Explicit> {
    let mut places: Vec<(usize, &[u8])> =
        forms.flat_map(|form| form.places(text).map(|at| (at, form.text.as_bytes()))).collect();
    places.sort_unstable();
    places.dedup_by_key(|(at, _)| *at);
    let mut explicit = Explicit { text: Vec::new(), inserts: Vec::new() };
    let mut copied = 0;
    for (here, token) in places {
        explicit.text.extend_from_slice(&text[copied..here]);
        explicit.inserts.push((explicit.text.len(), token.len()));
        explicit.text.extend_from_slice(token);
        copied = here;
    }
    explicit.text.extend_from_slice(&text[copied..]);
    (!explicit.inserts.is_empty()).then_some(explicit)
}

impl Form {
    /// Returns where in the text the token would stand.
    fn places<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        let mut from = 0;
        std::iter::from_fn(move || {
            while from < text.len() {
                let found = self.pattern.captures_at(text, from)?;
                let here = found.name("here");
                // What ends one match may begin the next.
                let end = found.name("name").or(here).or(found.get(0))?.end();
                from = end.max(from + 1);
                if let Some(here) = here {
                    return Some(here.start());
                }
            }
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Implied;

    fn c() -> Implied {
        let text = include_str!("../../grammars/c/language.toml");
        let manifest = crate::manifest::schema::Manifest::read_over(toml::Table::new(), text, &[]);
        manifest.unwrap().implied
    }

    #[test]
    fn functions_without_a_type_get_one_and_statements_do_not() {
        let text =
            b"static f(){}\n*g(a, b) int a; { if (a) { } while (b) {} }\nmain() {}\nint h() {}";
        let explicit = c().write_out(text).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&explicit.text),
            "static int f(){}\nint *g(a, b) int a; { if (a) { } while (b) {} }\nint main() {}\nint h() {}"
        );
        let main = explicit.text.windows(4).position(|w| w == b"main").unwrap();
        assert_eq!(&text[explicit.original(main)..][..4], b"main");
        assert!(c().write_out(b"int f() { if (x) {} }").is_none());
    }

    #[test]
    fn variables_of_which_only_the_storage_is_said_get_a_type() {
        let text = b"static a = 1; f(struct { int c; } d) { register b; static char c; }";
        let explicit = c().write_out(text).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&explicit.text),
            "static int a = 1; int f(struct { int c; } d) { register int b; static char c; }"
        );
    }

    #[test]
    fn a_form_that_is_wrong_here_can_be_left_out() {
        // A label before a number reads like a bit-field without a name.
        let text = b"f() { a: 1; }";
        let texts: Vec<Vec<u8>> = c().all_but_one(text).into_iter().map(|e| e.text).collect();
        assert_eq!(texts, [b"f() { a _ : 1; }".to_vec(), b"int f() { a: 1; }".to_vec()]);
        assert!(c().all_but_one(b"int f() { a: 1; }").is_empty());
    }
}
