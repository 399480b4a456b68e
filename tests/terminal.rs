//! What happens only at a terminal, tried at a pseudo-terminal. Where the system has none, nothing is
//! tested.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A pseudo-terminal: our side and the side of the program.
fn terminal() -> Option<(File, File)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).ok()?;
    grantpt(&ours).ok()?;
    unlockpt(&ours).ok()?;
    let name = ptsname(&ours, Vec::new()).ok()?;
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    let theirs = open(path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).ok()?;
    Some((File::from(ours), File::from(theirs)))
}

/// Runs minirepro with the terminal as standard input and standard error, as if this was typed; returns
/// what the terminal shows.
fn shown(words: &[&str], directory: &Path, typed: &str) -> Option<String> {
    let (mut ours, theirs) = terminal()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_minirepro"));
    command.args(words).current_dir(directory).stdout(Stdio::null());
    command.stdin(theirs.try_clone().unwrap()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    // It holds their side of the terminal.
    drop(command);
    ours.write_all(typed.as_bytes()).unwrap();
    let mut shown = Vec::new();
    let mut part = [0; 1000];
    // When nobody has their side open any more, reading fails.
    while let Ok(length @ 1..) = ours.read(&mut part) {
        shown.extend_from_slice(&part[..length]);
    }
    child.wait().unwrap();
    Some(String::from_utf8_lossy(&shown).into_owned())
}

#[test]
fn a_command_of_somebody_else_runs_only_after_yes() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::write(path("test.sh"), "#!/bin/sh\ngrep -q crash \"$1\"\n").unwrap();
    fs::set_permissions(path("test.sh"), Permissions::from_mode(0o755)).unwrap();
    fs::write(path("a.c"), "int unused;\nint main(void) { crash(1, 2); }\n").unwrap();
    let mut first = Command::new(env!("CARGO_BIN_EXE_minirepro"));
    first.args(["-q", "--journal", "run", "-o", "out.c", "test.sh", "a.c"]);
    assert!(first.current_dir(place.path()).status().unwrap().success());
    fs::set_permissions(path("run"), Permissions::from_mode(0o777)).unwrap();
    // The last one is Ctrl-D.
    for (typed, runs) in [
        ("y\n", true),
        ("Yes\n", true),
        ("n\n", false),
        ("\n", false),
        ("yep\n", false),
        ("\x04", false),
    ] {
        fs::remove_file(path("out.c")).unwrap();
        let Some(shown) = shown(&["resume", "run"], place.path(), typed) else { return };
        assert_eq!(path("out.c").exists(), runs, "{typed:?}: {shown}");
        for part in ["can be changed by every user", "minirepro -q --journal run", "Run it? [y/N] "]
        {
            assert!(shown.contains(part), "{typed:?}: {shown}");
        }
        assert_eq!(shown.contains("so its command was not run"), !runs, "{typed:?}: {shown}");
        fs::write(path("out.c"), "").unwrap();
    }
    let Some(shown) = shown(&["resume", "--yes", "run"], place.path(), "") else { return };
    assert!(!shown.contains("Run it?"), "{shown}");
}
