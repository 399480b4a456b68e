//! Pages as they were saved: alone, with a directory of their files, or as a record of what was
//! loaded (HAR). Whatever has several files becomes a directory with the page in it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::args::How;
use crate::har::Served;

/// What is reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// A file or a directory.
    pub(crate) path: PathBuf,
    /// The page in the directory.
    pub(crate) index: Option<PathBuf>,
    /// What answers requests of the page.
    pub(crate) har: Option<PathBuf>,
}

/// Finds out in which form a page was saved. Directories are made in the current one; what is there
/// already must be what would be written.
///
/// # Errors
/// If something cannot be read or written, or something else is in its place.
pub(crate) fn input(page: &Path) -> Result<Input> {
    let input = input_in(page, Path::new(""))?;
    if input.path != page {
        told(page, &input.path);
    }
    Ok(input)
}

fn input_in(page: &Path, place: &Path) -> Result<Input> {
    let suffix = page.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let stem = page.file_stem().unwrap_or_default().to_string_lossy();
    let name = page.file_name().unwrap_or_default();
    let bytes = || fs::read(page).with_context(|| page.display().to_string());
    let site = place.join(format!("{stem}.site"));
    let files = page.with_file_name(format!("{stem}_files"));
    if page.is_dir() {
        return Ok(Input { path: page.to_owned(), index: None, har: None });
    }
    match &suffix[..] {
        "har" => {
            let text = Served::read(page)?.page();
            let text = text.with_context(|| format!("{}: no page in it", page.display()))?;
            let path = place.join(format!("{stem}.html"));
            write(&path, &text)?;
            Ok(Input { path, index: None, har: Some(page.to_owned()) })
        }
        _ if files.is_dir() => {
            let mut all = vec![(PathBuf::from(name), bytes()?)];
            let beside = PathBuf::from(files.file_name().unwrap_or_default());
            collect(&files, &beside, &mut all)?;
            write_all(&site, &all)?;
            Ok(Input { path: site, index: Some(name.into()), har: None })
        }
        _ => Ok(Input { path: page.to_owned(), index: None, har: None }),
    }
}

/// Returns what is shown of a page, with the directory that holds it until it is dropped if the
/// page was saved in a form that no browser shows as it was.
///
/// # Errors
/// If something cannot be read or written.
pub(crate) fn shown(page: &Path, how: &How) -> Result<(PathBuf, How, TempDir)> {
    let place = tempfile::tempdir()?;
    let kind = page.extension().unwrap_or_default().to_ascii_lowercase();
    let input = match kind.to_str() {
        Some("har") if page.is_file() => input_in(page, place.path())?,
        _ => Input { path: page.to_owned(), index: None, har: None },
    };
    let (index, har) = (how.page.clone().or(input.index), how.har.clone().or(input.har));
    Ok((input.path, How { page: index, har, ..how.clone() }, place))
}

pub(crate) fn told(page: &Path, becomes: &Path) {
    eprintln!("{} becomes {}", page.display(), becomes.display());
}

/// Adds the files of a directory, in the order of their names.
fn collect(directory: &Path, name: &Path, all: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    let mut open = vec![(directory.to_owned(), name.to_owned())];
    while let Some((directory, name)) = open.pop() {
        let entries = fs::read_dir(&directory).with_context(|| directory.display().to_string())?;
        for entry in entries {
            let entry = entry?;
            let (path, name) = (entry.path(), name.join(entry.file_name()));
            if path.is_dir() {
                open.push((path, name));
            } else {
                let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
                all.push((name, bytes));
            }
        }
    }
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(())
}

/// Copies a directory with all files in it.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut all = Vec::new();
    collect(from, Path::new(""), &mut all)?;
    for (name, bytes) in &all {
        let path = to.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

fn write_all(directory: &Path, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    for (name, bytes) in files {
        let path = directory.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        write(&path, bytes)?;
    }
    Ok(())
}

/// Writes a file; what is there already must be the same.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if path.exists() && fs::read(path).ok().as_deref() != Some(bytes) {
        bail!("{} is there already, with another content", path.display());
    }
    fs::write(path, bytes).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::input_in;

    #[test]
    fn a_page_and_the_directory_beside_it_become_one_directory() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir_all(from.join("a_files/deep")).unwrap();
        fs::create_dir_all(&to).unwrap();
        fs::write(from.join("a.html"), "<p>").unwrap();
        fs::write(from.join("a_files/deep/x.css"), "p{}").unwrap();
        for _ in 0..2 {
            let input = input_in(&from.join("a.html"), &to).unwrap();
            assert_eq!(input.path, to.join("a.site"));
            assert_eq!(input.index.unwrap().to_str(), Some("a.html"));
        }
        assert_eq!(fs::read(to.join("a.site/a_files/deep/x.css")).unwrap(), b"p{}");
        fs::write(to.join("a.site/a.html"), "other").unwrap();
        assert!(input_in(&from.join("a.html"), &to).is_err(), "it would be overwritten");
        fs::write(from.join("b.html"), "<p>").unwrap();
        assert_eq!(input_in(&from.join("b.html"), &to).unwrap().path, from.join("b.html"));
    }
}
