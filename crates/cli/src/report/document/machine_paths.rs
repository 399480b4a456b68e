//! Paths of the reporter's machine, which mean nothing to whoever reads a report and may say more
//! than the reporter wants.

use std::env;
use std::path::{Path, PathBuf};

/// The directories that a report does not name.
#[derive(Clone, Debug, Default)]
pub struct MachinePaths {
    /// Where the run was begun.
    here: PathBuf,
    /// The home directory of the user.
    home: PathBuf,
}

impl MachinePaths {
    /// Returns those of this process, for a run that was begun in `here`.
    pub fn of(here: PathBuf) -> Self {
        Self { here, home: env::var_os("HOME").map(PathBuf::from).unwrap_or_default() }
    }

    /// Returns whether a file is certainly the user's own.
    pub fn is_own(&self, path: &Path) -> bool {
        // A home that is the root, or right below it like a service's, is nobody's.
        let holds = |place: &Path| place.components().count() > 1 && path.starts_with(place);
        path.is_relative() || holds(&self.here) || holds(&self.home)
    }

    /// Names a file that a command needs: below the directory of the run as there, else by its last
    /// part.
    pub fn file(&self, word: &str) -> String {
        let path = Path::new(word);
        if let Ok(below) = path.strip_prefix(&self.here) {
            return below.to_string_lossy().into_owned();
        }
        let is_far = path.is_absolute() || word.starts_with("../") || word.starts_with("~/");
        match path.file_name() {
            Some(name) if is_far && self.is_own(path) => name.to_string_lossy().into_owned(),
            _ => word.to_owned(),
        }
    }

    /// Leaves the directories of this machine out of a text: names below the directory of the run
    /// become relative, and the home directory is `~`.
    pub fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (place, name, below) in [(&self.here, ".", ""), (&self.home, "~", "~/")] {
            // The name of a directory below the root is no secret, and may be a part of anything.
            if let Some(place) = place.to_str().filter(|place| place.len() > 1) {
                text = text.replace(&format!("{place}/"), below);
                if place.matches('/').count() > 1 {
                    text = text.replace(place, name);
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_learns_where_the_reporter_lives() {
        let home = PathBuf::from("/home/ann");
        let paths = MachinePaths { here: home.join("bugs/7"), home };
        for (text, expected) in [
            ("in /home/ann/bugs/7/a.c:1: see '/home/ann/x.h'", "in a.c:1: see '~/x.h'"),
            ("exec /home/ann/bin/mycc -c -I/home/ann/i $1", "exec ~/bin/mycc -c -I~/i $1"),
            ("cd /home/ann/bugs/7", "cd ."),
            ("/usr/bin/cc /dev/null a/b", "/usr/bin/cc /dev/null a/b"),
        ] {
            assert_eq!(paths.hide(text), expected);
        }
        for (word, expected) in [
            ("/home/ann/build/bin/mycc", "mycc"),
            ("./tool", "./tool"),
            ("../tool", "tool"),
            ("/usr/bin/cc", "/usr/bin/cc"),
            ("/home/ann/bugs/7/d/x.py", "d/x.py"),
        ] {
            assert_eq!(paths.file(word), expected);
        }
    }
}
