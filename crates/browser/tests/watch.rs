//! Tests of the process between us and a browser. A shell stands in for the browser.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_minirepro-browser");

#[test]
fn a_browser_ends_with_the_program_that_wants_it() {
    let place = tempfile::tempdir().unwrap();
    let profile = place.path().join("profile");
    fs::create_dir(&profile).unwrap();
    fs::write(profile.join("kept"), "").unwrap();
    let mut watched = Command::new(PROGRAM)
        .arg("watch")
        .arg(&profile)
        .args(["--", "sh", "-c", "echo here; sleep 1000 & wait"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = watched.stdout.take().unwrap();
    let mut first = [0; 5];
    output.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"here\n");
    drop(watched.stdin.take());
    // Both processes hold the other end of it.
    output.read_to_end(&mut Vec::new()).unwrap();
    watched.wait().unwrap();
    assert!(!profile.exists());
}
