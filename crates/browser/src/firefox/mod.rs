//! Starts a Firefox without a window.

pub(crate) mod hub;
pub(crate) mod page;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use minirepro_program::Server;
use serde_json::Value;

use self::hub::Hub;
use crate::browsers::{find, serve};

/// The usual names of the program.
const NAMES: [&str; 2] = ["firefox", "firefox-esr"];

/// How long the start may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The file in the profile that says where the browser answers.
const SERVER: &str = "WebDriverBiDiServer.json";

/// Settings of the profile: nothing is fetched, nothing is asked, pages of files do not wait for
/// each other in one process, a process that hangs ends soon after its tab, and no letter is drawn
/// with another font once that is found.
const SETTINGS: &str = r#"
user_pref("app.normandy.enabled", false);
user_pref("app.update.disabledForTesting", true);
user_pref("browser.sessionhistory.max_total_viewers", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage", "about:blank");
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("dom.ipc.processCount.file", 8);
user_pref("dom.ipc.reportProcessHangs", false);
user_pref("dom.ipc.tabs.shutdownTimeoutSecs", 1);
user_pref("extensions.update.enabled", false);
user_pref("gfx.font_loader.delay", 0);
user_pref("gfx.font_rendering.fallback.async", false);
user_pref("layout.frame_rate", 60);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("toolkit.telemetry.enabled", false);
user_pref("toolkit.telemetry.server", "");
"#;

/// The fonts of Chromium: with others, every text is wider or narrower than there.
const FONTS: &str = "\
user_pref(\"font.name.serif.x-western\", \"Times New Roman\");
user_pref(\"font.name.serif.x-unicode\", \"Times New Roman\");
user_pref(\"font.name.sans-serif.x-western\", \"Arial\");
user_pref(\"font.name.sans-serif.x-unicode\", \"Arial\");
";

/// Starts the program, or the first of the usual ones that there is; with the fonts that Chromium
/// takes where a page says none if it `is_compared`.
///
/// # Errors
/// If there is none, or it does not get ready.
pub(crate) fn start(program: Option<&Path>, is_compared: bool) -> Result<(Server, Hub)> {
    let program = find(program, "Firefox", &NAMES)?;
    let fonts = if is_compared { FONTS } else { "" };
    let port = |profile: &Path| {
        let text = std::fs::read(profile.join(SERVER)).unwrap_or_default();
        let server: Value = serde_json::from_slice(&text).unwrap_or_default();
        server["ws_port"].as_u64().and_then(|port| u16::try_from(port).ok())
    };
    let prepare = |command: &mut Command, profile: &Path| {
        std::fs::write(profile.join("user.js"), format!("{SETTINGS}{fonts}"))?;
        command.args(["--no-remote", "--remote-debugging-port=0", "--headless", "--profile"]);
        command.arg(profile);
        Ok(())
    };
    let (server, port) = serve(&program, PATIENCE, prepare, port)?;
    Ok((server, Hub::start(port)?))
}
