//! The forms in which actions come: each is read into the same list, and a shorter list is written
//! in the form that came in.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::file::{Form, Recording};
use super::{Action, joined, recorder, script};

/// Reads a file in any of the forms.
///
/// # Errors
/// If it cannot be read, or has none of them.
pub(crate) fn open(file: &Path) -> Result<Recording> {
    let place = || file.display().to_string();
    read(&std::fs::read_to_string(file).with_context(place)?).with_context(place)
}

fn read(text: &str) -> Result<Recording> {
    let mut recording = match serde_json::from_str::<Value>(text) {
        Ok(json) if json["steps"].is_array() => recorder::read(&json),
        Ok(_) => bail!("JSON, but not of the Recorder in Chrome's DevTools"),
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
        Form::Script => script::write(&recording.actions),
    }
}

#[cfg(test)]
mod tests {
    use super::script::{read as read_script, write as write_script};
    use super::{read, write};

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
        let mut recording = read(RECORDER).unwrap();
        assert_eq!(recording.size, Some([900, 700]));
        assert_eq!(recording.address.as_deref(), Some("http://127.0.0.1/"));
        assert_eq!(recording.left_out, [r#"{"type":"other"}"#]);
        assert_eq!(recording.actions[0].target_mut().unwrap().0, ["aria/Add", "#a >>> button"]);
        let expected = "click(\"aria/Add\",3,4.5);\nfill(\"frame/0 >>> frame/1 >>> #a\",\"x\");\n\
            type(\"q\");\nscroll(0,70);\n";
        assert_eq!(write_script(&recording.actions), expected);
        let again = read(&write(&recording)).unwrap();
        assert_eq!((again.actions, again.size), (recording.actions, recording.size));
    }

    #[test]
    fn what_the_recorder_has_no_step_for_comes_back_as_well() {
        let all = "hold(\"#a\");\nhover(\"b\");\nrelease(\"b\");\npress(\"Enter\");\nwait(50);\na.b = 1;\n";
        let mut recording = read(RECORDER).unwrap();
        recording.actions = read_script(all);
        assert_eq!(write_script(&read(&write(&recording)).unwrap().actions), all);
    }
}
