//! The command of a test, run beside it for its messages, and a compiler that says what nothing
//! refers to. Both decide nothing: whether a candidate fails, only the test says.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use minirepro_engine::{Gone, Said};

use crate::test::clang_dump;
use crate::test::messages::messages;
use crate::{CancelToken, CommandTest, Informant};

/// A command that is run beside the test for what it prints.
#[derive(Debug)]
pub struct InformingCommand {
    command: CommandTest,
    analyser: Option<CommandTest>,
}

impl InformingCommand {
    /// Asks this command.
    pub fn new(command: CommandTest) -> Self {
        Self { command, analyser: None }
    }

    /// Also asks a command that prints Clang's syntax tree of a text, if there is one.
    #[must_use]
    pub fn with_analyser(self, analyser: Option<Self>) -> Self {
        Self { analyser: analyser.map(|analyser| analyser.command), ..self }
    }

    /// Returns whether the command ends well on a text.
    pub fn accepts(&self, text: &[u8], stop: &CancelToken) -> bool {
        self.command.ends_well(text, stop)
    }
}

impl Informant for InformingCommand {
    fn consult(&self, candidate: &[u8], stop: &CancelToken) -> Option<Said> {
        let printed =
            self.command.output(&with_own_places(candidate, self.command.words().1), stop);
        if stop.is_set() {
            return None;
        }
        Some(match printed {
            Ok(output) => Said::Messages(messages(&output, self.command.words().1)),
            Err(_) => Said::Gone(Gone::NotStarted),
        })
    }

    fn unreferenced(&self, text: &[u8], stop: &CancelToken) -> Option<Said> {
        let Some(analyser) = &self.analyser else { return Some(Said::Gone(Gone::NotStarted)) };
        let printed = analyser.whole_output(&with_own_places(text, analyser.words().1), stop);
        if stop.is_set() {
            return None;
        }
        Some(match printed {
            Ok(Some(dump)) => Said::Unreferenced(clang_dump::unreferenced(&dump)),
            Ok(None) | Err(_) => Said::Gone(Gone::NotStarted),
        })
    }
}

/// Returns a text whose line markers name it and the lines where they stand, so that places in
/// messages are places in it; what they say of a system's headers stays (GCC's manual of the
/// preprocessor, "Preprocessor Output"). Linear in the text.
fn with_own_places(text: &[u8], name: &OsStr) -> Vec<u8> {
    let mut all = Vec::with_capacity(text.len());
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        match flags_of_marker(line) {
            Some(flags) => {
                all.extend(format!("# {} \"", number + 1).bytes());
                all.extend_from_slice(name.as_bytes());
                all.push(b'"');
                for flag in flags.split(u8::is_ascii_whitespace).filter(|&f| f == b"3" || f == b"4")
                {
                    all.push(b' ');
                    all.extend_from_slice(flag);
                }
                all.push(b'\n');
            }
            None => all.extend_from_slice(line),
        }
    }
    all
}

/// Returns what follows the name of the file in a line marker.
fn flags_of_marker(line: &[u8]) -> Option<&[u8]> {
    let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"line").unwrap_or(rest).trim_ascii_start();
    let number = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(number..).filter(|_| number > 0)?.trim_ascii();
    match rest.iter().rposition(|&byte| byte == b'"') {
        Some(end) => Some(&rest[end + 1..]),
        None => rest.is_empty().then_some(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_markers_name_the_text_and_their_own_lines() {
        let text = "# 1 \"main.cc\"\n# 1 \"/usr/include/a.h\" 1 3 4\nint a;\n#pragma once\n  #line 7\n\
                    #define N 3\n# 2 \"main.cc\" 2\nint b;";
        let expected = "# 2 \"a.cc\"\n# 3 \"a.cc\" 3 4\nint a;\n#pragma once\n# 6 \"a.cc\"\n\
                        #define N 3\n# 8 \"a.cc\"\nint b;";
        let found = with_own_places(text.as_bytes(), OsStr::new("a.cc"));
        assert_eq!(String::from_utf8_lossy(&found), expected);
    }
}
