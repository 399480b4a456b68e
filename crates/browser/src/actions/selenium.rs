//! Projects of Selenium IDE (`.side`): JSON with tests, each a list of commands.

use serde_json::{Value, json};

use super::file::{Form, Recording};
use super::{Action, Deed, Target, keys};

/// Reads the file: the first test that has commands.
pub(crate) fn read(file: &Value) -> Recording {
    let mut recording = Recording::new(Form::Selenium, Vec::new());
    let tests = file["tests"].as_array().into_iter().flatten();
    let commands = |test: &Value| test["commands"].as_array().cloned().unwrap_or_default();
    let Some(test) = tests.into_iter().find(|test| !commands(test).is_empty()) else {
        return recording;
    };
    recording.title = test["name"].as_str().unwrap_or("recorded").to_owned();
    let base = file["url"].as_str().unwrap_or_default();
    for command in commands(test) {
        let text = |name: &str| command[name].as_str().unwrap_or_default();
        let (name, target, value) = (text("command"), text("target"), text("value"));
        if name.is_empty() || name.starts_with("//") {
            continue;
        }
        match actions(name, target, value, base) {
            Some(actions) => recording.actions.extend(actions),
            None => recording.left_out.push(format!("{name} {target} {value}").trim().to_owned()),
        }
    }
    recording
}

fn actions(name: &str, target: &str, value: &str, base: &str) -> Option<Vec<Action>> {
    let pair = |text: &str, sign: char| -> Option<[f64; 2]> {
        let (x, y) = text.split_once(sign)?;
        Some([x.trim().parse().ok()?, y.trim().parse().ok()?])
    };
    let point = |deed, at| Some(vec![Action::Point { deed, target: located(target)?, at }]);
    match name {
        "open" => {
            let is_whole = target.contains("://") || base.is_empty();
            let address = match is_whole {
                true => target.to_owned(),
                false => {
                    format!("{}/{}", base.trim_end_matches('/'), target.trim_start_matches('/'))
                }
            };
            Some(vec![Action::Go { address }])
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
        "setWindowSize" => {
            Some(vec![Action::Resize { size: pair(target, 'x')?.map(|side| side as u32) }])
        }
        "click" | "check" | "uncheck" => point(Deed::Click, None),
        "clickAt" => point(Deed::Click, pair(value, ',')),
        "doubleClick" => point(Deed::Double, None),
        "doubleClickAt" => point(Deed::Double, pair(value, ',')),
        "mouseOver" => point(Deed::Hover, None),
        "mouseMoveAt" => point(Deed::Hover, pair(value, ',')),
        "mouseDown" => point(Deed::Hold, None),
        "mouseDownAt" => point(Deed::Hold, pair(value, ',')),
        "mouseUp" => point(Deed::Release, None),
        "mouseUpAt" => point(Deed::Release, pair(value, ',')),
        "dragAndDropToObject" => {
            let at = |deed, target| Action::Point { deed, target, at: None };
            let (from, to) = (located(target)?, located(value)?);
            Some(vec![at(Deed::Hold, from), at(Deed::Hover, to.clone()), at(Deed::Release, to)])
        }
        "type" | "select" => {
            let text = value.strip_prefix("label=").unwrap_or(value).to_owned();
            Some(vec![Action::Fill { target: located(target)?, text }])
        }
        "sendKeys" => {
            // The keys go to the element, wherever the focus was.
            let focus = Action::Point { deed: Deed::Click, target: located(target)?, at: None };
            Some([focus].into_iter().chain(typed(value)).collect())
        }
        "pause" => Some(vec![Action::Wait { time: target.parse().ok()? }]),
        "runScript" | "executeScript" => Some(vec![Action::Line { code: target.to_owned() }]),
        "close" | "mouseOut" => Some(Vec::new()),
        // Tests wait and compare; the page is waited for, and the failure is asked for elsewhere.
        _ if ["wait", "assert", "verify", "echo", "store"].iter().any(|n| name.starts_with(n)) => {
            Some(Vec::new())
        }
        _ => None,
    }
}

/// Returns what a text with names of keys types: `a${KEY_ENTER}`.
fn typed(text: &str) -> Vec<Action> {
    let mut all = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.find("${KEY_").unwrap_or(rest.len());
        let (before, key) = rest.split_at(start);
        if !before.is_empty() {
            all.push(Action::Type { text: before.to_owned() });
        }
        let end = key.find('}').map_or(key.len(), |end| end + 1);
        let name = key.get(2..end.saturating_sub(1)).and_then(keys::of_selenium);
        all.extend(name.map(|keys| Action::Press { keys: keys.to_owned() }));
        rest = &key[end..];
    }
    all
}

/// Reads a locator: `css=#a`, `id=a`, `xpath=//a`, `linkText=a`.
fn located(text: &str) -> Option<Target> {
    let (kind, rest) = text.split_once('=').unwrap_or(("xpath", text));
    let selector = match kind {
        "css" => rest.to_owned(),
        "id" => format!("[id={}]", json!(rest)),
        "name" => format!("[name={}]", json!(rest)),
        "linkText" | "link" => format!("xpath///a[normalize-space()={}]", literal(rest)),
        "partialLinkText" => {
            format!("xpath///a[contains(normalize-space(),{})]", literal(rest))
        }
        _ if text.starts_with('/') => format!("xpath/{text}"),
        "xpath" => format!("xpath/{rest}"),
        _ => return None,
    };
    Some(Target::one(selector))
}

/// Returns a text as a path says it, which knows no escapes.
fn literal(text: &str) -> String {
    if text.contains('\'') { format!("\"{text}\"") } else { format!("'{text}'") }
}

/// Writes the file.
pub(crate) fn write(recording: &Recording) -> String {
    let mut commands = Vec::new();
    let mut push = |name: &str, target: &str, value: &str| {
        let id = format!("c{}", commands.len() + 1);
        commands.push(
            json!({ "id": id, "comment": "", "command": name, "target": target, "targets": [], "value": value }),
        );
    };
    let address = recording.address.clone().unwrap_or_default();
    push("open", &address, "");
    if let Some([width, height]) = recording.size {
        push("setWindowSize", &format!("{width}x{height}"), "");
    }
    for action in &recording.actions {
        let located = action.target().map(to_locator).unwrap_or_default();
        match action {
            Action::Point { deed, at, .. } => {
                let name = match deed {
                    Deed::Click | Deed::Right => "click",
                    Deed::Double => "doubleClick",
                    Deed::Hover if at.is_some() => "mouseMove",
                    Deed::Hover => "mouseOver",
                    Deed::Hold => "mouseDown",
                    Deed::Release => "mouseUp",
                };
                match at {
                    Some([x, y]) => push(&format!("{name}At"), &located, &format!("{x},{y}")),
                    None => push(name, &located, ""),
                }
            }
            Action::Fill { text, .. } => push("type", &located, text),
            Action::Type { text } => push("sendKeys", FOCUSED, text),
            Action::Press { keys } => {
                let keys = keys::together(keys).into_iter();
                let keys = keys.map(|key| match key.chars().count() {
                    1 => key.to_owned(),
                    _ => format!("${{{}}}", keys::to_selenium(key)),
                });
                push("sendKeys", FOCUSED, &keys.collect::<String>());
            }
            Action::Scroll { target: None, to: [x, y] } => {
                push("executeScript", &format!("window.scrollTo({x}, {y})"), "");
            }
            Action::Resize { size: [width, height] } => {
                push("setWindowSize", &format!("{width}x{height}"), "");
            }
            Action::Wait { time } => push("pause", &time.to_string(), ""),
            Action::Go { address } => push("open", address, ""),
            Action::Line { code } => push("executeScript", code, ""),
            Action::Scroll { .. }
            | Action::Wheel { .. }
            | Action::Down { .. }
            | Action::Up { .. } => {
                let code = super::script::write(std::slice::from_ref(action));
                push("//", code.trim_end(), "");
            }
        }
    }
    let file = json!({
        "id": "1", "version": "2.0", "name": recording.title, "url": address,
        "tests": [{ "id": "2", "name": recording.title, "commands": commands }],
        "suites": [], "urls": [], "plugins": [],
    });
    format!("{file:#}\n")
}

/// Where the focus is.
const FOCUSED: &str = "css=:focus";

fn to_locator(target: &Target) -> String {
    let first = target.first();
    match first.strip_prefix("xpath/") {
        Some(path) => format!("xpath={path}"),
        None => format!("css={first}"),
    }
}
