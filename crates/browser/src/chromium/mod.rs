//! Starts a Chromium without a window.

pub(crate) mod page;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use minirepro_program::Server;
use rustix::process::geteuid;

use crate::browsers::{find, serve};
use crate::connection::Hub;

/// The usual names of the program. The headless shell comes first: it has no window to begin with,
/// and takes half the time.
const NAMES: &str = "chromium-headless-shell chrome-headless-shell chromium chromium-browser \
    google-chrome google-chrome-stable";

/// What it is told whoever calls it.
const SWITCHES: &str = "--remote-debugging-port=0 --no-first-run --no-default-browser-check \
    --disable-background-networking --disable-breakpad --disable-component-update \
    --disable-default-apps --disable-dev-shm-usage --disable-extensions --disable-gpu \
    --disable-gpu-process-crash-limit --disable-sync --force-device-scale-factor=1 --headless \
    --hide-scrollbars --mute-audio";

/// How long the start may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Starts the program, or the first of the usual ones that there is, and connects to it.
///
/// # Errors
/// If there is none, or it does not get ready.
pub(crate) fn start(program: Option<&Path>) -> Result<(Server, Hub)> {
    let program = find(program, "Chromium", NAMES)?;
    // The browser writes its port and name when it is ready.
    let address = |profile: &Path| {
        let text = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        let (port, path) = text.split_once('\n').filter(|(_, path)| !path.is_empty())?;
        Some((port.parse().ok()?, path.to_owned()))
    };
    let prepare = |command: &mut Command, profile: &Path| {
        command.args(SWITCHES.split(' '));
        if geteuid().is_root() {
            // Chromium's sandbox does not work for root.
            command.arg("--no-sandbox");
        }
        command.arg(format!("--user-data-dir={}", profile.display())).arg("about:blank");
        Ok(())
    };
    let (server, (port, path)) = serve(&program, PATIENCE, prepare, address)?;
    Ok((server, Hub::connect(port, &path)?))
}
