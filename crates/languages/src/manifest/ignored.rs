//! `[[ignored]]`: text that the language allows and the grammar does not know (an attribute in a
//! rare place, a macro that stands for one). The parser reads blanks in its place, so that it
//! breaks nothing around it.

use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr_iter, memrchr};
use minirepro_syntax::{Copied, Rendered};
use regex::bytes::Regex;
use serde::Deserialize;

/// One form of such text, as a manifest gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IgnoredTable {
    /// Matches the form; the group `here` is what the parser does not get to see.
    #[serde(default)]
    pattern: Option<String>,
    /// Matches where a text gives a word, the group `name`, a meaning by which the parser can do
    /// without it: it does not get to see the word in any line but directives.
    #[serde(default)]
    defined: Option<String>,
    /// Words that the group `name` must not be.
    #[serde(default)]
    except: Vec<String>,
}

/// The forms of text that the parser does not get to see.
///
/// They are looked for in each [stretch](stretches) of the text by itself: so what becomes of a
/// stretch does not depend on what is changed elsewhere.
#[derive(Debug)]
pub(crate) struct Ignored {
    forms: Vec<(Regex, Vec<Vec<u8>>)>,
    /// Where words are defined that are not to be seen.
    definitions: Vec<Regex>,
}

/// The words of a text that the parser does not get to see.
type Words = HashSet<Vec<u8>>;

impl Ignored {
    /// # Errors
    /// If a pattern is no regular expression.
    pub(crate) fn new(tables: &[IgnoredTable]) -> Result<Self, regex::Error> {
        let mut ignored = Self { forms: Vec::new(), definitions: Vec::new() };
        for table in tables {
            let except = table.except.iter().map(|word| word.clone().into_bytes()).collect();
            if let Some(pattern) = &table.pattern {
                ignored.forms.push((Regex::new(pattern)?, except));
            }
            if let Some(pattern) = &table.defined {
                ignored.definitions.push(Regex::new(pattern)?);
            }
        }
        Ok(ignored)
    }

    /// Returns the words that a text defines so that the parser can do without them. Linear.
    fn words(&self, text: &[u8]) -> Words {
        let found = self.definitions.iter().flat_map(|pattern| pattern.captures_iter(text));
        found.filter_map(|found| Some(found.name("name")?.as_bytes().to_vec())).collect()
    }

    /// Returns the text with blanks, as many as there were bytes, in place of every match; `None`
    /// when there is none. Linear for each form.
    pub(crate) fn blanked(&self, text: &[u8]) -> Option<Vec<u8>> {
        if self.forms.is_empty() && self.definitions.is_empty() {
            return None;
        }
        let words = self.words(text);
        let mut blanked = None;
        for stretch in stretches(text) {
            self.blank(text, stretch, &words, &mut blanked);
        }
        blanked
    }

    /// Returns the same for a candidate that was made of a text by copying these parts, when this
    /// became of that text. Linear in the text, but the forms are only looked for in what is new.
    pub(crate) fn blanked_again(&self, blanked: &[u8], candidate: &Rendered) -> Option<Vec<u8>> {
        let text = &candidate.text;
        let words = self.words(text);
        if words != self.words(blanked) {
            return self.blanked(text);
        }
        let mut again = None;
        let mut parts = candidate.copied.iter().peekable();
        for stretch in stretches(text) {
            let end = |part: &Copied| part.to + part.from.len();
            while parts.next_if(|part| end(part) < stretch.end).is_some() {}
            // A stretch is the same one in both texts if the whole line that ends before it is the
            // same, too. After the last one there may have been more.
            let line = start_of_line(text, stretch.start.saturating_sub(1));
            let is_same = |part: &&&Copied| part.to < line && stretch.end < text.len();
            match parts.peek().filter(is_same) {
                Some(part) => {
                    let from = part.from.start + stretch.start - part.to;
                    let old = &blanked[from..from + stretch.len()];
                    if *old != text[stretch.clone()] {
                        again.get_or_insert_with(|| text.to_vec())[stretch].copy_from_slice(old);
                    }
                }
                None => self.blank(text, stretch, &words, &mut again),
            }
        }
        again
    }

    /// Writes blanks in place of every match in a stretch.
    fn blank(
        &self,
        text: &[u8],
        stretch: Range<usize>,
        words: &Words,
        blanked: &mut Option<Vec<u8>>,
    ) {
        if !words.is_empty() {
            for place in places(&text[stretch.clone()], words) {
                let blanked = blanked.get_or_insert_with(|| text.to_vec());
                blanked[stretch.start + place.start..stretch.start + place.end].fill(b' ');
            }
        }
        // What ends a stretch may also begin a match in the next one.
        let start = stretch.start.saturating_sub(OVERLAP);
        let seen = &text[start..stretch.end];
        for (pattern, except) in &self.forms {
            let mut from = 0;
            while let Some(found) = pattern.captures_at(seen, from) {
                let Some(here) = found.name("here") else { break };
                // What ends one match may begin the next.
                from = here.end().max(from + 1);
                let is_excepted =
                    found.name("name").is_some_and(|m| except.iter().any(|e| e == m.as_bytes()));
                if !is_excepted {
                    let blanked = blanked.get_or_insert_with(|| text.to_vec());
                    let part = &mut blanked[start + here.start()..start + here.end()];
                    part.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                }
                if from > seen.len() {
                    break;
                }
            }
        }
    }
}

/// Returns where words stand in whole lines, apart from directives with the lines that continue
/// them.
fn places<'t>(text: &'t [u8], words: &'t Words) -> impl Iterator<Item = Range<usize>> + 't {
    let mut end = 0;
    let mut is_directive = false;
    let lines = text.split_inclusive(|&byte| byte == b'\n').map(move |line| {
        let start = end;
        end += line.len();
        let content = line.trim_ascii();
        let is_other = !is_directive && content.first() != Some(&b'#');
        is_directive = !is_other && content.last() == Some(&b'\\');
        (start, if is_other { line } else { &[] })
    });
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    lines.flat_map(move |(start, line)| {
        let mut end = start;
        let words_of_line = line.split_inclusive(move |byte| !is_part(byte)).map(move |piece| {
            let start = end;
            end += piece.len();
            start..start + piece.iter().take_while(|byte| is_part(byte)).count()
        });
        words_of_line.filter(move |place| words.contains(&text[place.clone()]))
    })
}

/// Returns the stretches of a text: each ends after a line that ends with `;` or `}` and has a
/// length that is a multiple of [`EVERY`], the last one with the text. So where one ends can be
/// seen from its last line.
fn stretches(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut line = 0;
    let lines = memchr_iter(b'\n', text).filter_map(move |end| {
        let length = end - std::mem::replace(&mut line, end + 1);
        let ends =
            length > 0 && length.is_multiple_of(EVERY) && matches!(text[end - 1], b';' | b'}');
        ends.then_some(end + 1)
    });
    let mut start = 0;
    lines.chain([text.len()]).map(move |end| std::mem::replace(&mut start, end)..end)
}

/// Of n lines that may end a stretch about one does: looking for sixty forms in each line alone
/// would take longer.
const EVERY: usize = 16;

/// The sign that ends a stretch, and the end of its line.
const OVERLAP: usize = 2;

/// Returns where the line begins that a place stands in.
fn start_of_line(text: &[u8], at: usize) -> usize {
    memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::{Copied, Rendered, TokenHash};

    use super::{Ignored, IgnoredTable};

    #[test]
    fn matches_become_blanks_of_the_same_length() {
        let table = |pattern: &str| IgnoredTable {
            pattern: Some(pattern.to_owned()),
            defined: None,
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

    #[test]
    fn words_that_the_text_defines_are_not_seen() {
        let defined = IgnoredTable {
            pattern: None,
            defined: Some("(?m)^#define (?<name>\\w+)(?: inline)?$".to_owned()),
            except: Vec::new(),
        };
        let ignored = Ignored::new(&[defined]).unwrap();
        let text = "#define A\n#define B inline\n#define C 1\n#define D A \\\n A\nA int B;\nC AB";
        let after = "#define A\n#define B inline\n#define C 1\n#define D A \\\n A\n  int  ;\nC AB";
        let blanked = ignored.blanked(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(blanked.clone()).unwrap(), after);
        // Once the definition is gone, the word is a word.
        let rest = text.split_once('\n').unwrap().1;
        let copied = vec![Copied { from: text.len() - rest.len()..text.len(), to: 0 }];
        let candidate =
            Rendered { text: rest.as_bytes().into(), tokens: 0, hash: TokenHash::EMPTY, copied };
        let again = ignored.blanked_again(&blanked, &candidate).unwrap();
        assert!(String::from_utf8(again).unwrap().contains("\nA int  ;"));
    }

    /// Returns lines of all lengths up to forty, some of which end a stretch, with matches in many
    /// places.
    fn lines() -> Vec<String> {
        let line = |i: usize| {
            let end = [";", "}", "x", " A"][i % 4];
            format!("{}{}{end}\n", "class AB x ".repeat(i % 3), "y".repeat(i * 7 % 40))
        };
        (0..300).map(line).collect()
    }

    #[test]
    fn a_candidate_is_blanked_as_if_its_base_were_not_known() {
        let form = |pattern: &str| IgnoredTable {
            pattern: Some(pattern.to_owned()),
            defined: None,
            except: Vec::new(),
        };
        let ignored =
            Ignored::new(&[form("class (?<here>[A-Z]+)\\s"), form(";\\s*(?<here>class)")]).unwrap();
        let lines = lines();
        let text = lines.concat();
        let blanked = ignored.blanked(text.as_bytes()).unwrap();
        assert!(super::stretches(text.as_bytes()).count() > 5);
        for first in 0..290 {
            // Some whole lines go, and a part of one further down; something is new.
            let from = lines[..first].concat().len();
            let to = from + lines[first..first + first % 9].concat().len();
            let cut = (to + 500).min(text.len())..(to + 505).min(text.len());
            let kept = [0..from, to..cut.start, cut.end..text.len()];
            let new = [";\n", "class AB y", ""][first % 3];
            let mut candidate = Vec::new();
            let mut copied = Vec::new();
            for part in kept.into_iter().filter(|part| !part.is_empty()) {
                copied.push(Copied { from: part.clone(), to: candidate.len() });
                candidate.extend(text[part].bytes());
                if copied.len() == 1 {
                    candidate.extend(new.bytes());
                }
            }
            let candidate =
                Rendered { text: candidate.into(), tokens: 0, hash: TokenHash::EMPTY, copied };
            let again = ignored.blanked_again(&blanked, &candidate);
            assert_eq!(again, ignored.blanked(&candidate.text), "{first}");
        }
    }
}
