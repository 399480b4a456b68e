//! Failures of a compiler that lie in what a header brings: the file itself would be reduced to an
//! `#include`, which is no result.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use minirepro::{CancelToken, ExpectedFailure, Limits, sources};

use crate::commands::test::GivenTest;
use crate::report::shell::quote_all;

/// Options that say what a compiler makes of a file.
const STAGES: [&str; 4] = ["-c", "-S", "-E", "-fsyntax-only"];

/// Options with which a compiler writes other files, with what they begin with.
const WRITES: [&str; 6] = ["-MD", "-MMD", "-MP", "-fdump-", "-save-temps", "-ftime-trace"];

/// Of the compilers in a script so many are tried.
const MOST: usize = 3;

/// Returns the shell command that preprocesses the file, and what it prints, if the test runs a C or C++
/// compiler and fails in the same way on the file, on its `#include` lines alone, and on what is printed.
pub fn preprocessing(
    test: &GivenTest,
    file: &Path,
    input: &[u8],
    limits: Limits,
    stop: &CancelToken,
) -> Option<(String, Vec<u8>)> {
    let includes = includes(input)?;
    let shells = preprocessors(test, file);
    if shells.is_empty() {
        return None;
    }
    let fails = |text: &[u8]| fails(test, file, text, limits, stop);
    let failure = fails(input)?;
    if fails(&includes)? != failure {
        return None;
    }
    shells.into_iter().find_map(|shell| {
        let printed = sources::preprocessed(&shell, file).ok()?;
        (fails(&printed)? == failure).then_some((shell, printed))
    })
}

/// Returns the shell commands that print what the compilers in a test compile, with `@@` for the file.
pub fn preprocessors(test: &GivenTest, file: &Path) -> Vec<String> {
    match test {
        GivenTest::Command(command) => preprocessor(&command.words, file).into_iter().collect(),
        GivenTest::Script(script) => {
            let name = file.file_name().unwrap_or_default();
            let text = sources::file(&script.path).unwrap_or_default();
            let commands = sources::script_commands(&text, name);
            let mut shells: Vec<String> =
                commands.iter().filter_map(|words| preprocessor(words, file)).collect();
            shells.dedup();
            shells.truncate(MOST);
            shells
        }
    }
}

/// Returns how the test fails on a text, if it does: a script only says that it does.
fn fails(
    test: &GivenTest,
    file: &Path,
    text: &[u8],
    limits: Limits,
    stop: &CancelToken,
) -> Option<String> {
    match test {
        GivenTest::Command(command) => {
            let is_learnt = matches!(command.criteria.expected, ExpectedFailure::Learn);
            let failure = || command.failure_on(file, text, limits, stop).ok();
            is_learnt.then(failure)?.map(|failure| failure.to_string())
        }
        GivenTest::Script(script) => {
            let fails = script.fails_on(file, text, limits, stop).ok()?;
            fails.then(String::new)
        }
    }
}

/// Returns the lines that include something, if there are any.
fn includes(input: &[u8]) -> Option<Vec<u8>> {
    let is_include = |line: &&[u8]| {
        let directive = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        directive.is_some_and(|text| text.starts_with(b"include"))
    };
    let lines: Vec<_> = input.split_inclusive(|&byte| byte == b'\n').filter(is_include).collect();
    (!lines.is_empty()).then(|| lines.concat())
}

/// Returns the command that prints what a C or C++ compiler compiles, with `@@` for the file.
fn preprocessor(words: &[OsString], file: &Path) -> Option<String> {
    let (program, rest) = words.split_first()?;
    let name = Path::new(program).file_name()?.to_str()?;
    // `clang-19`, `g++-12`, `m68k-linux-gnu-gcc`
    let mut parts = name.split('-');
    let is_compiler =
        parts.any(|part| ["cc", "gcc", "g++", "c++", "clang", "clang++"].contains(&part));
    if !is_compiler {
        return None;
    }
    // It runs in the directory of the file.
    let program = match program.as_bytes().contains(&b'/') {
        true => std::path::absolute(program).ok()?.into(),
        false => program.clone(),
    };
    let mut kept = vec![program, "-E".into()];
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        match word.to_str() {
            Some("-o" | "-MF" | "-MT" | "-MQ") => drop(rest.next()),
            Some(option) if WRITES.iter().any(|begins| option.starts_with(begins)) => {}
            _ if word == OsStr::new("@@") => kept.push("@@".into()),
            Some(stage) if STAGES.contains(&stage) => {}
            _ if Path::new(word) == file => kept.push("@@".into()),
            _ => kept.push(word.clone()),
        }
    }
    Some(quote_all(&kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_compilers_preprocess() {
        let cases = [
            ("g++-12 -O2 -c @@ -o x.o -I/a", Some("g++-12 -E -O2 @@ -I/a")),
            ("g++-12 -fdump-go-spec=a -MD -MF b -S @@", Some("g++-12 -E @@")),
            ("m68k-linux-gnu-gcc -S src/a.c", Some("m68k-linux-gnu-gcc -E @@")),
            ("/opt/bin/clang -fsyntax-only a.c", Some("/opt/bin/clang -E a.c")),
            ("python3 gcc.py @@", None),
            ("gccgo @@", None),
        ];
        for (words, expected) in cases {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            assert_eq!(preprocessor(&words, Path::new("src/a.c")).as_deref(), expected);
        }
    }

    #[test]
    fn lines_that_include() {
        let text = b"#include <a>\nint x;\n  # include \"b\"\n#define include\n";
        assert_eq!(includes(text).as_deref(), Some(&b"#include <a>\n  # include \"b\"\n"[..]));
        assert_eq!(includes(b"int x;\n"), None);
    }
}
