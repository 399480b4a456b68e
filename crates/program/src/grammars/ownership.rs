//! Whose native code is loaded: only what nobody else can change.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

use rustix::process::geteuid;

use crate::grammars::error::GrammarError;

/// Makes a directory that only the user can enter, and those above it.
///
/// # Errors
/// If it cannot be made, or is somebody else's.
pub(super) fn make_own(directory: &Path) -> Result<(), GrammarError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| GrammarError::Unwritable { path: directory.to_owned(), error })?;
    check_own(directory)
}

/// Checks that not everybody can change the code of a grammar that the user has named: the file, or
/// what stands in its directory. A group may, as in many checkouts.
///
/// # Errors
/// If everybody can, if it belongs to another user, or if it cannot be looked at. To an
/// administrator, whose containers hold the files of others, it may belong to anybody.
pub(super) fn check_named(code: &Path) -> Result<(), GrammarError> {
    const WORLD: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let directory = code.parent().filter(|directory| !directory.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let look = |path: &Path| {
        fs::metadata(path)
            .map_err(|error| GrammarError::Unreadable { path: path.to_owned(), error })
    };
    let (file, around) = (look(code)?, look(directory)?);
    let own = geteuid();
    let is_foreign = ![0, own.as_raw()].contains(&file.uid()) && !own.is_root();
    if is_foreign || file.mode() & WORLD != 0 {
        return Err(GrammarError::NotOwn { path: code.to_owned() });
    }
    match around.mode() & WORLD != 0 && around.mode() & STICKY == 0 {
        true => Err(GrammarError::NotOwn { path: directory.to_owned() }),
        false => Ok(()),
    }
}

/// Checks that nobody else can put anything into a directory from which native code is loaded.
///
/// # Errors
/// If somebody can, or it cannot be looked at.
pub(super) fn check_own(directory: &Path) -> Result<(), GrammarError> {
    let path = directory.to_owned();
    match fs::metadata(directory) {
        Ok(data) if data.uid() == geteuid().as_raw() && data.mode() & 0o022 == 0 => Ok(()),
        Ok(_) => Err(GrammarError::NotOwn { path }),
        Err(error) => Err(GrammarError::Unreadable { path, error }),
    }
}

#[cfg(test)]
mod tests {
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
