//! Compilers of C and C++: the only place that knows their names and options.

mod clang_tree;
mod compile_commands;
mod options;
mod preprocessing;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use minirepro_runner::{Called, LineMarker, Wish};

use crate::grammars::Languages;
use crate::tester::subject::Test;

pub use clang_tree::unreferenced;
pub use compile_commands::{CompileCommandsError, compile_commands};
pub use options::with_absolute_header_paths;
pub use preprocessing::Preprocessed;
pub use preprocessing::includes;

/// Has Clang print its syntax tree, and nothing else.
const TREE: &[&str] = &["-fsyntax-only", "-w", "-fno-color-diagnostics", "-Xclang", "-ast-dump"];

/// Returns whether a program is called like a compiler: `clang-19`, `g++-12`,
/// `/opt/bin/m68k-linux-gnu-gcc`.
pub fn is_compiler(program: &OsStr) -> bool {
    parts(program).any(|part| ["cc", "gcc", "g++", "c++", "clang", "clang++"].contains(&part))
}

fn is_clang(program: &OsStr) -> bool {
    parts(program).any(|part| ["clang", "clang++"].contains(&part))
}

fn parts(program: &OsStr) -> impl Iterator<Item = &str> {
    let name = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.split('-')
}

/// Returns the command that grants a wish about a program of a test, if that is a compiler of the
/// candidate.
pub fn granting(called: &Called<'_>) -> Option<Vec<OsString>> {
    let Called { wish, words, candidate, place } = *called;
    let (program, arguments) = words.split_first().filter(|(program, _)| is_compiler(program))?;
    let is_candidate = |word: &OsString| Path::new(word).file_name() == Some(candidate);
    // Standard input is the candidate as well.
    let at = arguments.iter().position(is_candidate);
    let at = at.or_else(|| arguments.iter().position(|word| word == "-"))?;
    let mut arguments = arguments.to_vec();
    if arguments[at] == "-" {
        arguments[at] = candidate.to_owned();
    }
    if wish == Wish::Preprocessed {
        return Some(other_stage(program, &arguments, &["-E"]));
    }
    let text = fs::read(&arguments[at]).ok()?;
    let copy = place.join("tree").join(candidate);
    fs::create_dir(place.join("tree")).ok()?;
    fs::write(&copy, with_own_places(&text, candidate)).ok()?;
    arguments[at] = copy.clone().into();
    let mut command = if is_clang(program) {
        other_stage(program, &arguments, TREE)
    } else {
        let is_cxx = program.to_string_lossy().contains("++");
        let clang = if is_cxx { "clang++" } else { "clang" };
        let words = std::iter::once(&clang).chain(TREE).map(OsString::from);
        words.chain(options::meaning(&arguments, copy.as_os_str())).collect()
    };
    // The copy lies elsewhere.
    options::look_for_headers(&mut command, Path::new("."));
    Some(command)
}

/// Returns the command by which a compiler does these things with the same file instead, and writes
/// nothing but its output.
fn other_stage(program: &OsStr, arguments: &[OsString], stage: &[&str]) -> Vec<OsString> {
    let mut rest = options::without_outputs(arguments);
    // It must come first.
    let is_frontend = rest.first().is_some_and(|word| word == "-cc1");
    let frontend: Vec<OsString> = rest.drain(..usize::from(is_frontend)).collect();
    rest.retain(|word| {
        !word.to_str().is_some_and(|word| {
            options::writes_besides(word) || options::is_in(options::STAGES, word)
        })
    });
    let stage = stage.iter().map(OsString::from);
    std::iter::once(program.to_owned()).chain(frontend).chain(stage).chain(rest).collect()
}

/// Returns a text whose line markers name it and the lines where they stand, so that places in a
/// tree are places in it; what they say of a system's headers stays. Linear in the text.
fn with_own_places(text: &[u8], name: &OsStr) -> Vec<u8> {
    let mut all = Vec::with_capacity(text.len());
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        match LineMarker::read(line) {
            Some(LineMarker { flags, .. }) => {
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

/// Returns the language that a compiler in a test is told to read a file as (`-x c++`), if there is
/// a language of this name.
pub fn told_language(test: &dyn Test, languages: &Languages) -> Option<String> {
    let words = test.spec()?.words();
    let mut words = words.iter().skip_while(|word| !is_compiler(word));
    let option = words.find_map(|word| word.to_str()?.strip_prefix("-x"))?;
    let told = if option.is_empty() { words.next()?.to_str()? } else { option };
    let name = told.strip_suffix("-header").or(told.strip_suffix("-cpp-output"));
    let name = name.unwrap_or(told);
    languages.by_name(name).is_ok().then(|| name.to_owned())
}

/// Returns the first compiler that a test names.
pub fn compiler_of(test: &dyn Test) -> Option<PathBuf> {
    test.spec()?.programs().into_iter().find(|program| is_compiler(program)).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(wish: Wish, words: &str) -> Option<String> {
        let place = tempfile::tempdir().unwrap();
        let text = place.path().join("a.c");
        fs::write(&text, "int a;\n").unwrap();
        let words = words.replace("@@", text.to_str().unwrap());
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let (candidate, place) = (OsStr::new("a.c"), place.path());
        let command = granting(&Called { wish, words: &words, candidate, place })?;
        let command = command.join(OsStr::new(" ")).into_string().unwrap();
        let copy = place.join("tree/a.c");
        let command = command.replace(copy.to_str().unwrap(), "COPY");
        Some(command.replace(text.to_str().unwrap(), "@@").replace(&TREE.join(" "), "TREE"))
    }

    #[test]
    fn only_compilers_of_the_candidate_grant_wishes() {
        for (words, expected) in [
            ("/bin/g++-12 -O2 -c @@ -o x.o -I/a", Some("/bin/g++-12 -E -O2 @@ -I/a")),
            ("g++-12 -fdump-go-spec=a -MD -MF b -S @@", Some("g++-12 -E @@")),
            (
                "m68k-linux-gnu-gcc -S -x c - -Wp,-MMD,x -MFy",
                Some("m68k-linux-gnu-gcc -E -x c a.c"),
            ),
            ("clang-14 -cc1 -emit-obj -O1 @@ -o x", Some("clang-14 -cc1 -E -O1 @@")),
            ("gcc -o x b.c", None),
            ("python3 gcc.py @@", None),
            ("gccgo @@", None),
        ] {
            assert_eq!(granted(Wish::Preprocessed, words).as_deref(), expected);
        }
        for (words, expected) in [
            ("clang++-16 -O1 -S @@", Some("clang++-16 TREE -O1 COPY -iquote .")),
            ("g++-12 -std=c++20 -O2 -c @@", Some("clang++ TREE -std=c++20 COPY -iquote .")),
        ] {
            assert_eq!(granted(Wish::Tree, words).as_deref(), expected);
        }
    }

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
