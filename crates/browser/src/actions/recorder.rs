//! Recordings of the Recorder in Chrome's DevTools: JSON with a list of steps.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Action, Kind, keys, script};

/// A recording.
#[derive(Deserialize)]
pub(crate) struct File {
    #[serde(default)]
    pub(crate) title: String,
    steps: Vec<Value>,
}

/// A kind of actions with the type of its steps, and the names of the text and the numbers there.
type Step = (Kind, &'static str, Option<&'static str>, Option<[&'static str; 2]>);

const STEPS: [Step; 10] = [
    (Kind::Click, "click", None, OFFSET),
    (Kind::RightClick, "click", None, OFFSET),
    (Kind::DoubleClick, "doubleClick", None, OFFSET),
    (Kind::Hover, "hover", None, None),
    (Kind::Fill, "change", Some("value"), None),
    (Kind::Down, "keyDown", Some("key"), None),
    (Kind::Up, "keyUp", Some("key"), None),
    (Kind::Scroll, "scroll", None, Some(["x", "y"])),
    (Kind::Resize, "setViewport", None, Some(["width", "height"])),
    (Kind::Go, "navigate", Some("url"), None),
];
const OFFSET: Option<[&str; 2]> = Some(["offsetX", "offsetY"]);

/// Steps that are superfluous: each action waits for the page.
const WAITS: [&str; 4] =
    ["waitForElement", "waitForExpression", "close", "emulateNetworkConditions"];

/// An extension's own steps: our actions for which the Recorder has no step,
const CUSTOM: &str = "customStep";
/// with this name.
const OWN: &str = "minirepro";

impl File {
    /// Returns the actions, and the steps that could not be understood.
    pub(crate) fn actions(&self, left_out: &mut Vec<String>) -> Vec<Action> {
        let mut all = Vec::new();
        for step in &self.steps {
            let kind = step["type"].as_str().unwrap_or_default();
            match action(kind, step) {
                Some(action) => all.push(action),
                None if WAITS.contains(&kind) => {}
                None => left_out.push(step.to_string()),
            }
        }
        all
    }
}

fn action(kind: &str, step: &Value) -> Option<Action> {
    if kind == CUSTOM && step["name"] == OWN {
        return script::read(step["parameters"]["code"].as_str()?).into_iter().next();
    }
    let (mut kind, _, text, numbers) = *STEPS.iter().find(|(_, own, ..)| *own == kind)?;
    if step["button"] == "secondary" {
        kind = Kind::RightClick;
    }
    let text = text.map_or(Some(""), |text| step[text].as_str())?;
    let numbers: Vec<f64> =
        numbers.iter().flatten().filter_map(|number| step[number].as_f64()).collect();
    let action = Action { target: target(step), numbers, ..Action::new(kind, text) };
    let is_whole = match kind {
        Kind::Scroll | Kind::Resize => action.pair().is_some(),
        Kind::Down | Kind::Up | Kind::Go => true,
        _ => !action.target.is_empty(),
    };
    is_whole.then_some(action)
}

/// Returns the element of a step: each of its selectors is a list of parts, from tree to tree.
fn target(step: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let frames: String =
        list(&step["frame"]).iter().map(|frame| format!("frame/{frame} >>> ")).collect();
    let selector = |selector: &Value| match selector {
        Value::String(one) => format!("{frames}{one}"),
        parts => {
            let parts = list(parts);
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            format!("{frames}{}", parts.join(" >>> "))
        }
    };
    list(&step["selectors"]).iter().map(selector).collect()
}

/// Writes the file.
pub(crate) fn write(title: &str, actions: impl Iterator<Item = Action>) -> String {
    let steps: Vec<Value> = actions.flat_map(|action| steps(&action)).collect();
    format!("{:#}\n", json!({ "title": title, "steps": steps }))
}

/// Returns the steps of an action.
fn steps(action: &Action) -> Vec<Value> {
    let key = |kind, name: &str| steps(&Action::new(kind, name)).remove(0);
    match action.kind {
        Kind::Type => {
            let letters = action.text.chars().map(String::from);
            return letters
                .flat_map(|letter| [key(Kind::Down, &letter), key(Kind::Up, &letter)])
                .collect();
        }
        Kind::Press => {
            let keys = keys::together(&action.text);
            let down = keys.iter().map(|name| key(Kind::Down, name));
            return down.chain(keys.iter().rev().map(|name| key(Kind::Up, name))).collect();
        }
        _ => {}
    }
    let Some((_, kind, text, numbers)) = STEPS.iter().find(|(own, ..)| *own == action.kind) else {
        let code = script::write(std::slice::from_ref(action));
        let parameters = json!({ "code": code.trim_end() });
        return vec![json!({ "type": CUSTOM, "name": OWN, "parameters": parameters })];
    };
    let mut step = json!({ "type": kind, "target": "main" });
    let parts = |one: &String| json!(one.split(" >>> ").collect::<Vec<_>>());
    if !action.target.is_empty() {
        step["selectors"] = action.target.iter().map(parts).collect();
    }
    if let Some(text) = text {
        step[text] = action.text.as_str().into();
    }
    if let Some([x, y]) = numbers {
        [step[x], step[y]] = action.pair().unwrap_or([1.0, 1.0]).map(Value::from);
    }
    match action.kind {
        Kind::RightClick => step["button"] = "secondary".into(),
        Kind::Resize => {
            step["deviceScaleFactor"] = 1.into();
            for flag in ["isMobile", "hasTouch", "isLandscape"] {
                step[flag] = false.into();
            }
        }
        _ => {}
    }
    vec![step]
}
