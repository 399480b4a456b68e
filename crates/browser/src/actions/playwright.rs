//! Tests as Playwright's generator writes them: lines like `await page.locator("#a").click();`.

use serde_json::{Value, json};

use super::calls::{Argument, Call, chain, statements};
use super::file::{Form, Recording};
use super::{Action, Deed, Target};

/// Reads the statements of a test that say `page`.
pub(crate) fn read(text: &str) -> Recording {
    let mut recording = Recording::new(Form::Playwright, Vec::new());
    for line in body(text) {
        let read = chain(&line).filter(|calls| calls[0].name.starts_with("page"));
        match read.as_ref().and_then(|calls| actions(&calls[1..], &recording.actions)) {
            Some(actions) => extend(&mut recording.actions, actions),
            None if line.contains("page.") && !line.contains("expect(") => {
                recording.left_out.push(line);
            }
            None => {}
        }
    }
    recording
}

/// Returns the statements in the body of the test, or all of a text that is nothing else.
fn body(text: &str) -> Vec<String> {
    let start = text.find("=> {").filter(|_| text.contains("test(")).map(|at| at + "=> {".len());
    let start = start.unwrap_or_default();
    let end = text.rfind("})").filter(|&end| start > 0 && end > start).unwrap_or(text.len());
    statements(&text[start..end])
}

/// Reads the text of a trace: a line of JSON for each thing that happened.
pub(crate) fn read_trace(text: &str) -> Recording {
    let mut recording = Recording::new(Form::Playwright, Vec::new());
    for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let side = |name: &str| u32::try_from(event["options"]["viewport"][name].as_u64()?).ok();
        if event["type"] == "context-options" {
            recording.size =
                recording.size.or(side("width").zip(side("height")).map(|(w, h)| [w, h]));
        }
        let of_page = event["class"] == "Frame" || event["class"] == "Page";
        if event["type"] != "before" || !of_page {
            continue;
        }
        let method = event["method"].as_str().unwrap_or_default();
        let calls = traced(method, &event["params"]);
        match actions(&calls, &recording.actions) {
            Some(actions) => extend(&mut recording.actions, actions),
            None => recording.left_out.push(format!("{method} {}", event["params"])),
        }
    }
    recording
}

/// Returns the calls that a line of a trace stands for.
fn traced(method: &str, given: &Value) -> Vec<Call> {
    let call = |name: &str, arguments: Vec<Value>| Call {
        name: name.to_owned(),
        arguments: arguments.into_iter().map(Argument::Literal).collect(),
    };
    let own = |names: &[&str]| names.iter().map(|name| given[*name].clone()).collect();
    let located = |name: &str| call("locator", own(&[name]));
    for (device, names) in [("keyboard", &["key", "text"]), ("mouse", &["x", "y"])] {
        if let Some(name) = method.strip_prefix(device) {
            let named: Vec<Value> =
                own(names).into_iter().filter(|value| !value.is_null()).collect();
            let wheel = own(&["deltaX", "deltaY"]);
            let arguments = if name == "Wheel" { wheel } else { named };
            let mut letters = name.chars();
            let first = letters.next().into_iter().flat_map(char::to_lowercase);
            return vec![
                call(device, vec![]),
                call(&first.chain(letters).collect::<String>(), arguments),
            ];
        }
    }
    match method {
        "goto" => vec![call(method, own(&["url"]))],
        "waitForTimeout" => vec![call(method, own(&["waitTimeout"]))],
        "setViewportSize" => vec![call(method, own(&["viewportSize"]))],
        "evaluateExpression" if given["isFunction"] == true => {
            let code = given["expression"].as_str().unwrap_or_default();
            vec![call("evaluate", vec![format!("({code})()").into()])]
        }
        "evaluateExpression" => vec![call("evaluate", own(&["expression"]))],
        "dragAndDrop" => {
            let to = vec![call("page", vec![]), located("target")];
            let to = Call { name: "dragTo".to_owned(), arguments: vec![Argument::Chain(to)] };
            vec![located("source"), to]
        }
        "fill" => vec![located("selector"), call(method, own(&["value"]))],
        "type" => vec![located("selector"), call(method, own(&["text"]))],
        "press" => vec![located("selector"), call(method, own(&["key"]))],
        "selectOption" => {
            let first = given["options"][0].clone();
            vec![located("selector"), call(method, vec![first])]
        }
        _ if given["selector"].is_string() => {
            vec![located("selector"), call(method, vec![given.clone()])]
        }
        _ => vec![call(method, Vec::new())],
    }
}

/// Adds actions. Who presses a button somewhere, or turns the wheel, has moved there.
fn extend(all: &mut Vec<Action>, more: Vec<Action>) {
    let place = match more.first() {
        Some(Action::Point { deed: Deed::Hold, target, at }) => Some((target, *at)),
        Some(Action::Wheel { target, .. }) => Some((target, None)),
        _ => None,
    };
    if let Some((target, at)) = place {
        let hover = Action::Point { deed: Deed::Hover, target: target.clone(), at };
        all.pop_if(|last| *last == hover);
    }
    all.extend(more);
}

/// Returns what the calls after `page` do, after other actions.
fn actions(calls: &[Call], done: &[Action]) -> Option<Vec<Action>> {
    let (last, before) = calls.split_last()?;
    if does_nothing(&last.name) {
        return Some(Vec::new());
    }
    let point = |deed, target| {
        let place = last.literal(0).map(|options| &options["position"]);
        let at = place.and_then(|at| Some([at["x"].as_f64()?, at["y"].as_f64()?]));
        let right = last.literal(0).is_some_and(|options| options["button"] == "right");
        let deed = if right { Deed::Right } else { deed };
        vec![Action::Point { deed, target, at }]
    };
    let text = || last.text(0);
    if before.is_empty() {
        return Some(match &last.name[..] {
            "goto" => vec![Action::Go { address: text()? }],
            "waitForTimeout" => vec![Action::Wait { time: last.number(0)? }],
            "setViewportSize" => {
                let size = last.literal(0)?;
                let side = |name: &str| u32::try_from(size[name].as_u64()?).ok();
                vec![Action::Resize { size: [side("width")?, side("height")?] }]
            }
            "evaluate" => vec![Action::Line { code: text()? }],
            "reload" => vec![Action::Go { address: String::new() }],
            // The old form, with the selector as the first argument.
            name => {
                let mut call = last.clone();
                if call.arguments.is_empty() {
                    return None;
                }
                let selector = call.arguments.remove(0);
                call.name = name.to_owned();
                let locator = Call { name: "locator".to_owned(), arguments: vec![selector] };
                return actions(&[locator, call], done);
            }
        });
    }
    let keys = || Some(text()?.replace("ControlOrMeta", "Control"));
    let at_place = || Some(Target::one(format!("at/{},{}", last.number(0)?, last.number(1)?)));
    // Where the mouse is.
    let pointed = || {
        done.iter().rev().find_map(|action| match action {
            Action::Point { target, at, .. } => Some((target.clone(), *at)),
            _ => None,
        })
    };
    let here = |deed| {
        let (target, at) = pointed()?;
        Some(vec![Action::Point { deed, target, at }])
    };
    let there = |deed| Some(vec![Action::Point { deed, target: at_place()?, at: None }]);
    match (&before[0].name[..], &last.name[..]) {
        ("keyboard", "press") => return Some(vec![Action::Press { keys: keys()? }]),
        ("keyboard", "type" | "insertText") => return Some(vec![Action::Type { text: text()? }]),
        ("keyboard", "down") => return Some(vec![Action::Down { key: text()? }]),
        ("keyboard", "up") => return Some(vec![Action::Up { key: text()? }]),
        ("mouse", "move") => return there(Deed::Hover),
        ("mouse", "click") => return there(Deed::Click),
        ("mouse", "dblclick") => return there(Deed::Double),
        ("mouse", "down") => return here(Deed::Hold),
        ("mouse", "up") => return here(Deed::Release),
        ("mouse", "wheel") => {
            let target = pointed().map_or_else(|| Target::one("html"), |(target, _)| target);
            return Some(vec![Action::Wheel { target, by: [last.number(0)?, last.number(1)?] }]);
        }
        _ => {}
    }
    let target = Target::one(selector(before)?);
    let focus = || Action::Point { deed: Deed::Click, target: target.clone(), at: None };
    Some(match &last.name[..] {
        "click" | "check" | "uncheck" | "setChecked" | "tap" | "focus" => {
            point(Deed::Click, target)
        }
        "dblclick" => point(Deed::Double, target),
        "hover" => point(Deed::Hover, target),
        "fill" => vec![Action::Fill { target, text: text()? }],
        "clear" => vec![Action::Fill { target, text: String::new() }],
        "selectOption" => {
            let text = match last.literal(0)? {
                Value::Array(all) => all.first()?.as_str()?.to_owned(),
                Value::Object(all) => all.values().next()?.as_str()?.to_owned(),
                _ => text()?,
            };
            vec![Action::Fill { target, text }]
        }
        "press" => vec![focus(), Action::Press { keys: keys()? }],
        "type" | "pressSequentially" => vec![focus(), Action::Type { text: text()? }],
        "dragTo" => {
            let Argument::Chain(to) = last.arguments.first()? else { return None };
            let to = Target::one(selector(&to[1..])?);
            let at =
                |deed, target: &Target| Action::Point { deed, target: target.clone(), at: None };
            vec![at(Deed::Hold, &target), at(Deed::Hover, &to), at(Deed::Release, &to)]
        }
        _ => return None,
    })
}

/// Returns whether a call only waits, asks or ends: each action waits for the page.
fn does_nothing(name: &str) -> bool {
    let others = ["close", "once", "on", "screenshot", "bringToFront", "title", "content"];
    let waits = name.starts_with("waitFor") && name != "waitForTimeout";
    waits
        || name.starts_with("expect")
        || name == "scrollIntoViewIfNeeded"
        || others.contains(&name)
}

/// Returns the selector that a chain of locators says.
fn selector(calls: &[Call]) -> Option<String> {
    let mut parts = Vec::new();
    for call in calls {
        let text = || call.text(0);
        let attribute = |name: &str| Some(format!("[{name}*={} i]", json!(text()?)));
        parts.push(match &call.name[..] {
            "locator" | "frameLocator" => of_locator(&text()?),
            "getByRole" => {
                let name = call.literal(1).and_then(|options| options["name"].as_str());
                format!("aria/{}[role={}]", name.unwrap_or_default(), json!(text()?))
            }
            "getByText" => format!("text/{}", text()?),
            "getByLabel" => format!("aria/{}", text()?),
            "getByPlaceholder" => attribute("placeholder")?,
            "getByAltText" => attribute("alt")?,
            "getByTitle" => attribute("title")?,
            "getByTestId" => format!("[data-testid={}]", json!(text()?)),
            "filter" => format!("has/{}", call.literal(0)?["hasText"].as_str()?),
            "first" => "nth/0".to_owned(),
            "last" => "nth/-1".to_owned(),
            "nth" => format!("nth/{}", call.number(0)?),
            "contentFrame" => continue,
            _ => return None,
        });
    }
    (!parts.is_empty()).then(|| parts.join(" >>> "))
}

/// Reads what stands in `locator(…)`: selectors of style sheets, paths, texts, and what a trace
/// makes of other locators, with `>>` between them.
fn of_locator(text: &str) -> String {
    let parts = text.split(" >> ").map(of_part).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" >>> ")
}

fn of_part(text: &str) -> String {
    // `internal:role=button[name="a"i]`, `internal:text="a"s`
    let quoted = |text: &str| {
        let end = text.rfind(['"', '/']).map_or(text.len(), |end| end + 1);
        let text = &text[..end];
        let plain = text.strip_prefix('/').and_then(|text| text.strip_suffix('/'));
        plain.map(str::to_owned).or_else(|| serde_json::from_str(text).ok()).unwrap_or_default()
    };
    match text.strip_prefix("internal:").and_then(|rest| rest.split_once('=')) {
        Some(("role", rest)) => {
            let (role, more) = rest.split_once('[').unwrap_or((rest, ""));
            let name = more.strip_prefix("name=").and_then(|name| name.split(']').next());
            return format!("aria/{}[role={}]", name.map(quoted).unwrap_or_default(), json!(role));
        }
        Some(("text", rest)) => return format!("text/{}", quoted(rest)),
        Some(("label", rest)) => return format!("aria/{}", quoted(rest)),
        Some(("has-text", rest)) => return format!("has/{}", quoted(rest)),
        Some(("attr" | "testid", rest)) => {
            let rest = rest.trim_matches(['[', ']']).split_once('=');
            let (name, value) = rest.unwrap_or_default();
            let is_part = value.ends_with('i');
            let sign = if is_part { "*=" } else { "=" };
            let end = if is_part { " i" } else { "" };
            return format!("[{name}{sign}{}{end}]", json!(quoted(value)));
        }
        // Into a frame, as each of our parts leads.
        Some(("control", _)) => return String::new(),
        Some(_) | None => {}
    }
    match text.split_once('=') {
        Some(("nth", number)) => format!("nth/{number}"),
        Some(("xpath", path)) => format!("xpath/{path}"),
        Some(("text", words)) => format!("text/{words}"),
        Some(("css", selector)) => selector.to_owned(),
        Some(("id", id)) => format!("[id={}]", json!(id)),
        _ if text.starts_with("//") => format!("xpath/{text}"),
        _ => text.to_owned(),
    }
}

/// Writes a test.
pub(crate) fn write(recording: &Recording) -> String {
    let mut text = format!(
        "import {{ test, expect }} from '@playwright/test';\n\ntest({}, async ({{ page }}) => {{\n",
        json!(recording.title)
    );
    let mut line = |code: String| text.push_str(&format!("  await page.{code};\n"));
    let sized = |[width, height]: [u32; 2]| {
        format!("setViewportSize({{ width: {width}, height: {height} }})")
    };
    if let Some(size) = recording.size {
        line(sized(size));
    }
    if let Some(address) = &recording.address {
        line(format!("goto({})", json!(address)));
    }
    for action in &recording.actions {
        let located = action.target().map(locator).unwrap_or_default();
        match action {
            Action::Point { deed: deed @ (Deed::Hold | Deed::Release), .. } => {
                line(format!("{located}.hover()"));
                let name = if *deed == Deed::Hold { "down" } else { "up" };
                line(format!("mouse.{name}()"));
            }
            Action::Point { deed, at, .. } => {
                let (name, button) = match deed {
                    Deed::Double => ("dblclick", None),
                    Deed::Hover => ("hover", None),
                    Deed::Right => ("click", Some("button: 'right'".to_owned())),
                    _ => ("click", None),
                };
                let at = at.map(|[x, y]| format!("position: {{ x: {x}, y: {y} }}"));
                let options: Vec<String> = button.into_iter().chain(at).collect();
                let options = match options.is_empty() {
                    true => String::new(),
                    false => format!("{{ {} }}", options.join(", ")),
                };
                line(format!("{located}.{name}({options})"));
            }
            Action::Fill { text, .. } => line(format!("{located}.fill({})", json!(text))),
            Action::Type { text } => line(format!("keyboard.type({})", json!(text))),
            Action::Press { keys } => line(format!("keyboard.press({})", json!(keys))),
            Action::Down { key } => line(format!("keyboard.down({})", json!(key))),
            Action::Up { key } => line(format!("keyboard.up({})", json!(key))),
            Action::Scroll { target, to: [x, y] } => {
                let of = target
                    .as_ref()
                    .map(|target| format!("document.querySelector({}).", json!(target.first())));
                let code = format!("{}scrollTo({x}, {y})", of.unwrap_or_default());
                line(format!("evaluate({})", json!(code)));
            }
            Action::Resize { size } => line(sized(*size)),
            Action::Wheel { by: [x, y], .. } => {
                line(format!("{located}.hover()"));
                line(format!("mouse.wheel({x}, {y})"));
            }
            Action::Wait { time } => line(format!("waitForTimeout({time})")),
            Action::Go { address } => line(format!("goto({})", json!(address))),
            Action::Line { code } => line(format!("evaluate({})", json!(code))),
        }
    }
    text.push_str("});\n");
    text
}

fn locator(target: &Target) -> String {
    let parts = target.first().split(" >>> ");
    let parts: Vec<String> = parts
        .map(|part| match part.strip_prefix("xpath/") {
            Some(path) => format!("locator({})", json!(format!("xpath={path}"))),
            None => format!("locator({})", json!(part)),
        })
        .collect();
    parts.join(".")
}
