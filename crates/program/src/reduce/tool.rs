//! Programs of others that format a text.

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
}
