//! Lends tabs to tests of one session one after the other, since a new tab costs several times as
//! much.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use crate::connection::Connection;

/// Where an empty tab is.
pub(crate) const EMPTY: &str = "about:blank";

/// A tab that nobody else uses as long as this is there.
#[derive(Debug)]
pub(crate) struct Tab {
    pub(crate) target: String,
    /// Locked; the lock goes with the process at the latest.
    _claim: Option<File>,
}

impl Tab {
    /// Returns an empty tab: with a directory for claims an old one if there is one, else a new
    /// one.
    pub(crate) fn claim(connection: &mut Connection, claims: Option<&Path>) -> Result<Self> {
        if let Some(claims) = claims {
            let all = connection.call(None, "Target.getTargets", json!({}))?;
            let tabs = all["targetInfos"].as_array().into_iter().flatten();
            let empty = tabs.filter(|tab| tab["type"] == "page" && tab["url"] == EMPTY);
            let mut ids = empty.filter_map(|tab| tab["targetId"].as_str());
            if let Some(tab) = ids.find_map(|id| Self::locked(claims, id)) {
                return Ok(tab);
            }
        }
        loop {
            let mut how = json!({ "url": EMPTY });
            if claims.is_some() {
                // What it stores is not that of tabs at the same time, and not on disk.
                let apart = connection.call(None, "Target.createBrowserContext", json!({}))?;
                how["browserContextId"] = apart["browserContextId"].clone();
            }
            let new = connection.call(None, "Target.createTarget", how)?;
            let target = new["targetId"].as_str().context("a tab without a name")?;
            match claims {
                None => return Ok(Self::alone(target)),
                // Another test may have been faster.
                Some(claims) => match Self::locked(claims, target) {
                    Some(tab) => return Ok(tab),
                    None => continue,
                },
            }
        }
    }

    /// Returns a tab of a browser in which nobody else is.
    pub(crate) fn alone(target: &str) -> Self {
        Self { target: target.to_owned(), _claim: None }
    }

    /// Claims a tab; `None` if somebody else has it.
    pub(crate) fn locked(claims: &Path, target: &str) -> Option<Self> {
        let file = File::create(claims.join(target)).ok()?;
        file.try_lock().ok()?;
        Some(Self { target: target.to_owned(), _claim: Some(file) })
    }
}
