//! Recordings of the Recorder in Chrome's DevTools: JSON with a list of steps.

use serde_json::{Value, json};

use super::file::{Form, Recording};
use super::{Action, Deed, Target, keys};

/// Reads the file.
pub(crate) fn read(file: &Value) -> Recording {
    let mut recording = Recording::new(Form::Recorder, Vec::new());
    recording.title = file["title"].as_str().unwrap_or("recorded").to_owned();
    for step in file["steps"].as_array().into_iter().flatten() {
        match action(step) {
            Some(action) => recording.actions.push(action),
            // What only waits is superfluous: each action waits for the page.
            None if WAITS.contains(&step["type"].as_str().unwrap_or_default()) => {}
            None => recording.left_out.push(step.to_string()),
        }
    }
    recording
}

const WAITS: [&str; 4] =
    ["waitForElement", "waitForExpression", "close", "emulateNetworkConditions"];

fn action(step: &Value) -> Option<Action> {
    let text = |name: &str| step[name].as_str().map(str::to_owned);
    let pair = |x: &str, y: &str| Some([step[x].as_f64()?, step[y].as_f64()?]);
    let point = |deed| {
        let at = pair("offsetX", "offsetY");
        Some(Action::Point { deed, target: target(step)?, at })
    };
    match step["type"].as_str()? {
        "setViewport" => {
            let side = |name: &str| u32::try_from(step[name].as_u64()?).ok();
            Some(Action::Resize { size: [side("width")?, side("height")?] })
        }
        "navigate" => Some(Action::Go { address: text("url")? }),
        "click" if step["button"] == "secondary" => point(Deed::Right),
        "click" => point(Deed::Click),
        "doubleClick" => point(Deed::Double),
        "hover" => point(Deed::Hover),
        "change" => Some(Action::Fill { target: target(step)?, text: text("value")? }),
        "keyDown" => Some(Action::Down { key: text("key")? }),
        "keyUp" => Some(Action::Up { key: text("key")? }),
        "scroll" => Some(Action::Scroll { target: target(step), to: pair("x", "y")? }),
        // An extension's own steps: what ours are that the Recorder has no step for.
        "customStep" => of_custom(step),
        _ => None,
    }
}

/// The name of steps that the Recorder has not.
const OWN: &str = "minirepro";

fn of_custom(step: &Value) -> Option<Action> {
    let code = step["parameters"]["code"].as_str().filter(|_| step["name"] == OWN)?;
    super::script::read(code).into_iter().next()
}

/// Returns the element of a step: each of its selectors is a list of parts, from tree to tree.
fn target(step: &Value) -> Option<Target> {
    let selectors = step["selectors"].as_array()?.iter().map(|selector| match selector {
        Value::String(one) => one.clone(),
        parts => {
            let parts: Vec<&str> =
                parts.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            parts.join(" >>> ")
        }
    });
    let frames = step["frame"].as_array().into_iter().flatten().filter_map(Value::as_u64);
    let frames: String = frames.map(|frame| format!("frame/{frame} >>> ")).collect();
    let selectors: Vec<String> = selectors.map(|selector| format!("{frames}{selector}")).collect();
    (!selectors.is_empty()).then_some(Target(selectors))
}

/// Writes the file.
pub(crate) fn write(recording: &Recording) -> String {
    let mut steps = Vec::new();
    if let Some([width, height]) = recording.size {
        steps.push(viewport(width, height));
    }
    if let Some(address) = &recording.address {
        steps.push(json!({ "type": "navigate", "url": address }));
    }
    steps.extend(recording.actions.iter().flat_map(written));
    let file = json!({ "title": recording.title, "steps": steps });
    format!("{file:#}\n")
}

fn viewport(width: u32, height: u32) -> Value {
    json!({
        "type": "setViewport", "width": width, "height": height, "deviceScaleFactor": 1,
        "isMobile": false, "hasTouch": false, "isLandscape": false,
    })
}

/// Returns the steps of an action.
fn written(action: &Action) -> Vec<Value> {
    let parts = |target: &Target| {
        let all = target.0.iter().map(|one| one.split(" >>> ").collect::<Vec<_>>());
        json!(all.collect::<Vec<_>>())
    };
    let key = |kind: &str, key: &str| json!({ "type": kind, "target": "main", "key": key });
    let custom = || {
        let code = super::script::write(std::slice::from_ref(action));
        json!({ "type": "customStep", "name": OWN, "parameters": { "code": code.trim_end() } })
    };
    match action {
        Action::Point { deed, target, at } => {
            let mut step = match deed {
                Deed::Click => json!({ "type": "click" }),
                Deed::Right => json!({ "type": "click", "button": "secondary" }),
                Deed::Double => json!({ "type": "doubleClick" }),
                Deed::Hover => json!({ "type": "hover" }),
                Deed::Hold | Deed::Release => return vec![custom()],
            };
            step["target"] = "main".into();
            step["selectors"] = parts(target);
            if *deed != Deed::Hover {
                let [x, y] = at.unwrap_or([1.0, 1.0]);
                (step["offsetX"], step["offsetY"]) = (x.into(), y.into());
            }
            vec![step]
        }
        Action::Fill { target, text } => vec![
            json!({ "type": "change", "target": "main", "selectors": parts(target), "value": text }),
        ],
        Action::Type { text } => {
            let letters = text.chars().map(|letter| letter.to_string());
            letters.flat_map(|letter| [key("keyDown", &letter), key("keyUp", &letter)]).collect()
        }
        Action::Press { keys } => {
            let keys = keys::together(keys);
            let down = keys.iter().map(|name| key("keyDown", name));
            down.chain(keys.iter().rev().map(|name| key("keyUp", name))).collect()
        }
        Action::Down { key: name } => vec![key("keyDown", name)],
        Action::Up { key: name } => vec![key("keyUp", name)],
        Action::Scroll { target, to: [x, y] } => {
            let mut step = json!({ "type": "scroll", "target": "main", "x": x, "y": y });
            if let Some(target) = target {
                step["selectors"] = parts(target);
            }
            vec![step]
        }
        Action::Resize { size: [width, height] } => vec![viewport(*width, *height)],
        Action::Go { address } => vec![json!({ "type": "navigate", "url": address })],
        Action::Wheel { .. } | Action::Wait { .. } | Action::Line { .. } => vec![custom()],
    }
}
