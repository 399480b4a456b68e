//! Opens a page in a window and notes what a person does there.

use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::{Context, Result};

use crate::actions::file::{Form, Recording};
use crate::actions::{Action, forms, recording};
use crate::args::How;
use crate::browsers::{self, Running};
use crate::connection::Problem;
use crate::judge::{has_settled, page_of};
use crate::page::{self, Opening, View};
use crate::play::play;

/// What is noted.
pub(crate) struct Noted {
    pub(crate) recording: Recording,
    /// What else was said on the console.
    pub(crate) console: Vec<String>,
}

/// Notes what a person does on a page, which is a file, a directory or an address, until the person
/// presses Enter here or closes the window; or what happens when other actions are played.
///
/// # Errors
/// If the page cannot be opened, or a file not read.
pub(crate) fn note(page: &str, how: &How, played: Option<&Path>) -> Result<Noted> {
    let choice = how.browser.clone().unwrap_or_default();
    let played = played.map(forms::open).transpose()?;
    let is_address = page.contains("://");
    let address = match is_address {
        true => page.to_owned(),
        false => {
            let path = Path::new(page).canonicalize().with_context(|| page.to_owned())?;
            page::address(&page_of(&path, how))
        }
    };
    let view = View { records: true, online: is_address || how.online, ..how.view() };
    let opening = Opening::once(address.clone(), view);
    let running: Running = choice.start_shown(played.is_none())?;
    let patience = if played.is_none() { FOR_PERSONS } else { how.timeout };
    let mut tab = browsers::open(running.address(), None, &opening, patience)?;
    tab.load(how.wait)?;
    has_settled(&mut *tab, 1)?;
    match &played {
        Some(recording) => match play(&mut *tab, &recording.actions) {
            Err(error) if error.downcast_ref::<Problem>().is_none() => return Err(error),
            // That the tab crashes or hangs may be what is looked for.
            _ => {}
        },
        None => wait_for_person()?,
    }
    // What has been said until now comes with the answer to any question, if the window is there.
    let _there = tab.text("''");
    let console = tab.console();
    let actions: Vec<Action> = recording::actions(&console);
    let console = recording::others(console);
    drop(tab);
    let (width, height) = how.size;
    let mut recording = Recording::new(Form::Recorder, actions);
    recording.address = Some(address);
    recording.size = Some([width, height]);
    Ok(Noted { recording, console })
}

/// How long a person may take.
const FOR_PERSONS: std::time::Duration = std::time::Duration::from_secs(24 * 3600);

fn wait_for_person() -> Result<()> {
    let mut out = std::io::stdout().lock();
    write!(out, "Do in the window what leads to the failure, then press Enter here. ")?;
    out.flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).context("no answer")?;
    Ok(())
}
