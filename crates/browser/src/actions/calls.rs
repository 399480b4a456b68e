//! Reads the part of JavaScript in which actions are written: statements that are calls with
//! literals, such as `click("#a", 3, 4)`.

use serde_json::Value;

/// A call: a name, and what it is called with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Value>,
}

impl Call {
    /// Returns an argument that is a text, or that is shown as one.
    pub(crate) fn text(&self, at: usize) -> Option<String> {
        match self.arguments.get(at)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Returns an argument that is a number.
    pub(crate) fn number(&self, at: usize) -> Option<f64> {
        self.arguments.get(at)?.as_f64()
    }
}

/// Splits a script into its statements: at semicolons, and at the ends of lines outside of
/// brackets. Comments are left out.
pub(crate) fn statements(script: &str) -> Vec<String> {
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
                while rest.peek().is_some_and(|&sign| sign != '\n') {
                    rest.next();
                }
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
    all.retain(|statement| !statement.trim().is_empty());
    all.iter().map(|statement| statement.trim().to_owned()).collect()
}

/// Reads a whole text as a call: its arguments are JSON, or have single quotes instead.
pub(crate) fn call(text: &str) -> Option<Call> {
    let (name, rest) = text.split_once('(').unwrap_or((text, ")"));
    let arguments = rest.trim_end().strip_suffix(')')?.trim().trim_end_matches(',');
    let read = |arguments: &str| serde_json::from_str(&format!("[{arguments}]")).ok();
    let arguments = read(arguments).or_else(|| read(&arguments.replace('\'', "\"")))?;
    Some(Call { name: name.trim().to_owned(), arguments })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{call, statements};

    #[test]
    fn statements_end_with_semicolons_and_lines() {
        let script = "a('x;y') // c;d\nb({\n c: 1 }); e()\n\n";
        assert_eq!(statements(script), ["a('x;y')", "b({\n c: 1 })", "e()"]);
    }

    #[test]
    fn calls_with_literals_are_read() {
        let read = call(r#"go ("a'b\n", -1.5, 2,)"#).unwrap();
        assert_eq!(read.name, "go");
        assert_eq!(read.arguments, [json!("a'b\n"), json!(-1.5), json!(2)]);
        assert_eq!((read.text(0).as_deref(), read.number(2)), (Some("a'b\n"), Some(2.0)));
        assert_eq!(call("go('a')").unwrap().arguments, [json!("a")]);
        assert_eq!(call("go").unwrap().arguments, [json!(null); 0]);
        assert!(["a(", "a(() => 1)", "a(b)"].iter().all(|text| call(text).is_none()));
    }
}
