//! A file with actions, whatever its form.

use super::Action;

/// Where actions are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON of the Recorder in Chrome's DevTools.
    Recorder,
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
            Self::Script => "js",
        }
    }
}

impl Recording {
    /// Returns one that says nothing else.
    pub(crate) fn new(form: Form, actions: Vec<Action>) -> Self {
        let (title, left_out) = ("recorded".to_owned(), Vec::new());
        Self { form, title, address: None, size: None, actions, left_out }
    }
}
