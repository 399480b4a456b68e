//! What lies at a path that was named as a grammar: a package as tree-sitter's tools and registries
//! have it, or a library.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use minirepro_languages::Info;
use serde_json::Value;

use crate::grammars::error::GrammarError;

/// A grammar that was found, before it is compiled or loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What its package says of it; the name is empty if only the parser knows it.
    pub head: Info,
    /// Its native code.
    pub code: Code,
    /// Its `grammar.json`, if there is one.
    pub grammar_json: Option<PathBuf>,
    /// The manifest that lies beside it, if there is one.
    pub manifest: Option<PathBuf>,
    /// The files in the directory of rules beside it.
    pub rules: Vec<PathBuf>,
}

/// The native code of a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// The directory of `parser.c`.
    Sources(PathBuf),
    /// A library.
    Library(PathBuf),
}

/// The name of the manifest beside a grammar.
const MANIFEST: &str = "minirepro.toml";

/// Returns the grammars of a path: of a directory those that its `tree-sitter.json` or
/// `package.json` lists, or those below it; of a library the one in it.
///
/// # Errors
/// If there is none, or what the package says of it cannot be read.
pub fn find(path: &Path) -> Result<Vec<Found>, GrammarError> {
    let unreadable = |error| GrammarError::Unreadable { path: path.to_owned(), error };
    let data = fs::metadata(path).map_err(unreadable)?;
    let suffix = path.extension().unwrap_or_default();
    if suffix == "wasm" {
        return Err(GrammarError::WebAssembly { path: path.to_owned() });
    }
    if !data.is_file() {
        return of_directory(path);
    }
    if path.file_name().is_some_and(|name| name == "parser.c") {
        let directory = path.parent().filter(|d| !d.as_os_str().is_empty());
        return of_directory(directory.unwrap_or(Path::new(".")));
    }
    match is_library(path) {
        true => Ok(vec![of_library(path)?]),
        false => Err(GrammarError::NoGrammar { path: path.to_owned() }),
    }
}

fn of_directory(directory: &Path) -> Result<Vec<Found>, GrammarError> {
    let described = described(directory)?;
    let mut found: Vec<Found> = described
        .into_iter()
        .filter_map(|(head, place)| at(&below(directory, &place), head, directory))
        .collect();
    if found.is_empty() {
        found.extend(at(directory, Info::default(), directory));
    }
    if found.is_empty() {
        // Like the crate of TypeScript and TSX, which says nothing about where its grammars are.
        let all = subdirectories(directory)
            .map_err(|error| GrammarError::Unreadable { path: directory.to_owned(), error })?;
        found.extend(all.iter().filter_map(|path| at(path, Info::default(), directory)));
    }
    match found.is_empty() {
        true => Err(GrammarError::NoGrammar { path: directory.to_owned() }),
        false => Ok(found),
    }
}

/// Returns a place in a package; `.` is the package itself.
fn below(package: &Path, place: &Path) -> PathBuf {
    if place == Path::new(".") { package.to_owned() } else { package.join(place) }
}

/// Returns the grammar of one directory of a package: its sources, or else a library that was built
/// of them.
fn at(directory: &Path, head: Info, package: &Path) -> Option<Found> {
    let source = [directory.join("src"), directory.to_owned()];
    let source = source.into_iter().find(|source| source.join("parser.c").is_file());
    let code = match &source {
        Some(source) => Code::Sources(source.clone()),
        None => Code::Library(prebuilt(directory, &head.name)?),
    };
    let near = [source.unwrap_or_else(|| directory.join("src")), directory.to_owned()];
    Some(Found {
        head,
        code,
        grammar_json: first_file(&near, "grammar.json"),
        manifest: first_file(&[directory.to_owned(), package.to_owned()], MANIFEST),
        rules: rules(&[directory, package]),
    })
}

/// Returns the grammar in a library, with what lies beside it or above it in its package: packages
/// of npm keep libraries in `prebuilds/linux-x64` and the like.
fn of_library(library: &Path) -> Result<Found, GrammarError> {
    let absolute = std::path::absolute(library).unwrap_or_else(|_| library.to_owned());
    let mut above = absolute.ancestors().skip(1);
    let beside = above.next().unwrap_or(Path::new("/")).to_owned();
    let is_package = |directory: &&Path| {
        let names = ["tree-sitter.json", "package.json", "grammar.json", "src/grammar.json"];
        names.iter().any(|name| directory.join(name).is_file())
    };
    let package = [beside.as_path()].into_iter().chain(above.take(2)).find(is_package);
    let mut found = Found {
        head: Info::default(),
        code: Code::Library(library.to_owned()),
        grammar_json: None,
        manifest: first_file(std::slice::from_ref(&beside), MANIFEST),
        rules: rules(&[&beside]),
    };
    let Some(package) = package else { return Ok(found) };
    if found.rules.is_empty() {
        found.rules = rules(&[package]);
    }
    // Of several grammars, only the name of the library tells which one it is.
    let mut all = described(package)?;
    let stem = library.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
    all.sort_by_key(|(head, _)| std::cmp::Reverse(stem.ends_with(&head.name)));
    let is_this = all.len() == 1 || all.first().is_some_and(|(head, _)| stem.ends_with(&head.name));
    let place = match all.into_iter().next().filter(|_| is_this) {
        Some((head, place)) => {
            found.head = head;
            place
        }
        None => PathBuf::from("."),
    };
    let place = below(package, &place);
    let near = [place.join("src"), place];
    found.grammar_json = first_file(&near, "grammar.json");
    found.manifest = found.manifest.or_else(|| first_file(&[package.to_owned()], MANIFEST));
    Ok(found)
}

/// Returns what a package says of its grammars, and in which of its directories each is.
fn described(package: &Path) -> Result<Vec<(Info, PathBuf)>, GrammarError> {
    let new = read_json(&package.join("tree-sitter.json"))?.unwrap_or_default();
    let old = read_json(&package.join("package.json"))?.unwrap_or_default();
    let texts = [&new["metadata"]["description"], &old["description"]];
    let description = texts.iter().find_map(|text| text.as_str()).unwrap_or_default();
    // Newer packages have a list, older ones another one or a single entry.
    let entries: Vec<&Value> = match (&new["grammars"], &old["tree-sitter"]) {
        (Value::Array(all), _) | (_, Value::Array(all)) => all.iter().collect(),
        (_, one @ Value::Object(_)) => vec![one],
        _ => Vec::new(),
    };
    let described = entries.into_iter().map(|entry| {
        let suffixes = entry["file-types"].as_array().into_iter().flatten();
        let suffixes = suffixes.filter_map(|suffix| suffix.as_str());
        let suffixes = suffixes.map(|suffix| suffix.trim_start_matches('.').to_owned());
        let head = Info {
            name: entry["name"].as_str().unwrap_or_default().to_owned(),
            suffixes: suffixes.filter(|suffix| !suffix.is_empty()).collect(),
            description: description.lines().next().unwrap_or_default().to_owned(),
            ..Info::default()
        };
        (head, PathBuf::from(entry["path"].as_str().unwrap_or(".")))
    });
    Ok(described.collect())
}

/// Reads a JSON file, if there is one.
fn read_json(path: &Path) -> Result<Option<Value>, GrammarError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(GrammarError::Unreadable { path: path.to_owned(), error }),
    };
    let wrong = |error: serde_json::Error| GrammarError::Form {
        path: path.to_owned(),
        message: error.to_string(),
    };
    serde_json::from_slice(&text).map(Some).map_err(wrong)
}

/// Returns the library in a directory: its only one, that of the grammar's name, or that of a
/// package of npm for this machine.
fn prebuilt(directory: &Path, name: &str) -> Option<PathBuf> {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        system => system,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        processor => processor,
    };
    let of_machine = directory.join("prebuilds").join(format!("{system}-{processor}"));
    [directory.to_owned(), of_machine].iter().find_map(|directory| {
        let entries = fs::read_dir(directory).ok()?.flatten();
        let mut libraries: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| is_library(path)).collect();
        libraries.sort();
        let is_named = |path: &PathBuf| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
            !name.is_empty() && stem.ends_with(name)
        };
        let named = libraries.iter().position(is_named);
        let only = (libraries.len() == 1).then_some(0);
        Some(libraries.swap_remove(named.or(only)?))
    })
}

fn is_library(path: &Path) -> bool {
    let suffixes = ["so", "node", "dylib"];
    path.is_file() && path.extension().is_some_and(|found| suffixes.iter().any(|s| found == *s))
}

fn subdirectories(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

/// Returns the files of rules in the first of these directories that has some, by name.
fn rules(directories: &[&Path]) -> Vec<PathBuf> {
    let files = directories.iter().map(|directory| {
        let entries = fs::read_dir(directory.join("rules")).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|suffix| suffix == "toml"));
        files.sort();
        files
    });
    files.into_iter().find(|files| !files.is_empty()).unwrap_or_default()
}

fn first_file(directories: &[PathBuf], name: &str) -> Option<PathBuf> {
    directories.iter().map(|directory| directory.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes these files, and shows what is found at `path` below them.
    fn check(files: &[(&str, &str)], path: &str) -> String {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let shown = match find(&place.path().join(path)) {
            Ok(found) => found.iter().map(line).collect::<Vec<String>>().join("\n"),
            Err(error) => error.to_string(),
        };
        shown.replace(place.path().to_str().unwrap(), "$TOP")
    }

    fn line(found: &Found) -> String {
        let Info { name, suffixes, description, .. } = &found.head;
        let code = match &found.code {
            Code::Sources(path) => format!("sources {}", path.display()),
            Code::Library(path) => format!("library {}", path.display()),
        };
        let files = [&found.grammar_json, &found.manifest];
        let files = files.map(|f| f.as_ref().map_or("-".into(), |f| f.display().to_string()));
        let rules: String = found.rules.iter().map(|f| format!(" {}", f.display())).collect();
        format!("{name:?} {suffixes:?} {description:?}: {code}; {}{rules}", files.join(" "))
    }

    #[test]
    fn packages_of_registries_and_checkouts_are_understood() {
        let list = r#"{"grammars": [{"name": "a", "path": "one", "file-types": [".x", "y"]},
            {"name": "b", "path": "two"}], "metadata": {"description": "Two\nlanguages"}}"#;
        let files =
            [("tree-sitter.json", list), ("one/src/parser.c", ""), ("two/src/parser.c", "")];
        assert_eq!(
            check(&files, ""),
            "\"a\" [\"x\", \"y\"] \"Two\": sources $TOP/one/src; - -\n\
             \"b\" [] \"Two\": sources $TOP/two/src; - -"
        );
        let old = r#"{"tree-sitter": {"file-types": ["z"]}, "description": "Old"}"#;
        let files = [
            ("package.json", old),
            ("src/parser.c", ""),
            ("src/grammar.json", ""),
            ("minirepro.toml", ""),
            ("rules/own.toml", ""),
            ("rules/README.md", ""),
        ];
        let sources = "\"\" [\"z\"] \"Old\": sources $TOP/src; $TOP/src/grammar.json \
                       $TOP/minirepro.toml $TOP/rules/own.toml";
        assert_eq!(check(&files, ""), sources);
        assert_eq!(check(&files[1..3], "src/parser.c").lines().count(), 1);
        let files = [("typescript/src/parser.c", ""), ("tsx/src/parser.c", ""), ("a/b", "")];
        assert_eq!(check(&files, "").lines().count(), 2);
    }

    #[test]
    fn libraries_are_found_with_what_belongs_to_them() {
        let files = [("lib/x.so", ""), ("lib/grammar.json", "")];
        let found = "\"\" [] \"\": library $TOP/lib/x.so; $TOP/lib/grammar.json -";
        assert_eq!(check(&files, "lib/x.so"), found);
        assert_eq!(check(&files, "lib"), found);
        assert_eq!(check(&[("x.so", "")], "x.so"), "\"\" [] \"\": library $TOP/x.so; - -");
        let list = r#"{"grammars": [{"name": "q", "file-types": ["q"]}]}"#;
        let files = [
            ("tree-sitter.json", list),
            ("src/grammar.json", ""),
            ("prebuilds/linux-x64/@scope+tree-sitter-q.node", ""),
        ];
        let found = check(&files, "prebuilds/linux-x64/@scope+tree-sitter-q.node");
        assert!(found.starts_with("\"q\" [\"q\"]"), "{found}");
        assert!(found.ends_with("$TOP/src/grammar.json -"), "{found}");
    }

    #[test]
    fn what_is_no_grammar_is_told() {
        let none = "$TOP/: there is no grammar: neither src/parser.c nor a library (.so, .node)";
        assert_eq!(check(&[("README.md", "")], ""), none);
        assert_eq!(check(&[("tree-sitter.json", "[]")], ""), none);
        let wasm = "$TOP/x.wasm: WebAssembly grammars cannot be used";
        assert_eq!(check(&[("x.wasm", "")], "x.wasm"), wasm);
        let broken = check(&[("tree-sitter.json", "{")], "");
        assert!(broken.starts_with("$TOP/tree-sitter.json: EOF"), "{broken}");
        assert!(check(&[], "nothing").starts_with("cannot read $TOP/nothing: No such file"));
    }
}
