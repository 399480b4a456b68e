//! Pages as they were saved: alone, with a directory of their files, or as a record of what was
//! loaded (HAR). Each is copied where it can be changed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use minirepro_program::{sources, unpack};
use tempfile::TempDir;

use crate::args::PageArgs;
use crate::har::Served;
use crate::place::page_of;

/// A copy of a page.
pub(crate) struct Saved {
    /// What candidates are called, and where the page is from.
    pub(crate) name: PathBuf,
    /// The copy: a file or a directory.
    pub(crate) path: PathBuf,
    /// How it is shown, and for what it is looked at.
    pub(crate) args: PageArgs,
    /// Holds the copy.
    _place: TempDir,
}

impl Saved {
    /// Copies a page, in whatever form it was saved.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub(crate) fn copy(page: &Path, args: &PageArgs) -> Result<Self> {
        let place = tempfile::tempdir()?;
        let suffix = page.extension().unwrap_or_default().to_ascii_lowercase();
        let stem = page.file_stem().unwrap_or_default();
        let file = page.file_name().unwrap_or(page.as_os_str());
        let mut args = args.clone();
        let files = page.with_file_name(format!("{}_files", stem.to_string_lossy()));
        let bytes = || fs::read(page).with_context(|| page.display().to_string());
        let (name, path) = if page.is_dir() {
            let path = place.path().join(file);
            unpack(&sources::directory(page)?, &path)?;
            (page.to_owned(), path)
        } else if suffix == "har" {
            args.how.har.get_or_insert(std::path::absolute(page)?);
            let name = page.with_extension("html");
            let path = place.path().join(name.file_name().unwrap_or(file));
            fs::write(&path, Served::read(page)?.page().unwrap_or_default())?;
            (name, path)
        } else if files.is_dir() {
            let path = place.path().join(stem);
            fs::create_dir(&path)?;
            let beside = path.join(files.file_name().unwrap_or_default());
            unpack(&sources::directory(&files)?, &beside)?;
            fs::write(path.join(file), bytes()?)?;
            (page.with_extension(""), path)
        } else {
            let path = place.path().join(file);
            // What it loads from beside it is there as well.
            let beside = std::path::absolute(page)?;
            for entry in fs::read_dir(beside.parent().unwrap_or(Path::new("/")))?.flatten() {
                if entry.file_name() != *file {
                    symlink(entry.path(), place.path().join(entry.file_name()))?;
                }
            }
            fs::write(&path, bytes()?)?;
            (page.to_owned(), path)
        };
        Ok(Self { name, path, args, _place: place })
    }

    /// Returns where the page itself is.
    pub(crate) fn page(&self) -> PathBuf {
        page_of(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;

    #[test]
    fn a_page_and_the_directory_beside_it_become_one_directory() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("a_files/deep")).unwrap();
        fs::write(place.path().join("a.html"), "<p>").unwrap();
        fs::write(place.path().join("b.html"), "<p>").unwrap();
        fs::write(place.path().join("a_files/deep/x.css"), "p{}").unwrap();
        let matches = PageArgs::augment_args(Command::new("x")).get_matches_from(["x"]);
        let args = PageArgs::from_arg_matches(&matches).unwrap();
        let saved = Saved::copy(&place.path().join("a.html"), &args).unwrap();
        assert_eq!(saved.name, place.path().join("a"));
        assert_eq!(fs::read(saved.page()).unwrap(), b"<p>");
        assert_eq!(fs::read(saved.path.join("a_files/deep/x.css")).unwrap(), b"p{}");
        let alone = Saved::copy(&place.path().join("b.html"), &args).unwrap();
        assert!(alone.page().is_file() && alone.page().with_file_name("a_files/deep").is_dir());
    }
}
