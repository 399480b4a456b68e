//! The commands that a shell script runs on its argument, as far as its text shows them.
//!
//! Nothing is run to find out: a script may do anything. Variables count where the text says their
//! values; a command with any other variable in it is left out.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};

/// Words that may stand before a command.
const BEFORE: [&str; 20] = [
    "!", "if", "elif", "then", "else", "while", "until", "do", "{", "exec", "env", "time",
    "timeout", "nice", "setarch", "ccache", "sccache", "distcc", "icecc", "command",
];

/// Returns a command without what stands before it, such as `timeout 10` or `ccache`, and the
/// variables that are set there.
pub fn without_launchers(words: &[OsString]) -> (Vec<&OsStr>, &[OsString]) {
    let is_command = |word: &OsString| !is_before(&word.to_string_lossy());
    let begin = words.iter().position(is_command).unwrap_or(words.len());
    let (before, command) = words.split_at(begin);
    let is_variable = |word: &&OsString| assignment(&word.to_string_lossy()).is_some();
    (before.iter().filter(is_variable).map(OsString::as_os_str).collect(), command)
}

/// Returns whether a word at the beginning stands before a command.
fn is_before(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    BEFORE.contains(&name)
        || word.starts_with('-')
        || word.starts_with(|c: char| c.is_ascii_digit())
        || assignment(word).is_some()
}

/// Returns the words of each command that mentions the file `name` or the script's argument, with
/// `@@` for it, without what stands before it (`if`, `timeout 10`, `LC_ALL=C`) and without its
/// redirections. Linear in the text.
pub fn script_commands(script: &[u8], name: &OsStr) -> Vec<Vec<OsString>> {
    let text = String::from_utf8_lossy(script).replace("\\\n", " ");
    let name = name.to_string_lossy();
    let mut reader = Reader { rest: &text, variables: HashMap::new() };
    let mut commands = Vec::new();
    while !reader.rest.is_empty() {
        let Some(Read { words, input }) = reader.command() else { continue };
        let reads_file = input.is_some_and(|input| {
            input == ARGUMENT || input.strip_prefix("./").unwrap_or(&input) == name
        });
        let assigned: Vec<_> = words.iter().map_while(|word| assignment(word)).collect();
        if assigned.len() == words.len() {
            reader
                .variables
                .extend(assigned.into_iter().map(|(name, value)| (name.into(), value.into())));
            continue;
        }
        let command = words.iter().skip_while(|word| is_before(word));
        let words = command.map(|word| match word.strip_prefix("./") {
            Some(file) if file == name => ARGUMENT.into(),
            // `-` is standard input, which is the file.
            _ if *word == name || (reads_file && *word == "-") => ARGUMENT.into(),
            _ => OsString::from(word),
        });
        let words: Vec<OsString> = words.collect();
        // In a command that runs a command, the file alone follows it.
        if words.iter().skip(1).any(|word| word == ARGUMENT) && words[0] != ARGUMENT {
            commands.push(words);
        }
    }
    commands
}

/// What stands for the file.
const ARGUMENT: &str = "@@";

/// Returns the name and the value of a variable if the word gives it one.
fn assignment(word: &str) -> Option<(&str, &str)> {
    word.split_once('=').filter(|(name, _)| is_name(name))
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Reads a script from its beginning to its end.
struct Reader<'t> {
    rest: &'t str,
    /// The values that the text has given so far.
    variables: HashMap<String, String>,
}

/// A command that was read.
struct Read {
    words: Vec<String>,
    /// The file that is its standard input.
    input: Option<String>,
}

/// What is known of a command while it is read.
#[derive(Default)]
struct Words {
    all: Vec<String>,
    /// The word that is being read.
    word: Option<String>,
    /// Whether that word is the target of a redirection.
    is_target: bool,
    /// Whether that redirection is one of standard input.
    is_input: bool,
    input: Option<String>,
    /// Whether something is in it that only a shell knows.
    is_unknown: bool,
}

impl Words {
    fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }

    /// Adds a value that can be several words.
    fn push_all(&mut self, value: &str) {
        for (at, part) in value.split_ascii_whitespace().enumerate() {
            if at > 0 {
                self.end_word();
            }
            self.push(part);
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::take(&mut self.is_target) {
            false => self.all.push(word),
            true if self.is_input => self.input = Some(word),
            true => {}
        }
    }

    /// Returns whether what is read so far gives a variable a value that is yet to come.
    fn begins_array(&self) -> bool {
        let name = self.word.as_deref().and_then(|word| word.strip_suffix('='));
        self.all.is_empty() && name.is_some_and(is_name)
    }

    /// Begins a redirection; a number before it belongs to it.
    fn redirect(&mut self, is_input: bool) {
        self.word.take_if(|word| word.chars().all(|c| c.is_ascii_digit()));
        self.end_word();
        self.is_target = true;
        self.is_input = is_input;
    }
}

impl Reader<'_> {
    /// Reads up to the end of a command; `None` if it has no words, or some that only a shell
    /// knows.
    fn command(&mut self) -> Option<Read> {
        let mut words = Words::default();
        while let Some(next) = self.next() {
            match next {
                ' ' | '\t' => words.end_word(),
                '#' if words.word.is_none() => {
                    self.rest = self.rest.find('\n').map_or("", |at| &self.rest[at..]);
                }
                '&' if words.is_target && words.word.is_none() => {}
                // An array: its words are the value of a variable.
                '(' if words.begins_array() => {
                    let (inside, rest) = self.rest.split_once(')').unwrap_or((self.rest, ""));
                    let mut inside = Reader { rest: inside, variables: self.variables.clone() };
                    self.rest = rest;
                    while !inside.rest.is_empty() {
                        let Some(read) = inside.command() else { continue };
                        words.push(&read.words.join(" "));
                        words.push(" ");
                    }
                }
                '\n' | ';' | '&' | '|' | '(' | ')' | '`' => break,
                '<' | '>' => {
                    // `<<` begins text that stands in the script.
                    words.redirect(next == '<' && !self.rest.starts_with('<'));
                    self.rest = self.rest.trim_start_matches(['<', '>']);
                }
                '\\' => words.push(self.next().map(String::from).as_deref().unwrap_or_default()),
                '\'' => {
                    let (inside, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
                    words.push(inside);
                    self.rest = rest;
                }
                '"' => self.quoted(&mut words),
                '$' if self.rest.starts_with('(') => break,
                '$' => {
                    // Outside of quotes a value can be several words.
                    let value = self.variable(&mut words);
                    words.push_all(&value);
                }
                other => words.push(other.encode_utf8(&mut [0; 4])),
            }
        }
        words.end_word();
        let is_known = !words.all.is_empty() && !words.is_unknown;
        is_known.then_some(Read { words: words.all, input: words.input })
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    /// Reads up to the closing quotation mark.
    fn quoted(&mut self, words: &mut Words) {
        words.push("");
        while let Some(next) = self.next().filter(|&next| next != '"') {
            match next {
                '\\' => words.push(self.next().map(String::from).as_deref().unwrap_or_default()),
                '$' => {
                    let is_array = self.rest.split('}').next().is_some_and(|n| n.ends_with("[@]"));
                    let value = self.variable(words);
                    match is_array {
                        true => words.push_all(&value),
                        false => words.push(&value),
                    }
                }
                '`' => words.is_unknown = true,
                other => words.push(other.encode_utf8(&mut [0; 4])),
            }
        }
    }

    /// Reads the name of a variable and returns its value, so far as the text says it.
    fn variable(&mut self, words: &mut Words) -> String {
        let in_braces = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let name = if let Some((name, rest)) = in_braces {
            self.rest = rest;
            name
        } else {
            let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
            let one = self.rest.starts_with(|c: char| c.is_ascii_digit() || "@*".contains(c));
            let end = if one { 1 } else { self.rest.find(is_end).unwrap_or(self.rest.len()) };
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            name
        };
        let (name, default) = match name.split_once(":-").or_else(|| name.split_once('-')) {
            Some((name, default)) => (name, Some(default)),
            None => (name, None),
        };
        let name = name.strip_suffix("[@]").or(name.strip_suffix("[*]")).unwrap_or(name);
        match (name, self.variables.get(name)) {
            ("1" | "@" | "*", _) => ARGUMENT.to_owned(),
            (_, Some(value)) => value.clone(),
            // The file lies in the directory of a test.
            ("PWD", _) => ".".to_owned(),
            _ => {
                words.is_unknown |= default.is_none();
                default.unwrap_or_default().to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, expected: &[&str]) {
        let commands = script_commands(script.as_bytes(), OsStr::new("a.cc"));
        let texts: Vec<String> = commands
            .iter()
            .map(|words| words.iter().map(|w| w.to_str().unwrap()).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn commands_on_the_file() {
        check(
            "#!/bin/sh\nulimit -c 0; [ -s a.cc ] || exit 1\nLC_ALL=C timeout -k 1 60 g++-12 -w -o out.s \\\n a.cc >log 2>&1 </dev/null\n",
            &["[ -s @@ ]", "g++-12 -w -o out.s @@"],
        );
        check(
            "if ! clang++ -c \"$1\" 2> err; then grep -q 'a \"b' err && exit 0; fi",
            &["clang++ -c @@"],
        );
        check("out=$(g++ ./a.cc 2>&1) # a.cc\ngrep x <<<\"$out\"", &["g++ @@"]);
        check("clang a.cc 2>&1 | grep -q Assertion", &["clang @@"]);
    }

    #[test]
    fn what_stands_before_a_command() {
        let words =
            ["env", "A=b", "/usr/bin/ccache", "timeout", "-k", "1", "60", "g++", "-c", "C=d"]
                .map(OsString::from);
        let (variables, command) = without_launchers(&words);
        assert_eq!(variables, ["A=b"]);
        assert_eq!(command, ["g++", "-c", "C=d"]);
    }

    #[test]
    fn variables_count_where_the_text_says_them() {
        check(
            "CC=g++\nFLAGS=\"-O2 -c\"\n${CC:-clang} $FLAGS \"-DA=${B-x y}\" a.cc",
            &["g++ -O2 -c -DA=x y @@"],
        );
        check(
            "FLAGS=(-O2 '-std=c++17'\n -c) # x\ng++ \"${FLAGS[@]}\" \"$PWD/a.cc\"; cc ${FLAGS[*]} a.cc",
            &["g++ -O2 -std=c++17 -c @@", "cc -O2 -std=c++17 -c @@"],
        );
        check("g++ -x c++ - -o x < \"$1\"; cat - < b; cat - <<a.cc", &["g++ -x c++ @@ -o x"]);
        check("$CC a.cc", &[]);
        check("g++ `x` a.cc; cc \"$(x)\" a.cc", &[]);
    }
}
