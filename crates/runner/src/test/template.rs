//! A command line in which some words, and environment variables, can be left out. A candidate is
//! the list of the numbers of those that stay.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::test::header_paths::with_absolute_header_path;

/// A command line with circumstances.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Template {
    words: Vec<Word>,
    variables: Vec<(OsString, OsString)>,
    choices: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Word {
    Always(OsString),
    /// There if the candidate names this number.
    Choice(usize, OsString),
}

/// The error for words that make no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// `@{` without `}`.
    #[error("there is no `}}` behind `@{{`")]
    Open,
    /// The program itself cannot be left out.
    #[error("the program must come before `@{{…}}`")]
    Program,
}

impl Template {
    /// Makes a template in which the words between `@{` and `}` can be left out: one word of the
    /// shell, which is split at blank space, or several, which are not. `@{}` stands for `more`.
    /// The variables can be left out as well.
    ///
    /// Words that name existing files become absolute: the command runs elsewhere.
    ///
    /// # Errors
    /// If a bracket is not closed or the program is inside.
    pub fn new(
        words: &[OsString],
        more: &[OsString],
        variables: Vec<(OsString, OsString)>,
    ) -> Result<Self, TemplateError> {
        let mut template = Self { words: Vec::new(), variables: Vec::new(), choices: 0 };
        let mut open = false;
        for word in words {
            let mut bytes = word.as_bytes();
            let was_open = open;
            if !open && let Some(rest) = bytes.strip_prefix(b"@{") {
                (open, bytes) = (true, rest);
                if bytes == b"}" {
                    more.iter().for_each(|word| template.choice(word));
                }
            }
            if !open {
                let word = template.meant(word);
                template.words.push(Word::Always(word));
                continue;
            }
            if let Some(rest) = bytes.strip_suffix(b"}") {
                (open, bytes) = (false, rest);
            }
            // Whoever writes several words has split them.
            let is_one_word = !was_open && !open;
            let splits = |byte: &u8| is_one_word && byte.is_ascii_whitespace();
            let parts = bytes.split(splits).filter(|part| !part.is_empty());
            parts.for_each(|part| template.choice(OsStr::from_bytes(part)));
        }
        if open {
            return Err(TemplateError::Open);
        }
        if !matches!(template.words.first(), Some(Word::Always(_))) {
            return Err(TemplateError::Program);
        }
        template.variables = variables;
        Ok(template)
    }

    fn choice(&mut self, word: &OsStr) {
        let word = self.meant(word);
        self.words.push(Word::Choice(self.choices, word));
        self.choices += 1;
    }

    /// Returns the next word as it must be in another working directory.
    fn meant(&self, word: &OsStr) -> OsString {
        let previous = self.words.last().map(|previous| match previous {
            Word::Always(word) | Word::Choice(_, word) => &**word,
        });
        let path = with_absolute_header_path(previous, word, &|_| false);
        path.unwrap_or_else(|| absolute(word, self.words.is_empty()))
    }

    /// Returns what can be left out, as a person would write it: first words, then variables.
    pub fn names(&self) -> Vec<String> {
        let words = self.words.iter().filter_map(|word| match word {
            Word::Always(_) => None,
            Word::Choice(_, word) => Some(word.to_string_lossy().into_owned()),
        });
        let variables = self.variables.iter();
        let variables =
            variables.map(|(name, value)| format!("{}={}", name.display(), value.display()));
        words.chain(variables).collect()
    }

    /// Returns the pairs of neighbouring words of which the second may be the first one's argument,
    /// like `-o FILE` and `--param NAME=VALUE`: an option without `=`, then a word that is no
    /// option.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let is_option = |word: &OsStr| word.as_bytes().starts_with(b"-") && word.len() > 1;
        let pair = |pair: &[Word]| match pair {
            [Word::Choice(first, option), Word::Choice(second, argument)] => {
                let whole = option.as_bytes().contains(&b'=');
                let belongs = is_option(option) && !whole && !is_option(argument);
                belongs.then_some((*first, *second))
            }
            _ => None,
        };
        self.words.windows(2).filter_map(pair).collect()
    }

    /// Returns the command with the circumstances that the candidate names by their numbers.
    pub(crate) fn command(&self, candidate: &[u8]) -> Command {
        let numbers = candidate.split(|&b| b == b' ').filter_map(|n| std::str::from_utf8(n).ok());
        let there: Vec<usize> = numbers.filter_map(|n| n.parse().ok()).collect();
        let mut words = self.words.iter().filter_map(|word| match word {
            Word::Always(word) => Some(word),
            Word::Choice(number, word) => there.contains(number).then_some(word),
        });
        let mut command = Command::new(words.next().expect("the program is always there"));
        command.args(words);
        for (i, (name, value)) in self.variables.iter().enumerate() {
            if there.contains(&(self.choices + i)) {
                command.env(name, value);
            } else {
                command.env_remove(name);
            }
        }
        command
    }

    /// Returns the words of the command with all circumstances.
    pub(crate) fn all_words(&self) -> Vec<OsString> {
        let word = |word: &Word| match word {
            Word::Always(word) | Word::Choice(_, word) => word.clone(),
        };
        self.words.iter().map(word).collect()
    }
}

/// Returns a word as it must be in another working directory. A program without a slash stays,
/// since it is searched for in `PATH`.
fn absolute(word: &OsStr, is_program: bool) -> OsString {
    let path = Path::new(word);
    let is_local = path.is_relative() && (!is_program || word.as_bytes().contains(&b'/'));
    if is_local && path.is_file() {
        return std::path::absolute(path).map_or_else(|_| word.to_owned(), Into::into);
    }
    OsString::from_vec(word.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, candidate: &str) -> String {
        // Words of the shell: `|` stands for the space between them.
        let words: Vec<OsString> = line.split('|').map(OsString::from).collect();
        let variables = vec![("TZ".into(), "UTC".into())];
        let template = match Template::new(&words, &["-x".into(), "-y".into()], variables) {
            Ok(template) => template,
            Err(error) => return error.to_string(),
        };
        let command = template.command(candidate.as_bytes());
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        let set = command.get_envs().filter(|(_, value)| value.is_some()).count();
        format!("{} {set}", words.join(" "))
    }

    #[test]
    fn words_in_brackets_and_variables_come_and_go() {
        assert_eq!(shown("cc|@{-a -b}|-c|x.c", "1 2"), "cc -b -c x.c 1");
        assert_eq!(shown("cc|@{-a|-b}|-c|x.c", "0"), "cc -a -c x.c 0");
        assert_eq!(shown("cc|@{}|x.c|@{z}", "1 2"), "cc -y x.c z 0");
        assert_eq!(shown("cc|@{--x|--name=a b|--y}|x.c", "1"), "cc --name=a b x.c 0");
        assert_eq!(shown("cc|@{-a|-b", ""), "there is no `}` behind `@{`");
        assert_eq!(shown("@{cc}", ""), "the program must come before `@{…}`");
    }
}
