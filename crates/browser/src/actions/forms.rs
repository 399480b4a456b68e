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
        let recording = read(RECORDER).unwrap();
        assert_eq!(recording.size, Some([900, 700]));
        assert_eq!(recording.address.as_deref(), Some("http://127.0.0.1/"));
        assert_eq!(recording.left_out, [r#"{"type":"other"}"#]);
        assert_eq!(recording.actions[0].target().unwrap().0, ["aria/Add", "#a >>> button"]);
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

    const SELENIUM: &str = r##"{"url": "http://127.0.0.1", "tests": [{"name": "t", "commands": [
        {"command": "open", "target": "/d/", "value": ""},
        {"command": "setWindowSize", "target": "900x700", "value": ""},
        {"command": "click", "target": "css=.a", "value": ""},
        {"command": "clickAt", "target": "id=x", "value": "3,4"},
        {"command": "// click", "target": "id=y", "value": ""},
        {"command": "type", "target": "name=n", "value": "v"},
        {"command": "sendKeys", "target": "//p", "value": "ab${KEY_ENTER}c"},
        {"command": "dragAndDropToObject", "target": "css=a", "value": "css=b"},
        {"command": "assertText", "target": "css=a", "value": "b"},
        {"command": "pause", "target": "50", "value": ""},
        {"command": "selectWindow", "target": "x", "value": ""}]}]}"##;

    #[test]
    fn commands_of_selenium_are_actions_and_come_back() {
        let recording = read(SELENIUM).unwrap();
        assert_eq!(recording.address.as_deref(), Some("http://127.0.0.1/d/"));
        assert_eq!(recording.left_out, ["selectWindow x"]);
        let expected = "click(\".a\");\nclick(\"[id=\\\"x\\\"]\",3,4);\nfill(\"[name=\\\"n\\\"]\",\"v\");\n\
            click(\"xpath///p\");\ntype(\"ab\");\npress(\"Enter\");\ntype(\"c\");\nhold(\"a\");\nhover(\"b\");\n\
            release(\"b\");\nwait(50);\n";
        assert_eq!(write_script(&recording.actions), expected);
        let again = read(&write(&recording)).unwrap();
        // Keys go to an element there, which is the one with the focus.
        let again: String = write_script(&again.actions).replace("click(\":focus\");\n", "");
        assert_eq!(again, expected);
    }

    const PLAYWRIGHT: &str = "import { test, expect } from '@playwright/test';

test('adds', async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 700 });
  await page.goto('http://127.0.0.1/');
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.locator('#a').getByText('b').nth(2).dblclick({ position: { x: 3, y: 4 } });
  await page.getByLabel('Name').fill('it\\'s');
  await page.getByPlaceholder('x').press('Control+b');
  await page.locator('li').filter({ hasText: 'two' }).first().click({ button: 'right' });
  await page.locator('#a').dragTo(page.locator('#b'));
  await page.keyboard.type('ab');
  await expect(page.locator('#a')).toBeVisible();
  await page.waitForTimeout(50);
  await page.route('x', y => y);
});
";

    #[test]
    fn lines_of_playwright_are_actions() {
        let recording = read(PLAYWRIGHT).unwrap();
        assert_eq!(
            (recording.size, recording.address.as_deref()),
            (Some([900, 700]), Some("http://127.0.0.1/"))
        );
        assert_eq!(recording.left_out, ["await page.route('x', y => y)"]);
        let expected = "click(\"aria/Add it[role=\\\"button\\\"]\");\n\
            doubleclick(\"#a >>> text/b >>> nth/2\",3,4);\nfill(\"aria/Name\",\"it's\");\n\
            click(\"[placeholder*=\\\"x\\\" i]\");\npress(\"Control+b\");\n\
            rightclick(\"li >>> has/two >>> nth/0\");\nhold(\"#a\");\nhover(\"#b\");\nrelease(\"#b\");\n\
            type(\"ab\");\nwait(50);\n";
        assert_eq!(write_script(&recording.actions), expected);
    }

    #[test]
    fn a_test_of_playwright_that_is_written_is_read() {
        let mut recording = read(PLAYWRIGHT).unwrap();
        recording.actions = read_script(
            "click('#a');rightclick('b',3,4);fill('c','x');press('Enter');wait(5);a.b = 1",
        );
        let again = read(&write(&recording)).unwrap();
        assert_eq!((again.actions, again.size), (recording.actions, recording.size));
        assert_eq!(again.left_out, [""; 0]);
    }
}
