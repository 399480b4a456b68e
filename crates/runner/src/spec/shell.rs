//! Words and names in the language of a shell. Whoever puts the name of a file into a command does
//! it by these functions: the name is never read as code.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The place of the file's name in commands.
pub(crate) const HERE: &[u8] = b"@@";

/// The programs whose option `-c` takes a command.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish"];

/// Writes a word so that a shell reads it as one.
pub fn quote(word: &OsStr) -> String {
    String::from_utf8_lossy(&quoted(word.as_bytes())).into_owned()
}

fn quoted(word: &[u8]) -> Vec<u8> {
    let is_plain = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(b);
    if !word.is_empty() && word.iter().all(|b| is_plain(b) || !b.is_ascii()) {
        return word.to_vec();
    }
    [b"'", &single(word)[..], b"'"].concat()
}

/// Returns a text as it stands between single quotes.
fn single(text: &[u8]) -> Vec<u8> {
    let each = |&b: &u8| if b == b'\'' { b"'\\''".to_vec() } else { vec![b] };
    text.iter().flat_map(each).collect()
}

/// Returns a text with a backslash before each of these characters.
fn escaped(text: &[u8], special: &[u8]) -> Vec<u8> {
    let each = |&b: &u8| if special.contains(&b) { vec![b'\\', b] } else { vec![b] };
    text.iter().flat_map(each).collect()
}

/// Puts a file's name into a command for a shell, instead of `@@` and of `@@.suffix` with the
/// name's own suffix. It may stand between quotes: there it is written so that it stays one word,
/// and if the quotes hold more than a word, as in `sh -c '…'`, so that it is one for the shell that
/// reads that.
pub fn with_name(command: &OsStr, name: &OsStr) -> OsString {
    if quoted(name.as_bytes()) == name.as_bytes() {
        return filled(command, name);
    }
    let text: Vec<Unit> = command.as_bytes().iter().map(|&b| Unit::of(b)).collect();
    let as_it_is = |text: &[u8]| text.to_vec();
    let command = Command { text: &text, name, written: &as_it_is, at: 0, filled: Vec::new() };
    OsString::from_vec(command.read())
}

/// A character as a shell reads it, and how it is written, in which it may have a backslash.
#[derive(Clone)]
struct Unit {
    read: u8,
    written: Vec<u8>,
}

impl Unit {
    fn of(byte: u8) -> Self {
        Self { read: byte, written: vec![byte] }
    }
}

/// A command into which a name is put.
struct Command<'a> {
    text: &'a [Unit],
    name: &'a OsStr,
    /// Says how a text must be written in the quotes around the command.
    written: &'a dyn Fn(&[u8]) -> Vec<u8>,
    at: usize,
    filled: Vec<u8>,
}

/// The part of a command that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Command,
    Backquotes,
    /// Double quotes; they hold a command for another shell, or a single word.
    Double {
        is_code: bool,
    },
}

impl Command<'_> {
    fn read(mut self) -> Vec<u8> {
        let mut within = vec![Within::Command];
        while let Some(first) = self.byte(0) {
            if let Some(length) = self.place() {
                self.insert(&within);
                self.at += length;
                continue;
            }
            let is_quoted = matches!(within.last(), Some(Within::Double { .. }));
            match (first, within.last()) {
                (b'\\', _) => self.copy(1),
                (b'$', _) if self.byte(1) == Some(b'(') => {
                    within.push(Within::Command);
                    self.copy(1);
                }
                (b'`', Some(Within::Backquotes)) => drop(within.pop()),
                (b'`', _) => within.push(Within::Backquotes),
                (b'"', Some(Within::Double { .. })) => drop(within.pop()),
                (b'"' | b'\'', _) if !is_quoted => match self.quotes(first) {
                    Some(end) => {
                        self.fill_quotes(end);
                        continue;
                    }
                    None => within.push(Within::Double { is_code: self.holds_code(first) }),
                },
                (b'(', _) if !is_quoted => within.push(Within::Command),
                (b')', Some(Within::Command)) if within.len() > 1 => drop(within.pop()),
                (b'#', _) if !is_quoted && self.begins_word() => {
                    while self.byte(1).is_some_and(|b| b != b'\n') {
                        self.copy(1);
                    }
                }
                _ => {}
            }
            self.copy(1);
        }
        self.filled
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).map(|unit| unit.read)
    }

    /// Takes characters over as they are.
    fn copy(&mut self, length: usize) {
        let end = (self.at + length).min(self.text.len());
        for unit in &self.text[self.at..end] {
            self.filled.extend_from_slice(&unit.written);
        }
        self.at = end;
    }

    fn begins_word(&self) -> bool {
        self.at == 0 || self.text[self.at - 1].read.is_ascii_whitespace()
    }

    /// Returns the length of a place for the name, if one is here.
    fn place(&self) -> Option<usize> {
        let longest = HERE.len() + 1 + self.name.len();
        let text = self.text[self.at..].iter().take(longest).map(|unit| unit.read);
        let text: Vec<u8> = text.collect();
        behind_name(&text, self.name).map(|behind| text.len() - behind.len())
    }

    /// Writes the name as it must be written here.
    fn insert(&mut self, within: &[Within]) {
        let word = quoted(self.name.as_bytes());
        let mut text = match within.last() {
            Some(Within::Double { is_code: true }) => escaped(&word, IN_DOUBLE),
            Some(Within::Double { is_code: false }) => escaped(self.name.as_bytes(), IN_DOUBLE),
            _ => word,
        };
        // What stands between backquotes loses its backslashes before it is read.
        for _ in within.iter().filter(|within| **within == Within::Backquotes) {
            text = escaped(&text, b"\\$`");
        }
        self.filled.extend((self.written)(&text));
    }

    /// Returns where the quotes that begin here end; `None` for those that hold code for this
    /// shell.
    fn quotes(&self, quote: u8) -> Option<usize> {
        let mut at = self.at + 1;
        loop {
            let byte = self.text.get(at).map(|unit| unit.read)?;
            match byte {
                _ if byte == quote => return Some(at),
                b'`' if quote == b'"' => return None,
                b'$' if quote == b'"' && self.text.get(at + 1)?.read == b'(' => return None,
                b'\\' if quote == b'"' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// Fills quotes that end there: for another shell if they hold more than a word.
    fn fill_quotes(&mut self, end: usize) {
        let quote = self.text[self.at].read;
        let is_code = self.holds_code(quote);
        let (name, outer) = (self.name, self.written);
        let written = |text: &[u8]| match quote {
            b'"' => outer(&escaped(text, IN_DOUBLE)),
            _ => outer(&single(text)),
        };
        self.copy(1);
        if is_code {
            let text = &self.text[self.at..end];
            let text = if quote == b'"' { without_backslashes(text) } else { text.to_vec() };
            let inner = Command { text: &text, name, written: &written, at: 0, filled: Vec::new() };
            self.filled.extend(inner.read());
            self.at = end;
        }
        while self.at < end {
            match self.place() {
                Some(length) => {
                    self.filled.extend(written(name.as_bytes()));
                    self.at += length;
                }
                None => self.copy(1),
            }
        }
        self.copy(1);
    }

    /// Returns whether the quotes that begin here hold more than a word.
    fn holds_code(&self, quote: u8) -> bool {
        let mut is_escaped = false;
        let mut inside = self.text[self.at + 1..].iter().map(|unit| unit.read).take_while(|&b| {
            let ends = b == quote && !is_escaped;
            is_escaped = b == b'\\' && !is_escaped && quote == b'"';
            !ends
        });
        inside.any(|b| b.is_ascii_whitespace() || b";|&<>()`".contains(&b))
    }
}

/// The characters before which a backslash counts between double quotes.
const IN_DOUBLE: &[u8] = b"\\\"$`";

/// Returns a text between double quotes as the shell behind reads it.
fn without_backslashes(text: &[Unit]) -> Vec<Unit> {
    let mut all: Vec<Unit> = Vec::new();
    let mut rest = text.iter();
    while let Some(unit) = rest.next() {
        let next = rest.as_slice().first().filter(|_| unit.read == b'\\');
        match next.filter(|next| IN_DOUBLE.contains(&next.read)) {
            Some(next) => {
                let written = [&unit.written[..], &next.written].concat();
                all.push(Unit { read: next.read, written });
                rest.next();
            }
            None => all.push(unit.clone()),
        }
    }
    all
}

/// Puts a file's name into the words of a command, which no shell reads but for those that a shell
/// among them gets as its command (`sh -c '…'`).
pub fn words_with_name(words: &[impl AsRef<OsStr>], name: &OsStr) -> Vec<OsString> {
    let words: Vec<&OsStr> = words.iter().map(AsRef::as_ref).collect();
    (0..words.len()).map(|at| word_with_name(&words[..at], words[at], name)).collect()
}

/// Puts a file's name into a word that comes after others.
pub(crate) fn word_with_name(before: &[&OsStr], word: &OsStr, name: &OsStr) -> OsString {
    if is_command(before) { with_name(word, name) } else { filled(word, name) }
}

/// Returns whether what comes after these words is a command for a shell.
fn is_command(before: &[&OsStr]) -> bool {
    let is_option = |word: &OsStr| matches!(word.as_bytes(), [b'-' | b'+', _, ..]);
    let Some((last, before)) = before.split_last() else { return false };
    let letters = last.as_bytes().strip_prefix(b"-").unwrap_or_default();
    if letters.starts_with(b"-") || !letters.ends_with(b"c") {
        return false;
    }
    let is_of_shell = |word: &&&OsStr| is_option(word) || **word == "pipefail";
    let program = before.iter().rev().find(|word| !is_of_shell(word));
    let name = program.and_then(|program| Path::new(program).file_name()?.to_str());
    name.is_some_and(|name| SHELLS.contains(&name))
}

/// Puts a file's name as it is instead of `@@` and `@@.suffix`.
fn filled(text: &OsStr, name: &OsStr) -> OsString {
    let mut rest = text.as_bytes();
    let mut filled = Vec::new();
    while !rest.is_empty() {
        match behind_name(rest, name) {
            Some(behind) => {
                filled.extend_from_slice(name.as_bytes());
                rest = behind;
            }
            None => {
                filled.push(rest[0]);
                rest = &rest[1..];
            }
        }
    }
    OsString::from_vec(filled)
}

/// Returns the text after the place of a name, if it begins with one.
fn behind_name<'a>(text: &'a [u8], name: &OsStr) -> Option<&'a [u8]> {
    let rest = text.strip_prefix(HERE)?;
    let suffix = Path::new(name).extension().map(OsStr::as_bytes).filter(|s| !s.is_empty());
    let behind = suffix.and_then(|suffix| rest.strip_prefix(b".")?.strip_prefix(suffix));
    Some(behind.unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        let quoted = ["gcc", "-O2", "a b", "it's", "", "ä"].map(|word| quote(OsStr::new(word)));
        assert_eq!(quoted.join(" "), r"gcc -O2 'a b' 'it'\''s' '' ä");
    }

    /// Names that are code where they are not quoted well.
    const NAMES: [&[u8]; 13] = [
        b"a.c",
        b"a b.c",
        b"a;echo pwned;.c",
        b"$(echo pwned).c",
        b"`echo pwned`.c",
        b"'; echo pwned; '.c",
        b"\"; echo pwned; \".c",
        b"\\'; echo pwned; \\'.c",
        b"'\"$(echo pwned)`echo pwned`\\\"'.c",
        b"a\n echo pwned\n.c",
        b"*",
        b"#a.c",
        b"\xff ;echo pwned.c",
    ];

    /// Runs commands in a shell, and compares what they print with the name.
    #[test]
    fn a_name_is_the_same_word_wherever_it_stands_in_a_command() {
        for command in [
            "printf %s @@",
            "printf %s \"@@\"",
            "printf %s '@@'",
            "x=@@; printf %s \"$x\"",
            "printf '%s' \"$(printf %s @@)\"",
            "printf %s \"$(printf %s \"@@\")\"",
            "printf %s \"`printf %s @@`\"",
            "(printf %s @@) # don't",
            "# don't\nprintf %s @@",
            "sh -c 'printf %s @@'",
            "sh -c \"printf %s @@\"",
            "sh -c 'printf %s \"@@\"'",
            "sh -c \"printf %s \\\"@@\\\"\"",
            "sh -c \"sh -c 'printf %s @@'\"",
            "sh -c \"x=\\$(printf %s @@); printf %s \\\"\\$x\\\"\"",
            "cd . && { printf %s \\\n@@; }",
        ] {
            for name in NAMES {
                let name = OsStr::from_bytes(name);
                let filled = with_name(OsStr::new(command), name);
                let said = Command::new("/bin/sh").arg("-c").arg(&filled).output().unwrap();
                let said = OsStr::from_bytes(&said.stdout);
                assert_eq!(said, name, "{}", filled.display());
            }
        }
    }

    #[test]
    fn a_word_is_a_command_only_for_a_shell() {
        let check = |words: &str, expected: &str| {
            let words: Vec<&str> = words.split(' ').collect();
            let filled = words_with_name(&words, OsStr::new("a;b.c"));
            assert_eq!(filled.join(OsStr::new(" ")), OsStr::new(expected));
        };
        check("cc -c @@ --in=@@", "cc -c a;b.c --in=a;b.c");
        check(
            "timeout 5 /bin/bash -e -o pipefail -xc cat|@@",
            "timeout 5 /bin/bash -e -o pipefail -xc cat|'a;b.c'",
        );
        check("sh -c cat @@.c", "sh -c cat a;b.c");
        check("sh build.sh -c @@", "sh build.sh -c a;b.c");
        check("python3 -c @@", "python3 -c a;b.c");
        check("sh -c @@.c;@@.o", "sh -c 'a;b.c';'a;b.c'.o");
    }
}
