//! A grammar that was loaded, with all that decides what becomes of it. Sources are compiled once;
//! what comes of them is kept under a name that tells their contents. This is the only place where
//! native code that is not part of the program gets into it: only what nobody else can change.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use minirepro_languages::{ForeignGrammar, Info};
use minirepro_runner::Digest;
use minirepro_syntax::{Kinds, Language};
use regex::bytes::Regex;
use rustix::process::geteuid;
use serde::Deserialize;
use tree_sitter_loader::{CompileConfig, Loader};

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
    /// Loads a grammar that was found, after it was compiled if it has to be. Runs its code.
    pub(super) fn of(found: Found, tell: &mut dyn FnMut(&Path)) -> Result<Self, GrammarError> {
        let Found { mut head, code, grammar_json: path, manifest, rules } = found;
        let read = |path: &Path| fs::read(path).map_err(unreadable(path));
        let text = |path: &Path| Ok(String::from_utf8_lossy(&read(path)?).into_owned());
        let grammar_json = text(&path)?;
        let wrong = |error| GrammarError::Form(path.clone(), error);
        Named { name: head.name } = serde_json::from_str(&grammar_json).map_err(wrong)?;
        let library = library_of(&code)?;
        let (Code::Library(place) | Code::Sources(place)) = &code;
        let parser = match library.is_file() {
            true => {
                let function = format!("tree_sitter_{}", head.name.replace('-', "_"));
                Loader::load_language(&library, &function)
            }
            false => {
                tell(place);
                let mut config = CompileConfig::new(place, None, Some(library.clone()));
                config.name.clone_from(&head.name);
                Loader::with_parser_lib_path(PathBuf::new()).load_language_at_path_with_name(config)
            }
        };
        let parser = parser.map_err(GrammarError::of_loader(place))?;
        let of_manifest = manifest.as_deref().map(text).transpose()?.unwrap_or_default();
        let rule = |path: &PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, text(path)?))
        };
        let rules = rules.iter().map(rule).collect::<Result<Vec<_>, GrammarError>>()?;
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

/// Scanners that the loader does not compile.
const CPP_SCANNERS: &[&str] = &["scanner.cc", "scanner.cpp", "scanner.cxx"];

/// Returns where the library of a grammar is. Once sources are compiled it is kept in
/// `minirepro/grammars` in `$XDG_CACHE_HOME`, or in `~/.cache`, as the XDG Base Directory
/// Specification says.
///
/// # Errors
/// If others can change the code, or it cannot be compiled or kept.
fn library_of(code: &Code) -> Result<PathBuf, GrammarError> {
    let source = match code {
        Code::Library(path) => {
            check_named(path)?;
            // Without a `/`, the system would look for it in places of its own.
            return std::path::absolute(path).map_err(unreadable(path));
        }
        Code::Sources(source) => source,
    };
    check_named(&source.join("parser.c"))?;
    if CPP_SCANNERS.iter().any(|name| source.join(name).is_file()) {
        return Err(GrammarError::CppScanner(source.to_owned()));
    }
    let absolute = |variable: &str| {
        std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let directory = cache.ok_or(GrammarError::NoPlace)?.join("minirepro").join("grammars");
    make_own(&directory)?;
    let compiler = ["CC", "CFLAGS"].map(|name| std::env::var(name).unwrap_or_default());
    Ok(directory.join(format!("{}.so", digest(source, &compiler.join(" "))?.as_str())))
}

/// Returns a digest of all that decides what comes of a parser: its files, what they include from
/// beside themselves, the compiler's words and the machine.
fn digest(source: &Path, compiler: &str) -> Result<Digest, GrammarError> {
    let include = Regex::new(r#"(?m)^\s*#\s*include\s*"([^"\n]*)""#).expect("a test compiles it");
    let mut all = format!("3 {} {compiler}\0", std::env::consts::ARCH).into_bytes();
    let files = ["parser.c", "scanner.c"].map(|name| source.join(name));
    let mut seen: BTreeSet<PathBuf> = files.into_iter().filter(|path| path.is_file()).collect();
    let mut open: Vec<PathBuf> = seen.iter().cloned().collect();
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
        let of = |compiler: &str| digest(&source, compiler).unwrap();
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
