//! A command line in which some words can be left out. A candidate is the list of the numbers of
//! those that stay.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::scratch::original::{Listed, ListedForm, Original};
use crate::spec::program_test::is_script;
use crate::spec::workplace::lexically_normal;

/// A command line with circumstances.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Template {
    words: Vec<Word>,
    choices: usize,
    /// The directory where it was typed, or the files of it that it names: tests get copies.
    #[serde(skip)]
    ground: Original,
    /// Files that it names elsewhere, and their names in the copies.
    #[serde(skip)]
    elsewhere: Vec<(PathBuf, PathBuf)>,
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
    #[error("there is no `}}` after `@{{`")]
    Open,
    /// The program itself cannot be left out.
    #[error("the program must come before `@{{…}}`")]
    Program,
}

impl Template {
    /// Makes a template in which the words between `@{` and `}` can be left out: one word of the
    /// shell, which is split at blank space, or several, which are not.
    ///
    /// The program's own path becomes absolute; other files are copied for each test, with all that
    /// lies around them if that is little.
    ///
    /// # Errors
    /// If a bracket is not closed or the program is inside.
    pub fn new(words: &[OsString]) -> Result<Self, TemplateError> {
        let root = std::env::current_dir().unwrap_or_default();
        let around = Original::small(&root);
        let mut template = Self {
            words: Vec::new(),
            choices: 0,
            ground: around.unwrap_or_else(|| Original { root, files: Vec::new() }),
            elsewhere: Vec::new(),
        };
        let mut open = false;
        for word in words {
            let mut bytes = word.as_bytes();
            let was_open = open;
            if !open && let Some(rest) = bytes.strip_prefix(b"@{") {
                (open, bytes) = (true, rest);
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
        Ok(template)
    }

    fn choice(&mut self, word: &OsStr) {
        let word = self.meant(word);
        self.words.push(Word::Choice(self.choices, word));
        self.choices += 1;
    }

    /// Returns the next word as it must be in a copy of the directory.
    fn meant(&mut self, word: &OsStr) -> OsString {
        let before: Vec<&OsStr> = self
            .words
            .iter()
            .map(|word| match word {
                Word::Always(word) | Word::Choice(_, word) => &**word,
            })
            .collect();
        let path = Path::new(word);
        let looks_like_path = word.as_bytes().contains(&b'/');
        let is_script = is_script(&before, path);
        if before.is_empty() && !looks_like_path || !path.is_file() {
            return word.to_owned();
        }
        let whole = lexically_normal(&self.ground.root.join(path));
        let mode = fs::metadata(path).map_or(0, |data| data.permissions().mode());
        if before.is_empty() || mode & 0o111 != 0 {
            return whole.into_os_string();
        }
        let listed = |path: &Path| self.ground.files.iter().any(|file| file.path == path);
        match whole.strip_prefix(&self.ground.root) {
            Ok(below) if listed(below) => Path::new(".").join(below).into_os_string(),
            // An interpreter's script looks for others around it.
            _ if is_script && is_interpreter(before[0]) => whole.into_os_string(),
            Ok(below) => {
                let form = ListedForm::File { bytes: 0, mode };
                self.ground.files.push(Listed { path: below.to_owned(), form });
                Path::new(".").join(below).into_os_string()
            }
            Err(_) => {
                let name = PathBuf::from(whole.file_name().unwrap_or_default());
                self.elsewhere.push((whole, name.clone()));
                Path::new(".").join(name).into_os_string()
            }
        }
    }

    /// Returns the directory in which its words mean what they mean, and files that are there as
    /// well.
    pub(crate) fn ground(&self) -> (&Original, &[(PathBuf, PathBuf)]) {
        (&self.ground, &self.elsewhere)
    }

    /// Returns what can be left out, as a person would write it.
    pub fn names(&self) -> Vec<String> {
        let name = |word: &Word| match word {
            Word::Always(_) => None,
            Word::Choice(_, word) => Some(word.to_string_lossy().into_owned()),
        };
        self.words.iter().filter_map(name).collect()
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

/// Programs that run a script; a number may follow.
const INTERPRETERS: [&str; 16] = [
    "sh", "bash", "dash", "zsh", "ksh", "python", "pypy", "perl", "ruby", "node", "php", "lua",
    "deno", "bun", "julia", "Rscript",
];

fn is_interpreter(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str, candidate: &str) -> String {
        // Words of the shell: `|` stands for the space between them.
        let words: Vec<OsString> = line.split('|').map(OsString::from).collect();
        let template = match Template::new(&words) {
            Ok(template) => template,
            Err(error) => return error.to_string(),
        };
        let command = template.command(candidate.as_bytes());
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn words_in_brackets_come_and_go() {
        assert_eq!(shown("cc|@{-a -b}|-c|x.c", "1 2"), "cc -b -c x.c");
        assert_eq!(shown("cc|@{-a|-b}|-c|x.c", "0"), "cc -a -c x.c");
        assert_eq!(shown("cc|@{}|x.c|@{z}", "0"), "cc x.c z");
        assert_eq!(shown("cc|@{--x|--name=a b|--y}|x.c", "1"), "cc --name=a b x.c");
        assert_eq!(shown("cc|@{-a|-b", ""), "there is no `}` after `@{`");
        assert_eq!(shown("@{cc}", ""), "the program must come before `@{…}`");
    }
}
