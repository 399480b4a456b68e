//! A grammar that was loaded, with all that decides what becomes of it. Sources are compiled once;
//! what comes of them is kept under a name that tells their contents. This is the only place where
//! native code that is not part of the program gets into it: only what nobody else can change.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::mem::ManuallyDrop;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL, RTLD_NOW, Symbol};
use minirepro_languages::ForeignGrammar;
use minirepro_runner::Digest;
use minirepro_syntax::{Kinds, Language};
use rustix::process::geteuid;
use serde::Deserialize;
use tree_sitter_language::LanguageFn;

use crate::grammars::error::GrammarError;
use crate::grammars::package::{Code, Found};

/// A grammar that was loaded.
pub(super) struct Loaded {
    pub(super) grammar: ForeignGrammar,
    /// What tells it apart from another version of it.
    pub(super) fingerprint: Digest,
}

/// What a `grammar.json` says of its grammar.
#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Loaded {
    /// Loads a grammar that was found, after it was compiled if it has to be.
    pub(super) fn of(found: Found, tell: &mut dyn FnMut(&Path)) -> Result<Self, GrammarError> {
        let Found { mut head, code, grammar_json: path, manifest, rules } = found;
        let library = match code {
            Code::Library(path) => {
                check_named(&path)?;
                path
            }
            Code::Sources(source) => {
                check_named(&source.join("parser.c"))?;
                compiled(&source, tell)?
            }
        };
        let read = |path: &Path| {
            fs::read(path)
                .map_err(|error| GrammarError::Unreadable { path: path.to_owned(), error })
        };
        let text = |path: &Path| Ok(String::from_utf8_lossy(&read(path)?).into_owned());
        let grammar_json = text(&path)?;
        let wrong = |error: serde_json::Error| GrammarError::Form {
            path: path.clone(),
            message: error.to_string(),
        };
        Named { name: head.name } = serde_json::from_str(&grammar_json).map_err(wrong)?;
        let manifest = manifest.as_deref().map(text).transpose()?.unwrap_or_default();
        let rule = |path: &PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, text(path)?))
        };
        let rules = rules.iter().map(rule).collect::<Result<Vec<_>, GrammarError>>()?;
        let parser = load(&library, &head.name)?;
        if head.description.is_empty() {
            head.description = format!("grammar {}", head.name);
        }
        let mut all = read(&library)?;
        let of_rules = rules.iter().flat_map(|(name, text)| [name, text]);
        for text in [&grammar_json, &manifest].into_iter().chain(of_rules) {
            all.extend(text.len().to_le_bytes());
            all.extend(text.as_bytes());
        }
        let fingerprint = Digest::of(&all);
        let grammar = ForeignGrammar { parser, grammar_json, head, manifest, rules };
        Ok(Self { grammar, fingerprint })
    }

    /// Makes a language of it.
    pub(super) fn language(&self, name: &str, kinds: &mut Kinds) -> Result<Language, GrammarError> {
        let wrong = |error| GrammarError::Foreign { name: name.to_owned(), error };
        self.grammar.language(kinds).map_err(wrong)
    }
}

/// The function by which a library hands out its parser.
type Entry = unsafe extern "C" fn() -> *const ();

/// Loads the parser of the grammar `name` from a shared library, which stays loaded until the
/// program ends. Runs code of the library.
///
/// # Errors
/// If the system does not load it, or there is no such parser in it.
pub fn load(library: &Path, name: &str) -> Result<LanguageFn, GrammarError> {
    // Without a `/`, the system would look for it in places of its own.
    let path = std::path::absolute(library).unwrap_or_else(|_| library.to_owned());
    // An addon of Node.js has functions open that only Node.js has, and that no parser calls.
    let is_addon = path.extension().is_some_and(|suffix| suffix == "node");
    let flags = RTLD_LOCAL | if is_addon { RTLD_LAZY } else { RTLD_NOW };
    let failed = |message| GrammarError::Load { path: library.to_owned(), message };
    let symbol = format!("tree_sitter_{name}");
    #[expect(unsafe_code, reason = "a grammar that the user has named is native code")]
    // SAFETY: loading a library and calling into it is sound only if it is what it says, a grammar
    // made by tree-sitter's generator: that is what the user vouches for by naming it. Its entry
    // takes nothing and returns a pointer to constant data of the library, which is never unloaded.
    let entry = unsafe {
        let library = Library::open(Some(&path), flags);
        let library = ManuallyDrop::new(library.map_err(|error| failed(cause(&error, &path)))?);
        let entry: Result<Symbol<Entry>, _> = library.get(symbol.as_str());
        let entry = entry.map_err(|_| failed(format!("it has no function {symbol}")))?;
        if entry().is_null() { None } else { Some(LanguageFn::from_raw(*entry)) }
    };
    entry.ok_or_else(|| failed(format!("{symbol} returns no parser")))
}

/// Returns what the system says, without the path, which we say ourselves.
fn cause(error: &libloading::Error, path: &Path) -> String {
    let mut error: &dyn std::error::Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    let said = error.to_string();
    let path = format!("{}: ", path.display());
    said.strip_prefix(&path).map_or(said.clone(), str::to_owned)
}

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

/// Makes a directory that only the user can enter, and those above it.
///
/// # Errors
/// If it cannot be made, or is somebody else's.
pub(super) fn make_own(directory: &Path) -> Result<(), GrammarError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| GrammarError::Unwritable { path: directory.to_owned(), error })?;
    check_own(directory)
}

/// Checks that not everybody can change the code of a grammar that the user has named: the file, or
/// what stands in its directory. A group may, as in many checkouts.
///
/// # Errors
/// If everybody can, if it belongs to another user, or if it cannot be looked at. To an
/// administrator, whose containers hold the files of others, it may belong to anybody.
pub(super) fn check_named(code: &Path) -> Result<(), GrammarError> {
    const WORLD: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let directory = code.parent().filter(|directory| !directory.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let look = |path: &Path| {
        fs::metadata(path)
            .map_err(|error| GrammarError::Unreadable { path: path.to_owned(), error })
    };
    let (file, around) = (look(code)?, look(directory)?);
    let own = geteuid();
    let is_foreign = ![0, own.as_raw()].contains(&file.uid()) && !own.is_root();
    if is_foreign || file.mode() & WORLD != 0 {
        return Err(GrammarError::NotOwn { path: code.to_owned() });
    }
    match around.mode() & WORLD != 0 && around.mode() & STICKY == 0 {
        true => Err(GrammarError::NotOwn { path: directory.to_owned() }),
        false => Ok(()),
    }
}

/// Checks that nobody else can put anything into a directory from which native code is loaded.
///
/// # Errors
/// If somebody can, or it cannot be looked at.
pub(super) fn check_own(directory: &Path) -> Result<(), GrammarError> {
    let path = directory.to_owned();
    match fs::metadata(directory) {
        Ok(data) if data.uid() == geteuid().as_raw() && data.mode() & 0o022 == 0 => Ok(()),
        Ok(_) => Err(GrammarError::NotOwn { path }),
        Err(error) => Err(GrammarError::Unreadable { path, error }),
    }
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

#[cfg(test)]
mod ownership_tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn code_that_everybody_can_change_is_not_loaded() {
        let place = tempfile::tempdir().unwrap();
        let code = place.path().join("parser.c");
        fs::write(&code, "").unwrap();
        for (directory, file, is_fine) in [
            (0o755, 0o644, true),
            (0o775, 0o664, true),
            (0o755, 0o646, false),
            (0o777, 0o644, false),
            (0o1777, 0o644, true),
        ] {
            fs::set_permissions(&code, Permissions::from_mode(file)).unwrap();
            fs::set_permissions(place.path(), Permissions::from_mode(directory)).unwrap();
            assert_eq!(check_named(&code).is_ok(), is_fine, "{directory:o} {file:o}");
        }
    }
}
