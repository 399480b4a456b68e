//! Files that a test needs beside the candidate: those that the input names and that lie beside it,
//! and those that the caller adds.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use minirepro_circumstances::named_files;
use minirepro_runner::{CancelToken, Companion, Workplace};

use crate::grammars::Languages;

/// At most this many files are followed: a saved site may name itself as a whole.
const MOST_FILES: usize = 1_000;
/// Larger files are not includes.
const MOST_BYTES: u64 = 64 << 20;

/// The files that an input names, directly or through each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFiles {
    /// Those below the directory of the input: a test can find them at the same relative path.
    pub beside: Vec<Companion>,
    /// Those elsewhere (`../x.h`), by their paths: no test can find them beside its candidate.
    pub elsewhere: Vec<PathBuf>,
}

/// Finds the existing files that `text`, the content of `file`, names by a relative path, and those
/// that they name in turn. `language` is the name of its language. Linear in the files. After
/// `stop`, it finds less.
pub fn named_by(
    languages: &Languages,
    file: &Path,
    text: &[u8],
    language: Option<&str>,
    stop: &CancelToken,
) -> NamedFiles {
    let directory = file.parent().unwrap_or(Path::new(""));
    let own_name = PathBuf::from(file.file_name().unwrap_or_default());
    let mut seen = BTreeSet::from([own_name.clone()]);
    let mut found = NamedFiles::default();
    let mut open = vec![(own_name, text.to_vec(), language.map(str::to_owned))];
    while let Some((user, text, language)) = open.pop() {
        let name = user.to_string_lossy().into_owned();
        let language = language.unwrap_or_else(|| languages.guess(&name, &text));
        let Ok(language) = languages.by_name(&language) else { continue };
        let reason = stop.clone();
        let _guard = language.interruption.watch(move || reason.is_set());
        let from = user.parent().unwrap_or(Path::new(""));
        for named in named_files(&language, &text) {
            let named = Path::new(OsStr::from_bytes(&named));
            for path in readings(named, from, user.extension()) {
                if seen.len() > MOST_FILES || seen.contains(&path) {
                    continue;
                }
                let source = directory.join(&path);
                let Ok(data) = fs::metadata(&source) else { continue };
                if !data.is_file() || data.len() > MOST_BYTES {
                    continue;
                }
                seen.insert(path.clone());
                if path.components().next() == Some(Component::ParentDir) {
                    found.elsewhere.push(source);
                    continue;
                }
                if let Ok(text) = fs::read(&source) {
                    open.push((path.clone(), text, None));
                }
                found.beside.push(Companion { path, source });
            }
        }
    }
    found.beside.sort_by(|a, b| a.path.cmp(&b.path));
    found.elsewhere.sort();
    found
}

/// Returns the companions that the caller names, as tests find them that run there, within the
/// candidate or else beside it: at the same relative path where that lies below the directory of
/// the test or of `file`, else by their last part.
pub fn beside(paths: &[PathBuf], file: &Path, workplace: Option<&Workplace>) -> Vec<Companion> {
    let file = workplace.map_or(file.to_owned(), |place| place.in_original().join("any"));
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let directory = absolute(&file).parent().map(Path::to_owned).unwrap_or_default();
    let mut added = Vec::new();
    for source in paths {
        let below = absolute(source).strip_prefix(&directory).ok().and_then(normal);
        let below = below.filter(|path| {
            path.components().next().is_some_and(|part| matches!(part, Component::Normal(_)))
        });
        if let Some(path) = below.or_else(|| source.file_name().map(PathBuf::from)) {
            added.push(Companion { path, source: source.clone() });
        }
    }
    added
}

/// Returns the paths that a name may stand for, relative to the directory of the input: as it
/// stands, or without the suffix of the file that names it, the way modules are imported.
fn readings(named: &Path, from: &Path, suffix: Option<&OsStr>) -> Vec<PathBuf> {
    let text = named.as_os_str().as_bytes();
    let is_address = text.contains(&b':') || text.starts_with(b"//") || named.is_absolute();
    let Some(path) = normal(&from.join(named)).filter(|_| !is_address && !text.is_empty()) else {
        return Vec::new();
    };
    let mut readings = vec![path.clone()];
    if let (Some(suffix), None) = (suffix, path.extension()) {
        readings.push(path.with_extension(suffix));
        readings.push(path.join("index").with_extension(suffix));
    }
    readings
}

/// Returns a relative path without `.`, and with `..` at its beginning only; `None` if it is
/// absolute.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.last(), Some(Component::Normal(_))) => {
                parts.pop();
            }
            Component::Normal(_) | Component::ParentDir => parts.push(part),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_followed_through_each_other() {
        let place = tempfile::tempdir().unwrap();
        let project = place.path().join("project");
        fs::create_dir_all(project.join("inc")).unwrap();
        fs::write(project.join("inc/a.h"), "#include \"b.h\"\n#include \"../../up.h\"\n").unwrap();
        fs::write(project.join("inc/b.h"), "#include \"a.h\"\n").unwrap();
        fs::write(project.join("other.h"), "").unwrap();
        fs::write(place.path().join("up.h"), "").unwrap();
        let text = b"#include <stdio.h>\n#include \"inc/a.h\"\n#include \"no.h\"\n";
        let stop = CancelToken::new().unwrap();
        let found = named_by(&Languages::default(), &project.join("x.c"), text, Some("c"), &stop);
        let paths: Vec<_> = found.beside.iter().map(|c| c.path.display().to_string()).collect();
        assert_eq!(paths, ["inc/a.h", "inc/b.h"]);
        assert_eq!(found.elsewhere, [project.join("../up.h")]);
    }

    #[test]
    fn modules_are_named_without_their_suffix() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("util.js"), "").unwrap();
        let text =
            b"import { x } from './util'; import y from 'react'; fetch('https://a/util.js');";
        let stop = CancelToken::new().unwrap();
        let path = place.path().join("main.js");
        let found = named_by(&Languages::default(), &path, text, Some("javascript"), &stop);
        let paths: Vec<_> = found.beside.iter().map(|c| c.path.display().to_string()).collect();
        assert_eq!(paths, ["util.js"]);
    }

    #[test]
    fn added_files_keep_their_relative_path() {
        let paths = ["/p/src/inc/x.h", "/p/src/./y.h", "/p/shared/z.h", "/usr/include/w.h"]
            .map(PathBuf::from);
        let added = beside(&paths, Path::new("/p/src/a.c"), None);
        let paths: Vec<_> = added.iter().map(|c| c.path.display().to_string()).collect();
        assert_eq!(paths, ["inc/x.h", "y.h", "z.h", "w.h"]);
    }
}
