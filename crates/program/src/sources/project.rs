//! Projects: where one begins, and what belongs to it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use minirepro_circumstances::archive::Kind;
use minirepro_runner::system::{LIMIT, read_limited};
use minirepro_runner::{Listed, ListedForm, Original};
use serde::Deserialize;

use crate::error::{Error, Unreadable};
use crate::sources::files::{File, archive};

/// What is known about projects, see `projects.toml`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Known {
    version_control: Vec<String>,
    manifests: Vec<String>,
    programs: Vec<String>,
    caches: Vec<String>,
    installed: Vec<String>,
}

impl Known {
    fn read() -> Self {
        toml::from_str(include_str!("projects.toml")).expect("a test reads the same file")
    }
}

/// Returns the top of the project that a directory belongs to: what version control calls its top,
/// or else the farthest directory with a manifest that can be reached by directories with one.
pub fn project_top(directory: &Path) -> Option<PathBuf> {
    let known = Known::read();
    let holds = |place: &Path, names: &[String]| names.iter().any(|name| place.join(name).exists());
    // Those of somebody's whole home, or of the machine, are no projects.
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let may_be_top = |place: &&Path| place.parent().is_some() && home.as_deref() != Some(*place);
    let above = || directory.ancestors().filter(may_be_top);
    let controlled = above().find(|place| holds(place, &known.version_control));
    let with_manifest = || {
        let first = above().skip_while(|place| !holds(place, &known.manifests));
        first.take_while(|place| holds(place, &known.manifests)).last()
    };
    controlled.or_else(with_manifest).map(Path::to_owned)
}

/// Returns whether a program works on a whole project.
pub fn is_of_projects(program: &OsStr) -> bool {
    let name = Path::new(program).file_name();
    Known::read().programs.iter().any(|known| name == Some(OsStr::new(known)))
}

/// How much of a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// There is a file, but nothing in it.
    Empty,
    /// Nothing, as if it were not there.
    None,
}

/// Packs as much of each file as `part` says.
///
/// # Errors
/// If a file cannot be read.
pub fn read(original: &Original, part: impl Fn(&Listed) -> Part) -> Result<Vec<u8>, Error> {
    let told = |cause| Error::InputUnreadable(original.root.clone(), cause);
    let mut files = Vec::new();
    for listed in &original.files {
        let path = listed.path.as_os_str().as_bytes().to_vec();
        let part = part(listed);
        if part == Part::None {
            continue;
        }
        let (kind, text) = match &listed.form {
            ListedForm::Link(target) => (Kind::Link, target.as_os_str().as_bytes().to_vec()),
            ListedForm::File { mode, .. } => {
                let kind = if mode & 0o111 == 0 { Kind::Plain } else { Kind::Executable };
                let place = original.root.join(&listed.path);
                let text = match part {
                    Part::Empty => Vec::new(),
                    _ => read_limited(&place, LIMIT)
                        .map_err(|error| Error::InputUnreadable(place, Unreadable::Io(error)))?,
                };
                (kind, text)
            }
        };
        files.push(File { kind, path, text });
    }
    archive(files).map_err(told)
}

/// Lists some files of a directory.
///
/// # Errors
/// If one is not there.
pub fn listed_files(root: &Path, files: &[PathBuf]) -> Result<Original, Error> {
    let listed = files.iter().map(|path| {
        let place = root.join(path);
        let told = |cause| Error::InputUnreadable(place.clone(), cause);
        match form(&place) {
            // A test is asked about what a link leads to.
            Ok(Some(_)) => {
                let data = fs::metadata(&place).map_err(|error| told(Unreadable::Io(error)))?;
                let form = ListedForm::File { bytes: data.len(), mode: data.permissions().mode() };
                Ok(Listed { path: path.clone(), form })
            }
            Ok(None) => Err(told(Unreadable::IsDirectory)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(told(Unreadable::Missing)),
            Err(error) => Err(told(Unreadable::Io(error))),
        }
    });
    Ok(Original { root: root.to_owned(), files: listed.collect::<Result<_, _>>()? })
}

/// Lists the files of a project. Links stay links; what is not a file is left out, and so is what
/// programs make again. What is installed becomes a link.
///
/// # Errors
/// If a directory cannot be read.
pub fn listed(root: &Path) -> Result<Original, Error> {
    let known = Known::read();
    listed_but(root, |place| {
        let is_one = |of: &[String]| of.iter().any(|known| place.ends_with(known));
        let data = place.symlink_metadata().ok()?;
        if !data.is_dir() {
            return None;
        }
        if is_one(&known.installed) {
            let target = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
            return Some(Some(ListedForm::Link(target)));
        }
        let is_made = is_one(&known.version_control)
            || is_one(&known.caches)
            || place.join("CACHEDIR.TAG").exists();
        is_made.then_some(None)
    })
}

/// Lists the files of a directory. `instead` says of something in it by what it is listed, or that
/// it is left out.
pub fn listed_but(
    root: &Path,
    instead: impl Fn(&Path) -> Option<Option<ListedForm>>,
) -> Result<Original, Error> {
    let mut files = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let directory = root.join(&below);
        let told =
            |error, path: &Path| Error::InputUnreadable(path.to_owned(), Unreadable::Io(error));
        for entry in fs::read_dir(&directory).map_err(|error| told(error, &directory))? {
            let place = entry.map_err(|error| told(error, &directory))?.path();
            let path = below.join(place.file_name().unwrap_or_default());
            match instead(&place) {
                Some(form) => files.extend(form.map(|form| Listed { path, form })),
                None => match form(&place).map_err(|error| told(error, &place))? {
                    Some(form) => files.push(Listed { path, form }),
                    None if place.is_dir() => open.push(path),
                    None => {}
                },
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Original { root: root.to_owned(), files })
}

/// Returns the form of a file; `None` for a directory, a pipe or a device.
fn form(place: &Path) -> io::Result<Option<ListedForm>> {
    let data = fs::symlink_metadata(place)?;
    if data.is_symlink() {
        return Ok(Some(ListedForm::Link(fs::read_link(place)?)));
    }
    let mode = data.permissions().mode();
    Ok(data.is_file().then_some(ListedForm::File { bytes: data.len(), mode }))
}

/// Returns the directory of the original in which files lie that are named one by one, and their
/// places in it: the current one, or if one lies elsewhere, the nearest one that holds all.
///
/// # Errors
/// If the current directory is gone.
pub fn common_directory(files: &[PathBuf]) -> io::Result<(PathBuf, Vec<PathBuf>)> {
    let here = std::env::current_dir()?;
    let mut places = Vec::new();
    for file in files {
        let parent = file.parent().filter(|parent| *parent != Path::new(""));
        let parent = parent.map_or_else(|| Ok(here.clone()), fs::canonicalize);
        let parent = parent.unwrap_or_else(|_| here.join(file.parent().unwrap_or(Path::new(""))));
        places.push(parent.join(file.file_name().unwrap_or_default()));
    }
    let mut root = here.canonicalize().unwrap_or(here);
    if let Some(first) = places.iter().find(|place| !place.starts_with(&root)) {
        let holds = |top: &&Path| places.iter().all(|place| place.starts_with(top));
        root = first.ancestors().skip(1).find(holds).unwrap_or(Path::new("/")).to_owned();
    }
    let mut seen = BTreeSet::new();
    let below = places.iter().filter_map(|place| place.strip_prefix(&root).ok());
    let below = below.filter(|path| seen.insert(path.to_path_buf()));
    let below = below.map(Path::to_owned).collect();
    Ok((root, below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(names: &[&str]) -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for name in names {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        place
    }

    #[test]
    fn a_project_begins_where_version_control_does_or_its_first_manifest() {
        let place = tree(&[
            "repo/.git/HEAD",
            "repo/crate/Cargo.toml",
            "repo/crate/src/lib.rs",
            "other/package.json",
            "other/part/package.json",
            "other/part/src/deep/x.js",
            "none/x",
        ]);
        for (directory, top) in [
            ("repo/crate/src", Some("repo")),
            ("other/part/src/deep", Some("other")),
            ("other", Some("other")),
            ("none", None),
        ] {
            let found = project_top(&place.path().join(directory));
            let found = found.filter(|found| found.starts_with(place.path()));
            assert_eq!(found, top.map(|top| place.path().join(top)), "{directory}");
        }
        let words = ["/usr/bin/cargo", "pytest", "gcc", "test"].map(OsStr::new);
        assert_eq!(words.map(is_of_projects), [true, true, false, false]);
    }

    #[test]
    fn what_programs_make_again_is_left_out_and_what_is_installed_is_linked() {
        let place = tree(&[
            ".git/HEAD",
            "src/x.py",
            "src/__pycache__/x.pyc",
            "target/CACHEDIR.TAG",
            "target/debug/x",
            "node_modules/a/index.js",
        ]);
        let files = listed(place.path()).unwrap().files;
        let paths: Vec<_> = files.iter().map(|file| file.path.to_str().unwrap()).collect();
        assert_eq!(paths, ["node_modules", "src/x.py"]);
        assert_eq!(files[0].form, ListedForm::Link(place.path().join("node_modules")));
    }
}
