//! Compiles the sources of a parser, once: what comes of them is kept under a name that tells their
//! contents.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use minirepro_runner::Digest;

use crate::grammars::error::GrammarError;
use crate::grammars::ownership::make_own;

/// Scanners that may lie beside a `parser.c`, and whether they are C++.
const SCANNERS: &[(&str, bool)] =
    &[("scanner.c", false), ("scanner.cc", true), ("scanner.cpp", true), ("scanner.cxx", true)];

/// Returns the library of the parser whose sources lie in `source`: one that was kept, or compiled
/// now, which `tell` is told before.
///
/// # Errors
/// If it cannot be compiled or kept.
pub fn compiled(source: &Path, tell: &mut dyn FnMut(&Path)) -> Result<PathBuf, GrammarError> {
    let kept = kept()?;
    make_own(&kept)?;
    let scanner = SCANNERS.iter().find(|(name, _)| source.join(name).is_file());
    let mut files = vec![source.join("parser.c")];
    files.extend(scanner.map(|(name, _)| source.join(name)));
    let compiler = Compiler::of_user(scanner.is_some_and(|(_, is_cpp)| *is_cpp));
    let library = kept.join(format!("{}.so", digest(&files, source, &compiler)?.as_str()));
    if library.is_file() {
        return Ok(library);
    }
    tell(source);
    let unwritable = |error| GrammarError::Unwritable { path: kept.clone(), error };
    // Only a whole one gets its name.
    let unfinished = tempfile::NamedTempFile::new_in(&kept).map_err(unwritable)?.into_temp_path();
    compiler.run(&files, source, &unfinished)?;
    unfinished.persist(&library).map_err(|error| unwritable(error.error))?;
    Ok(library)
}

/// Returns where compiled grammars are kept: `minirepro/grammars` in `$XDG_CACHE_HOME`, or in
/// `~/.cache`, as the XDG Base Directory Specification says.
fn kept() -> Result<PathBuf, GrammarError> {
    let absolute = |variable: &str| {
        std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Ok(cache.ok_or(GrammarError::NoPlace)?.join("minirepro").join("grammars"))
}

/// How the user compiles.
#[derive(Debug)]
struct Compiler {
    /// The program and its first arguments.
    words: Vec<String>,
    is_cpp: bool,
}

impl Compiler {
    /// Returns the compiler for C, or if a scanner needs it for C++, with its flags: `CC`, `CXX`,
    /// `CFLAGS` and `CXXFLAGS` as in any Makefile.
    fn of_user(is_cpp: bool) -> Self {
        let variables = if is_cpp { ["CXX", "CXXFLAGS"] } else { ["CC", "CFLAGS"] };
        let [mut words, flags] = variables.map(|variable| {
            let value = std::env::var(variable).unwrap_or_default();
            value.split_whitespace().map(str::to_owned).collect::<Vec<String>>()
        });
        if words.is_empty() {
            words.push(if is_cpp { "c++" } else { "cc" }.to_owned());
        }
        words.extend(["-O2", "-fPIC", "-shared"].map(str::to_owned));
        words.extend(flags);
        Self { words, is_cpp }
    }

    /// Makes a library of these files.
    fn run(&self, files: &[PathBuf], source: &Path, library: &Path) -> Result<(), GrammarError> {
        let mut arguments: Vec<OsString> = self.words[1..].iter().map(OsString::from).collect();
        arguments.extend(["-I".into(), source.into()]);
        for file in files {
            if self.is_cpp {
                let is_c = file.extension().is_some_and(|suffix| suffix == "c");
                arguments.extend(["-x".into(), if is_c { "c" } else { "c++" }.into()]);
            }
            arguments.push(file.into());
        }
        arguments.extend(["-o".into(), library.into()]);
        let program = &self.words[0];
        let path = source.to_owned();
        let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
        let output = output.map_err(|error| GrammarError::NoCompiler {
            path: path.clone(),
            program: program.clone(),
            error,
        })?;
        if output.status.success() {
            return Ok(());
        }
        Err(GrammarError::CompilerFailed {
            path,
            program: program.clone(),
            ended: output.status.to_string(),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}

/// Returns a digest of all that decides what comes of these files: they, what they include from
/// beside themselves, the compiler's words and the machine.
fn digest(files: &[PathBuf], source: &Path, compiler: &Compiler) -> Result<Digest, GrammarError> {
    let mut all = format!("1 {} {:?}\0", std::env::consts::ARCH, compiler.words).into_bytes();
    let mut seen: BTreeSet<PathBuf> = files.iter().cloned().collect();
    let mut open: Vec<PathBuf> = files.iter().rev().cloned().collect();
    while let Some(path) = open.pop() {
        let text = fs::read(&path)
            .map_err(|error| GrammarError::Unreadable { path: path.clone(), error })?;
        for name in included(&text) {
            let beside = path.parent().into_iter().chain([source]);
            let found = beside.map(|directory| directory.join(name)).find(|path| path.is_file());
            if let Some(found) = found.filter(|found| seen.insert(found.clone())) {
                open.push(found);
            }
        }
        all.extend(text.len().to_le_bytes());
        all.extend(text);
    }
    Ok(Digest::of(&all))
}

/// Returns the names of files in lines like `#include "scanner.h"`.
fn included(text: &[u8]) -> impl Iterator<Item = &str> {
    text.split(|&b| b == b'\n').filter_map(|line| {
        let line = std::str::from_utf8(line).ok()?.trim_start().strip_prefix('#')?;
        let name = line.trim_start().strip_prefix("include")?.trim_start().strip_prefix('"')?;
        Some(name.split_once('"')?.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_included_from_beside_decides_too() {
        let place = tempfile::tempdir().unwrap();
        let source = place.path().join("src");
        fs::create_dir_all(&source).unwrap();
        let write = |name: &str, text: &str| fs::write(source.join(name), text).unwrap();
        write("parser.c", "#include \"tree_sitter/parser.h\"\n # include \"../shared.h\"\n");
        write("../shared.h", "#include <stdio.h>\n#include \"shared.h\"\n");
        let compiler = Compiler { words: vec!["cc".to_owned()], is_cpp: false };
        let now = || digest(&[source.join("parser.c")], &source, &compiler).unwrap();
        let first = now();
        assert_eq!(now(), first);
        write("../shared.h", "int a;\n");
        assert_ne!(now(), first);
        let other = Compiler { words: vec!["gcc".to_owned()], is_cpp: false };
        assert_ne!(digest(&[source.join("parser.c")], &source, &other).unwrap(), now());
    }
}
