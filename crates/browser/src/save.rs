//! Saves what a page loads from its servers: every answer as it came, in a HAR file, from which
//! the page is shown again without a network.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::actions::forms;
use crate::args::PageArgs;
use crate::browsers::Running;
use crate::har;
use crate::page::Opening;
use crate::play::play;

/// Saves the page at an address, with what it loads when actions are played. Returns what to say.
///
/// # Errors
/// If the page cannot be opened or the file not written.
pub fn save(address: &str, file: &Path, args: &PageArgs) -> Result<Vec<String>> {
    if !address.contains("://") {
        bail!("{address} is no address: a page in a file is saved already");
    }
    let browser = args.how.browser.first().cloned().unwrap_or_default();
    if browser.is_firefox {
        bail!("--save of an address is for Chromium only");
    }
    let running = Running::start(&browser, false)?;
    let mut page = running.open(Opening {
        address: address.to_owned(),
        how: args.how.clone(),
        patience: args.how.timeout,
        keeps: true,
        served: None,
        actions: Vec::new(),
        emptied: true,
        stop: None,
    })?;
    page.show(2)?;
    if let Some(file) = &args.how.actions {
        play(&mut *page, &forms::open(file)?.actions, None)?;
    }
    let kept = page.kept()?.into_iter().filter(|one| one.request.url.contains("://"));
    let (lost, kept): (Vec<_>, Vec<_>) = kept.partition(|one| one.lost.is_some());
    let mut said = Vec::new();
    // Of what was asked for twice, one answer will do.
    let is_there = |url: &str| kept.iter().any(|kept| kept.request.url == url);
    for one in lost.iter().filter(|one| !is_there(&one.request.url)) {
        let reason = one.lost.as_deref().unwrap_or_default();
        said.push(format!("not kept: {} ({reason})", one.request.url));
    }
    let text = format!("{:#}\n", har::file(&kept));
    std::fs::write(file, text).with_context(|| file.display().to_string())?;
    said.push(format!("{}: {} answers", file.display(), kept.len()));
    Ok(said)
}
