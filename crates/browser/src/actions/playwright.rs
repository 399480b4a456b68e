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
        match read.as_ref().and_then(|calls| actions(&calls[1..])) {
            Some(actions) => recording.actions.extend(actions),
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

/// Returns what the calls after `page` do.
fn actions(calls: &[Call]) -> Option<Vec<Action>> {
    let (last, before) = calls.split_last()?;
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
            "waitForLoadState" | "waitForURL" | "waitForSelector" | "close" | "once" => Vec::new(),
            // The old form, with the selector as the first argument.
            name => {
                let mut call = last.clone();
                if call.arguments.is_empty() {
                    return None;
                }
                let selector = call.arguments.remove(0);
                call.name = name.to_owned();
                let locator = Call { name: "locator".to_owned(), arguments: vec![selector] };
                return actions(&[locator, call]);
            }
        });
    }
    match (&before[0].name[..], &last.name[..]) {
        ("keyboard", "press") => return Some(vec![Action::Press { keys: text()? }]),
        ("keyboard", "type" | "insertText") => return Some(vec![Action::Type { text: text()? }]),
        ("keyboard", "down") => return Some(vec![Action::Down { key: text()? }]),
        ("keyboard", "up") => return Some(vec![Action::Up { key: text()? }]),
        ("mouse", "wheel") => {
            let code = format!("scrollBy({}, {})", last.number(0)?, last.number(1)?);
            return Some(vec![Action::Line { code }]);
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
        "press" => vec![focus(), Action::Press { keys: text()? }],
        "type" | "pressSequentially" => vec![focus(), Action::Type { text: text()? }],
        "dragTo" => {
            let Argument::Chain(to) = last.arguments.first()? else { return None };
            let to = Target::one(selector(&to[1..])?);
            let at =
                |deed, target: &Target| Action::Point { deed, target: target.clone(), at: None };
            vec![at(Deed::Hold, &target), at(Deed::Hover, &to), at(Deed::Release, &to)]
        }
        "scrollIntoViewIfNeeded" | "waitFor" => Vec::new(),
        _ => return None,
    })
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

/// Reads what stands in `locator(…)`: a selector of style sheets, a path, or a text.
fn of_locator(text: &str) -> String {
    match text.split_once('=') {
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
