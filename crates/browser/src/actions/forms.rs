//! The forms in which actions come: each is read into the same list, and a shorter list is written
//! in the form that came in.

use anyhow::{Result, bail};
use serde_json::Value;

use super::{Action, joined, playwright, recorder, script, selenium};

/// Where actions are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON of the Recorder in Chrome's DevTools.
    Recorder,
    /// A project of Selenium IDE (`.side`).
    Selenium,
    /// A test as Playwright generates it.
    Playwright,
    /// As they stand in a page.
    Script,
}

/// Actions with what else their file says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recording {
    pub(crate) form: Form,
    pub(crate) title: String,
    /// The page on which they begin.
    pub(crate) address: Option<String>,
    /// The first size of the window.
    pub(crate) size: Option<[u32; 2]>,
    pub(crate) actions: Vec<Action>,
    /// What could not be understood, in the words of the file.
    pub(crate) left_out: Vec<String>,
}

impl Form {
    /// Returns the suffix of its files.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Recorder => "json",
            Self::Selenium => "side",
            Self::Playwright => "spec.js",
            Self::Script => "js",
        }
    }
}

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
    recording.take_beginning();
    recording.actions = joined(recording.actions);
    Ok(recording)
}

impl Recording {
    pub(crate) fn new(form: Form, actions: Vec<Action>) -> Self {
        let (title, left_out) = ("recorded".to_owned(), Vec::new());
        Self { form, title, address: None, size: None, actions, left_out }
    }

    /// Takes the first size and the first address out of the actions: the page is opened with them.
    fn take_beginning(&mut self) {
        while let Some(first) = self.actions.first() {
            match first {
                Action::Resize { size } if self.size.is_none() => self.size = Some(*size),
                Action::Go { address } if self.address.is_none() => {
                    self.address = Some(address.clone());
                }
                _ => return,
            }
            self.actions.remove(0);
        }
    }

    /// Returns the file.
    pub(crate) fn write(&self) -> String {
        match self.form {
            Form::Recorder => recorder::write(self),
            Form::Selenium => selenium::write(self),
            Form::Playwright => playwright::write(self),
            Form::Script => script::write(&self.actions),
        }
    }
}
