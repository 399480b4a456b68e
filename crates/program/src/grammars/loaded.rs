//! A grammar that was loaded, with all that decides what becomes of it. Sources are compiled once;
//! what comes of them is kept under a name that tells their contents. This is the only place where
//! native code that is not part of the program gets into it: only what nobody else can change.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use minirepro_languages::{ForeignGrammar, Info};
use minirepro_runner::Digest;
use minirepro_syntax::{Kinds, Language};
use regex::bytes::Regex;
use rustix::process::geteuid;
use serde::Deserialize;
use tree_sitter_language::LanguageFn;

use crate::grammars::error::GrammarError;
use crate::grammars::package::{Code, Found, unreadable};

/// A grammar that was loaded.
pub(super) struct Loaded {
    pub(super) info: Info,
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
        let read = |path: &Path| fs::read(path).map_err(unreadable(path));
        let text = |path: &Path| Ok(String::from_utf8_lossy(&read(path)?).into_owned());
        let grammar_json = text(&path)?;
        let wrong = |error| GrammarError::Form(path.clone(), error);
        Named { name: head.name } = serde_json::from_str(&grammar_json).map_err(wrong)?;
        let of_manifest = manifest.as_deref().map(text).transpose()?.unwrap_or_default();
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
        for text in [&grammar_json, &of_manifest].into_iter().chain(of_rules) {
            all.extend(text.len().to_le_bytes());
            all.extend(text.as_bytes());
        }
        let fingerprint = Digest::of(&all);
        let info = head.overridden(&of_manifest);
        let wrong = |error| GrammarError::Manifest(manifest.unwrap_or_default(), error);
        let info = info.map_err(wrong)?;
        let grammar = ForeignGrammar { parser, grammar_json, head, manifest: of_manifest, rules };
        let loaded = Self { info, grammar, fingerprint };
        // What is wrong with it should be said now, not in the midst of a run.
        loaded.language(&mut Kinds::default())?;
        Ok(loaded)
    }

    /// Makes a language of it.
    pub(super) fn language(&self, kinds: &mut Kinds) -> Result<Language, GrammarError> {
        self.grammar.language(kinds).map_err(GrammarError::of(&self.info.name))
    }
}

/// The function by which a library hands out its parser.
type Entry = unsafe extern "C" fn() -> *const ();

/// Loads the parser of the grammar `name` from a shared library, which stays loaded until the
/// program ends. Runs code of the library.
///
/// # Errors
/// If the system does not load it, or there is no such parser in it.
fn load(library: &Path, name: &str) -> Result<LanguageFn, GrammarError> {
    // Without a `/`, the system would look for it in places of its own.
    let path = std::path::absolute(library).unwrap_or_else(|_| library.to_owned());
    let failed = |message| GrammarError::Load(library.to_owned(), message);
    // What the system says begins with the path, which we say ourselves.
    let cause = |error: &libloading::Error| {
        let said = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        said.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&said).to_owned()
    };
    let symbol = format!("tree_sitter_{name}");
    #[expect(unsafe_code, reason = "a grammar that the user has named is native code")]
    // SAFETY: loading a library and calling into it is sound only if it is what it says, a grammar
    // made by tree-sitter's generator: that is what the user vouches for by naming it. Its entry
    // takes nothing and returns a pointer to constant data of the library, which is never unloaded.
    let entry = unsafe {
        let library = Library::open(Some(&path), RTLD_LOCAL | RTLD_NOW);
        let library = ManuallyDrop::new(library.map_err(|error| failed(cause(&error)))?);
        let entry: Result<Symbol<Entry>, _> = library.get(symbol.as_str());
        let entry = entry.map_err(|_| failed(format!("it has no function {symbol}")))?;
        if entry().is_null() { None } else { Some(LanguageFn::from_raw(*entry)) }
    };
    entry.ok_or_else(|| failed(format!("{symbol} returns no parser")))
}

/// Scanners that may lie beside a `parser.c`.
const SCANNERS: &[&str] = &["scanner.c", "scanner.cc", "scanner.cpp", "scanner.cxx"];

/// Returns the library of the parser whose sources lie in `source`: one that was kept, or compiled
/// now, which `tell` is told before.
///
/// # Errors
/// If it cannot be compiled or kept.
fn compiled(source: &Path, tell: &mut dyn FnMut(&Path)) -> Result<PathBuf, GrammarError> {
    let kept = kept()?;
    make_own(&kept)?;
    let scanner = SCANNERS.iter().map(|name| source.join(name)).find(|path| path.is_file());
    let files: Vec<PathBuf> = [source.join("parser.c")].into_iter().chain(scanner).collect();
    let compiler = compiler(files.iter().any(|file| !is_c(file)));
    let library = kept.join(format!("{}.so", digest(&files, source, &compiler)?.as_str()));
    if library.is_file() {
        return Ok(library);
    }
    tell(source);
    let unwritable = |error| GrammarError::Unwritable(kept.clone(), error);
    // Only a whole one gets its name.
    let unfinished = tempfile::NamedTempFile::new_in(&kept).map_err(unwritable)?.into_temp_path();
    compile(&compiler, &files, source, &unfinished)?;
    unfinished.persist(&library).map_err(|error| unwritable(error.error))?;
    Ok(library)
}

fn is_c(file: &Path) -> bool {
    file.extension().is_some_and(|suffix| suffix == "c")
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

/// Returns the words of the compiler for C, or if a scanner needs it for C++, with its flags: `CC`,
/// `CXX`, `CFLAGS` and `CXXFLAGS` as in any Makefile.
fn compiler(is_cpp: bool) -> Vec<String> {
    let (variables, usual) = match is_cpp {
        true => (["CXX", "CXXFLAGS"], "c++"),
        false => (["CC", "CFLAGS"], "cc"),
    };
    let [program, flags] = variables.map(|variable| std::env::var(variable).unwrap_or_default());
    let program = if program.trim().is_empty() { usual } else { &program };
    let words = format!("{program} -O2 -fPIC -shared {flags}");
    words.split_whitespace().map(str::to_owned).collect()
}

/// Makes a library of these files.
fn compile(
    compiler: &[String],
    files: &[PathBuf],
    source: &Path,
    library: &Path,
) -> Result<(), GrammarError> {
    let program = compiler[0].clone();
    let mut command = Command::new(&program);
    command.args(&compiler[1..]).arg("-I").arg(source).stdin(Stdio::null());
    for file in files {
        command.args(["-x", if is_c(file) { "c" } else { "c++" }]).arg(file);
    }
    let output = command.arg("-o").arg(library).output();
    let path = source.to_owned();
    match output {
        Err(error) => Err(GrammarError::NoCompiler { path, program, error }),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let ended = output.status.to_string();
            Err(GrammarError::CompilerFailed { path, program, ended, said })
        }
    }
}

/// Returns a digest of all that decides what comes of these files: they, what they include from
/// beside themselves, the compiler's words and the machine.
fn digest(files: &[PathBuf], source: &Path, compiler: &[String]) -> Result<Digest, GrammarError> {
    let include = Regex::new(r#"(?m)^\s*#\s*include\s*"([^"\n]*)""#).expect("a test compiles it");
    let mut all = format!("2 {} {compiler:?}\0", std::env::consts::ARCH).into_bytes();
    let mut seen: BTreeSet<PathBuf> = files.iter().cloned().collect();
    let mut open: Vec<PathBuf> = files.iter().rev().cloned().collect();
    while let Some(path) = open.pop() {
        let text = fs::read(&path).map_err(unreadable(&path))?;
        for name in include.captures_iter(&text) {
            let name = OsStr::from_bytes(name.get(1).map_or(b"", |name| name.as_bytes()));
            let beside = path.parent().into_iter().chain([source]);
            let found = beside.map(|directory| directory.join(name)).find(|path| path.is_file());
            open.extend(found.filter(|found| seen.insert(found.clone())));
        }
        all.extend(text.len().to_le_bytes());
        all.extend(text);
    }
    Ok(Digest::of(&all))
}

/// Makes a directory that only the user can enter, and those above it.
///
/// # Errors
/// If it cannot be made, or somebody else can put native code into it.
fn make_own(directory: &Path) -> Result<(), GrammarError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| GrammarError::Unwritable(directory.to_owned(), error))?;
    let data = fs::metadata(directory).map_err(unreadable(directory))?;
    match data.uid() == geteuid().as_raw() && data.mode() & 0o022 == 0 {
        true => Ok(()),
        false => Err(GrammarError::NotOwn(directory.to_owned())),
    }
}

/// Checks that not everybody can change the code of a grammar that the user has named: the file, or
/// what stands in its directory. A group may, as in many checkouts.
///
/// # Errors
/// If everybody can, if it belongs to another user, or if it cannot be looked at. To an
/// administrator, whose containers hold the files of others, it may belong to anybody.
fn check_named(code: &Path) -> Result<(), GrammarError> {
    const WORLD: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let directory = code.parent().filter(|directory| !directory.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let file = fs::metadata(code).map_err(unreadable(code))?;
    let around = fs::metadata(directory).map_err(unreadable(directory))?;
    let own = geteuid();
    let is_foreign = ![0, own.as_raw()].contains(&file.uid()) && !own.is_root();
    if is_foreign || file.mode() & WORLD != 0 {
        return Err(GrammarError::NotOwn(code.to_owned()));
    }
    match around.mode() & (WORLD | STICKY) == WORLD {
        true => Err(GrammarError::NotOwn(directory.to_owned())),
        false => Ok(()),
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
        let of = |compiler: &str| {
            digest(&[source.join("parser.c")], &source, &[compiler.to_owned()]).unwrap()
        };
        let now = || of("cc");
        let first = now();
        assert_eq!(now(), first);
        write("../shared.h", "int a;\n");
        assert_ne!(now(), first);
        assert_ne!(of("gcc"), now());
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
