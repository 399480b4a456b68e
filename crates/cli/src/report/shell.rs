//! Commands for a shell, to be copied by a person.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use minirepro_program::{ReproduceCommand, Workplace, shell};

use crate::report::terminal;

/// Writes a word so that a shell reads it as one, and a terminal shows it as it is: what would
/// change the terminal is written in the notation `$'…'`, which shells for people understand.
pub fn quote(word: &OsStr) -> String {
    let is_shown = |text: &str| terminal::name(text) == text;
    if word.to_str().is_some_and(is_shown) {
        return shell::quote(word);
    }
    let mut quoted = String::from("$'");
    for chunk in word.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            let text = c.to_string();
            match c {
                '\'' | '\\' => quoted.extend(['\\', c]),
                _ if is_shown(&text) => quoted.push(c),
                _ => quoted += &octal(text.as_bytes()),
            }
        }
        quoted += &octal(chunk.invalid());
    }
    quoted.push('\'');
    quoted
}

fn octal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:03o}")).collect()
}

/// Writes words so that a shell reads each as one.
pub fn quote_all<'a>(
    words: impl IntoIterator<Item = &'a (impl AsRef<OsStr> + 'a + ?Sized)>,
) -> String {
    let words: Vec<String> = words.into_iter().map(|word| quote(word.as_ref())).collect();
    words.join(" ")
}

/// Writes a command of minirepro as a person would type it anywhere.
pub fn typed_again(directory: &Path, arguments: &[OsString]) -> String {
    format!("cd {} && minirepro {}", quote(directory.as_os_str()), quote_all(arguments))
}

/// Says how to do by hand what a test does.
pub fn by_hand(command: &ReproduceCommand) -> String {
    let words = quote_all(&command.words);
    let Some((file, name)) = &command.candidate else {
        return format!("To try it by hand, with all words:\n  {words}; echo $?\n");
    };
    let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
    let is_directory = file.is_dir();
    let flag = if is_directory { "-r " } else { "" };
    let name = quote(&as_argument(name));
    let copied = match file.exists() {
        true => format!("cp {flag}{} {name}", quote(file.as_os_str())),
        // It came from standard input.
        false => format!("cat > {name}  # the input"),
    };
    let input = if is_directory { String::new() } else { format!(" < {name}") };
    let (copied, entered) = match &command.workplace {
        Some(Workplace { root, files: Some(files), .. }) => {
            let (root, files) = (quote(root.as_os_str()), quote_all(files));
            (format!("(cd {root} && tar c {files}) | tar x"), String::new())
        }
        Some(Workplace { directory, .. }) => {
            let place = Path::new(&name).join(directory);
            (copied, format!("cd {}\n  ", place.display()))
        }
        None => (copied, String::new()),
    };
    let wanted = if command.is_test { "It must print 0 when the failure is there.\n" } else { "" };
    format!(
        "To try it by hand:\n  cd \"$(mktemp -d)\"\n  {copied}\n  {entered}{words}{input}; echo \
         $?\n{wanted}"
    )
}

/// Returns a name that no program takes for an option.
fn as_argument(name: &OsStr) -> OsString {
    match name.as_encoded_bytes().first() {
        Some(b'-') => Path::new(".").join(name).into_os_string(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_of_a_command_changes_the_terminal() {
        for (word, shown) in [
            (&b"a b"[..], "'a b'"),
            (b"it's", r"'it'\''s'"),
            (b"a\x1b[31m\n'\\\xff.c", r"$'a\033[31m\012\'\\\377.c'"),
            ("\u{202e}".as_bytes(), r"$'\342\200\256'"),
        ] {
            assert_eq!(quote(OsStr::from_bytes(word)), shown);
        }
    }

    #[test]
    fn a_name_is_never_taken_for_an_option() {
        assert_eq!(as_argument(OsStr::new("-x.c")), "./-x.c");
        assert_eq!(as_argument(OsStr::new("x.c")), "x.c");
    }
}
