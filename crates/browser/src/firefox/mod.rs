//! Starts and ends a Firefox without a window.

mod drag;
mod hub;
pub(crate) mod page;

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tempfile::TempDir;

use crate::programs::find;
use crate::watch::Watched;

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

/// A running browser; ended when dropped.
pub(crate) struct Firefox {
    browser: Watched,
    address: String,
    /// Deleted after its end.
    profile: TempDir,
}

impl Firefox {
    /// Starts the program, or the first of the usual ones that there is; with the fonts that Chromium
    /// takes where a page says none if it `is_compared`.
    pub(crate) fn start(program: Option<&Path>, is_compared: bool) -> Result<Self> {
        let program = match program {
            Some(program) => program.to_owned(),
            None => find(&NAMES).with_context(|| {
                let names = NAMES.join(", ");
                format!("there is no Firefox: none of {names} in PATH; name it with --browser")
            })?,
        };
        let profile = tempfile::Builder::new().prefix("minirepro-browser-").tempdir()?;
        let fonts = if is_compared { FONTS } else { "" };
        std::fs::write(profile.path().join("user.js"), format!("{SETTINGS}{fonts}"))?;
        let mut arguments: Vec<OsString> =
            ["--no-remote", "--remote-debugging-port=0", "--headless", "--profile"]
                .map(OsString::from)
                .into();
        arguments.push(profile.path().into());
        let browser = Watched::start(&program, arguments, profile.path(), Stdio::null())?;
        let mut firefox = Self { browser, address: String::new(), profile };
        let port = firefox.wait_for_port()?;
        firefox.address = hub::start(port)?;
        Ok(firefox)
    }

    /// Returns the process above all of its processes.
    pub(crate) fn process(&self) -> u32 {
        self.browser.process()
    }

    /// Returns its profile.
    pub(crate) fn directory(&self) -> &Path {
        self.profile.path()
    }

    /// Returns where it can be spoken to: `ws://…`. Any number of connections share one WebDriver
    /// session.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Waits for the file into which the browser writes its port when it is ready.
    fn wait_for_port(&mut self) -> Result<u16> {
        let file = self.profile.path().join(SERVER);
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.browser.ended()? {
                bail!("Firefox ended at once: {status}");
            }
            let text = std::fs::read(&file).unwrap_or_default();
            let server: Value = serde_json::from_slice(&text).unwrap_or_default();
            if let Some(port) = server["ws_port"].as_u64().and_then(|port| u16::try_from(port).ok())
            {
                return Ok(port);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        bail!("Firefox did not get ready within {} s", PATIENCE.as_secs())
    }
}
