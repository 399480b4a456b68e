//! Lends tabs to tests of one session one after the other, since a new tab costs several times as
//! much.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::connection::Connection;

/// Where an empty tab is.
pub(crate) const EMPTY: &str = "about:blank";

/// A tab that nobody else uses as long as this is there.
#[derive(Debug)]
pub(crate) struct Tab {
    pub(crate) target: String,
    /// Where it stores what it stores, if that is its own; it goes with the tab.
    pub(crate) apart: Option<String>,
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
            let mut ids = empty.map(|tab| (tab["targetId"].as_str(), &tab["browserContextId"]));
            if let Some(tab) = ids.find_map(|(id, apart)| Self::locked(claims, id?, apart)) {
                return Ok(tab);
            }
        }
        loop {
            let mut how = json!({ "url": EMPTY });
            let mut apart = Value::Null;
            if claims.is_some() {
                // What it stores is not that of tabs at the same time, and not on disk.
                let mut new = connection.call(None, "Target.createBrowserContext", json!({}))?;
                apart = new["browserContextId"].take();
                how["browserContextId"] = apart.clone();
            }
            let new = connection.call(None, "Target.createTarget", how)?;
            let target = new["targetId"].as_str().context("a tab without a name")?;
            match claims {
                None => return Ok(Self::alone(target, &apart)),
                // Another test may have been faster.
                Some(claims) => match Self::locked(claims, target, &apart) {
                    Some(tab) => return Ok(tab),
                    None => continue,
                },
            }
        }
    }

    /// Returns a tab of a browser in which nobody else is.
    pub(crate) fn alone(target: &str, apart: &Value) -> Self {
        Self { target: target.to_owned(), apart: apart.as_str().map(str::to_owned), _claim: None }
    }

    /// Claims a tab; `None` if somebody else has it.
    pub(crate) fn locked(claims: &Path, target: &str, apart: &Value) -> Option<Self> {
        let file = File::create(claims.join(target)).ok()?;
        file.try_lock().ok()?;
        Some(Self { _claim: Some(file), ..Self::alone(target, apart) })
    }
}
