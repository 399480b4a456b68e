//! Starts a Firefox without a window.

pub(crate) mod page;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use minirepro_program::Server;
use serde_json::{Value, json};

use crate::browsers::{find, serve};
use crate::connection::Hub;

/// The usual names of the program.
const NAMES: &str = "firefox firefox-esr";

/// How long the start may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The file in the profile that says where the browser answers.
const SERVER: &str = "WebDriverBiDiServer.json";

/// Settings of the profile: nothing is fetched, nothing is asked, pages of files do not wait for
/// each other in one process, a process that hangs ends soon after its tab, and no letter is drawn
/// with another font once that is found.
const SETTINGS: &str = include_str!("user.js");

/// The fonts of Chromium: with others, every text is wider or narrower than there.
const FONTS: &str = include_str!("fonts.js");

/// Starts the program, or the first of the usual ones that there is; with the fonts that Chromium
/// takes where a page says none if it `is_compared`.
///
/// # Errors
/// If there is none, or it does not get ready.
pub(crate) fn start(program: Option<&Path>, is_compared: bool) -> Result<(Server, Hub)> {
    let program = find(program, "Firefox", NAMES)?;
    let fonts = if is_compared { FONTS } else { "" };
    let port = |profile: &Path| {
        let text = std::fs::read(profile.join(SERVER)).unwrap_or_default();
        let server: Value = serde_json::from_slice(&text).unwrap_or_default();
        server["ws_port"].as_u64()?.try_into().ok()
    };
    let prepare = |command: &mut Command, profile: &Path| {
        std::fs::write(profile.join("user.js"), format!("{SETTINGS}{fonts}"))?;
        command.args(["--no-remote", "--remote-debugging-port=0", "--headless", "--profile"]);
        command.arg(profile);
        Ok(())
    };
    let (server, port) = serve(&program, PATIENCE, prepare, port)?;
    let hub = Hub::connect(port, "/session")?;
    let mut connection = hub.share(PATIENCE);
    let prompts = json!({ "unhandledPromptBehavior": { "default": "accept" } });
    let wanted = json!({ "capabilities": { "alwaysMatch": prompts } });
    connection.call("session.new", wanted)?;
    connection.call("session.subscribe", json!({ "events": ["log.entryAdded"] }))?;
    Ok((server, hub))
}
