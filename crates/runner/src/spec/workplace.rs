//! Where a test runs whose candidates are directories: within the candidate, as a person works in
//! the original.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::journal::format::any_path;
use crate::spec::launch::argument;

/// A directory of the original, and of each candidate, in which a test runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workplace {
    /// The original, by its absolute path.
    #[serde(with = "any_path")]
    pub root: PathBuf,
    /// The directory, relative to it.
    #[serde(with = "any_path")]
    pub directory: PathBuf,
    /// The files of the original that candidates are made of, relative to it; `None` for all.
    #[serde(skip)]
    pub files: Option<Vec<PathBuf>>,
}

impl Workplace {
    /// Returns the directory in the original.
    pub fn in_original(&self) -> PathBuf {
        self.root.join(&self.directory)
    }

    /// Returns how a candidate's own part that a path means in the current directory is called in
    /// this one; `None` if candidates do not have it.
    pub fn own(&self, path: &Path) -> Option<OsString> {
        let path = lexically_normal(&std::path::absolute(path).ok()?);
        let below = path.strip_prefix(&self.root).ok()?;
        let is_part = match &self.files {
            Some(files) => files.iter().any(|file| file.starts_with(below)),
            None => path.exists(),
        };
        if !is_part {
            return None;
        }
        let (mut here, mut there) = (self.directory.components(), below.components());
        while let (Some(a), Some(b)) = (here.clone().next(), there.clone().next())
            && a == b
        {
            here.next();
            there.next();
        }
        let up = here.map(|_| Component::ParentDir);
        let own: PathBuf = up.chain(there).collect();
        Some(if own == Path::new("") { OsStr::new(".").to_owned() } else { own.into_os_string() })
    }

    /// Returns the files as arguments of a test.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let files = self.files.iter().flatten();
        files
            .filter_map(|file| self.own(&self.root.join(file)))
            .map(|word| argument(&word))
            .collect()
    }
}

/// Returns an absolute path without `..`.
pub(crate) fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_original_are_named_from_where_the_test_runs() {
        let root = std::env::current_dir().unwrap();
        let check = |directory: &str, files: Option<&[&str]>, path: &str, expected: &str| {
            let files = files.map(|files| files.iter().map(PathBuf::from).collect());
            let place = Workplace { root: root.clone(), directory: directory.into(), files };
            let own = place.own(Path::new(path)).map(|own| own.into_string().unwrap());
            assert_eq!(own.as_deref().unwrap_or("none"), expected, "{path}");
        };
        // Tests run in the directory of the crate.
        check("", None, "src/lib.rs", "src/lib.rs");
        check("src", None, "src/lib.rs", "lib.rs");
        check("src/test", None, "src/../Cargo.toml", "../../Cargo.toml");
        check("src", None, &root.join("src").to_string_lossy(), ".");
        check("", None, "../runner/src/no.rs", "none");
        check("", None, "../engine/src/lib.rs", "none");
        check("", Some(&["src/lib.rs"]), "src/test/mod.rs", "none");
        check("", Some(&["src/lib.rs", "x"]), "./src/lib.rs", "src/lib.rs");
        check("", Some(&["src/lib.rs", "x"]), "src", "src");
    }
}
