//! The forms in which actions come: each is read into the same list, and a shorter list is written
//! in the form that came in.

use std::io::{Cursor, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use zip::ZipArchive;

use super::file::{Form, Recording};
use super::{Action, joined, playwright, recorder, script, selenium};

/// Reads a file in any of the forms.
///
/// # Errors
/// If it cannot be read, or has none of them.
pub(crate) fn open(file: &Path) -> Result<Recording> {
    let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    let text = match bytes.starts_with(b"PK") {
        true => unpacked(&bytes),
        false => String::from_utf8(bytes).context("no text"),
    };
    text.and_then(|text| read(&text)).with_context(|| file.display().to_string())
}

/// Returns the traces in an archive of Playwright, one after the other.
fn unpacked(bytes: &[u8]) -> Result<String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut text = String::new();
    for at in 0..archive.len() {
        let mut member = archive.by_index(at)?;
        if member.name()?.ends_with(".trace") {
            member.read_to_string(&mut text)?;
            text.push('\n');
        }
    }
    Ok(text)
}

fn read(text: &str) -> Result<Recording> {
    let mut recording = match serde_json::from_str::<Value>(text) {
        Ok(json) if json["steps"].is_array() => recorder::read(&json),
        Ok(json) if json["tests"].is_array() => selenium::read(&json),
        Ok(_) => bail!("JSON, but neither of DevTools' Recorder nor of Selenium IDE"),
        Err(_) if text.contains(r#""type":"context-options""#) => playwright::read_trace(text),
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
    use std::io::Write;

    use super::script::{read as read_script, write as write_script};
    use super::{open, read, write};

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
    fn a_mouse_goes_where_it_was_told() {
        let recording = read(
            "await page.locator('#a').hover();await page.mouse.down();await page.mouse.move(3, 40);\n\
             await page.mouse.up();await page.mouse.wheel(0, 70);page.mouse.click(5, 6);\n\
             await page.locator('b').press('ControlOrMeta+k');await page.reload()",
        );
        let expected = "hold(\"#a\");\nhover(\"at/3,40\");\nrelease(\"at/3,40\");\n\
            wheel(\"at/3,40\",0,70);\nclick(\"at/5,6\");\nclick(\"b\");\npress(\"Control+k\");\ngo(\"\");\n";
        let recording = recording.unwrap();
        assert_eq!(write_script(&recording.actions), expected);
        assert_eq!(recording.left_out, [""; 0]);
    }

    /// As Playwright 1.65 writes it, with fewer words.
    const TRACE: &str = r##"{"type":"context-options","options":{"viewport":{"width":900,"height":700}}}
{"type":"before","class":"BrowserContext","method":"newPage","params":{}}
{"type":"before","class":"Frame","method":"goto","params":{"url":"http://127.0.0.1/"}}
{"type":"log","message":"x"}
{"type":"before","class":"Frame","method":"click","params":{"selector":"internal:text=\"b\"i","strict":true}}
{"type":"before","class":"Frame","method":"fill","params":{"selector":"internal:role=textbox[name=\"Your name\"i]","value":"M"}}
{"type":"before","class":"Frame","method":"press","params":{"selector":"internal:attr=[placeholder=\"x\"i]","key":"Control+a"}}
{"type":"before","class":"Frame","method":"type","params":{"selector":"internal:label=\"N\"i","text":"abc"}}
{"type":"before","class":"Frame","method":"selectOption","params":{"selector":"#p","options":[{"valueOrLabel":"b"}]}}
{"type":"before","class":"Frame","method":"click","params":{"selector":"li >> internal:has-text=\"One\"i >> nth=0","button":"right","position":{"x":3,"y":4}}}
{"type":"before","class":"Frame","method":"click","params":{"selector":"iframe >> internal:control=enter-frame >> internal:testid=[data-testid=\"t\"s]"}}
{"type":"before","class":"Frame","method":"dragAndDrop","params":{"source":"#a","target":"#b"}}
{"type":"before","class":"Frame","method":"expect","params":{"selector":"#a"}}
{"type":"before","class":"Page","method":"mouseMove","params":{"x":30,"y":180}}
{"type":"before","class":"Page","method":"mouseDown","params":{}}
{"type":"before","class":"Page","method":"mouseWheel","params":{"deltaX":0,"deltaY":100}}
{"type":"before","class":"Page","method":"keyboardType","params":{"text":"xy"}}
{"type":"before","class":"Page","method":"setViewportSize","params":{"viewportSize":{"width":420,"height":700}}}
{"type":"before","class":"Frame","method":"waitForTimeout","params":{"waitTimeout":50}}
{"type":"before","class":"Frame","method":"evaluateExpression","params":{"expression":"() => f()","isFunction":true}}
{"type":"before","class":"Frame","method":"setInputFiles","params":{"selector":"#f"}}
"##;

    #[test]
    fn traces_of_playwright_are_actions() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("trace.zip");
        let mut archive = zip::ZipWriter::new(std::fs::File::create(&place).unwrap());
        for (name, text) in [("trace.network", "{}"), ("0-trace.trace", TRACE)] {
            archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
        let recording = open(&place).unwrap();
        assert_eq!(
            (recording.size, recording.address.as_deref()),
            (Some([900, 700]), Some("http://127.0.0.1/"))
        );
        let expected = "click(\"text/b\");\nfill(\"aria/Your name[role=\\\"textbox\\\"]\",\"M\");\n\
            click(\"[placeholder*=\\\"x\\\" i]\");\npress(\"Control+a\");\nclick(\"aria/N\");\ntype(\"abc\");\n\
            fill(\"#p\",\"b\");\nrightclick(\"li >>> has/One >>> nth/0\",3,4);\n\
            click(\"iframe >>> [data-testid=\\\"t\\\"]\");\nhold(\"#a\");\nhover(\"#b\");\nrelease(\"#b\");\n\
            hold(\"at/30,180\");\nwheel(\"at/30,180\",0,100);\ntype(\"xy\");\nresize(420,700);\nwait(50);\n(() => f())();\n";
        assert_eq!(write_script(&recording.actions), expected);
        assert_eq!(recording.left_out, [r##"setInputFiles {"selector":"#f"}"##]);
    }

    #[test]
    fn links_of_selenium_have_exactly_their_text() {
        let link = r#"{"tests": [{"commands": [{"command": "click", "target": "linkText=it's", "value": ""}]}]}"#;
        let expected = "click(\"xpath///a[normalize-space()=\\\"it's\\\"]\");\n";
        assert_eq!(write_script(&read(link).unwrap().actions), expected);
    }

    #[test]
    fn a_test_of_playwright_that_is_written_is_read() {
        let mut recording = read(PLAYWRIGHT).unwrap();
        recording.actions = read_script(
            "click('#a');hold('#a');wheel('#a',0,7);rightclick('b',3,4);fill('c','x');press('Enter');wait(5);a.b = 1",
        );
        let again = read(&write(&recording)).unwrap();
        assert_eq!((again.actions, again.size), (recording.actions, recording.size));
        assert_eq!(again.left_out, [""; 0]);
    }
}
