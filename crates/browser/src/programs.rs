//! Finds programs.

use std::path::PathBuf;

/// Returns the first of these programs that is in the `PATH`.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let at = |name: &&str| directories.iter().map(|d| d.join(name)).find(|file| file.is_file());
    names.iter().find_map(at)
}
