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
    /// What its package says of it; the parser knows its name.
    pub head: Info,
    /// Its native code.
    pub code: Code,
    /// Its `grammar.json`.
    pub grammar_json: PathBuf,
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

/// Returns the grammars of a path: of a directory those that its `tree-sitter.json` or
/// `package.json` lists, or those below it; of a library the one in it.
///
/// # Errors
/// If there is none, or what the package says of it cannot be read.
pub fn find(path: &Path) -> Result<Vec<Found>, GrammarError> {
    let data = fs::metadata(path).map_err(unreadable(path))?;
    let none = || GrammarError::NoGrammar(path.to_owned());
    if path.extension().is_some_and(|suffix| suffix == "wasm") {
        return Err(GrammarError::WebAssembly(path.to_owned()));
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let directory = match absolute.parent() {
        _ if data.is_dir() => path,
        Some(parent) if path.ends_with("parser.c") => parent,
        _ if !is_library(path) => return Err(none()),
        _ => {
            // Packages keep libraries in directories of their own.
            let mut packages = absolute.ancestors().skip(1).take(3);
            let package = packages.find(|place| grammar_json(place).is_some());
            let package = package.ok_or_else(|| without_json(path))?;
            let head = listed(package)?.pop().map(|(head, _)| head).unwrap_or_default();
            let code = Code::Library(path.to_owned());
            let beside = absolute.parent().unwrap_or(package);
            return Ok(vec![found(head, code, package, &[beside, package])?]);
        }
    };
    let at = |(head, place): (Info, PathBuf)| {
        Some(found(head, code(&place)?, &place, &[&place, directory]))
    };
    let mut all: Vec<_> = listed(directory)?.into_iter().filter_map(at).collect();
    for places in [vec![directory.to_owned()], entries(directory, |path| path.is_dir())] {
        // Some say nothing about where their grammars are, like the crate of TypeScript and TSX.
        if all.is_empty() {
            let places = places.into_iter().map(|place| (Info::default(), place));
            all = places.filter_map(at).collect();
        }
    }
    if all.is_empty() { Err(none()) } else { all.into_iter().collect() }
}

pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> GrammarError {
    |error| GrammarError::Unreadable(path.to_owned(), error)
}

fn without_json(path: &Path) -> GrammarError {
    GrammarError::NoGrammarJson(path.to_owned())
}

/// Returns a grammar of one place of a package, with what lies in these directories.
fn found(head: Info, code: Code, place: &Path, near: &[&Path]) -> Result<Found, GrammarError> {
    let (Code::Sources(path) | Code::Library(path)) = &code;
    let grammar_json = grammar_json(place).ok_or_else(|| without_json(path))?;
    let manifest = near.iter().map(|directory| directory.join("minirepro.toml"));
    let is_rules = |file: &PathBuf| file.extension().is_some_and(|suffix| suffix == "toml");
    let rules = near.iter().map(|directory| entries(&directory.join("rules"), is_rules));
    Ok(Found {
        head,
        code,
        grammar_json,
        manifest: manifest.into_iter().find(|path| path.is_file()),
        rules: rules.into_iter().find(|files| !files.is_empty()).unwrap_or_default(),
    })
}

fn grammar_json(place: &Path) -> Option<PathBuf> {
    let mut names = ["src/grammar.json", "grammar.json"].iter();
    names.find_map(|name| Some(place.join(name)).filter(|path| path.is_file()))
}

/// Returns the native code in one directory of a package: its sources, or else a library that was
/// built of them.
fn code(directory: &Path) -> Option<Code> {
    let source = [directory.join("src"), directory.to_owned()];
    let source = source.into_iter().find(|source| source.join("parser.c").is_file());
    let library = || entries(directory, |path| is_library(path)).into_iter().next();
    source.map(Code::Sources).or_else(|| library().map(Code::Library))
}

/// Returns what a package says of its grammars, and in which of its directories each is.
fn listed(package: &Path) -> Result<Vec<(Info, PathBuf)>, GrammarError> {
    let new = read_json(&package.join("tree-sitter.json"))?;
    let old = read_json(&package.join("package.json"))?;
    let texts = [&new["metadata"]["description"], &old["description"]];
    let description = texts.iter().find_map(|text| text.as_str()).unwrap_or_default();
    // Newer packages have a list, older ones another one or a single entry.
    let entries: Vec<&Value> = match (&new["grammars"], &old["tree-sitter"]) {
        (Value::Array(all), _) | (_, Value::Array(all)) => all.iter().collect(),
        (_, one @ Value::Object(_)) => vec![one],
        _ => Vec::new(),
    };
    let listed = entries.into_iter().map(|entry| {
        let suffixes = entry["file-types"].as_array().into_iter().flatten();
        let suffixes = suffixes.filter_map(|suffix| suffix.as_str());
        let suffixes = suffixes.map(|suffix| suffix.trim_start_matches('.').to_owned());
        let head = Info {
            suffixes: suffixes.filter(|suffix| !suffix.is_empty()).collect(),
            description: description.lines().next().unwrap_or_default().to_owned(),
            ..Info::default()
        };
        match entry["path"].as_str() {
            None | Some(".") => (head, package.to_owned()),
            Some(place) => (head, package.join(place)),
        }
    });
    Ok(listed.collect())
}

/// Reads a JSON file; nothing, if there is none.
fn read_json(path: &Path) -> Result<Value, GrammarError> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Value::Null),
        text => text.map_err(unreadable(path))?,
    };
    serde_json::from_slice(&text).map_err(|error| GrammarError::Form(path.to_owned(), error))
}

fn is_library(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|suffix| suffix == "so" || suffix == "dylib")
}

/// Returns what is of this kind in a directory, by name.
fn entries(directory: &Path, is_wanted: impl Fn(&PathBuf) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_wanted).collect();
    all.sort();
    all
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
        let Info { suffixes, description, .. } = &found.head;
        let code = match &found.code {
            Code::Sources(path) => format!("sources {}", path.display()),
            Code::Library(path) => format!("library {}", path.display()),
        };
        let json = found.grammar_json.display();
        let manifest = found.manifest.as_ref().map_or("-".into(), |f| f.display().to_string());
        let rules: String = found.rules.iter().map(|f| format!(" {}", f.display())).collect();
        format!("{suffixes:?} {description:?}: {code}; {json} {manifest}{rules}")
    }

    #[test]
    fn packages_of_registries_and_checkouts_are_understood() {
        let list = r#"{"grammars": [{"name": "a", "path": "one", "file-types": [".x", "y"]},
            {"name": "b", "path": "two"}], "metadata": {"description": "Two\nlanguages"}}"#;
        let files = [
            ("tree-sitter.json", list),
            ("one/src/parser.c", ""),
            ("one/src/grammar.json", ""),
            ("two/src/parser.c", ""),
            ("two/src/grammar.json", ""),
        ];
        assert_eq!(
            check(&files, ""),
            "[\"x\", \"y\"] \"Two\": sources $TOP/one/src; $TOP/one/src/grammar.json -\n\
             [] \"Two\": sources $TOP/two/src; $TOP/two/src/grammar.json -"
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
        let sources = "[\"z\"] \"Old\": sources $TOP/src; $TOP/src/grammar.json \
                       $TOP/minirepro.toml $TOP/rules/own.toml";
        assert_eq!(check(&files, "").replace("$TOP//", "$TOP/"), sources);
        assert_eq!(check(&files[1..3], "src/parser.c").lines().count(), 1);
        let none = "$TOP/src: there is no grammar.json beside it";
        assert_eq!(check(&files[1..2], ""), none);
        let files = ["typescript", "tsx"]
            .map(|name| [format!("{name}/src/parser.c"), format!("{name}/src/grammar.json")]);
        let mut files: Vec<_> = files.iter().flatten().map(|name| (&**name, "")).collect();
        files.push(("a/b", ""));
        assert_eq!(check(&files, "").lines().count(), 2);
    }

    #[test]
    fn libraries_are_found_with_what_belongs_to_them() {
        let files = [("lib/x.so", ""), ("lib/grammar.json", "")];
        let found = "[] \"\": library $TOP/lib/x.so; $TOP/lib/grammar.json -";
        assert_eq!(check(&files, "lib/x.so"), found);
        assert_eq!(check(&files, "lib"), found);
        let list = r#"{"grammars": [{"name": "q", "file-types": ["q"]}]}"#;
        let files = [
            ("tree-sitter.json", list),
            ("src/grammar.json", ""),
            ("prebuilds/linux-x64/tree-sitter-q.so", ""),
        ];
        let found = check(&files, "prebuilds/linux-x64/tree-sitter-q.so");
        assert!(
            found.starts_with("[\"q\"]") && found.ends_with("$TOP/src/grammar.json -"),
            "{found}"
        );
    }

    #[test]
    fn what_is_no_grammar_is_told() {
        let none = "$TOP/: there is no grammar: neither src/parser.c nor a library (.so)";
        assert_eq!(check(&[("README.md", "")], ""), none);
        assert_eq!(check(&[("tree-sitter.json", "[]")], ""), none);
        let wasm = "$TOP/x.wasm: WebAssembly grammars cannot be used";
        assert_eq!(check(&[("x.wasm", "")], "x.wasm"), wasm);
        let broken = check(&[("tree-sitter.json", "{")], "");
        assert!(broken.contains("tree-sitter.json: EOF"), "{broken}");
        assert!(check(&[], "nothing").starts_with("cannot read $TOP/nothing: No such file"));
    }
}
