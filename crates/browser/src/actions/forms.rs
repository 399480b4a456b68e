//! The forms in which actions come: each is read into the same list, and a shorter list is written
//! in the form that came in.

use anyhow::{Result, bail};
use serde_json::Value;

use super::file::{Form, Recording};
use super::{Action, joined, playwright, recorder, script, selenium};

/// Reads a file in any of the forms.
///
/// # Errors
/// If it has none of them.
pub(crate) fn read(text: &str) -> Result<Recording> {
    let mut recording = match serde_json::from_str::<Value>(text) {
        Ok(json) if json["steps"].is_array() => recorder::read(&json),
        Ok(json) if json["tests"].is_array() => selenium::read(&json),
        Ok(_) => bail!("JSON, but neither of DevTools' Recorder nor of Selenium IDE"),
        Err(_) if text.contains("page.") => playwright::read(text),
        Err(_) => Recording::new(Form::Script, script::read(text)),
    };
    take_beginning(&mut recording);
    recording.actions = joined(recording.actions);
    Ok(recording)
}

/// Takes the first size and the first address out of the actions: the page is opened with them.
fn take_beginning(recording: &mut Recording) {
    while let Some(first) = recording.actions.first() {
        match first {
            Action::Resize { size } if recording.size.is_none() => recording.size = Some(*size),
            Action::Go { address } if recording.address.is_none() => {
                recording.address = Some(address.clone());
            }
            _ => return,
        }
        recording.actions.remove(0);
    }
}

/// Writes the file.
pub(crate) fn write(recording: &Recording) -> String {
    match recording.form {
        Form::Recorder => recorder::write(recording),
        Form::Selenium => selenium::write(recording),
        Form::Playwright => playwright::write(recording),
        Form::Script => script::write(&recording.actions),
    }
}
