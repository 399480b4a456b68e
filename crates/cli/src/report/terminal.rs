//! Writing to standard output and standard error. A reader that has gone away ends neither a run
//! nor the program: what cannot be shown is dropped. Control characters in names and words of the
//! input never reach a terminal. Nothing else in this crate may print.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use crate::error::CliError;
use crate::exit::Exit;

/// Writes text to standard error; does nothing if nobody reads it.
pub fn error(text: fmt::Arguments<'_>) {
    // A broken pipe or a full disk must not end a run.
    let _ = io::stderr().lock().write_all(plain(&text.to_string()).as_bytes());
}

/// Returns whether a line on standard error can change in its place.
pub fn is_live() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Shows a text in the last line of the terminal, in place of what stands there, as far as it fits.
pub fn live_line(text: &str) {
    let columns = rustix::termios::tcgetwinsize(io::stderr()).map_or(80, |size| size.ws_col.max(2));
    let text: String = name(text).chars().take(usize::from(columns) - 1).collect();
    // As above.
    let _ = write!(io::stderr().lock(), "\r{text}\x1b[K");
}

/// Writes a line to standard error.
macro_rules! say {
    ($($part:tt)*) => {
        $crate::report::terminal::error(format_args!("{}\n", format_args!($($part)*)))
    };
}

pub(crate) use say;

/// Writes text to standard output; does nothing if nobody reads it.
pub fn output(text: fmt::Arguments<'_>) {
    let text = text.to_string();
    output_as_it_is(&if io::stdout().is_terminal() { plain(&text) } else { text });
}

/// Writes text to standard output that holds nothing of the input, or only in a form that a
/// terminal bears.
pub fn output_as_it_is(text: &str) {
    let mut to = io::stdout().lock();
    // As for standard error.
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
}

/// Writes to standard output what the program was asked for.
///
/// # Errors
/// If it cannot be written, other than because nobody reads on.
pub fn print(write: impl Fn(&mut dyn Write) -> io::Result<()>) -> Result<Exit, CliError> {
    let mut to = BufWriter::new(io::stdout().lock());
    match write(&mut to).and_then(|()| to.flush()) {
        // A reader like `head` has seen enough when the pipe breaks.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::new(Exit::NotWritten, error))
        }
        _ => Ok(Exit::Done),
    }
}

/// Writes a text to standard output that the program was asked for.
///
/// # Errors
/// As [`print`].
pub fn print_text(text: &str) -> Result<Exit, CliError> {
    print(|to| to.write_all(text.as_bytes()))
}

/// Replaces control characters, which could change what a terminal shows or does, by escapes. Line
/// ends and tabs stay.
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hostile(c) && c != '\n' && c != '\t' {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Replaces what [`plain`] replaces, and line ends and tabs as well: for a name within a line.
pub fn name(text: &str) -> String {
    plain(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns a path as it is shown within a line.
pub fn shown(path: &Path) -> String {
    name(&path.display().to_string())
}

/// Returns whether a character could make a terminal show something else than the text: control
/// characters, and those that change the direction of writing.
pub fn is_hostile(c: char) -> bool {
    let changes_direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || changes_direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_an_input_reaches_the_terminal_as_a_command() {
        let escaped = "a\\u{1b}[31mb\\u{7}\\u{9b}\\u{202e}\n\tä";
        assert_eq!(plain("a\x1b[31mb\x07\u{9b}\u{202e}\n\tä"), escaped);
        assert_eq!(name("a\nb\tc\r"), "a\\nb\\tc\\r");
    }
}
