//! Pages that play their actions themselves: with scripts of their own, in place of what a person
//! does. Which of them a failure takes for a person is tried.

use serde_json::json;

use super::{Action, Kind, keys, script};

/// Returns pages that play their actions, the simplest first: with each action as one call, none of
/// which waits for another or for the page to be loaded; and with all the events that a browser
/// makes, in a frame of its own. Some actions no script can do.
pub(crate) fn pages(page: &str, actions: &[Action]) -> Vec<String> {
    let lines = |is_full| {
        actions.iter().map(|action| line(action, is_full)).collect::<Option<Vec<String>>>()
    };
    // What waits needs frames.
    let at_once = lines(false).filter(|lines| lines.iter().all(|line| !line.contains("await ")));
    let at_once = at_once.map(|lines| lines.iter().map(|line| format!("{line}\n")).collect());
    let fully = lines(true).map(|lines| {
        let frame = "  await new Promise(requestAnimationFrame);\n";
        let lines: String = lines.iter().map(|line| format!("{frame}  {line}\n")).collect();
        format!("addEventListener(\"load\", async () => {{\n{lines}}});\n")
    });
    let all = at_once.into_iter().chain(fully);
    all.map(|code: String| script::appended(page, "", &code)).collect()
}

const HOVER: &str = "pointerover pointerenter mouseover mouseenter pointermove mousemove";
const PRESS: &str = "pointerdown mousedown";
const RELEASE: &str = "pointerup mouseup";

fn line(action: &Action, is_full: bool) -> Option<String> {
    let e = match action.target.first() {
        Some(selector) => of(selector)?,
        None => String::new(),
    };
    let text = json!(action.text);
    let numbers = action.numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    let event = |kind: &str, more: &str| {
        format!("new {kind}, {{ {more}bubbles: true, cancelable: true }})")
    };
    let click = format!("{PRESS} {RELEASE} click");
    Some(match action.kind {
        Kind::Click if !is_full => format!("{e}.click();"),
        kind if kind.is_of_pointer() => {
            let [simple, full] = match kind {
                Kind::Click => ["click", &click],
                Kind::DoubleClick => ["dblclick", &format!("{click} {click} dblclick")],
                Kind::RightClick => ["contextmenu", &format!("{PRESS} {RELEASE} contextmenu")],
                Kind::Hold => ["mousedown", PRESS],
                Kind::Release => ["mouseup", RELEASE],
                _ => ["mouseover", HOVER],
            };
            let kinds = if is_full { full } else { simple };
            let focus = if is_full && kinds.contains("mousedown") { " e.focus();" } else { "" };
            let kinds: Vec<&str> = kinds.split(' ').collect();
            let event = event("MouseEvent(kind", "composed: true, ");
            format!(
                "{{ const e = {e};{focus} for (const kind of {}) e.dispatchEvent({event}); }}",
                json!(kinds)
            )
        }
        Kind::Fill => format!(
            "{{ const e = {e}; e.focus(); e.value = {text}; for (const kind of [\"input\", \"change\"]) e.dispatchEvent({}); }}",
            event("Event(kind", "")
        ),
        Kind::Type => format!("document.execCommand(\"insertText\", false, {text});"),
        Kind::Press | Kind::Down | Kind::Up => {
            let keys = keys::together(&action.text);
            let (key, before) = keys.split_last()?;
            let flag = |key: &&str| {
                format!("{}Key: true, ", key.to_lowercase().replace("control", "ctrl"))
            };
            let held: String = before.iter().map(flag).collect();
            let (code, number) = keys::code(key);
            let (key, code) = (json!(key), json!(code));
            let kind = if action.kind == Kind::Up { "keyup" } else { "keydown" };
            let event = event(
                &format!("KeyboardEvent(\"{kind}\""),
                &format!("key: {key}, code: {code}, keyCode: {number}, {held}"),
            );
            format!("document.activeElement.dispatchEvent({event});")
        }
        Kind::Scroll if e.is_empty() => format!("scrollTo({numbers});"),
        Kind::Scroll => format!("{e}.scrollTo({numbers});"),
        Kind::Wheel => {
            let [x, y] = action.pair()?;
            let event = event("WheelEvent(\"wheel\"", &format!("deltaX: {x}, deltaY: {y}, "));
            format!("{e}.dispatchEvent({event});")
        }
        Kind::Wait => format!("await new Promise(done => setTimeout(done, {numbers}));"),
        Kind::Line => format!("{};", action.text),
        // A window has the size that it has, and another page is another file.
        _ => return None,
    })
}

/// Returns the expression for an element; `None` if no selector of style sheets says it.
fn of(selector: &str) -> Option<String> {
    let others = ["aria/", "text/", "xpath/", "pierce/", "frame/"];
    if selector.is_empty() || others.iter().any(|kind| selector.contains(kind)) {
        return None;
    }
    let parts = selector.split(" >>> ").map(|part| format!("querySelector({})", json!(part)));
    parts.fold(None, |all, part| {
        Some(match all {
            None => format!("document.{part}"),
            Some(all) => format!("({all}.shadowRoot ?? {all}.contentDocument).{part}"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::script::{read, with};
    use super::pages;

    #[test]
    fn a_page_plays_by_itself() {
        let actions = read("click('#a');type('b')");
        let played = with("<p id=a>", &actions);
        let [at_once, fully] = pages(&played, &actions).try_into().unwrap();
        assert_eq!(
            at_once,
            "<p id=a>\n<script>\ndocument.querySelector(\"#a\").click();\n\
             document.execCommand(\"insertText\", false, \"b\");\n</script>\n"
        );
        assert!(fully.contains("async") && fully.contains("\"pointerdown\""), "{fully}");
        assert!(pages("", &read("resize(3,4)")).is_empty());
        assert_eq!(pages("", &read("wait(5)")).len(), 1);
    }
}
