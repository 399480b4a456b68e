//! Starts and ends a Chromium without a window.

pub(crate) mod page;
pub(crate) mod tabs;

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::geteuid;
use tempfile::TempDir;

use crate::programs::find;
use crate::watch::Watched;

/// The usual names of the program. The headless shell comes first: it has no window to begin with,
/// and takes half the time.
const NAMES: [&str; 6] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// What it is told whoever calls it.
const SWITCHES: [&str; 16] = [
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
    "--disable-gpu-process-crash-limit",
    "--disable-sync",
    "--force-device-scale-factor=1",
    "--headless",
    "--hide-scrollbars",
    "--mute-audio",
];

/// How long the start may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The file in the profile for what the browser says.
const LOG: &str = "minirepro.log";

/// A running browser; ended when dropped.
pub(crate) struct Chromium {
    browser: Watched,
    address: String,
    /// What it says on its standard error: stacks and reports of crashes among it.
    log: PathBuf,
    profile: TempDir,
}

impl Chromium {
    /// Starts the program, or the first of the usual ones that there is.
    pub(crate) fn start(program: Option<&Path>) -> Result<Self> {
        let program = match program {
            Some(program) => program.to_owned(),
            None => find(&NAMES).with_context(|| {
                format!(
                    "there is no Chromium: none of {} in PATH; name it with --browser",
                    NAMES.join(", ")
                )
            })?,
        };
        let profile = tempfile::Builder::new().prefix("minirepro-browser-").tempdir()?;
        let log = profile.path().join(LOG);
        let mut arguments: Vec<OsString> = SWITCHES.iter().map(OsString::from).collect();
        if geteuid().is_root() {
            // Chromium's sandbox does not work for root.
            arguments.push("--no-sandbox".into());
        }
        arguments.push(format!("--user-data-dir={}", profile.path().display()).into());
        arguments.push("about:blank".into());
        let browser = Watched::start(&program, arguments, profile.path(), File::create(&log)?)?;
        let mut chromium = Self { browser, address: String::new(), log, profile };
        chromium.address = chromium.wait_for_address()?;
        Ok(chromium)
    }

    /// Returns the process above all of its processes.
    pub(crate) fn process(&self) -> u32 {
        self.browser.process()
    }

    /// Returns its profile.
    pub(crate) fn directory(&self) -> &Path {
        self.profile.path()
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
            if let Some(status) = self.browser.ended()? {
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
