//! One browser, or one of each kind, that several tests share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};

use crate::browsers::{Choice, Running};
use crate::warm::Warm;

/// Tells tests where the browsers are: addresses with blanks between them.
pub(crate) const ADDRESSES: &str = "MINIREPRO_BROWSER";

/// Tells tests where they claim tabs.
pub(crate) const TABS: &str = "MINIREPRO_BROWSER_TABS";

/// Tells tests where they find what the first browser says about crashes.
pub(crate) const LOG: &str = "MINIREPRO_BROWSER_LOG";

/// The directory for claims on tabs.
const CLAIMS: &str = "tabs";

/// The browsers that a test shares with others.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) addresses: String,
    /// Where tabs are claimed.
    pub(crate) claims: Option<PathBuf>,
    /// What the first browser says.
    pub(crate) log: Option<PathBuf>,
    /// Tabs that stay open between tests of one process.
    pub(crate) warm: Option<Arc<Warm>>,
    /// The processes above those of the browsers, as far as they are known.
    pub(crate) processes: Vec<u32>,
}

impl Session {
    /// Returns the one in which this program runs, if it does.
    pub(crate) fn of_environment() -> Option<Self> {
        let path = |name| std::env::var_os(name).map(PathBuf::from);
        let addresses = std::env::var(ADDRESSES).ok()?;
        Some(Self {
            addresses,
            claims: path(TABS),
            log: path(LOG),
            warm: None,
            processes: Vec::new(),
        })
    }
}

/// Browsers that run for several tests.
pub(crate) struct Shared {
    running: Vec<Running>,
    /// Where tabs are claimed, and tests find us.
    pub(crate) directory: PathBuf,
    warm: Arc<Warm>,
}

impl Shared {
    /// Starts them.
    pub(crate) fn start(browsers: &[Choice]) -> Result<Self> {
        let running: Vec<Running> = browsers.iter().map(Choice::start).collect::<Result<_>>()?;
        let directory = running.first().context("a session without a browser")?.directory();
        let directory = directory.join("minirepro");
        std::fs::create_dir_all(directory.join(CLAIMS)).context("no directory for claims")?;
        Ok(Self { running, directory, warm: Arc::default() })
    }

    /// Returns an empty directory that is deleted with those of the browsers.
    pub(crate) fn scratch(&self) -> Result<tempfile::TempDir> {
        Ok(tempfile::tempdir_in(&self.directory)?)
    }

    /// Returns what a test needs to know of them.
    pub(crate) fn session(&self) -> Session {
        let addresses: Vec<&str> = self.running.iter().map(Running::address).collect();
        Session {
            addresses: addresses.join(" "),
            claims: Some(self.directory.join(CLAIMS)),
            log: self.running.iter().find_map(Running::log).map(Path::to_owned),
            warm: Some(Arc::clone(&self.warm)),
            processes: self.running.iter().map(Running::process).collect(),
        }
    }
}
