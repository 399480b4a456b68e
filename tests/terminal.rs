//! What happens only at a terminal, tried at a pseudo-terminal.

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
fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    let theirs = open(path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    (File::from(ours), File::from(theirs))
}

/// A run at a terminal that is watched and steered.
struct Watched {
    child: std::process::Child,
    ours: File,
    /// Holds the terminal open, so that its modes can be looked at afterwards.
    theirs: File,
    shown: Vec<u8>,
}

/// The sequences that take the screen and give it back.
const TAKEN: &str = "\x1b[?1049h";
const GIVEN_BACK: &str = "\x1b[?1049l";

impl Watched {
    fn start(words: &[&str], directory: &Path) -> Self {
        let (ours, theirs) = terminal();
        let mut command = Command::new(env!("CARGO_BIN_EXE_minirepro"));
        command.args(words).current_dir(directory).stdout(Stdio::null()).env("TERM", "xterm");
        command.stdin(theirs.try_clone().unwrap()).stderr(theirs.try_clone().unwrap());
        let child = command.spawn().unwrap();
        Self { child, ours, theirs, shown: Vec::new() }
    }

    /// Reads until the terminal has shown this text since it was asked for the last time.
    fn wait_for(&mut self, text: &str) {
        let mut part = [0; 4096];
        while !String::from_utf8_lossy(&self.shown).contains(text) {
            let length = self.ours.read(&mut part).unwrap();
            self.shown.extend_from_slice(&part[..length]);
        }
        self.shown.clear();
    }

    fn type_in(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end; returns the exit code and what was shown on the way. The terminal must be
    /// as it was before.
    fn end(mut self, modes: &rustix::termios::Termios) -> (i32, String) {
        // The reader must not wait for us.
        let mut ours = self.ours.try_clone().unwrap();
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            let mut part = [0; 4096];
            while let Ok(length @ 1..) = ours.read(&mut part) {
                all.extend_from_slice(&part[..length]);
            }
            all
        });
        let code = self.child.wait().unwrap().code().unwrap();
        let now = rustix::termios::tcgetattr(&self.theirs).unwrap();
        assert_eq!(now.local_modes, modes.local_modes);
        drop(self.theirs);
        let shown = [self.shown, reader.join().unwrap()].concat();
        (code, String::from_utf8_lossy(&shown).into_owned())
    }

    fn modes(&self) -> rustix::termios::Termios {
        rustix::termios::tcgetattr(&self.theirs).unwrap()
    }
}

/// A directory with an input and a test that never ends once the input has become small.
fn directory_with_test_that_hangs() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let fifo = path("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    let script = format!(
        "#!/bin/sh\ngrep -q crash \"$1\" || exit 1\n\
         [ -s \"$1\" ] && [ $(wc -c < \"$1\") -lt 60 ] && read x < {}\nexit 0\n",
        fifo.display()
    );
    fs::write(path("test.sh"), script).unwrap();
    fs::set_permissions(path("test.sh"), Permissions::from_mode(0o755)).unwrap();
    let unused = "int unused(int a) { return a + 1; }\n".repeat(9);
    fs::write(path("a.c"), format!("{unused}int main(void) {{ int i = 1; crash(i, 2); }}\n"))
        .unwrap();
    place
}

#[test]
fn however_a_run_ends_the_terminal_is_as_before() {
    let place = directory_with_test_that_hangs();
    let words = ["--fresh", "-j2", "test.sh", "a.c"];
    for end in ["q", "g", "term", "resized"] {
        let mut run = Watched::start(&words, place.path());
        let modes = run.modes();
        // Only cells that change are written: no letter of this word stands there before.
        run.wait_for("smallest");
        let shown = match end {
            "term" => {
                let child = rustix::process::Pid::from_child(&run.child);
                rustix::process::kill_process(child, rustix::process::Signal::TERM).unwrap();
                run.end(&modes)
            }
            "resized" => {
                for (columns, lines) in [(50, 14), (30, 5), (120, 40)] {
                    let size = rustix::termios::Winsize {
                        ws_col: columns,
                        ws_row: lines,
                        ws_xpixel: 0,
                        ws_ypixel: 0,
                    };
                    rustix::termios::tcsetwinsize(&run.ours, size).unwrap();
                    run.wait_for("Size");
                }
                run.type_in("q");
                run.end(&modes)
            }
            key => {
                run.type_in(key);
                run.end(&modes)
            }
        };
        let (code, shown) = shown;
        assert_eq!(code, if end == "g" { 0 } else { 130 }, "{end}: {shown}");
        let (_, behind) = shown.rsplit_once(GIVEN_BACK).unwrap();
        assert!(!behind.contains(TAKEN));
        let why = if end == "g" { "good enough for you" } else { "interrupted" };
        for part in [&format!("stopped early, {why}")[..], "a.c: ", "minirepro resume"] {
            assert!(behind.contains(part), "{end}: {behind}");
        }
        assert!(fs::read_to_string(place.path().join("a.min.c")).unwrap().contains("crash"));
    }
}

#[test]
fn plain_lines_are_shown_on_a_terminal_where_they_are_wanted() {
    let place = directory_with_test_that_hangs();
    for option in ["--progress=plain", "--quiet", "--progress=json"] {
        let words = [option, "--fresh", "--until-size", "400bytes", "test.sh", "a.c"];
        let run = Watched::start(&words, place.path());
        let modes = run.modes();
        let (code, shown) = run.end(&modes);
        assert_eq!(code, 0, "{shown}");
        assert!(!shown.contains('\x1b'), "{shown}");
        assert_eq!(shown.contains("\"event\":\"begin\""), option == "--progress=json");
    }
}

/// A test that reads from the terminal or changes it would be stopped by the kernel, for ever.
#[test]
fn a_test_has_no_terminal_that_could_stop_it() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let script = "#!/bin/sh\nread -r line < /dev/tty && exit 1\nstty sane < /dev/tty\ngrep -q crash \"$1\"\n";
    fs::write(path("test.sh"), script).unwrap();
    fs::set_permissions(path("test.sh"), Permissions::from_mode(0o755)).unwrap();
    fs::write(path("a.c"), "int unused;\nint main(void) { crash(1, 2); }\n").unwrap();
    let (_ours, theirs) = terminal();
    // With -c, standard input becomes the terminal that it controls.
    let mut command = Command::new("setsid");
    command.args(["-c", "-w", env!("CARGO_BIN_EXE_minirepro"), "-q", "test.sh", "a.c"]);
    command.current_dir(place.path()).stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().unwrap();
    assert!(status.success(), "{status}");
    assert!(path("a.min.c").exists());
}
