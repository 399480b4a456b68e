//! Languages that were added for all runs: a directory for each, with the library of its parser,
//! what lies beside it, and a manifest.

use std::fs;
use std::path::{Path, PathBuf};

use minirepro_languages::{Head, Info};
use minirepro_syntax::Kinds;

use crate::grammars::error::GrammarError;
use crate::grammars::loaded::Loaded;
use crate::grammars::package::{Code, Found, MANIFEST, RULES, find, rules};
use crate::grammars::places::{Places, check_own, make_own};

/// A language that was added for all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What a user wants to know of it.
    pub info: Info,
    /// Where it is.
    pub directory: PathBuf,
}

/// The name of the library.
const LIBRARY: &str = "parser.so";
const GRAMMAR: &str = "grammar.json";

impl Kept {
    fn at(directory: PathBuf) -> Self {
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let unknown = Head { name, ..Head::default() };
        let manifest = fs::read_to_string(directory.join(MANIFEST)).map_err(|e| e.to_string());
        let info = manifest.and_then(|text| unknown.info(&text).map_err(|e| e.to_string()));
        let info = info.unwrap_or_else(|error| Info {
            name: unknown.name,
            aliases: Vec::new(),
            suffixes: Vec::new(),
            description: format!("cannot be used: {}", error.lines().next().unwrap_or_default()),
        });
        Self { info, directory }
    }

    /// Loads it.
    ///
    /// # Errors
    /// If it cannot be used, or others can write to its directory.
    pub(super) fn load(&self) -> Result<Loaded, GrammarError> {
        check_own(&self.directory)?;
        Loaded::read(&self.found(), &self.directory.join(LIBRARY))
    }

    /// Returns where its parts are.
    fn found(&self) -> Found {
        let file = |name: &str| Some(self.directory.join(name)).filter(|path| path.is_file());
        Found {
            head: Head {
                name: String::new(),
                suffixes: self.info.suffixes.clone(),
                description: self.info.description.clone(),
            },
            code: Code::Library(self.directory.join(LIBRARY)),
            grammar_json: file(GRAMMAR),
            manifest: file(MANIFEST),
            rules: rules(&[&self.directory]),
        }
    }
}

/// Returns the languages that were added, by name.
pub fn kept(places: &Places) -> Vec<Kept> {
    let Some(directory) = &places.languages else { return Vec::new() };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.is_dir() && is_name(&name_of(path)));
    paths.sort();
    paths.into_iter().map(Kept::at).collect()
}

/// Adds the grammars of a path for all runs, in place of earlier ones of the same names. What has
/// to be compiled for that, `tell` is told before.
///
/// # Errors
/// If there is none, or one cannot be used or kept.
pub fn keep(
    path: &Path,
    places: &Places,
    tell: &mut dyn FnMut(&Path),
) -> Result<Vec<Kept>, GrammarError> {
    let mut all = Vec::new();
    for found in find(path)? {
        let loaded = Loaded::of(&found, places, tell)?;
        let manifest = manifest(&loaded, &found)?;
        let head = loaded.head();
        let info = head.info(&manifest).map_err(|error| GrammarError::Manifest {
            path: found.manifest.clone().unwrap_or_default(),
            error,
        })?;
        loaded.language(&info.name, &mut Kinds::default())?;
        if !is_name(&info.name) {
            return Err(GrammarError::Name { name: info.name });
        }
        all.push((info, loaded, manifest));
    }
    let directory = places.languages()?;
    make_own(directory)?;
    all.into_iter()
        .map(|(info, loaded, manifest)| write(directory, info, &loaded, &manifest))
        .collect()
}

/// Writes all of a language into a directory of its own.
fn write(
    directory: &Path,
    info: Info,
    loaded: &Loaded,
    manifest: &str,
) -> Result<Kept, GrammarError> {
    let own = directory.join(&info.name);
    let unwritable = |error| GrammarError::Unwritable { path: own.clone(), error };
    // Only a whole one gets its name.
    let unfinished = tempfile::Builder::new().prefix(".").tempdir_in(directory);
    let unfinished = unfinished.map_err(unwritable)?;
    let write =
        |name: &str, text: &[u8]| fs::write(unfinished.path().join(name), text).map_err(unwritable);
    write(LIBRARY, &loaded.library)?;
    write(MANIFEST, manifest.as_bytes())?;
    write(GRAMMAR, loaded.grammar.grammar_json.as_bytes())?;
    if !loaded.grammar.rules.is_empty() {
        fs::create_dir(unfinished.path().join(RULES)).map_err(unwritable)?;
    }
    for (name, text) in &loaded.grammar.rules {
        write(&format!("{RULES}/{name}.toml"), text.as_bytes())?;
    }
    if own.symlink_metadata().is_ok() {
        fs::remove_dir_all(&own).map_err(unwritable)?;
    }
    fs::rename(unfinished.path(), &own).map_err(unwritable)?;
    Ok(Kept { info, directory: own })
}

/// Returns the manifest of a language with all that is known before it is loaded.
fn manifest(loaded: &Loaded, found: &Found) -> Result<String, GrammarError> {
    let path = || found.manifest.clone().unwrap_or_default();
    let form = |message: String| GrammarError::Form { path: path(), message };
    let text = &loaded.grammar.manifest;
    let mut table: toml::Table = toml::from_str(text).map_err(|error| form(error.to_string()))?;
    let Head { name, suffixes, description } = loaded.head();
    let known: [(&str, toml::Value); 3] = [
        ("name", name.clone().into()),
        ("suffixes", suffixes.clone().into()),
        ("description", description.clone().into()),
    ];
    for (key, value) in known {
        table.entry(key).or_insert(value);
    }
    toml::to_string(&table).map_err(|error| form(error.to_string()))
}

/// Removes a language that was added.
///
/// # Errors
/// If there is none of that name, or it cannot be removed.
pub fn remove(name: &str, places: &Places) -> Result<Kept, GrammarError> {
    let mut all = kept(places);
    let Some(at) = all.iter().position(|kept| kept.info.is_called(name)) else {
        let known = all.into_iter().map(|kept| kept.info.name).collect();
        return Err(GrammarError::NotKept { name: name.to_owned(), known });
    };
    let found = all.swap_remove(at);
    check_own(places.languages()?)?;
    fs::remove_dir_all(&found.directory)
        .map_err(|error| GrammarError::Unwritable { path: found.directory.clone(), error })?;
    Ok(found)
}

/// Returns whether a directory can have this name and nobody is surprised.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-+.#".contains(c);
    !name.is_empty()
        && name.len() < 100
        && !name.starts_with(['.', '-'])
        && name.chars().all(is_part)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
