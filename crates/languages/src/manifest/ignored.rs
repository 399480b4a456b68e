//! `[[ignored]]`: text that the language allows and the grammar does not know (an attribute in a rare place, a
//! macro that stands for one). The parser reads blanks in its place, so that it breaks nothing around it.

use regex::bytes::Regex;
use serde::Deserialize;

/// One form of such text, as a manifest gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IgnoredTable {
    /// Matches the form; the group `here` is what the parser does not get to see.
    pattern: String,
    /// Words that the group `name` must not be.
    #[serde(default)]
    except: Vec<String>,
}

/// The forms of text that the parser does not get to see.
#[derive(Debug)]
pub(crate) struct Ignored(Vec<(Regex, Vec<Vec<u8>>)>);

impl Ignored {
    /// # Errors
    /// If a pattern is no regular expression.
    pub(crate) fn new(tables: &[IgnoredTable]) -> Result<Self, regex::Error> {
        let form = |table: &IgnoredTable| {
            let except = table.except.iter().map(|word| word.clone().into_bytes()).collect();
            Ok((Regex::new(&table.pattern)?, except))
        };
        Ok(Self(tables.iter().map(form).collect::<Result<_, regex::Error>>()?))
    }

    /// Returns the text with blanks, as many as there were bytes, in the place of every match; `None` when
    /// there is none. Linear for each form.
    pub(crate) fn blanked(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut blanked: Option<Vec<u8>> = None;
        for (pattern, except) in &self.0 {
            let mut from = 0;
            while let Some(found) = pattern.captures_at(text, from) {
                let Some(here) = found.name("here") else { break };
                // What ends one match may begin the next.
                from = here.end().max(from + 1);
                let is_excepted =
                    found.name("name").is_some_and(|m| except.iter().any(|e| e == m.as_bytes()));
                if !is_excepted {
                    let blanked = blanked.get_or_insert_with(|| text.to_vec());
                    let part = &mut blanked[here.range()];
                    part.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                }
                if from > text.len() {
                    break;
                }
            }
        }
        blanked
    }
}

#[cfg(test)]
mod tests {
    use super::{Ignored, IgnoredTable};

    #[test]
    fn matches_become_blanks_of_the_same_length() {
        let table = |pattern: &str| IgnoredTable {
            pattern: pattern.to_owned(),
            except: vec!["const".to_owned()],
        };
        let ignored = Ignored::new(&[
            table("class (?<here>[A-Z\\s]+) x"),
            table(";(?<here>[A-Z]+) (?<name>\\w+)"),
        ])
        .unwrap();
        let check = |text: &str| {
            let blanked = ignored.blanked(text.as_bytes());
            blanked.map(|blanked| String::from_utf8(blanked).unwrap())
        };
        assert_eq!(check("class A\nB x;C y;D const"), Some("class  \n  x;  y;D const".to_owned()));
        assert_eq!(check("class x;"), None);
        assert!(Ignored::new(&[table("(")]).is_err());
    }
}
