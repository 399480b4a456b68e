//! Programs of others that format a text or complain about it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use minirepro_runner::shell::with_name;

/// Returns the first command whose program is in the path.
pub fn first_in_path(commands: &[String]) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let is_there = |command: &&String| {
        let program = command.split_whitespace().next().unwrap_or_default();
        std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
    };
    commands.iter().find(is_there).cloned()
}

/// Returns what a shell command makes of a text on its standard input; `None` if it fails or makes
/// nothing. `@@` in it stands for the name of `file`.
pub fn filter(command: &str, file: &Path, text: &[u8]) -> Option<Vec<u8>> {
    let command = with_name(OsStr::new(command), file.file_name().unwrap_or_default());
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    let output = thread::scope(|scope| {
        // It may write before it has read all. One that reads nothing ends on its own.
        scope.spawn(move || drop(input.write_all(text)));
        child.wait_with_output().ok()
    })?;
    (output.status.success() && !output.stdout.is_empty()).then_some(output.stdout)
}

/// A program that complains about what is careless in a text.
#[derive(Debug)]
pub struct Check {
    command: String,
    directory: tempfile::TempDir,
    name: std::ffi::OsString,
}

impl Check {
    /// Prepares a shell command, in which `@@` stands for the file that holds the text; `None` if
    /// its program is not in the path.
    pub fn new(command: &str, file: &Path) -> Option<Self> {
        let command = first_in_path(&[command.to_owned()])?;
        let directory = tempfile::Builder::new().prefix("minirepro-check-").tempdir().ok()?;
        Some(Self { command, directory, name: file.file_name()?.to_owned() })
    }

    /// Returns the kinds of complaints about a text: the names of warnings, and whether there are
    /// errors.
    pub fn complaints(&self, text: &[u8]) -> BTreeSet<String> {
        let mut kinds = BTreeSet::new();
        if std::fs::write(self.directory.path().join(&self.name), text).is_err() {
            return kinds;
        }
        let output = Command::new("/bin/sh")
            .arg("-c")
            .arg(with_name(OsStr::new(&self.command), &self.name))
            .current_dir(self.directory.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output();
        let Ok(output) = output else { return kinds };
        if !output.status.success() {
            kinds.insert("an error".to_owned());
        }
        for line in String::from_utf8_lossy(&output.stderr).lines() {
            if let Some((_, said)) = line.split_once("warning: ") {
                // GCC and Clang write the name of a warning in brackets after it.
                let name = said.rsplit_once('[').map_or(said, |(_, name)| name);
                kinds.insert(name.trim_end_matches(']').to_owned());
            }
        }
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_gets_the_text_and_the_name() {
        let file = Path::new("d/it's.c");
        assert_eq!(filter("tr a b", file, b"aa"), Some(b"bb".to_vec()));
        assert_eq!(filter("cat; echo @@", file, b"x "), Some(b"x it's.c\n".to_vec()));
        assert_eq!(filter("exit 1", file, b"x"), None);
        assert_eq!(filter("cat > /dev/null", file, b"x"), None);
        assert_eq!(
            first_in_path(&["no-such-program -".into(), "cat -".into()]),
            Some("cat -".into())
        );
    }

    #[test]
    fn complaints_are_told_by_their_names() {
        let said = "a.c:1:2: warning: type defaults to int [-Wimplicit-int]\nwarning: other\n";
        let command = format!("printf '%s' '{said}' >&2; grep -q good @@");
        let check = Check { name: "a.c".into(), ..Check::new("grep", Path::new("a.c")).unwrap() };
        let check = Check { command, ..check };
        let kinds = |text: &[u8]| check.complaints(text).into_iter().collect::<Vec<_>>();
        assert_eq!(kinds(b"good"), ["-Wimplicit-int", "other"]);
        assert_eq!(kinds(b"bad"), ["-Wimplicit-int", "an error", "other"]);
    }
}
