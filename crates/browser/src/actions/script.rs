//! Actions as they stand in a page: `<script type=text/actions>click("#a"); type("b")</script>`,
//! statements that are calls with literals. The names are few; anything else is a line of script.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::{Action, Kind};

/// How a kind of action is written: its name, and whether it is called with a selector, with a text,
/// and with how many numbers, in this order.
type Form = (Kind, &'static str, bool, bool, usize);

const FORMS: [Form; 16] = [
    (Kind::Click, "click", true, false, 2),
    (Kind::DoubleClick, "doubleclick", true, false, 2),
    (Kind::RightClick, "rightclick", true, false, 2),
    (Kind::Hover, "hover", true, false, 2),
    (Kind::Hold, "hold", true, false, 2),
    (Kind::Release, "release", true, false, 2),
    (Kind::Fill, "fill", true, true, 0),
    (Kind::Type, "type", false, true, 0),
    (Kind::Press, "press", false, true, 0),
    (Kind::Down, "down", false, true, 0),
    (Kind::Up, "up", false, true, 0),
    (Kind::Scroll, "scroll", true, false, 2),
    (Kind::Wheel, "wheel", true, false, 2),
    (Kind::Resize, "resize", false, false, 2),
    (Kind::Wait, "wait", false, false, 1),
    (Kind::Go, "go", false, true, 0),
];

/// A page's actions.
static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?is)<script\s+type\s*=\s*["']?text/actions["']?\s*>(.*?)</script\s*>\n?"#)
        .expect("a regular expression")
});

/// Returns the actions that stand in a page.
pub(crate) fn of_page(page: &[u8]) -> Vec<Action> {
    let text = String::from_utf8_lossy(page);
    SCRIPT.captures_iter(&text).flat_map(|found| read(&found[1])).collect()
}

/// Returns a page without its actions.
pub(crate) fn without(page: &str) -> String {
    SCRIPT.replace_all(page, "").into_owned()
}

/// Returns a page with actions, which replace those that it has.
pub(crate) fn with(page: &str, actions: &[Action]) -> String {
    appended(page, " type=text/actions", &write(actions))
}

/// Returns a page with a script at its end, which replaces its actions.
pub(crate) fn appended(page: &str, kind: &str, code: &str) -> String {
    let page = without(page);
    let line = if page.is_empty() || page.ends_with('\n') { "" } else { "\n" };
    let code = code.replace("</script", "<\\/script");
    format!("{page}{line}<script{kind}>\n{code}</script>\n")
}

/// Reads a script. A call of ours without what it needs, as it is left when parts of it were taken
/// away, says nothing.
pub(crate) fn read(script: &str) -> Vec<Action> {
    let script = script.replace("<\\/script", "</script");
    statements(&script).into_iter().filter_map(statement).collect()
}

fn statement(text: String) -> Option<Action> {
    let call = call(&text).and_then(|(name, arguments)| {
        Some((FORMS.iter().find(|(_, own, ..)| *own == name)?, arguments))
    });
    match call {
        Some((form, arguments)) => action(form, &arguments),
        None => Some(Action::new(Kind::Line, text)),
    }
}

/// Reads a whole text as a call: its arguments are JSON, or have single quotes instead.
fn call(text: &str) -> Option<(&str, Vec<Value>)> {
    let (name, rest) = text.split_once('(').unwrap_or((text, ")"));
    let arguments = rest.trim_end().strip_suffix(')')?.trim().trim_end_matches(',');
    let read = |arguments: &str| serde_json::from_str(&format!("[{arguments}]")).ok();
    let arguments = read(arguments).or_else(|| read(&arguments.replace('\'', "\"")))?;
    Some((name.trim(), arguments))
}

fn action((kind, _, has_target, has_text, number): &Form, arguments: &[Value]) -> Option<Action> {
    let mut action = Action::new(*kind, "");
    let mut rest = arguments.iter().peekable();
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    // Without an element, the page is scrolled.
    let is_page = *kind == Kind::Scroll && rest.peek()?.is_number();
    if *has_target && !is_page {
        action.target.push(text(rest.next()?)?);
    }
    if *has_text {
        let given = rest.next().and_then(text);
        action.text = given.or_else(|| has_target.then(String::new))?;
    }
    let numbers: Vec<f64> = rest.map_while(Value::as_f64).take(*number).collect();
    if numbers.len() == *number {
        action.numbers = numbers;
    } else if !kind.is_of_pointer() {
        return None;
    }
    Some(action)
}

/// Writes actions, one a line.
pub(crate) fn write(actions: &[Action]) -> String {
    actions.iter().map(|action| format!("{};\n", line(action))).collect()
}

fn line(action: &Action) -> String {
    let form = FORMS.iter().find(|(kind, ..)| *kind == action.kind);
    let Some((_, name, _, has_text, _)) = form else {
        return action.text.trim().trim_end_matches(';').to_owned();
    };
    let target = action.target.first().map(|selector| json!(selector).to_string());
    let text = has_text.then(|| json!(action.text).to_string());
    let numbers = action.numbers.iter().map(f64::to_string);
    let arguments: Vec<String> = target.into_iter().chain(text).chain(numbers).collect();
    format!("{name}({})", arguments.join(","))
}

/// Splits a script into its statements: at semicolons, and at the ends of lines outside of
/// brackets. Comments are left out.
fn statements(script: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut statement = String::new();
    let (mut depth, mut quote) = (0_i32, None);
    let mut rest = script.chars().peekable();
    while let Some(sign) = rest.next() {
        match (quote, sign) {
            (Some(_), '\\') => {
                statement.push(sign);
                statement.extend(rest.next());
                continue;
            }
            (Some(end), _) if sign == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(sign),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, '/') if rest.peek() == Some(&'/') => {
                while rest.next_if(|&sign| sign != '\n').is_some() {}
                continue;
            }
            (None, ';' | '\n') if depth <= 0 => {
                all.push(std::mem::take(&mut statement));
                continue;
            }
            (None, _) => {}
        }
        statement.push(sign);
    }
    all.push(statement);
    let all = all.iter().map(|statement| statement.trim().to_owned());
    all.filter(|statement| !statement.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{call, of_page, read, statements, with, without, write};

    /// One of each.
    const ALL: &str = "click(\"#a\");\nclick(\"#a\",3,4.5);\ndoubleclick(\"b\");\n\
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

    #[test]
    fn statements_end_with_semicolons_and_lines() {
        let script = "a('x;y') // c;d\nb({\n c: 1 }); e()\n\n";
        assert_eq!(statements(script), ["a('x;y')", "b({\n c: 1 })", "e()"]);
    }

    #[test]
    fn calls_with_literals_are_read() {
        let (name, arguments) = call(r#"go ("a'b\n", -1.5, 2,)"#).unwrap();
        assert_eq!((name, arguments), ("go", vec![json!("a'b\n"), json!(-1.5), json!(2)]));
        assert_eq!(call("go('a')").unwrap().1, [json!("a")]);
        assert_eq!(call("go").unwrap().1, [json!(null); 0]);
        assert!(["a(", "a(() => 1)", "a(b)"].iter().all(|text| call(text).is_none()));
    }
}
