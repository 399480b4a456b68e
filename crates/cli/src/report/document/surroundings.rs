//! The machine of a run, and the versions of the programs of its test.

use std::env;
use std::ffi::OsStr;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use minirepro_program::sources;
use wait_timeout::ChildExt;

use super::document::Reproduction;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns what is known about this machine, each a name and a value.
pub fn machine() -> Vec<(String, String)> {
    let mut known = vec![("minirepro".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            known.push((name.to_owned(), value));
        }
    };
    add("System", system());
    add("Architecture", env::consts::ARCH.to_owned());
    for name in ["LANG", "LC_ALL"] {
        add(name, env::var(name).unwrap_or_default());
    }
    known
}

fn system() -> String {
    let kernel = rustix::system::uname();
    let kernel =
        format!("{} {}", kernel.sysname().to_string_lossy(), kernel.release().to_string_lossy());
    let release = sources::file(Path::new("/etc/os-release")).unwrap_or_default();
    let release = String::from_utf8_lossy(&release);
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    match name {
        Some(name) => format!("{} ({kernel})", name.trim_matches('"')),
        None => kernel,
    }
}

/// Asks the program of a command for its version; those in a script were only read, not named.
pub fn versions(test: &Reproduction) -> Vec<(String, String)> {
    let Reproduction::Command(words) = test else { return Vec::new() };
    let said = words.first().and_then(|program| {
        Some((program.clone(), first_line(&said(program.as_ref(), &["--version"])?)?))
    });
    said.into_iter().collect()
}

fn first_line(text: &str) -> Option<String> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(first.chars().take(200).collect())
}

/// Returns what a program writes, up to 4 KiB of it; `None` if it takes too long.
fn said(program: &OsStr, arguments: &[&str]) -> Option<String> {
    let mut output = tempfile::tempfile().ok()?;
    // Whatever it makes of the arguments, it is not in the user's directory.
    let place = tempfile::tempdir().ok()?;
    let program = match std::path::Path::new(program).components().count() {
        1 => std::path::PathBuf::from(program),
        _ => std::path::absolute(program).ok()?,
    };
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(place.path())
        .stdin(Stdio::null())
        .stdout(output.try_clone().ok()?)
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let ended = child.wait_timeout(PATIENCE).ok()?;
    if !ended.is_some_and(|status| status.success()) {
        // It need not be there any more, and its answer is not needed.
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    output.rewind().ok()?;
    let mut text = Vec::new();
    output.take(4096).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_has_no_version() {
        let versions = versions(&Reproduction::Command(vec!["no-such-program-here".into()]));
        assert!(versions.is_empty());
        assert_eq!(machine()[0].0, "minirepro");
    }
}
