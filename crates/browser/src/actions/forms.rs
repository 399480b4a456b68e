//! The forms in which actions come: each is read into the same list, and a shorter list is written
//! in the form that came in.

use std::path::Path;

use anyhow::{Context, Result};

use super::{Action, Kind, join, recorder, script};

/// Actions with what else their file says.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// What the Recorder in Chrome's DevTools calls it; other actions are as they stand in a page.
    pub(crate) title: Option<String>,
    /// The page on which they begin.
    pub(crate) address: Option<String>,
    /// The first size of the window.
    pub(crate) size: Option<[u32; 2]>,
    pub(crate) actions: Vec<Action>,
    /// What could not be understood, in the words of the file.
    pub(crate) left_out: Vec<String>,
}

/// Reads a file in any of the forms.
///
/// # Errors
/// If it cannot be read, or has none of them.
pub(crate) fn open(file: &Path) -> Result<Recording> {
    let read = || read(&std::fs::read_to_string(file)?);
    read().with_context(|| file.display().to_string())
}

fn read(text: &str) -> Result<Recording> {
    let (mut title, mut left_out) = (None, Vec::new());
    let all = match serde_json::from_str(text) {
        Ok(json) => {
            let file: recorder::File = serde_json::from_value(json)
                .context("JSON, but not of the Recorder in Chrome's DevTools")?;
            let all = file.actions(&mut left_out);
            title = Some(file.title);
            all
        }
        Err(_) => script::read(text),
    };
    let mut actions = Vec::new();
    all.into_iter().for_each(|action| join(&mut actions, action));
    let mut recording = Recording { title, address: None, size: None, actions, left_out };
    recording.take_beginning();
    Ok(recording)
}

impl Recording {
    /// Takes the first size and the first address out of the actions: the page is opened with them.
    fn take_beginning(&mut self) {
        while let Some(first) = self.actions.first() {
            match first.kind {
                Kind::Resize if self.size.is_none() => self.size = first.size(),
                Kind::Go if self.address.is_none() => self.address = Some(first.text.clone()),
                _ => return,
            }
            self.actions.remove(0);
        }
    }

    /// Returns a file with other actions, and its suffix.
    pub(crate) fn written(&self, actions: &[Action]) -> (&'static str, String) {
        let Some(title) = &self.title else { return ("js", script::write(actions)) };
        let size = self.size.map(|size| Action::at(Kind::Resize, Vec::new(), &size.map(f64::from)));
        let address = self.address.iter().map(|address| Action::new(Kind::Go, address));
        let all = size.into_iter().chain(address).chain(actions.iter().cloned());
        ("json", recorder::write(title, all))
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use super::script::{read as read_script, write as write_script};

    const RECORDER: &str = r##"{"title": "Recording 1", "steps": [
        {"type": "setViewport", "width": 900, "height": 700, "deviceScaleFactor": 1},
        {"type": "navigate", "url": "http://127.0.0.1/", "assertedEvents": []},
        {"type": "click", "target": "main", "selectors": [["aria/Add"], ["#a", "button"]],
            "offsetX": 3, "offsetY": 4.5},
        {"type": "waitForElement", "selectors": [["#a"]]},
        {"type": "change", "value": "x", "selectors": [["#a"]], "frame": [0, 1]},
        {"type": "keyDown", "key": "q"}, {"type": "keyUp", "key": "q"},
        {"type": "scroll", "x": 0, "y": 70},
        {"type": "other"}]}"##;

    #[test]
    fn steps_of_the_recorder_are_actions_and_come_back() {
        let recording = read(RECORDER).unwrap();
        assert_eq!(recording.size, Some([900, 700]));
        assert_eq!(recording.address.as_deref(), Some("http://127.0.0.1/"));
        assert_eq!(recording.left_out, [r#"{"type":"other"}"#]);
        assert_eq!(recording.actions[0].target, ["aria/Add", "#a >>> button"]);
        let expected = "click(\"aria/Add\",3,4.5);\nfill(\"frame/0 >>> frame/1 >>> #a\",\"x\");\n\
            type(\"q\");\nscroll(0,70);\n";
        assert_eq!(write_script(&recording.actions), expected);
        let (_, written) = recording.written(&recording.actions);
        let again = read(&written).unwrap();
        assert_eq!((again.actions, again.size), (recording.actions, recording.size));
    }

    #[test]
    fn what_the_recorder_has_no_step_for_comes_back_as_well() {
        let all = "hold(\"#a\");\nhover(\"b\");\nrelease(\"b\");\npress(\"Enter\");\nwait(50);\na.b = 1;\n";
        let (_, written) = read(RECORDER).unwrap().written(&read_script(all));
        assert_eq!(write_script(&read(&written).unwrap().actions), all);
    }
}
