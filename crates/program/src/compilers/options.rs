//! Options of GCC and Clang: the only place that lists them.

use std::ffi::{OsStr, OsString};

/// Options with a path, in the same word or the next one. No option stands before one that it
/// begins.
pub const PATHS: &[&str] = &[
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include-pch",
    "-include",
    "-imacros",
    "-isysroot",
    "-iframework",
    "--sysroot",
    "-fmodule-file",
    "-I",
    "-L",
    "-B",
    "-F",
];

/// Options that say what a compiler makes of a file.
pub const STAGES: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-fsyntax-only",
    "-emit-llvm",
    // Clang's frontend.
    "-emit-obj",
    "-emit-llvm-only",
    "-emit-codegen-only",
];

/// Options about files that are written, with a value in the next word, unless it is glued to them.
pub const OUTPUTS: &[&str] =
    &["-o", "-MF", "-MT", "-MQ", "-MJ", "--output", "--serialize-diagnostics"];

/// Options about dependencies that are written.
pub const DEPENDENCIES: &[&str] = &["-M", "-MM", "-MD", "-MMD", "-MP"];

/// What options begin with that have the preprocessor write dependencies, as builds of Linux do.
pub const DEPENDENCIES_BY_PREPROCESSOR: &str = "-Wp,-M";

/// What options begin with that have a compiler write other files besides.
const WRITES: &[&str] = &["-MD", "-MMD", "-MP", "-fdump-", "-save-temps", "-ftime-trace"];

/// Options that every compiler needs to understand a program, with a value in the same word or the
/// next one.
const MEANING: &[&str] = &[
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
];

/// What options of one word begin with that every compiler needs to understand a program.
const DIALECT: &[&str] = &[
    "-std=",
    "-ansi",
    "-pthread",
    "-fopenmp",
    "-fwrapv",
    "-fno-strict-",
    "-fsigned-char",
    "-funsigned-char",
    "-fpermissive",
    "-fms-extensions",
    "-fgnu89-inline",
    "-fno-delete-null-pointer-checks",
    "-fexceptions",
    "-fcoroutines",
    "-fconcepts",
];

/// Other options with a value in the next word, which mean nothing to another compiler.
const FOREIGN: &[&str] =
    &["-Xclang", "-mllvm", "--param", "-target", "-arch", "-Xlinker", "-Xassembler", "-T"];

/// Returns whether a word says where something is written, which no failure depends on.
pub fn writes(word: &str) -> bool {
    DEPENDENCIES.contains(&word)
        || word.starts_with(DEPENDENCIES_BY_PREPROCESSOR)
        || OUTPUTS.iter().any(|option| word.starts_with(option)) && !word.starts_with("-object")
}

/// Returns whether a word has a compiler write other files besides, in which it may fail.
pub fn writes_besides(word: &str) -> bool {
    WRITES.iter().any(|option| word.starts_with(option))
}

/// Returns what another compiler needs to understand the same program, in the same order: the
/// candidate and other inputs, the language, macros, headers and libraries.
pub fn meaning(arguments: &[OsString], name: &OsStr) -> Vec<OsString> {
    let mut kept: Vec<OsString> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.to_str().filter(|text| text.starts_with('-') && text.len() > 1)
        else {
            kept.push(word.clone());
            continue;
        };
        if MEANING.contains(&text) {
            kept.push(word.clone());
            kept.extend(rest.next().cloned());
        } else if MEANING.iter().chain(DIALECT).any(|option| text.starts_with(option)) {
            kept.push(word.clone());
        } else if FOREIGN.contains(&text) {
            rest.next();
        }
    }
    if !kept.iter().any(|word| word == name) {
        kept.push(name.to_owned());
    }
    kept
}
