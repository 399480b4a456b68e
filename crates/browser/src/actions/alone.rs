//! Pages that play their actions themselves: with scripts of their own, in place of what a person
//! does. Which of them a failure takes for a person is tried.

use serde_json::json;

use super::{Action, Deed, Target, keys, script};

/// How a page plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Each action is one call, and none waits for another or for the page to be loaded.
    AtOnce,
    /// Each action has all the events that a browser makes, in a frame of its own.
    Fully,
}

impl Manner {
    /// All of them, the simplest first.
    pub(crate) const ALL: [Self; 2] = [Self::AtOnce, Self::Fully];
}

/// Returns a page that plays its actions; `None` if a script cannot do one of them.
pub(crate) fn page(page: &str, actions: &[Action], manner: Manner) -> Option<String> {
    let mut lines = Vec::new();
    for action in actions {
        lines.push(line(action, manner)?);
    }
    let code = match manner {
        // What waits needs frames.
        Manner::AtOnce if lines.iter().any(|line| line.contains("await ")) => return None,
        Manner::AtOnce => lines.iter().map(|line| format!("{line}\n")).collect(),
        Manner::Fully => {
            let frame = "  await new Promise(requestAnimationFrame);\n";
            let lines: String = lines.iter().map(|line| format!("{frame}  {line}\n")).collect();
            format!("addEventListener(\"load\", async () => {{\n{lines}}});\n")
        }
    };
    let mut page = script::without(page);
    if !page.ends_with('\n') {
        page.push('\n');
    }
    Some(page + &script::element("", &code))
}

fn line(action: &Action, manner: Manner) -> Option<String> {
    Some(match action {
        Action::Point { deed, target, .. } => {
            let e = of(target)?;
            let kinds: &[&str] = match (deed, manner) {
                (Deed::Click, Manner::AtOnce) => {
                    return Some(format!("{e}.click();"));
                }
                (Deed::Double, Manner::AtOnce) => &["dblclick"],
                (Deed::Right, Manner::AtOnce) => &["contextmenu"],
                (Deed::Hover, Manner::AtOnce) => &["mouseover"],
                (Deed::Hold, Manner::AtOnce) => &["mousedown"],
                (Deed::Release, Manner::AtOnce) => &["mouseup"],
                (Deed::Hover, Manner::Fully) => HOVER,
                (Deed::Hold, Manner::Fully) => &["pointerdown", "mousedown"],
                (Deed::Release, Manner::Fully) => &["pointerup", "mouseup"],
                (Deed::Right, Manner::Fully) => {
                    &["pointerdown", "mousedown", "pointerup", "mouseup", "contextmenu"]
                }
                (Deed::Click, Manner::Fully) => CLICK,
                (Deed::Double, Manner::Fully) => DOUBLE,
            };
            if let [kind] = kinds {
                return Some(format!("{e}.dispatchEvent({});", mouse(&json!(kind).to_string())));
            }
            let focus = if kinds.contains(&"mousedown") { " e.focus();" } else { "" };
            let kinds = json!(kinds);
            let event = mouse("kind");
            format!(
                "{{ const e = {e};{focus} for (const kind of {kinds}) e.dispatchEvent({event}); }}"
            )
        }
        Action::Fill { target, text } => {
            let (e, text) = (of(target)?, json!(text));
            match manner {
                Manner::Fully => format!(
                    "{{ const e = {e}; e.focus(); e.select?.(); document.execCommand(\"insertText\", false, {text}) \
                     || (e.value = {text}); e.dispatchEvent(new Event(\"change\", {{ bubbles: true }})); }}"
                ),
                _ => format!(
                    "{{ const e = {e}; e.value = {text}; e.dispatchEvent(new Event(\"input\", {{ bubbles: true }})); \
                     e.dispatchEvent(new Event(\"change\", {{ bubbles: true }})); }}"
                ),
            }
        }
        Action::Type { text } => {
            format!("document.execCommand(\"insertText\", false, {});", json!(text))
        }
        Action::Press { keys } => {
            let keys = keys::together(keys);
            let (last, before) = keys.split_last()?;
            let held: String = before
                .iter()
                .map(|key| match *key {
                    "Control" => ", ctrlKey: true",
                    "Shift" => ", shiftKey: true",
                    "Alt" => ", altKey: true",
                    _ => ", metaKey: true",
                })
                .collect();
            format!("document.activeElement.dispatchEvent({});", key("keydown", last, &held))
        }
        Action::Down { key: name } => {
            format!("document.activeElement.dispatchEvent({});", key("keydown", name, ""))
        }
        Action::Up { key: name } => {
            format!("document.activeElement.dispatchEvent({});", key("keyup", name, ""))
        }
        Action::Scroll { target: None, to: [x, y] } => format!("scrollTo({x}, {y});"),
        Action::Scroll { target: Some(target), to: [x, y] } => {
            format!("{}.scrollTo({x}, {y});", of(target)?)
        }
        Action::Wheel { target, by: [x, y] } => format!(
            "{}.dispatchEvent(new WheelEvent(\"wheel\", {{ deltaX: {x}, deltaY: {y}, bubbles: true, cancelable: true }}));",
            of(target)?
        ),
        Action::Wait { time } => format!("await new Promise(done => setTimeout(done, {time}));"),
        Action::Line { code } => format!("{code};"),
        // A window has the size that it has, and another page is another file.
        Action::Resize { .. } | Action::Go { .. } => return None,
    })
}

const HOVER: &[&str] =
    &["pointerover", "pointerenter", "mouseover", "mouseenter", "pointermove", "mousemove"];
const CLICK: &[&str] = &["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
const DOUBLE: &[&str] = &[
    "pointerdown",
    "mousedown",
    "pointerup",
    "mouseup",
    "click",
    "pointerdown",
    "mousedown",
    "pointerup",
    "mouseup",
    "click",
    "dblclick",
];

fn mouse(kind: &str) -> String {
    format!("new MouseEvent({kind}, {{ bubbles: true, cancelable: true, composed: true }})")
}

fn key(kind: &str, key: &str, more: &str) -> String {
    let (code, number) = keys::code(key);
    let (kind, key, code) = (json!(kind), json!(key), json!(code));
    format!(
        "new KeyboardEvent({kind}, {{ key: {key}, code: {code}, keyCode: {number}{more}, bubbles: true, cancelable: true }})"
    )
}

/// Returns the expression for an element; `None` if no selector of style sheets says it.
fn of(target: &Target) -> Option<String> {
    let first = target.first();
    let is_other =
        ["aria/", "text/", "xpath/", "pierce/", "frame/"].iter().any(|kind| first.contains(kind));
    if is_other || first.is_empty() {
        return None;
    }
    let mut parts = first.split(" >>> ").map(|part| format!("querySelector({})", json!(part)));
    let start = format!("document.{}", parts.next()?);
    Some(
        parts
            .fold(start, |all, part| format!("({all}.shadowRoot ?? {all}.contentDocument).{part}")),
    )
}

#[cfg(test)]
mod tests {
    use super::super::script::{read, with};
    use super::{Manner, page};

    #[test]
    fn a_page_plays_by_itself() {
        let actions = read("click('#a');type('b')");
        let played = with("<p id=a>", &actions);
        let at_once = page(&played, &actions, Manner::AtOnce).unwrap();
        assert_eq!(
            at_once,
            "<p id=a>\n<script>\ndocument.querySelector(\"#a\").click();\n\
             document.execCommand(\"insertText\", false, \"b\");\n</script>\n"
        );
        let fully = page(&played, &actions, Manner::Fully).unwrap();
        assert!(fully.contains("async") && fully.contains("\"pointerdown\""), "{fully}");
        assert!(page("", &read("resize(3,4)"), Manner::AtOnce).is_none());
        assert!(page("", &read("wait(5)"), Manner::AtOnce).is_none());
    }
}
