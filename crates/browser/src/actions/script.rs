//! Actions as they stand in a page: `<script type=text/actions>click("#a"); type("b")</script>`.
//! The names are few; anything else is a line of script.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use super::calls::{self, Call, statements};
use super::{Action, Deed, Target};

/// The names of what is done with the pointer.
pub(crate) const DEEDS: [(Deed, &str); 6] = [
    (Deed::Click, "click"),
    (Deed::Double, "doubleclick"),
    (Deed::Right, "rightclick"),
    (Deed::Hover, "hover"),
    (Deed::Hold, "hold"),
    (Deed::Release, "release"),
];

/// A page's actions.
static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?is)<script\s+type\s*=\s*["']?text/actions["']?\s*>(.*?)</script\s*>\n?"#)
        .expect("a regular expression")
});

/// Returns the actions that stand in a page.
pub(crate) fn of_page(page: &[u8]) -> Vec<Action> {
    let text = String::from_utf8_lossy(page);
    let all = SCRIPT.captures_iter(&text).map(|found| read(&found[1]));
    all.flatten().collect()
}

/// Returns a page without its actions.
pub(crate) fn without(page: &str) -> String {
    SCRIPT.replace_all(page, "").into_owned()
}

/// Returns a page with actions, which replace those that it has.
pub(crate) fn with(page: &str, actions: &[Action]) -> String {
    let mut page = without(page);
    if !page.is_empty() && !page.ends_with('\n') {
        page.push('\n');
    }
    page.push_str(&element("text/actions", &write(actions)));
    page
}

/// Returns a script for the end of a page.
pub(crate) fn element(kind: &str, code: &str) -> String {
    let code = code.replace("</script", "<\\/script");
    let kind = if kind.is_empty() { String::new() } else { format!(" type={kind}") };
    format!("<script{kind}>\n{code}</script>\n")
}

/// Reads a script.
pub(crate) fn read(script: &str) -> Vec<Action> {
    let script = script.replace("<\\/script", "</script");
    statements(&script).into_iter().filter_map(statement).collect()
}

/// Reads a statement; `None` for a call of ours without what it needs, as it is left when parts of
/// it were taken away.
fn statement(text: String) -> Option<Action> {
    match calls::call(&text) {
        Some(call) if NAMES.contains(&&call.name[..]) => of_call(&call),
        _ => Some(Action::Line { code: text }),
    }
}

/// The names of all actions.
const NAMES: [&str; 17] = [
    "click",
    "doubleclick",
    "rightclick",
    "hover",
    "hold",
    "release",
    "fill",
    "type",
    "press",
    "down",
    "up",
    "scroll",
    "wheel",
    "resize",
    "wait",
    "go",
    "line",
];

fn of_call(call: &Call) -> Option<Action> {
    let pair = |from: usize| Some([call.number(from)?, call.number(from + 1)?]);
    let deed = DEEDS.iter().find(|(_, name)| *name == call.name);
    if let Some((deed, _)) = deed {
        return Some(Action::Point {
            deed: *deed,
            target: Target::one(call.text(0)?),
            at: pair(1),
        });
    }
    Some(match &call.name[..] {
        "fill" => Action::Fill {
            target: Target::one(call.text(0)?),
            text: call.text(1).unwrap_or_default(),
        },
        "type" => Action::Type { text: call.text(0)? },
        "press" => Action::Press { keys: call.text(0)? },
        "down" => Action::Down { key: call.text(0)? },
        "up" => Action::Up { key: call.text(0)? },
        "scroll" => match call.number(0) {
            Some(_) => Action::Scroll { target: None, to: pair(0)? },
            None => Action::Scroll { target: Some(Target::one(call.text(0)?)), to: pair(1)? },
        },
        "wheel" => Action::Wheel { target: Target::one(call.text(0)?), by: pair(1)? },
        "resize" => {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
            let size = pair(0)?.map(|side| side.max(1.0) as u32);
            Action::Resize { size }
        }
        "wait" => Action::Wait { time: call.number(0)? },
        "go" => Action::Go { address: call.text(0)? },
        _ => return None,
    })
}

/// Writes actions, one a line.
pub(crate) fn write(actions: &[Action]) -> String {
    actions.iter().map(|action| format!("{};\n", line(action))).collect()
}

fn line(action: &Action) -> String {
    let name = |wanted: Deed| DEEDS.iter().find(|(deed, _)| *deed == wanted).map_or("", |(_, n)| n);
    let of_pair = |[x, y]: &[f64; 2]| format!("{x},{y}");
    match action {
        Action::Point { deed, target, at } => {
            let at = at.as_ref().map(|at| format!(",{}", of_pair(at))).unwrap_or_default();
            format!("{}({}{at})", name(*deed), json!(target.first()))
        }
        Action::Fill { target, text } => format!("fill({},{})", json!(target.first()), json!(text)),
        Action::Type { text } => format!("type({})", json!(text)),
        Action::Press { keys } => format!("press({})", json!(keys)),
        Action::Down { key } => format!("down({})", json!(key)),
        Action::Up { key } => format!("up({})", json!(key)),
        Action::Scroll { target: None, to } => format!("scroll({})", of_pair(to)),
        Action::Scroll { target: Some(target), to } => {
            format!("scroll({},{})", json!(target.first()), of_pair(to))
        }
        Action::Wheel { target, by } => {
            format!("wheel({},{})", json!(target.first()), of_pair(by))
        }
        Action::Resize { size: [width, height] } => format!("resize({width},{height})"),
        Action::Wait { time } => format!("wait({time})"),
        Action::Go { address } => format!("go({})", json!(address)),
        Action::Line { code } => code.trim().trim_end_matches(';').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{of_page, read, with, without, write};

    /// One of each.
    pub(crate) const ALL: &str = "click(\"#a\");\nclick(\"#a\",3,4.5);\ndoubleclick(\"b\");\n\
        rightclick(\"b\");\nhover(\"b\");\nhold(\"b\");\nrelease(\"b\");\nfill(\"#c\",\"\\\"x\\n\");\n\
        type(\"ö\");\npress(\"Control+b\");\ndown(\"Shift\");\nup(\"Shift\");\nscroll(0,70);\n\
        scroll(\"#d\",0,70);\nwheel(\"#d\",0,70);\nresize(300,200);\nwait(50);\ngo(\"b.html\");\ndocument.title = 1;\n";

    #[test]
    fn what_is_written_is_read() {
        let actions = read(ALL);
        assert_eq!(actions.len(), 19);
        assert_eq!(write(&actions), ALL);
    }

    #[test]
    fn actions_stand_at_the_end_of_a_page() {
        let page = "<!doctype html>\n<p>a";
        let played = with(page, &read("click('p')"));
        assert_eq!(
            played,
            "<!doctype html>\n<p>a\n<script type=text/actions>\nclick(\"p\");\n</script>\n"
        );
        assert_eq!(write(&of_page(played.as_bytes())), "click(\"p\");\n");
        assert_eq!(with(&played, &[]).matches("click").count(), 0);
        assert_eq!(without(&played), "<!doctype html>\n<p>a\n");
        let one_line = b"<script type=\"text/actions\">click('a');hover(`b`)</script>";
        assert_eq!(of_page(one_line).len(), 2);
    }

    #[test]
    fn what_is_left_of_an_action_does_no_harm() {
        assert_eq!(write(&read("click();type();fill('a');scroll('a',1)")), "fill(\"a\",\"\");\n");
    }
}
