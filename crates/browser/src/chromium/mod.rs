//! Starts and ends a Chromium without a window.

pub(crate) mod page;
pub(crate) mod tabs;

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, geteuid, kill_process_group};
use tempfile::TempDir;

use crate::programs::find;

/// The usual names of the program. The headless shell comes first: it has no window to begin with,
/// and takes half the time.
pub(crate) const NAMES: [&str; 6] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// This many of them have no window.
const WITHOUT_WINDOW: usize = 2;

/// How long the start may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The file in the profile for what the browser says.
const LOG: &str = "minirepro.log";

/// A running browser; ended when dropped.
pub(crate) struct Chromium {
    child: Child,
    address: String,
    /// What it says on its standard error: stacks and reports of crashes among it.
    log: PathBuf,
    /// Its profile; deleted after its end.
    profile: TempDir,
}

impl Chromium {
    /// Starts the program, or the first of the usual ones that there is; one with a window if it is
    /// `shown`.
    pub(crate) fn start(program: Option<&Path>, shown: bool) -> Result<Self> {
        let names = if shown { &NAMES[WITHOUT_WINDOW..] } else { &NAMES[..] };
        let program = match program {
            Some(program) => program.to_owned(),
            None => find(names).with_context(|| {
                format!(
                    "there is no Chromium: none of {} in PATH; name it with --browser",
                    names.join(", ")
                )
            })?,
        };
        let profile = tempfile::Builder::new().prefix("minirepro-browser-").tempdir()?;
        let log = profile.path().join(LOG);
        let mut command = Command::new(&program);
        if !shown {
            command.arg("--headless");
        }
        command
            .args([
                "--remote-debugging-port=0",
                "--no-first-run",
                "--no-default-browser-check",
                "--disable-background-networking",
                "--disable-breakpad",
                "--disable-component-update",
                "--disable-default-apps",
                "--disable-dev-shm-usage",
                "--disable-extensions",
                "--disable-gpu",
                "--disable-sync",
                "--force-device-scale-factor=1",
                "--hide-scrollbars",
                "--mute-audio",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log)?)
            // What interrupts a reduction must not end the browser before the last test.
            .process_group(0);
        if geteuid().is_root() {
            // Chromium's sandbox does not work for root.
            command.arg("--no-sandbox");
        }
        let child = command.spawn().with_context(|| program.display().to_string())?;
        let mut chromium = Self { child, address: String::new(), log, profile };
        chromium.address = chromium.wait_for_address()?;
        Ok(chromium)
    }

    /// Returns where it can be spoken to: `ws://…`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the file that holds what it has said on its standard error.
    pub(crate) fn log(&self) -> &Path {
        &self.log
    }

    /// Waits for the file into which the browser writes its port and name when it is ready.
    fn wait_for_address(&mut self) -> Result<String> {
        let file = self.profile.path().join("DevToolsActivePort");
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                bail!("Chromium ended at once: {status}");
            }
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, path)) = text.split_once('\n').filter(|(_, path)| !path.is_empty()) {
                return Ok(format!("ws://127.0.0.1:{port}{path}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("Chromium did not get ready within {} s", PATIENCE.as_secs())
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have ended on its own.
            let _gone = kill_process_group(pid, Signal::KILL);
        }
        let _status = self.child.wait();
    }
}
