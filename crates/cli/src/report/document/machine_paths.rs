//! Paths of the reporter's machine, which mean nothing to whoever reads a report and may say more
//! than the reporter wants.

use std::env;
use std::path::{Path, PathBuf};

use regex::{Captures, Regex};

/// Where systems keep programs that have the same path on other machines.
const SYSTEM: &[&str] = &["/bin", "/sbin", "/usr", "/lib", "/lib64", "/dev", "/proc", "/etc"];

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

    /// Returns whether a file is the user's own, not the system's.
    pub fn is_own(&self, path: &Path) -> bool {
        let path = self.here.join(path);
        !SYSTEM.iter().any(|system| path.starts_with(system))
    }

    /// Names a program as somebody else calls it.
    pub fn program(&self, word: &str) -> String {
        let path = Path::new(word);
        let is_far = path.is_absolute() || word.starts_with("../") || word.starts_with("~/");
        match path.file_name() {
            Some(name) if is_far && self.is_own(path) => name.to_string_lossy().into_owned(),
            _ => word.to_owned(),
        }
    }

    /// Names a file that a command needs: below the directory of the run as there, else by its last
    /// part.
    pub fn file(&self, word: &str) -> String {
        let path = Path::new(word);
        if let Ok(below) = path.strip_prefix(&self.here) {
            return below.to_string_lossy().into_owned();
        }
        match path.file_name() {
            Some(name) if (path.is_absolute() || word.starts_with("../")) && self.is_own(path) => {
                name.to_string_lossy().into_owned()
            }
            _ => word.to_owned(),
        }
    }

    /// Leaves the directories of this machine out of a text: names below the directory of the run
    /// become relative, programs of the user's own and packages of Python lose their directories,
    /// and the home directory is `~`.
    pub fn hide(&self, text: &str) -> String {
        let path = Regex::new(r#"((?:^|[\s"'`=(<>:,\[])(?:-[A-Za-z]+)?)(/[^\s"'`()<>:,;|&\]]+)"#)
            .expect("it is valid");
        let text = path.replace_all(text, |found: &Captures<'_>| {
            format!("{}{}", &found[1], self.hidden(&found[2]))
        });
        text.into_owned()
    }

    fn hidden(&self, word: &str) -> String {
        for mark in ["/site-packages/", "/dist-packages/", "/node_modules/"] {
            if let Some(at) = word.find(mark) {
                return word[at + 1..].to_owned();
            }
        }
        let path = Path::new(word);
        if path == self.here {
            return ".".to_owned();
        }
        // A directory right below the root is no secret, and its name may be a part of anything.
        let is_deep = self.here.components().count() > 2;
        if let (true, Ok(below)) = (is_deep, path.strip_prefix(&self.here)) {
            return below.to_string_lossy().into_owned();
        }
        if self.is_own(path) && is_program(path) {
            return self.program(word);
        }
        match path.strip_prefix(&self.home) {
            Ok(below) if self.home.components().count() > 1 => {
                Path::new("~").join(below).to_string_lossy().into_owned()
            }
            _ => word.to_owned(),
        }
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn nobody_learns_where_the_reporter_lives() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("ann");
        let here = home.join("bugs/7");
        let tool = home.join("build/bin/mycc");
        fs::create_dir_all(tool.parent().unwrap()).unwrap();
        fs::write(&tool, "").unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        let paths = MachinePaths { here: here.clone(), home: home.clone() };
        let (home, here) = (home.display(), here.display());
        for (text, expected) in [
            (format!("in {here}/a.c:1: see '{home}/x.h'"), "in a.c:1: see '~/x.h'"),
            (format!("exec {home}/build/bin/mycc -c -I{home}/i $1"), "exec mycc -c -I~/i $1"),
            (
                format!("File \"{home}/v/lib/python3/site-packages/fmt/a.py\", line 1"),
                "File \"site-packages/fmt/a.py\", line 1",
            ),
            (format!("cd {here}"), "cd ."),
            ("/usr/bin/cc /dev/null a/b".to_owned(), "/usr/bin/cc /dev/null a/b"),
        ] {
            assert_eq!(paths.hide(&text), expected);
        }
        assert_eq!(paths.program(&tool.display().to_string()), "mycc");
        assert_eq!(paths.program("./tool"), "./tool");
        assert_eq!(paths.program("/usr/bin/cc"), "/usr/bin/cc");
        assert_eq!(paths.file(&format!("{here}/d/x.py")), "d/x.py");
        assert_eq!(paths.file(&format!("{home}/x.py")), "x.py");
    }
}
